/**
 * What an EVM chain's gas is like.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Network from "../Network.ts"
import * as Remembered from "../Remembered.ts"

export interface Gas extends Schema.Schema.Type<typeof Gas> {}
export const Gas = Schema.Struct({
  /** The most that a unit of gas may cost, in wei, unless the operator says otherwise. */
  priceMax: Schema.BigIntFromString,
  /** The least that is bid on top of the base fee, in wei. */
  tipMin: Schema.BigIntFromString,
  /** What is added to an estimate, in percent. */
  headroom: Schema.Int,
  /** The most that a transfer may take: a payer's account that is a contract decides what it takes to ask it. */
  most: Schema.BigIntFromString,
  /** What collecting from an account with code may cost without earning it, in wei, unless the operator says otherwise. */
  allowance: Schema.optionalKey(Schema.BigIntFromString),
  /** Whether the chain charges what a transaction's data costs on Ethereum in addition to its gas. */
  isDataExtra: Schema.Boolean,
})

/** What every transaction takes, and each byte of its data. */
export const transaction = 21_000n
export const ofByte = (byte: number): bigint => (byte === 0 ? 4n : 16n)

/**
 * What collecting from an account with code may take over its data: for the token, Permit2, and the account's own
 * `isValidSignature`.
 */
export const collecting = 220_000n

/** The same with as much data as signatures of contracts usually have. */
export const collectingUsually = transaction + 1_200n * ofByte(1) + collecting

/** What collecting from an account with code may cost without earning it: on a new network, a twentieth of the dearest. */
export const allowanceOf = ({ allowance, priceMax }: Gas): bigint =>
  allowance ?? (collectingUsually * priceMax) / 20n

/** Gas as the row of a network holds it. */
export const encode = Schema.encodeSync(Gas)

const decode = Schema.decodeUnknownSync(Gas)
const decodes = Schema.decodeUnknownOption(Gas)

/** Whether a row has what an EVM adapter needs of a network. */
export const isIn = ({ details }: Network.Network): boolean => Option.isSome(decodes(details))

/** What the row of an EVM chain says of its gas. A row without it is a defect. */
export const of = Remembered.by(({ details }: Network.Network): Gas => decode(details))
