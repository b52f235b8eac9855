/**
 * Responses of the service to a wallet, for tests.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Option from "@florin/api/wire/Option"
import type * as Payment from "@florin/api/wire/Payment"

export const address = "0x1111111111111111111111111111111111111111"
export const account = `eip155:8453:${address}`

const amount: Amount.Amount = {
  unit: "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
  value: "1250000",
  display: { assetName: "USD Coin", assetSymbol: "USDC", decimals: 6, networkName: "Base" },
}

export const info: Payment.Info = {
  amount,
  buyer: null,
  expiresAt: 1_800_000_000,
  merchant: { name: "Corner Shop" },
  status: "requires_action",
}

export const collectData: Option.CollectData = {
  url: "https://pay.example/collect/?pid=pay_1",
  fields: [
    { id: "fullName", name: "Full name", required: true, type: "text" },
    { id: "dob", name: "Date of birth", required: true, type: "date" },
    { id: "pobCountry", name: "Country of birth", required: false, type: "text" },
    { id: "newsletter", name: "Newsletter", required: false, type: "checkbox" },
    { id: "tosConfirmed", name: "Terms", required: true, type: "checkbox" },
  ],
  schema: { type: "object" },
}

const rpc = (
  method: Option.WalletRpc["data"]["method"],
  ...params: ReadonlyArray<string>
): Option.WalletRpc => ({ type: "walletRpc", data: { chain_id: "eip155:8453", method, params } })

export const typedData = '{"primaryType":"ReceiveWithAuthorization"}'
export const transaction = { from: address, to: address, data: "0x095ea7b3", value: "0x0" }
export const sign = rpc("eth_signTypedData_v4", address, typedData)
export const send = rpc("eth_sendTransaction", JSON.stringify(transaction))
export const state = rpc("personal_sign", "0x4920706179", address)
export const build: Option.Build = { type: "build", data: "7b7d" }

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

export const processing: Payment.StatusResponse = {
  status: "processing",
  isFinal: false,
  pollInMs: 1500,
  info: null,
}
export const paid = { optionAmount: amount, txId: "0xabc" }
export const succeeded: Payment.StatusResponse = { status: "succeeded", isFinal: true, info: paid }
export const final = (
  status: "failed" | "expired" | "cancelled",
  more: Partial<Payment.StatusResponse> = {},
): Payment.StatusResponse => ({ status, isFinal: true, info: null, ...more })
