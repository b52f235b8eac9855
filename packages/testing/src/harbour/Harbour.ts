/**
 * A family of chains that is not EVM: accounts are Ed25519 keys, chains have names and do not number transactions, and
 * signatures and hashes are not hex. It shows, in tests, what the core leaves to a family.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/chain/Action"
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Family from "@florin/core/domain/chain/Family"
import type * as Network from "@florin/core/domain/chain/Network"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Money from "@florin/core/domain/ground/Money"
import { ed25519 } from "@noble/curves/ed25519.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Base32 from "./Base32.ts"

const prefix = "hb"
const keyLetters = 52
const checkLetters = 6

const checkOf = (letters: string): string =>
  Base32.encode(sha256(utf8ToBytes(letters))).slice(0, checkLetters)

/** The address of a public key: its letters, with a checksum that detects typing errors. */
export const addressOf = (publicKey: Uint8Array): Caip.Address => {
  const letters = Base32.encode(publicKey)
  return Caip.Address.make(`${prefix}${letters}${checkOf(letters)}`)
}

/** An address derived from a name, whose key nobody has. */
export const addressFor = (name: string): Caip.Address => addressOf(sha256(utf8ToBytes(name)))

/** The contract through which standing orders are collected. */
export const clerk = addressFor("harbour/clerk")

const addressPattern = /^[hH][bB][a-zA-Z2-7]{58}$/u

const parseAddress = (text: string): Result.Result<Caip.Address, string> => {
  if (!addressPattern.test(text)) {
    return Result.fail(
      `an address is ${prefix} and ${keyLetters + checkLetters} letters and digits`,
    )
  }
  const lower = text.toLowerCase()
  const letters = lower.slice(prefix.length, prefix.length + keyLetters)
  return lower.endsWith(checkOf(letters)) && Base32.decode(letters) !== undefined
    ? Result.succeed(Caip.Address.make(lower))
    : Result.fail("the address has a typing error: copy it again")
}

const publicKeyOf = (address: Caip.Address): Uint8Array | undefined =>
  Base32.decode(address.slice(prefix.length, prefix.length + keyLetters))

/** The text that a payer signs for an option, in every flow. */
const promise = ({ asset, option }: Action.Chosen): string =>
  JSON.stringify({
    for: option.paymentId,
    flow: option.flow,
    pay: `${option.quantity} of ${asset.symbol}`,
    to: option.payTo,
    until: PaymentOption.authorizationEndsAt(option),
    option: PaymentOption.authorizationNonce(option),
  })

/** A signature of a text by a private key. */
export const signText = (text: string, privateKey: Uint8Array): string =>
  Base32.encode(ed25519.sign(utf8ToBytes(text), privateKey))

/** A signature of an option's text. */
export const sign = (chosen: Action.Chosen, privateKey: Uint8Array): string =>
  signText(promise(chosen), privateKey)

/** Whether an account signed a text. */
export const isTextSigned = (address: Caip.Address, text: string, signature: string): boolean => {
  const bytes = Base32.decode(signature)
  const key = publicKeyOf(address)
  return bytes?.length === 64 && key !== undefined && ed25519.verify(bytes, utf8ToBytes(text), key)
}

/** Whether the option's account signed its text. */
export const isSigned = (chosen: Action.Chosen, signature: string): boolean =>
  isTextSigned(chosen.option.account.address, promise(chosen), signature)

/** What a wallet sends to a token, as the chain reads it. */
export const callText = (
  what: "move" | "allow",
  to: Caip.Address,
  quantity: Money.Quantity,
): string => `${what} ${quantity} ${to}`

const step = (
  { option }: Action.Chosen,
  method: string,
  params: ReadonlyArray<string>,
): Action.WalletRpc => ({ _tag: "WalletRpc", chainId: option.token.chainId, method, params })

const signing = (chosen: Action.Chosen): Action.WalletRpc =>
  step(chosen, "harbour_sign", [chosen.option.account.address, promise(chosen)])

const submitting = (chosen: Action.Chosen, data: string): Action.WalletRpc =>
  step(chosen, "harbour_send", [chosen.option.account.address, chosen.option.token.address, data])

/** The actions of the wallet, if its account allows the clerk this much. */
export const executable = (
  chosen: Action.Chosen,
  allowance: Money.Quantity,
  committed: Money.Quantity = Money.zero,
): ReadonlyArray<Action.WalletRpc> => {
  const { flow, payTo, quantity } = chosen.option
  if (flow === "hand") {
    return [submitting(chosen, callText("move", payTo, quantity)), signing(chosen)]
  }
  const needed = Money.clamp(quantity + committed, Money.largest)
  const mustAllow = flow === "standing" && allowance < needed
  return mustAllow
    ? [submitting(chosen, callText("allow", clerk, needed)), signing(chosen)]
    : [signing(chosen)]
}

const signaturePattern = /^[a-z2-7]{103}$/u
const hashPattern = /^[a-z2-7]{52}$/u

const refuse = (message: string) => Invalid.fail("results", message)

const readOutputs = (
  flow: PaymentOption.Flow,
  outputs: ReadonlyArray<string>,
): Result.Result<ActionResult.Outputs, Invalid.InvalidInput> => {
  const signature = outputs.at(-1) ?? ""
  const hashes = outputs.slice(0, -1)
  if (!signaturePattern.test(signature)) return refuse("the last output is a signature")
  if (!hashes.every((hash) => hashPattern.test(hash))) {
    return refuse("every output before the signature is a transaction hash")
  }
  const [txHash, ...more] = hashes
  if (flow === "hand") {
    return txHash === undefined || more.length > 0
      ? refuse("this option has two outputs: a transaction hash and a signature")
      : Result.succeed({ _tag: "Sent", txHash, signature })
  }
  return hashes.length > (flow === "standing" ? 1 : 0)
    ? refuse("there are more outputs than this option has actions")
    : Result.succeed({ _tag: "Authorized", signature, approvals: hashes })
}

export const family: Family.Family = {
  namespace: "harbour",
  standard: "coin",
  checkReference: (reference) =>
    /^[a-z]{1,16}$/u.test(reference) ? null : "the chain is 1 to 16 small letters",
  parseAddress,
  formatAddress: (address) => address,
  deadEnd: (address) => (address === clerk ? "the contract of standing orders" : undefined),
  ways: {
    pledge: { sentBy: "us" },
    standing: { sentBy: "us", drawsOnAllowance: true },
    hand: { sentBy: "payer" },
  },
  isOpen: () => true,
  stepCount: (chosen, allowance, committed) => executable(chosen, allowance, committed).length,
  offered: (chosen) =>
    chosen.option.flow === "standing"
      ? [{ _tag: "Build", data: promise(chosen) }]
      : executable(chosen, chosen.option.quantity),
  spelled: (output) => output,
  readOutputs,
}

const network = (reference: string, name: string): Network.Network => ({
  chainId: Caip.ChainId.make(`${family.namespace}:${reference}`),
  name,
  icon: "harbour",
  coin: "HRB",
  etaInS: 5,
  explorerUrl: null,
  finality: 2,
  minimum: 0,
  details: {},
})

const north = network("north", "Harbour North")
const south = network("south", "Harbour South")

const asset = (
  { chainId, name }: Network.Network,
  symbol: string,
  flow: PaymentOption.Flow,
): Asset.Asset => ({
  token: { chainId, address: addressFor(`${chainId}/${symbol}`) },
  symbol,
  name: `${symbol} of ${name}`,
  decimals: 6,
  peg: "USD",
  flow,
  details: {},
})

/** Two chains, with a token that is pledged and one that needs a standing order. */
export const catalog: Catalog.Catalog = Catalog.make({
  families: [family],
  networks: [north, south],
  assets: [north, south].flatMap((each) => [
    asset(each, "HUSD", "pledge"),
    asset(each, "OUSD", "standing"),
  ]),
})

export const chainId = north.chainId
