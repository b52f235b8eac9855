/**
 * Why a call failed. Each error has a `_tag`, and a message for the person who must act. No message repeats a key, a
 * signature or data that the payer typed.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"

/** A code of this version of the interface, or one that a later version adds. */
export type Code = Problem.Code | (string & {})

/** The service's explanation of an error. */
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
  /** Identifies this call in the service's log: include it when you ask for help. */
  readonly requestId: string
  /** For validation errors: every rule that was broken. */
  readonly issues: ReadonlyArray<Problem.Issue>
  /** For `rate_limited`: the time until the next call, if the service states it. */
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

/** No response came, so it is not known whether the service received the call. */
export class Unreachable extends Error {
  readonly _tag = "Unreachable"
  override readonly name = "Unreachable"
}

/** The response is not from the service: for example a proxy's page, or another service's. */
export class Unreadable extends Error {
  readonly _tag = "Unreadable"
  override readonly name = "Unreadable"
  readonly status: number

  constructor(status: number) {
    super(
      `the response with status ${status} is not a response of this API: check baseUrl, and any proxy in between`,
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

/** Why a call failed. */
export type Failure = Refused | Unreachable | Unreadable | Aborted

export const isFailure = (error: unknown): error is Failure =>
  error instanceof Refused ||
  error instanceof Unreachable ||
  error instanceof Unreadable ||
  error instanceof Aborted
