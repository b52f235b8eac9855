/**
 * A lane is the sequence of one account of ours on one chain, in which every nonce is used once. Where the chain does not
 * number an account's transactions, the lane counts them itself. Everything about a
 * transaction that may change until it is mined lives here: its bytes, its hashes and what it bids. Whatever it carries
 * out points to its slot, so a higher bid is written in the lane and nowhere else.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import * as Money from "./Money.ts"
import type * as Spending from "./Spending.ts"

export interface Lane extends Schema.Schema.Type<typeof Lane> {}
export const Lane = Schema.Struct({ chainId: Caip.ChainId, sender: Caip.Address })

/** One nonce of a lane, and when it was taken for what points to it. */
export interface Slot extends Schema.Schema.Type<typeof Slot> {}
export const Slot = Schema.Struct({ lane: Lane, nonce: Schema.Int, takenAt: Schema.Int })

/** A transaction of ours in its newest version: signed and stored before it is first broadcast. */
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

/** What a signer must know of a lane besides its transactions. */
export interface State {
  /** What it committed to spend in the hour in which it last signed something. */
  readonly spending: Spending.Spending
  /** The nonce after the last one that is stored; null if nothing was ever sent on it. */
  readonly nextNonce: number | null
  /** Below this an operator accepted what its account sent without the ledger; 0 if nobody did. */
  readonly acceptedNonce: number
  /** Why nothing new is sent on its chain; null while it is. */
  readonly haltedBecause: string | null
}

/** A signed transaction, and the lane as it was when it was signed: if that has changed, it is signed again. */
export interface Signed {
  readonly transaction: Transaction
  readonly state: State
}

/** The next nonce to use, if the chain says that the account has used all below `floor`, or counts nothing. */
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
