/**
 * Chain, account and asset identifiers: CAIP-2, CAIP-10 and CAIP-19.
 *
 * An EVM address is held in lower case, so that comparing is `===`, and printed with its EIP-55 checksum.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** An EVM address: `0x` and 40 lower-case hex digits. */
export type Address = Brand.Branded<string, "Address">
const address = Brand.nominal<Address>()
export const Address = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/u)).pipe(
  Schema.fromBrand("Address", address),
)

/** The number an EVM chain calls itself: 8453 for Base. */
export type ChainId = Brand.Branded<number, "ChainId">
const chainId = Brand.nominal<ChainId>()
export const ChainId = Schema.Int.check(Schema.isGreaterThan(0)).pipe(
  Schema.fromBrand("ChainId", chainId),
)

/** What an identifier looked like, and which part of it was wrong. */
export class InvalidCaip extends Schema.TaggedError<InvalidCaip>()("InvalidCaip", {
  kind: Schema.Literals(["address", "chain", "account", "asset"]),
  message: Schema.String,
}) {}

/** An account on an EVM chain. */
export interface Account extends Schema.Schema.Type<typeof Account> {}
export const Account = Schema.Struct({ chainId: ChainId, address: Address })

/** An account that is well formed but lives in a namespace we do not serve, such as `solana`. */
export interface ForeignAccount {
  readonly namespace: string
  readonly reference: string
  readonly address: string
}

/** A token contract on an EVM chain. */
export interface Token extends Schema.Schema.Type<typeof Token> {}
export const Token = Schema.Struct({ chainId: ChainId, address: Address })

/**
 * Whether a mixed-case address with a wrong EIP-55 checksum is refused. Payers' accounts are compared without regard
 * to case, as wallets send them; a destination with a typing error would lose money.
 */
export type Checksum = "enforced" | "ignored"

const namespacePattern = /^[-a-z0-9]{3,8}$/u
const referencePattern = /^[-_a-zA-Z0-9]{1,32}$/u
const foreignAddressPattern = /^[-.%a-zA-Z0-9]{1,128}$/u
const addressPattern = /^0x[0-9a-fA-F]{40}$/u
const eip155ReferencePattern = /^[1-9][0-9]{0,15}$/u

const invalid = (kind: InvalidCaip["kind"], message: string) =>
  Result.fail(new InvalidCaip({ kind, message }))

/** Prints an address with its EIP-55 checksum. */
export const formatAddress = (value: Address): string => {
  const hash = bytesToHex(keccak_256(utf8ToBytes(value.slice(2))))
  let text = "0x"
  for (let index = 0; index < 40; index++) {
    const digit = value.charAt(index + 2)
    text += hash.charCodeAt(index) >= 0x38 ? digit.toUpperCase() : digit
  }
  return text
}

/**
 * Reads an EVM address in any case.
 *
 * @example
 * Caip.parseAddress("0xaf88d065e77c8cC2239327C5EDb3A432268e5831") // checksum holds
 * Caip.parseAddress("0xAf88d065e77c8cC2239327C5EDb3A432268e5831") // InvalidCaip: the checksum is wrong
 */
export const parseAddress = (
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Address, InvalidCaip> => {
  if (!addressPattern.test(text)) {
    return invalid("address", "an address is 0x and 40 hex digits")
  }
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const parsed = address(`0x${lower}`)
  const mixed = digits !== lower && digits !== digits.toUpperCase()
  return mixed && checksum === "enforced" && formatAddress(parsed) !== text
    ? invalid("address", "the address has a wrong EIP-55 checksum: copy it again")
    : Result.succeed(parsed)
}

/** Reads the CAIP-2 form of an EVM chain, `eip155:8453`. */
export const parseChain = (text: string): Result.Result<ChainId, InvalidCaip> => {
  const [namespace, reference, ...rest] = text.split(":")
  if (namespace !== "eip155" || reference === undefined || rest.length > 0) {
    return invalid("chain", "a chain is eip155:<chain id>")
  }
  return parseReference(reference, "chain")
}

const parseReference = (
  reference: string,
  kind: InvalidCaip["kind"],
): Result.Result<ChainId, InvalidCaip> => {
  const number = Number(reference)
  return eip155ReferencePattern.test(reference) && Number.isSafeInteger(number)
    ? Result.succeed(chainId(number))
    : invalid(kind, "the chain id after eip155: is a decimal number without leading zeros")
}

export const formatChain = (chain: ChainId): string => `eip155:${chain}`

/**
 * Reads a CAIP-10 account of any namespace. Outside `eip155` only its form is checked: the caller decides whether to
 * skip or refuse it.
 */
export const parseAnyAccount = (
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Account | ForeignAccount, InvalidCaip> => {
  const [namespace, reference, suffix, ...rest] = text.split(":")
  if (
    namespace === undefined ||
    reference === undefined ||
    suffix === undefined ||
    rest.length > 0 ||
    !namespacePattern.test(namespace) ||
    !referencePattern.test(reference)
  ) {
    return invalid("account", "an account is <namespace>:<chain id>:<address>")
  }
  if (namespace !== "eip155") {
    return foreignAddressPattern.test(suffix)
      ? Result.succeed({ namespace, reference, address: suffix })
      : invalid("account", "the address has characters that CAIP-10 does not allow")
  }
  const chain = parseReference(reference, "account")
  if (Result.isFailure(chain)) return Result.fail(chain.failure)
  return Result.map(parseAddress(suffix, checksum), (parsed) => ({
    chainId: chain.success,
    address: parsed,
  }))
}

export const isForeign = (account: Account | ForeignAccount): account is ForeignAccount =>
  "namespace" in account

/** Reads a CAIP-10 account on an EVM chain. */
export const parseAccount = (
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Account, InvalidCaip> =>
  Result.flatMap(parseAnyAccount(text, checksum), (account) =>
    isForeign(account)
      ? invalid(
          "account",
          `accounts of namespace ${account.namespace} are not supported: use eip155`,
        )
      : Result.succeed(account),
  )

export const formatAccount = (account: Account): string =>
  `eip155:${account.chainId}:${formatAddress(account.address)}`

export const sameAccount = (left: Account, right: Account): boolean =>
  left.chainId === right.chainId && left.address === right.address

/** Reads the CAIP-19 form of a token, `eip155:1/erc20:0x…`, without the `caip19/` prefix of amounts. */
export const parseToken = (
  text: string,
  checksum: Checksum = "enforced",
): Result.Result<Token, InvalidCaip> => {
  const [chainText, assetText, ...rest] = text.split("/")
  if (chainText === undefined || assetText === undefined || rest.length > 0) {
    return invalid("asset", "an asset is eip155:<chain id>/erc20:<contract>")
  }
  const chain = parseChain(chainText)
  if (Result.isFailure(chain)) return invalid("asset", chain.failure.message)
  if (!assetText.startsWith("erc20:")) {
    return invalid("asset", "an asset is eip155:<chain id>/erc20:<contract>")
  }
  return Result.match(parseAddress(assetText.slice("erc20:".length), checksum), {
    onFailure: (error) => invalid("asset", error.message),
    onSuccess: (parsed) => Result.succeed({ chainId: chain.success, address: parsed }),
  })
}

/** Equal for equal tokens, and cheap: the key of maps. */
export const tokenKey = (token: Token): string => `${token.chainId}:${token.address}`

const tokenTexts = new Map<string, string>()
/** More tokens than anybody serves. */
const tokenTextsMost = 10_000

/** The CAIP-19 form of a token. Its checksum is computed once, since every option of a payment names one. */
export const formatToken = (token: Token): string => {
  const key = tokenKey(token)
  const known = tokenTexts.get(key)
  if (known !== undefined) return known
  if (tokenTexts.size >= tokenTextsMost) tokenTexts.clear()
  const text = `eip155:${token.chainId}/erc20:${formatAddress(token.address)}`
  tokenTexts.set(key, text)
  return text
}

export const sameToken = (left: Token, right: Token): boolean =>
  left.chainId === right.chainId && left.address === right.address
