/**
 * Why a call came to nothing. Each error carries a `_tag`, and a message for the person who must act. None repeats a key,
 * a signature or what the payer typed.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"

/** A code of this version of the interface, or one that a later version adds. */
export type Code = Problem.Code | (string & {})

/** What the service says is wrong. */
export interface Explanation {
  readonly code: Code
  readonly message: string
  readonly requestId: string
  readonly issues: ReadonlyArray<Problem.Issue>
}

/** The service read the call and refused it. `message` is the service's own. */
export class Refused extends Error {
  readonly _tag = "Refused"
  override readonly name = "Refused"
  readonly status: number
  readonly code: Code
  /** Names this call in the service's log: quote it when you ask for help. */
  readonly requestId: string
  /** On validation errors: every rule that was broken. */
  readonly issues: ReadonlyArray<Problem.Issue>
  /** On `rate_limited`: when to call again, where the service says so. */
  readonly retryAfterInS: number | undefined

  constructor(status: number, problem: Explanation, retryAfterInS?: number) {
    super(problem.message)
    this.status = status
    this.code = problem.code
    this.requestId = problem.requestId
    this.issues = problem.issues
    this.retryAfterInS = retryAfterInS
  }
}

/** No answer came, so nobody knows whether the service saw the call. */
export class Unreachable extends Error {
  readonly _tag = "Unreachable"
  override readonly name = "Unreachable"
}

/** An answer came that is not the service's: a proxy's page, or another service's. */
export class Unreadable extends Error {
  readonly _tag = "Unreadable"
  override readonly name = "Unreadable"
  readonly status: number

  constructor(status: number) {
    super(
      `the answer with status ${status} is not one of this interface: check baseUrl, and what stands between`,
    )
    this.status = status
  }
}

/** The caller's signal stopped the call. */
export class Aborted extends Error {
  readonly _tag = "Aborted"
  override readonly name = "Aborted"

  constructor() {
    super("stopped by the caller's signal")
  }
}

/** Why a call came to nothing. */
export type Failure = Refused | Unreachable | Unreadable | Aborted

export const isFailure = (error: unknown): error is Failure =>
  error instanceof Refused ||
  error instanceof Unreachable ||
  error instanceof Unreadable ||
  error instanceof Aborted
