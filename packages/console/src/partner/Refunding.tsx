/**
 * Refunds a payment or a part of it. The button names the amount, and the note says where it goes.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import * as TypedAmount from "@florin/pages/TypedAmount"
import type { Act } from "../shell/Act.tsx"
import type { Get } from "../shell/Form.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

const { payment: texts } = Texts.texts

/** What is left of a payment to refund, in the unit that it asked for. Zero once all of it was refunded. */
export const left = ({ amount, refunds = [], status }: Payment.Details): bigint => {
  if (status !== "succeeded") return 0n
  const parts = refunds.map(({ requested }) =>
    requested !== undefined && requested.unit === amount.unit
      ? BigInt(requested.value)
      : BigInt(amount.value),
  )
  const rest = parts.reduce((sum, part) => sum - part, BigInt(amount.value))
  return rest > 0n ? rest : 0n
}

/**
 * The question stays as it was when the person saw it: if a response is lost, the same refund can be asked for again.
 */
export const refunding = (details: Payment.Details): Act => {
  const { amount, buyer, merchant, paymentId } = details
  const { assetSymbol, decimals } = amount.display
  const most = left(details)
  const valueOf = (get: Get) => TypedAmount.parse(get("amount"), decimals)
  const isPossible = (get: Get) => {
    const value = valueOf(get)
    return value !== undefined && BigInt(value) <= most
  }
  const said = (get: Get) => Reader.amount({ ...amount, value: valueOf(get) ?? "0" })
  return {
    scope: "refund",
    title: texts.refundTitle,
    name: texts.refund,
    action: (get) => (isPossible(get) ? texts.refundButton(said(get)) : texts.refund),
    isDangerous: true,
    isReady: isPossible,
    fields: [
      {
        name: "amount",
        label: texts.refundAmount(assetSymbol),
        hint: texts.refundLeft(Reader.amount({ ...amount, value: `${most}` })),
        inputMode: "decimal",
        initial: TypedAmount.text(most, decimals),
        wrong: (text) => Parts.wrongAmount(text, decimals),
        isEager: true,
      },
      {
        name: "reason",
        ...texts.refundReason,
        maxLength: 200,
      },
    ],
    note: () => <p>{texts.refundNote(Reader.short(buyer?.accountCaip10 ?? ""))}</p>,
    path: "/refunds",
    merchantId: merchant.id,
    request: (get) => {
      const value = valueOf(get)
      return {
        paymentId,
        ...(value !== amount.value && { amount: { unit: amount.unit, value } }),
        ...(get("reason") !== "" && { reason: get("reason") }),
      }
    },
    said: (_, get) => texts.refundDone(said(get)),
  }
}
