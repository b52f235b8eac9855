/** An invented second family of chains, for tests of rules that apply to every family. */
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Family from "@florin/core/domain/chain/Family"
import type * as Network from "@florin/core/domain/chain/Network"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import { Result } from "effect"
import * as Samples from "./samples.ts"

const namespace = "harbour"

/**
 * `pledge`: the payer signs, and we send. `hand`: the wallet sends, and signs a statement. An address is held in small
 * letters, read in any, and printed in capitals.
 */
export const family: Family.Family = {
  namespace,
  standard: "coin",
  checkReference: (reference) =>
    /^[a-zA-Z0-9]+$/u.test(reference) ? null : "a harbour is named by letters and digits",
  parseAddress: (text) =>
    /^[a-zA-Z0-9]{20,40}$/u.test(text)
      ? Result.succeed(Caip.Address.make(text.toLowerCase()))
      : Result.fail("a berth is 20 to 40 letters and digits"),
  formatAddress: (address) => address.toUpperCase(),
  deadEnd: (address) => (/^z+$/u.test(address) ? "the bottom of the sea" : undefined),
  ways: { pledge: { sentBy: "us" }, hand: { sentBy: "payer" } },
  isOpen: ({ option }, _, allowance) => option.flow === "hand" || allowance >= option.quantity,
  stepCount: ({ option }) => (option.flow === "hand" ? 2 : 1),
  offered: ({ option }) =>
    option.flow === "hand"
      ? ["harbour_hand", "harbour_state"].map((method) => ({
          _tag: "WalletRpc",
          chainId: option.token.chainId,
          method,
          params: [option.payTo, option.quantity.toString()],
        }))
      : [{ _tag: "Build", data: `pledge ${option.payTo} ${option.quantity}` }],
  spelled: (output) => output.replace(/^SEAL-/u, "seal-"),
  readOutputs: (flow, outputs) => {
    const [first, second, ...more] = outputs
    if (flow === "hand" && first !== undefined && second !== undefined && more.length === 0) {
      return Result.succeed({ _tag: "Sent", txHash: first, signature: second })
    }
    return flow === "pledge" && first !== undefined && second === undefined
      ? Result.succeed({ _tag: "Authorized", signature: first, approvals: [] })
      : Invalid.fail("results", "these are not the outputs of this option")
  },
}

export const chainId = (reference: string): Caip.ChainId =>
  Caip.ChainId.make(`${namespace}:${reference}`)

/** As a wallet writes it. */
const payerText = "Quay7Berth3Fisherman"
export const payer = Caip.Address.make(payerText.toLowerCase())
export const collector = Caip.Address.make("harbourmastersoffice42")

export const network: Network.Network = {
  chainId: chainId("north1"),
  name: "North Harbour",
  icon: "north",
  coin: "ROPE",
  etaInS: 7,
  explorerUrl: null,
  finality: 3,
  minimum: 0,
  details: {},
}

/** 10 PIER are 10 000 parts. */
export const coin: Asset.Asset = {
  token: { chainId: network.chainId, address: Caip.Address.make("piercoinmint00000001") },
  symbol: "PIER",
  name: "Pier Coin",
  decimals: 3,
  peg: "USD",
  flow: "pledge",
  details: { berths: [1, 2, 3] },
}

/** The tokens of both families. */
export const catalog = Catalog.make({
  families: [...BuiltIn.catalog.families, family],
  networks: [...BuiltIn.catalog.networks, network],
  assets: [...BuiltIn.catalog.assets, coin],
})

export const option = (
  overrides: Partial<PaymentOption.PaymentOption> = {},
): PaymentOption.PaymentOption =>
  Samples.option({
    account: { chainId: network.chainId, address: payer },
    accountText: `${network.chainId}:${payerText}`,
    token: coin.token,
    flow: "pledge",
    quantity: Samples.quantity(10_000n),
    fixedFee: Samples.quantity(100n),
    payTo: collector,
    ...overrides,
  })
