/**
 * What stops a partner or a merchant, and what lets it continue.
 *
 * @module
 */
import { type Act, ActButton } from "../shell/Act.tsx"
import { foreign, Pill } from "../shell/Pieces.tsx"
import * as Texts from "./Texts.ts"

const { measures } = Texts.texts

/** A partner or a merchant: frozen, it is not paid out, and suspended, it creates no payments. */
interface Stoppable {
  readonly frozenAt: string | null
  readonly suspendedAt?: string | null
  readonly status?: string
}

const isSuspended = ({ status = "active", suspendedAt = null }: Stoppable): boolean =>
  suspendedAt !== null || status !== "active"

export const isStopped = (of: Stoppable): boolean => isSuspended(of) || of.frozenAt !== null

export const measurePills = (of: Stoppable) => (
  <>
    {isSuspended(of) && <Pill tone="bad">{measures.suspended}</Pill>}{" "}
    {of.frozenAt !== null && <Pill tone="bad">{measures.frozen}</Pill>}
    {!isStopped(of) && <Pill tone="good">{measures.active}</Pill>}
  </>
)

/** `path` is that of the partner or the merchant in the API. */
export const measureActs = (of: Stoppable & { readonly name: string }, path: string) => {
  const act = (measure: "suspend" | "resume" | "freeze" | "unfreeze") => {
    const stops = measure === "suspend" || measure === "freeze"
    const deed: Act = {
      ...measures[measure],
      scope: stops ? "support" : "admin",
      isDangerous: stops,
      path: `${path}/${measure}`,
      body: [<p class="big">{foreign(of.name)}</p>, measures[measure].body],
    }
    return <ActButton act={deed} />
  }
  return (
    <>
      {act(isSuspended(of) ? "resume" : "suspend")}
      {act(of.frozenAt === null ? "freeze" : "unfreeze")}
    </>
  )
}
