/**
 * Why money does not go out, and what follows: the one table that says what waits and what is held.
 *
 * Only what lies with the destination, or would cost more with every try, is held for an operator. All else passes by
 * itself, so it is tried again with growing pauses for as long as it takes.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** What is held until an operator retries it. */
export const heldCodes = ["payee", "screening", "moved", "reverting", "lost"] as const
export type HeldCode = (typeof heldCodes)[number]
export const HeldCode = Schema.Literals(heldCodes)

/** What is tried again by itself. */
export const waitCodes = [
  "paused",
  "blocked",
  "short",
  "float",
  "credit",
  "reverted",
  "node",
  "halted",
  "stopped",
  "frozen",
  "limit",
  "destination",
] as const
export type WaitCode = (typeof waitCodes)[number]

export type Code = HeldCode | WaitCode

/** What each code means, in a few words for lists. */
export const meanings: { readonly [C in Code]: string } = {
  payee: "the destination cannot be paid",
  screening: "screening refuses the destination",
  moved: "its transaction moved something else",
  reverting: "its transaction reverts repeatedly",
  lost: "a reorganisation removed its transfer",
  paused: "the token is paused",
  blocked: "the token refuses the transfer",
  short: "the service's account has too little of the token",
  float: "the operator has too little of its own money on the account",
  credit: "its partner has too little credit",
  reverted: "its transaction reverted",
  node: "the chain does not respond",
  halted: "sending on the chain is halted",
  stopped: "sending of the token is stopped until the operator resumes it",
  frozen: "its merchant or partner is frozen",
  limit: "its partner reached a daily limit",
  destination: "its merchant's destination is not in effect yet",
}

const held: ReadonlySet<string> = new Set(heldCodes)

/** Whether an operator must act. */
export const isHeld = (code: Code): code is HeldCode => held.has(code)

/** Why an outflow waits, and since when. */
export interface Obstacle extends Schema.Schema.Type<typeof Obstacle> {}
export const Obstacle = Schema.Struct({
  code: Schema.Literals(waitCodes),
  /** What was found, where, and what to do. */
  reason: Schema.String,
  since: Schema.Int,
  /** When it goes on at the earliest, if that is known. */
  until: Schema.optionalKey(Schema.Int),
})

/** After so many reverts that no rehearsal foresaw, the next one would only cost gas. */
export const revertsMax = 3
