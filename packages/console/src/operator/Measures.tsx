/**
 * What stops a partner or a merchant, and what lets it continue.
 *
 * @module
 */
import { type Act, ActButton } from "../shell/Act.tsx"
import { foreign, Pill } from "../shell/Pieces.tsx"
import * as Texts from "./Texts.ts"

const { measures } = Texts.texts

export interface Stopped {
  /** It creates no payments. */
  readonly isSuspended: boolean
  /** It is not paid out. */
  readonly isFrozen: boolean
}

export const MeasurePills = ({ isFrozen, isSuspended }: Stopped) => (
  <>
    {isSuspended && <Pill tone="bad">{measures.suspended}</Pill>}{" "}
    {isFrozen && <Pill tone="bad">{measures.frozen}</Pill>}
    {!isSuspended && !isFrozen && <Pill tone="good">{measures.active}</Pill>}
  </>
)

export const MeasureActs = ({
  path,
  name,
  isFrozen,
  isSuspended,
  onDone,
}: Stopped & {
  /** Of the partner or the merchant in the API. */
  readonly path: string
  readonly name: string
  readonly onDone: () => void
}) => {
  const act = (measure: "suspend" | "resume" | "freeze" | "unfreeze") => {
    const stops = measure === "suspend" || measure === "freeze"
    const deed: Act = {
      ...measures[measure],
      scope: stops ? "support" : "admin",
      isDangerous: stops,
      path: `${path}/${measure}`,
      body: [<p class="big">{foreign(name)}</p>, measures[measure].body],
    }
    return <ActButton act={deed} onDone={onDone} />
  }
  return (
    <>
      {act(isSuspended ? "resume" : "suspend")}
      {act(isFrozen ? "unfreeze" : "freeze")}
    </>
  )
}
