/**
 * A lane is the sequence of transactions of one of our accounts on one chain, in which every nonce is used once. If the
 * chain does not number an account's transactions, the lane counts them itself. The lane stores everything about a
 * transaction that may change until it is mined: its bytes, its hashes and its bid. The records that it carries out
 * point to its slot, so a higher bid is written only in the lane.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as Money from "../ground/Money.ts"
import type * as Spending from "./Spending.ts"

export interface Lane extends Schema.Schema.Type<typeof Lane> {}
export const Lane = Schema.Struct({ chainId: Caip.ChainId, sender: Caip.Address })

/** One nonce of a lane, and when it was taken. */
export interface Slot extends Schema.Schema.Type<typeof Slot> {}
export const Slot = Schema.Struct({ lane: Lane, nonce: Schema.Int, takenAt: Schema.Int })

/** One of our transactions in its newest version: signed and stored before it is first broadcast. */
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
export const Transaction = Schema.Struct({
  lane: Lane,
  nonce: Schema.Int,
  hash: Schema.String,
  /** The signed bytes as hex: the same bytes go out again after a crash. */
  raw: Schema.String,
  signedAt: Schema.Int,
  /** The most that its gas may cost, in the chain's own smallest unit; absent where gas costs nothing. */
  feeMax: Schema.optionalKey(Money.Quantity),
  /** It collects from an account with code, for which less may be spent. */
  byCode: Schema.optionalKey(Schema.Literal(true)),
  /** Its earlier versions, with the same nonce and a lower fee: any of them may still be the one that is mined. */
  earlierHashes: Schema.optionalKey(Schema.Array(Schema.String)),
})

/** What a signer must know of a lane in addition to its transactions. */
export interface State {
  /** What it committed to spend in the hour in which it last signed. */
  readonly spending: Spending.Spending
  /** The nonce after the last stored one; null if nothing was ever sent on it. */
  readonly nextNonce: number | null
  /**
   * Below this nonce, an operator accepted transactions of the account that the ledger does not know; 0 if none were
   * accepted.
   */
  readonly acceptedNonce: number
  /** Why nothing new is sent on its chain; null if sending is not stopped. */
  readonly haltedBecause: string | null
}

/** A signed transaction, and the lane as it was when it was signed: if that has changed, it is signed again. */
export interface Signed {
  readonly transaction: Transaction
  readonly state: State
}

/** The next nonce to use. `floor`: the chain reports that the account has used all nonces below it, or counts none. */
export const nextNonce = ({ nextNonce: stored }: State, floor: number | null): number =>
  Math.max(stored ?? 0, floor ?? 0)

/** The slot of a transaction that is signed for the first time. */
export const slotOf = ({ lane, nonce, signedAt }: Transaction): Slot => ({
  lane,
  nonce,
  takenAt: signedAt,
})

/** Every hash under which a transaction may be found, the newest first. */
export const hashes = ({ earlierHashes = [], hash }: Transaction): ReadonlyArray<string> => [
  hash,
  ...earlierHashes,
]
