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

/** Details as the row of a token holds them. */
export const encode = Schema.encodeSync(Details)

const decode = Schema.decodeUnknownSync(Details)
const decodes = Schema.decodeUnknownOption(Details)

/** Whether a row has what an EVM adapter needs of a token. */
export const isIn = ({ details }: Asset.Asset): boolean => Option.isSome(decodes(details))

/** The details of a token of an EVM chain, as its row has them. A row without them is a defect. */
export const of = Remembered.memoize(({ details }: Asset.Asset): Details => decode(details))
