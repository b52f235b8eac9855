/** Values that several domain tests start with. */
import type * as Action from "@florin/core/domain/chain/Action"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Money from "@florin/core/domain/ground/Money"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Fees from "@florin/core/domain/money/Fees"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import { Result } from "effect"

export const now = 1_760_000_000_000
export const nowInS = now / 1000

export const sealKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))

export const quantity = (value: bigint) => Result.getOrThrow(Money.fromBigInt(value))
const percentage = (text: string) => Result.getOrThrow(Fees.parsePercentage(text))

export const address = (digit: string) => Caip.Address.make(`0x${digit.repeat(40)}`)

export const catalog = BuiltIn.catalog

export const assetOf = (symbol: string, chainId: number): Asset.Asset => {
  const found = catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === Eip155.chainId(chainId),
  )
  if (found === undefined) throw new Error(`no ${symbol} on ${chainId}`)
  return found
}

export const usdcOnBase = assetOf("USDC", 8453)
export const usdtOnEthereum = assetOf("USDT", 1)
export const usdcOnBsc = assetOf("USDC", 56)

export const paymentId = PaymentId.PaymentId.make("pay_0000000000test")
export const otherPaymentId = PaymentId.PaymentId.make("pay_0000000000else")
export const partnerId = PartnerId.PartnerId.make("prtn_test")
export const merchantId = MerchantId.MerchantId.make("mrch_test")

/** As wallets write it: with the checksum in upper and lower case. */
const payerText = "0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B"
export const payer = Caip.Address.make(payerText.toLowerCase())
export const collector = address("c")
export const destination = address("d")

export const option = (
  overrides: Partial<PaymentOption.PaymentOption> = {},
): PaymentOption.PaymentOption => {
  const token = overrides.token ?? usdcOnBase.token
  return {
    paymentId,
    account: { chainId: token.chainId, address: payer },
    accountText: `${token.chainId}:${payerText}`,
    token,
    flow: "eip3009",
    quantity: quantity(10_000_000n),
    fixedFee: quantity(100_000n),
    payTo: collector,
    issuedAt: nowInS,
    expiresAt: nowInS + 300,
    ...overrides,
  }
}

/** An option with its asset. */
export const chosen = (of: PaymentOption.PaymentOption): Action.Chosen => {
  const asset = catalog.find(of.token)
  if (asset === undefined) throw new Error("no asset of ours")
  return { option: of, asset }
}

export const request: PaymentRequest.Request = {
  referenceId: "order-1",
  amount: { unit: "iso4217/USD", value: "1000" },
}

export const terms: PaymentRequest.Terms = {
  id: paymentId,
  partnerId,
  merchantId,
  mode: "live",
  feeTerms: {
    fixed: [{ currency: "USD", quantity: quantity(10n) }],
    percentage: percentage("1"),
    returned: "withRefund",
  },
  now,
}

export const created = (): Payment.Payment =>
  Result.getOrThrow(PaymentRequest.create(request, terms, catalog)).payment

export const attempt = (overrides: Partial<Payment.Attempt> = {}): Payment.Attempt => ({
  option: option(),
  outputs: { _tag: "Authorized", signature: `0x${"ab".repeat(65)}`, approvals: [] },
  excludeFromRelayer: false,
  buyer: { accountText: option().accountText, providerName: null, providerIconUrl: null },
  confirmedAt: now + 1000,
  fingerprint: "first",
  ...overrides,
})

export const evidence = (movement: Transfer.Movement, logIndex = 0): Transfer.Evidence => ({
  movement,
  txHash: `0x${"e".repeat(64)}`,
  logIndex,
  blockNumber: 7,
  blockHash: `0x${"b".repeat(64)}`,
  txNonce: 3,
})

export const slot = (nonce = 0): Lane.Slot => ({
  lane: { chainId: usdcOnBase.token.chainId, sender: collector },
  nonce,
  takenAt: now,
})

export const processing = (): Payment.Payment =>
  Result.getOrThrow(PaymentTransition.confirm(created(), attempt(), now + 1000)).payment

/** 10 USDC were paid at 0.10 USD + 1 %: 9.80 are the merchant's. */
export const succeeded = (to: Caip.Account | null = null): Payment.Payment => {
  const change = Result.getOrThrow(
    PaymentTransition.succeed(processing(), evidence(Payment.movement(attempt())), to, now + 2000),
  )
  if (change === null) throw new Error("the payment did not succeed")
  return change.payment
}
