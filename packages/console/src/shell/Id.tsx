/**
 * What has an id, as a link to its screen.
 *
 * @module
 */
import { useConsole } from "./Console.tsx"
import * as Path from "./Path.ts"
import { type Fact, foreign } from "./Pieces.tsx"
import { Link } from "./Route.tsx"

/** What has an id, by its name if that is known. It leads to its screen if it has one. */
export const Id = ({ of, name }: { readonly of: string; readonly name?: string | undefined }) => {
  const to = Path.toOf(useConsole().session.face, of)
  const shown = name === undefined ? <code title={of}>{of}</code> : foreign(name)
  return to === undefined ? shown : <Link to={to}>{name === undefined ? of : shown}</Link>
}

/** What has this id, if there is one. */
export const idFact = (name: string, id: string | null | undefined): Fact => [
  name,
  typeof id === "string" && <Id of={id} />,
]
