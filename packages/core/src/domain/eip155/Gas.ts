/**
 * The gas settings of an EVM chain.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Details from "./Details.ts"

export interface Gas extends Schema.Schema.Type<typeof Gas> {}
export const Gas = Schema.Struct({
  /** The default maximum price of a unit of gas, in wei. */
  priceMax: Schema.BigIntFromString,
  /** The least that is bid on top of the base fee, in wei. */
  tipMin: Schema.BigIntFromString,
  /** What is added to an estimate, in percent. */
  headroom: Schema.Int,
  /**
   * The most that a transfer may take: if a payer's account is a contract, its code decides how much gas the check
   * takes.
   */
  most: Schema.BigIntFromString,
  /** The default for what collecting from an account with code may cost beyond its fee, in wei. */
  allowance: Schema.optionalKey(Schema.BigIntFromString),
  /** Whether the chain charges for the data of a transaction on Ethereum in addition to its gas. */
  isDataExtra: Schema.Boolean,
})

/** The gas that every transaction takes, and that each byte of its data takes. */
export const transaction = 21_000n
export const ofByte = (byte: number): bigint => (byte === 0 ? 4n : 16n)

/**
 * The gas that collecting from an account with code may take on top of its data: for the token, Permit2, and the
 * account's own `isValidSignature`.
 */
export const collection = 220_000n

/** The same with the usual amount of data of contracts' signatures. */
export const usualCollection = transaction + 1_200n * ofByte(1) + collection

/**
 * What collecting from an account with code may cost beyond its fee: on a new network, a twentieth of the most
 * expensive.
 */
export const allowanceOf = ({ allowance, priceMax }: Gas): bigint =>
  allowance ?? (usualCollection * priceMax) / 20n

export const { encode, isIn, of } = Details.inRows(Gas)
