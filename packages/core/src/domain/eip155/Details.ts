/**
 * The data of a token that an EVM adapter needs in addition to the core's: its issuer's rules, and how signatures for
 * it are made.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Asset from "../chain/Asset.ts"
import * as Remembered from "../ground/Remembered.ts"
import * as Eip712 from "./Eip712.ts"
import * as Issuer from "./Issuer.ts"

export interface Details extends Schema.Schema.Type<typeof Details> {}
export const Details = Schema.Struct({
  issuer: Issuer.Issuer,
  /** The token's own EIP-712 domain, absent if the token has none. */
  domain: Schema.optionalKey(Eip712.Domain),
  /** What the token's contract must return for its domain separator. */
  separatorPin: Schema.optionalKey(Schema.String),
  /** The token refuses to raise a non-zero allowance: the allowance must be set to 0 first. */
  approveResets: Schema.optionalKey(Schema.Literal(true)),
})

/** What an EVM adapter needs of rows, by the schema of it: as a row holds it, whether a row has it, and what it is. */
export const inRows = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownSync(schema)
  const decodes = Schema.decodeUnknownOption(schema)
  return {
    encode: Schema.encodeSync(schema),
    isIn: ({ details }: Row): boolean => Option.isSome(decodes(details)),
    /** A row without it is a defect. */
    of: Remembered.memoize(({ details }: Row): A => decode(details)),
  }
}
type Row = Pick<Asset.Asset, "details">

export const { encode, isIn, of } = inRows(Details)
