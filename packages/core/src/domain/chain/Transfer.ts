/**
 * Money moving on a chain: what we look for, and what was observed.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Money from "../ground/Money.ts"
import * as Caip from "./Caip.ts"
import * as Obstacle from "./Obstacle.ts"

/** The exact Transfer log that counts: another token, sender, recipient or quantity is another movement. */
export interface Movement extends Schema.Schema.Type<typeof Movement> {}
export const Movement = Schema.Struct({
  token: Caip.Token,
  from: Caip.Address,
  to: Caip.Address,
  quantity: Money.Quantity,
})

export const isSameMovement = Schema.toEquivalence(Movement)

/** A movement by its log, no matter who made it: the log can be claimed once. */
export interface Log extends Schema.Schema.Type<typeof Log> {}
export const Log = Schema.Struct({
  movement: Movement,
  txHash: Schema.String,
  logIndex: Schema.Int,
  blockNumber: Schema.Int,
  blockHash: Schema.String,
})

/** A movement found on chain, with the transaction that holds its log. */
export interface Evidence extends Schema.Schema.Type<typeof Evidence> {}
export const Evidence = Schema.Struct({
  ...Log.fields,
  /** The nonce of the transaction that holds the log; on a chain without nonces, its number in the lane. */
  txNonce: Schema.Int,
})

/** Identifies a log. A transaction may have several logs of the same movement. */
export type LogId = Pick<Log, "txHash" | "logIndex">

/** Whether a log is one of some. */
export const isOneOf = (logs: ReadonlyArray<LogId>, { logIndex, txHash }: LogId): boolean =>
  logs.some((each) => each.txHash === txHash && each.logIndex === logIndex)

/** Why a movement can never happen. */
export interface Failure extends Schema.Schema.Type<typeof Failure> {}
export const Failure = Schema.Struct({
  reason: Schema.String,
  code: Obstacle.HeldCode,
  /** Its transaction succeeded and moved something else: the payee may have been paid by it. */
  movedOtherwise: Schema.optionalKey(Schema.Literal(true)),
})

/** What one of our successful transactions moved instead of its movement, all of it in the movement's token. */
export interface Moved extends Schema.Schema.Type<typeof Moved> {}
export const Moved = Schema.Struct({
  /** What the payee got, maybe nothing. If no log shows it, the transaction's first log is used. */
  transfer: Evidence,
  /** All that left our account. */
  left: Money.Quantity,
  /** The receivers, as far as logs show them. */
  transfers: Schema.Array(Schema.Struct({ to: Caip.Address, quantity: Money.Quantity })),
})

/** Sums up the Transfer logs of a token from our account; those to the payee are part of the movement. */
export const movedBy = (
  logs: ReadonlyArray<Evidence>,
  { movement, ...where }: Evidence,
): Moved | null => {
  const [first] = logs
  if (first === undefined) return null
  const total = (some: ReadonlyArray<Evidence>): Money.Quantity =>
    Money.clamp(
      some.reduce((sum, each) => sum + each.movement.quantity, 0n),
      Money.largest,
    )
  const arrived = logs.filter((each) => each.movement.to === movement.to)
  const { logIndex } = arrived[0] ?? first
  return {
    transfer: { ...where, logIndex, movement: { ...movement, quantity: total(arrived) } },
    left: total(logs),
    transfers: logs.map(({ movement: { quantity, to } }) => ({ to, quantity })),
  }
}

/** The state of a movement, as a chain shows it. Absence never proves that it will not come: only `Impossible` does. */
export type Observation = typeof Observation.Type
export const Observation = Schema.TaggedUnion({
  /** Not on the canonical chain now. Stored bytes may be sent again. */
  Unseen: {},
  /** On the canonical chain, but not yet final. */
  Included: { evidence: Evidence },
  /** Not there, and our next transaction for it is due: its prerequisite is on the chain. */
  Due: {},
  /** Final by the chain's policy. */
  Final: { evidence: Evidence },
  /** The lane's nonce was finally used by another transaction: ours must be signed again. */
  Replaced: {},
  /** It can finally never happen: the authorization was used up, ran out or was revoked, or the transfer reverted. */
  Impossible: {
    reason: Failure.fields.reason,
    movedOtherwise: Failure.fields.movedOtherwise,
    /** What it moved from our account; absent if that is not known, or if it was not our transaction. */
    moved: Schema.optionalKey(Moved),
    /** The transaction that shows it, if there is one. Anything else that it moved belongs to nobody yet. */
    txHash: Schema.optionalKey(Schema.String),
  },
})

/** Why one of our transfers ended, and what it moved instead, if that is known. */
export interface Ending extends Failure {
  readonly moved?: Moved
}

/** The record of one of our final transfers that is permanently gone: the reason names a transaction to check. */
export const failureOf = ({
  moved,
  movedOtherwise,
  reason,
  txHash,
}: Extract<Observation, { readonly _tag: "Impossible" }>): Ending =>
  movedOtherwise === undefined
    ? { reason, code: "lost" }
    : {
        reason: `${reason} (${txHash})`,
        code: "moved",
        movedOtherwise,
        ...(moved !== undefined && { moved }),
      }

/** Why a transfer that moved something else is not sent again, and what to do instead. */
export const whyNotRetried = (reason: string): string =>
  `${reason}, so look at what it moved with \`florin payouts show <payoutId>\`, then run \`florin payouts accept <payoutId>\` or \`florin payouts release <payoutId>\`: a retry could pay it twice`
