/**
 * The names of EVM chains and their accounts: a chain is a number, an account 20 bytes.
 *
 * An address is stored in lower case, so that comparing is `===`, and printed with its EIP-55 checksum.
 *
 * @module
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as Family from "../chain/Family.ts"
import * as Remembered from "../ground/Remembered.ts"

export const namespace = "eip155"
export const standard = "erc20"

/**
 * How payers pay with EVM tokens:
 *
 * - `eip3009`: the payer signs `ReceiveWithAuthorization`, which the token itself accepts.
 * - `permit2`: the payer approves Permit2 once and signs `PermitTransferFrom`.
 * - `transfer`: the wallet sends the token, and signs a statement.
 * - `permit`: the payer signs an allowance (EIP-2612); we send it and then take the money.
 */
export const flows = ["eip3009", "permit2", "transfer", "permit"] as const
export type Flow = (typeof flows)[number]
export const Flow = Schema.Literals(flows)

/** The default flows of a token. */
export const usualFlows = ["eip3009", "permit2"] as const
export type UsualFlow = (typeof usualFlows)[number]

export const isFlow = Schema.is(Flow)

/** An EVM address in lower case. */
export const Address = Caip.Address.check(Schema.isPattern(/^0x[0-9a-f]{40}$/u))

const addressPattern = /^0x[0-9a-fA-F]{40}$/u
const referencePattern = /^[1-9][0-9]{0,15}$/u

/** Uniswap's Permit2 has the same address on every chain. Its domain has no version. */
export const permit2Address = Caip.Address.make("0x000000000022d473030f116ddee9f6b43ac78ba3")

/** The chain with this chain id: 8453 is Base. */
export const chainId = (number: number): Caip.ChainId => Caip.ChainId.make(`${namespace}:${number}`)

/** The chain id as a number. */
export const numberOf = (id: Caip.ChainId): number => Number(Caip.referenceOf(id))

/** What is wrong with a chain's number; null if it is valid. */
export const checkReference = (reference: string): string | null =>
  referencePattern.test(reference) && Number.isSafeInteger(Number(reference))
    ? null
    : `the chain id after ${namespace}: is a decimal number without leading zeros`

/** More addresses than are used repeatedly. */
const printedMost = 10_000

const withChecksum = (address: string): string => {
  const hash = bytesToHex(keccak_256(utf8ToBytes(address.slice(2))))
  let text = "0x"
  for (let index = 0; index < 40; index++) {
    const digit = address.charAt(index + 2)
    text += hash.charCodeAt(index) >= 0x38 ? digit.toUpperCase() : digit
  }
  return text
}

/**
 * Prints an address with its EIP-55 checksum. The result is cached, because every option of a payment names a token.
 */
export const formatAddress: (address: Caip.Address) => string = Remembered.texts(
  withChecksum,
  printedMost,
)

/**
 * Reads an address in any case; fails with what is wrong with it.
 *
 * @example
 * Names.parseAddress("0xaf88d065e77c8cC2239327C5EDb3A432268e5831") // checksum holds
 * Names.parseAddress("0xAf88d065e77c8cC2239327C5EDb3A432268e5831") // the checksum is wrong
 */
export const parseAddress = (
  text: string,
  checksum: Family.Checksum = "enforced",
): Result.Result<Caip.Address, string> => {
  if (!addressPattern.test(text)) return Result.fail("an address is 0x and 40 hex digits")
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const parsed = Caip.Address.make(`0x${lower}`)
  const mixed = digits !== lower && digits !== digits.toUpperCase()
  return mixed && checksum === "enforced" && withChecksum(parsed) !== text
    ? Result.fail("the address has a wrong EIP-55 checksum: copy it again")
    : Result.succeed(parsed)
}
