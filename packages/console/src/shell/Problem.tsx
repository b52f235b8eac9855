/**
 * Why something failed, in a sentence.
 *
 * @module
 */
import { Refused, Unreachable } from "@florin/client"
import { named } from "./Messages.ts"
import { Button } from "./Pieces.tsx"
import * as Texts from "./Texts.ts"

/** What happened, and what to do, in the reader's language; undefined if only the service knows. */
const known = (error: unknown): string | undefined => {
  const { problem } = Texts.texts
  if (error instanceof Unreachable) return problem.unreachable
  if (!(error instanceof Refused)) return problem.other
  if (error.status === 401) return problem.signedOut
  if (error.code === "step_up_required") return problem.stepUp
  if (error.status === 403) return problem.forbidden
  return error.code in problem.codes ? named(problem.codes, error.code) : undefined
}

/** In the service's own words. */
const said = (error: unknown): string => {
  if (!(error instanceof Refused)) return ""
  const issues = error.issues.map(({ field, message }) => `${field}: ${message}`).join(". ")
  const text = issues === "" ? error.message : issues
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What happened, and what to do. */
export const sentence = (error: unknown): string => known(error) ?? said(error)

export const ProblemNote = ({
  error,
  retry,
}: {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
}) => {
  const { problem } = Texts.texts
  return (
    <div class="problem" role="alert">
      <p lang={known(error) === undefined ? "en" : undefined}>{sentence(error)}</p>
      {error instanceof Refused && error.requestId !== "" && (
        <p class="note">
          {Texts.texts.words.request} <code>{error.requestId}</code>
        </p>
      )}
      {retry !== undefined && (
        <Button look="quiet" onClick={retry}>
          {problem.again}
        </Button>
      )}
    </div>
  )
}
