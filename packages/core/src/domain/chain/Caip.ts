/**
 * Chain, account and asset identifiers of any family of chains: CAIP-2, CAIP-10 and CAIP-19.
 *
 * A family decides how its addresses are written, and which of several spellings is stored, so that comparing is `===`.
 * `Family.ts` reads them from a person's text and prints them.
 *
 * @module
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Malformed from "../ground/Malformed.ts"

/** The name of an account or a contract on its chain, in the one spelling that its family stores. */
export type Address = Brand.Branded<string, "Address">
export const Address = Schema.String.check(Schema.isPattern(/^[-.%a-zA-Z0-9]{1,128}$/u)).pipe(
  Schema.fromBrand("Address", Brand.nominal<Address>()),
)

/** A chain, as CAIP-2 writes it: its namespace and its name there. */
export type ChainId = Brand.Branded<string, "ChainId">
export const ChainId = Schema.String.check(
  Schema.isPattern(/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/u),
).pipe(Schema.fromBrand("ChainId", Brand.nominal<ChainId>()))

/** An account on a chain. */
export interface Account extends Schema.Schema.Type<typeof Account> {}
export const Account = Schema.Struct({ chainId: ChainId, address: Address })

/** A token on a chain. */
export interface Token extends Schema.Schema.Type<typeof Token> {}
export const Token = Schema.Struct({ chainId: ChainId, address: Address })

export const namespaceOf = (chainId: ChainId): string => chainId.slice(0, chainId.indexOf(":"))

/** The name of a chain within its family: `8453` for Base. */
export const referenceOf = (chainId: ChainId): string => chainId.slice(chainId.indexOf(":") + 1)

/** The parts of an identifier, not decoded yet. */
export interface Parts {
  readonly namespace: string
  readonly reference: string
  /** The address of an account, or of a token. */
  readonly address: string
  /** The kind of the token, such as `erc20`; empty for an account. */
  readonly standard: string
}

const chain = /^(?<namespace>[-a-z0-9]{3,8}):(?<reference>[-_a-zA-Z0-9]{1,32})$/u
const account = /^(?<namespace>[-a-z0-9]{3,8}):(?<reference>[-_a-zA-Z0-9]{1,32}):(?<address>.*)$/su
const asset =
  /^(?<namespace>[-a-z0-9]{3,8}):(?<reference>[-_a-zA-Z0-9]{1,32})\/(?<standard>[-a-z0-9]{3,8}):(?<address>.*)$/su

const patterns = { chain, account, asset }
const forms = {
  chain: "a chain is <namespace>:<chain id>",
  account: "an account is <namespace>:<chain id>:<address>",
  asset: "an asset is <namespace>:<chain id>/<kind>:<contract>",
}

/** Splits an identifier of any family. */
export const split = (
  kind: keyof typeof patterns,
  text: string,
): Result.Result<Parts, Malformed.Malformed> => {
  const groups = patterns[kind].exec(text)?.groups
  const { address = "", namespace = "", reference = "", standard = "" } = groups ?? {}
  return groups === undefined
    ? Malformed.fail(forms[kind])
    : Result.succeed({ namespace, reference, address, standard })
}

export const sameAccount = (left: Account, right: Account): boolean =>
  left.chainId === right.chainId && left.address === right.address

export const sameToken = (left: Token, right: Token): boolean =>
  left.chainId === right.chainId && left.address === right.address

/** Equal for equal accounts, and cheap: the key of maps. */
export const accountKey = ({ address, chainId }: Account): string => `${chainId}:${address}`

/** Equal for equal tokens, and cheap: the key of maps. */
export const tokenKey = ({ address, chainId }: Token): string => `${chainId}:${address}`
