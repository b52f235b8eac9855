/**
 * Responses of the service and of a wallet to the checkout page.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"
import type { Resume } from "@florin/client"
import type { InjectedWallet, Provider } from "../../src/checkout/InjectedWallet.ts"
import type * as Machine from "../../src/checkout/Machine.ts"
import type * as SentMoney from "../../src/checkout/SentMoney.ts"

export const address = "0x1111111111111111111111111111111111111111"
export const base = "eip155:8453"
export const account = `${base}:${address}`
export const paymentId = "pay_01JC8QZJ3V7T"

export const amount: Amount.Amount = {
  unit: `caip19/${base}/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913`,
  value: "1250000",
  display: { assetName: "USD Coin", assetSymbol: "USDC", decimals: 6, networkName: "Base" },
}

const rpc = (
  method: Option.WalletRpc["data"]["method"],
  ...params: ReadonlyArray<string>
): Option.WalletRpc => ({ type: "walletRpc", data: { chain_id: base, method, params } })

export const sign = rpc("eth_signTypedData_v4", address, "{}")
export const approve = rpc(
  "eth_sendTransaction",
  JSON.stringify({ from: address, to: address, data: "0x095ea7b3" }),
)

export const send = rpc(
  "eth_sendTransaction",
  JSON.stringify({ from: address, to: address, data: "0xa9059cbb" }),
)
export const state = rpc("personal_sign", "0x7061", address)

/** A payment whose first of two steps the wallet has done. */
export const resume: Resume = {
  paymentId,
  optionId: "option-1",
  account,
  actions: [approve, sign],
  outputs: ["0x7a"],
}

/** What the wallet sent, and has not signed for. */
export const transfer: SentMoney.Transfer = {
  walletId: "example.foxglove",
  account,
  hash: "0x7a",
  amount,
  stage: "sent",
}
export const nothingSent: Machine.Money = { transfers: [], mayBeSent: false }

export const option = (more: Partial<Option.PaymentOption> = {}): Option.PaymentOption => ({
  id: "option-1",
  account,
  actions: [sign],
  amount,
  collectData: null,
  etaS: 10,
  expiresAt: 1_800_000_000,
  ...more,
})

export const open: Payment.StatusResponse = {
  status: "requires_action",
  isFinal: false,
  pollInMs: 1000,
  info: null,
}
export const processing: Payment.StatusResponse = { ...open, status: "processing" }
export const succeeded: Payment.StatusResponse = {
  status: "succeeded",
  isFinal: true,
  info: { optionAmount: amount, txId: "0xabc" },
}
export const final = (
  status: "failed" | "expired" | "cancelled",
  more: Partial<Payment.StatusResponse> = {},
): Payment.StatusResponse => ({ status, isFinal: true, info: null, ...more })

/** The error of a wallet, as EIP-1193 has it. */
export const walletError = (code: number | string) => Object.assign(new Error("no"), { code })

export interface FakeWallet {
  readonly wallet: InjectedWallet
  /** Every method that was asked for. */
  readonly asked: ReadonlyArray<string>
}

/** A wallet that does as it is told; `answers` says otherwise for single methods. */
export const fakeWallet = (
  answers: { readonly [method: string]: (params: ReadonlyArray<unknown>) => unknown } = {},
): FakeWallet => {
  const asked: Array<string> = []
  let chain: unknown = "0x1"
  const usual: typeof answers = {
    eth_requestAccounts: () => [address],
    eth_accounts: () => [address],
    eth_chainId: () => chain,
    wallet_switchEthereumChain: ([wanted]) => {
      chain = Object(wanted)["chainId"]
      return null
    },
    eth_signTypedData_v4: () => "0x51",
    eth_sendTransaction: () => "0x7a",
    personal_sign: () => "0x52",
  }
  const provider: Provider = {
    request: async ({ method, params = [] }) => {
      asked.push(method)
      return (answers[method] ?? usual[method])?.(params)
    },
  }
  return {
    wallet: { id: "example.foxglove", name: "Foxglove", icon: undefined, provider },
    asked,
  }
}

export const fakeStore = () => {
  const held = new Map<string, string>()
  return {
    held,
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  }
}
