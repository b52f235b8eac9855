/**
 * Why outgoing money is not sent, and what follows: this table alone decides which obstacles wait and which are held.
 *
 * An obstacle is held for an operator only if it lies with the destination, or if every retry would cost more. All
 * others pass without action, so the transfer is retried with growing pauses for as long as it takes.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** Obstacles that are held until an operator retries. */
export const heldCodes = ["payee", "screening", "moved", "reverting", "lost"] as const
export type HeldCode = (typeof heldCodes)[number]
export const HeldCode = Schema.Literals(heldCodes)

/** Obstacles that are retried automatically. */
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

/** The meaning of each code, in a few words for lists. */
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
  /** The earliest time of the next attempt, if it is known. */
  until: Schema.optionalKey(Schema.Int),
})

/** The reason why a test payment fails, or its money is held, if it requested that. */
export const requested = "the payment asked for this test outcome"

/** After this many reverts that no simulation foresaw, the next one would only cost gas. */
export const revertsMax = 3
