/**
 * The family of pebble chains: how it writes addresses, hashes and tokens, and what its payers sign.
 *
 * @module
 */
import type * as Action from "@florin/core/domain/chain/Action"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Family from "@florin/core/domain/chain/Family"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import { ed25519 } from "@noble/curves/ed25519.js"
import * as Result from "effect/Result"
import * as Sdk from "./sdk.ts"

/** An address of zeros. Nobody has its key. */
export const nobody = Caip.Address.make(Sdk.addressOf(new Uint8Array(32)))

/** The pledge of an option. Its nonce is derived from the payment and the option, so it cannot pay anything else. */
export const pledgeOf = (option: PaymentOption.PaymentOption): Sdk.Pledge => ({
  _tag: "Pledge",
  chain: Caip.referenceOf(option.token.chainId),
  payer: option.account.address,
  payee: option.payTo,
  token: option.token.address,
  quantity: option.quantity,
  nonce: PaymentOption.authorizationNonce(option),
  endsAt: PaymentOption.authorizationEndsAt(option),
})

/** The one step of every option: the wallet signs the pledge. */
export const actions = ({ option }: Action.Chosen): ReadonlyArray<Action.WalletRpc> => [
  {
    _tag: "WalletRpc",
    chainId: option.token.chainId,
    method: "pebble_sign",
    params: [option.account.address, Sdk.pledgeText(pledgeOf(option))],
  },
]

/** Wallets write hex in lowercase or uppercase letters; lowercase is stored. */
export const spelled = (output: string): string => output.toLowerCase()

export const family: Family.Family = {
  namespace: "pebble",
  standard: "coin",
  checkReference: (reference) =>
    /^[a-z]{1,16}$/u.test(reference) ? null : "a pebble chain is named by 1 to 16 small letters",
  parseAddress: (text) => {
    const address = text.toLowerCase()
    return Sdk.isAddress(address)
      ? Result.succeed(Caip.Address.make(address))
      : Result.fail("the address is not one of pebble, or has a typing error: copy it again")
  },
  formatAddress: (address) => address,
  deadEnd: (address) => (address === nobody ? "an address that nobody has the key of" : undefined),
  ways: { pledge: { sentBy: "us" } },
  isOpen: () => true,
  stepCount: () => 1,
  offered: actions,
  spelled,
  readOutputs: (_flow, outputs) => {
    const [signature = "", ...more] = outputs.map(spelled)
    return more.length === 0 && /^[0-9a-f]{128}$/u.test(signature)
      ? Result.succeed({ _tag: "Authorized", signature, approvals: [] })
      : Invalid.fail("results", "this option has one output: the signature of the pledge")
  },
}

/** A block is final once this many blocks are on top of it. */
export const finalityDepth = 3
/** Typical seconds from a signature to a final block. */
export const etaInS = 6

/** The one chain that the adapter serves, and its one token. */
export const chainId = Caip.ChainId.make("pebble:beach")
const issuer = ed25519.getPublicKey(new Uint8Array(32).fill(7))
export const token: Caip.Token = { chainId, address: Caip.Address.make(Sdk.addressOf(issuer)) }

export const catalog = Catalog.make({
  families: [family],
  networks: [
    {
      chainId,
      name: "Pebble Beach",
      icon: "pebble",
      coin: "PBL",
      isTest: true,
      etaInS,
      explorerUrl: null,
      finality: finalityDepth,
      minimum: 0,
      details: {},
    },
  ],
  assets: [
    {
      token,
      symbol: "PUSD",
      name: "Pebble dollar",
      decimals: 6,
      peg: "USD",
      flow: "pledge",
      details: {},
    },
  ],
})
