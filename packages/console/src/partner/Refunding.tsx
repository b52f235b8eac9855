/**
 * Refunds a payment or a part of it. The button names the amount, and the note says where it goes.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useState } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { Dialog } from "../shell/Dialog.tsx"
import { Form, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import * as Reader from "../shell/Reader.ts"
import * as Texts from "./Texts.ts"

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

export const Refunding = ({
  details,
  onClose,
  onDone,
}: {
  readonly details: Payment.Details
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const { partner, toast } = useConsole()
  const { payment: texts } = Texts.texts()
  const { amount, buyer, merchant, paymentId } = details
  const { decimals } = amount.display
  // Stays as it was when the person saw it: if a response is lost, the same refund can be asked for again.
  const [most] = useState(() => left(details))
  const [text, setText] = useState(TypedAmount.text(most, decimals))
  const [reason, setReason] = useState("")
  const submission = useSubmission()
  const once = useOnce()
  const value = TypedAmount.parse(text, decimals)
  const isPossible = value !== undefined && BigInt(value) <= most
  const said = Reader.amount({ ...amount, value: value ?? "0" })
  const isWhole = value === amount.value
  const refund = async () => {
    if (value === undefined) return
    const body = {
      paymentId,
      ...(!isWhole && { amount: { unit: amount.unit, value } }),
      ...(reason !== "" && { reason }),
    }
    await partner.refunds.create(body, { merchantId: merchant.id, idempotencyKey: once(body) })
    toast({ text: texts.refundDone(said) })
    onDone()
    onClose()
  }
  return (
    <Dialog title={texts.refundTitle} onClose={onClose}>
      <Form
        action={isPossible ? texts.refundButton(said) : texts.refund}
        isDangerous
        isReady={isPossible}
        submission={submission}
        onSubmit={() => submission.submit(refund)}
      >
        <TextField
          label={texts.refundAmount(amount.display.assetSymbol)}
          hint={texts.refundLeft(Reader.amount({ ...amount, value: `${most}` }))}
          error={
            isPossible
              ? submission.issue("amount")
              : value === undefined
                ? texts.invalidAmount
                : undefined
          }
          inputMode="decimal"
          value={text}
          onValue={setText}
        />
        <TextField
          label={texts.refundReason}
          hint={texts.refundReasonHint}
          maxLength={200}
          value={reason}
          onValue={setReason}
        />
        <p>{texts.refundNote(Reader.short(buyer?.accountCaip10 ?? ""))}</p>
      </Form>
    </Dialog>
  )
}
