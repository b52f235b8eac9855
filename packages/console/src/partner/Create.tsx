/**
 * Creates a payment, and shows its link with a QR code.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import { QrCode } from "@florin/pages/QrCode"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useRef, useState } from "preact/hooks"
import { useRead, useSend } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import { type FieldOf, Form, required, select, useFields } from "../shell/Form.tsx"
import { at } from "../shell/Path.ts"
import { Button, ButtonLink, Card, Code, Empty } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

const { create: texts, merchants: merchantTexts, payment, payments, words } = Texts.texts

/** How long a payment can be paid, in seconds. */
const lives: ReadonlyMap<string, number> = new Map([
  ["hour", 3600],
  ["day", 86_400],
  ["week", 604_740],
])
const itemsMax = 50

interface Made {
  readonly created: Payment.Created
  readonly merchantId: string
  readonly amount: string
}

const done = ({ amount, created, merchantId }: Made, again: () => void) => {
  const { gatewayUrl, paymentId } = created
  return (
    <Card
      title={texts.done}
      acts={
        <>
          <ButtonLink look="main" to={Parts.toPayment(paymentId, merchantId)} name={texts.see} />
          <Button look="quiet" onClick={again}>
            {texts.another}
          </Button>
        </>
      }
    >
      <p>{texts.doneNote(amount)}</p>
      <QrCode text={gatewayUrl} label={payment.qr} />
      <Code name={payment.link} text={gatewayUrl} isWhole />
    </Card>
  )
}

export const Screen = () => {
  const send = useSend()
  const [lines, setLines] = useState(0)
  const indexes = Array.from({ length: lines }, (_, index) => index)
  const [made, setMade] = useState<Made>()
  const ends = useRef<{ readonly text: string; readonly at: number }>(undefined)
  const named = usePlace().query.get("merchantId")
  const merchants = useRead<Partial<Merchant.Page & Merchant.ProfileResponse>>(
    named === null ? "/merchants" : at`/merchants/${named}`,
    named === null ? { status: "active", limit: 200 } : {},
    { everyInMs: null },
  )
  const { merchant, merchants: choices = merchant === undefined ? [] : [merchant] } =
    merchants.value ?? {}
  const form = useFields((typed) => [
    ...Parts.priceFields(typed, TypedAmount.currencies),
    {
      name: "referenceId",
      ...texts.reference,
      maxLength: 255,
      wrong: required(texts.needsReference),
    },
    select(
      "merchantId",
      words.merchant,
      choices.map(({ id, name }) => [id, name]),
    ),
    { name: "description", ...texts.description, maxLength: 500 },
    ...indexes.flatMap((index): ReadonlyArray<FieldOf> => [
      { name: `item${index}`, ...texts.item },
      {
        name: `quantity${index}`,
        label: texts.quantity,
        inputMode: "numeric",
        initial: "1",
        wrong: (text) => (/^[1-9]\d{0,6}$/u.test(text.trim()) ? undefined : texts.needsQuantity),
      },
    ]),
    select("life", texts.expires, Object.entries(texts.lives), { initial: "day" }),
  ])
  const { get } = form
  const submit = async () => {
    const amount = Parts.priced(get) ?? { unit: "", value: "0" }
    const lineItems = indexes
      .map((index) => ({
        name: get(`item${index}`),
        quantity: Number(get(`quantity${index}`)),
      }))
      .filter(({ name }) => name !== "")
    const asked = {
      referenceId: get("referenceId"),
      merchantId: get("merchantId"),
      amount,
      ...(get("description") !== "" && { description: get("description") }),
      ...(lineItems.length > 0 && { lineItems }),
    }
    const life = lives.get(get("life")) ?? 0
    // A retry must ask for the same.
    const text = JSON.stringify({ ...asked, life })
    if (ends.current?.text !== text) {
      ends.current = { text, at: Math.floor(Date.now() / 1000) + life }
    }
    const request = { ...asked, expiresAt: ends.current.at }
    const created = await send<Payment.Created>({ path: "/payments", request })
    ends.current = undefined
    const { merchantId } = asked
    setMade({ created, merchantId, amount: Reader.price(amount.value, get("currency")) })
  }
  const again = () => {
    setMade(undefined)
    form.set({ referenceId: "" })
  }
  const main = () => {
    if (made !== undefined) return done(made, again)
    if (choices.length === 0) {
      const action = <ButtonLink to="/merchants" name={merchantTexts.title} />
      return <Empty {...merchantTexts.none} action={action} />
    }
    return (
      <Card>
        <Form action={texts.button} of={form} run={submit}>
          <div class="pair">{form.only("amount.value", "currency")}</div>
          {form.only("referenceId", choices.length > 1 ? "merchantId" : "", "description")}
          {indexes.map((index) => (
            <div key={index} class="pair">
              {form.only(`item${index}`, `quantity${index}`)}
            </div>
          ))}
          {lines < itemsMax && (
            <Button look="small" onClick={() => setLines(lines + 1)}>
              {texts.addItem}
            </Button>
          )}
          {form.only("life")}
        </Form>
      </Card>
    )
  }
  return (
    <Detail
      of={merchants}
      back={{ to: "/payments", name: payments.title }}
      name={texts.title}
      main={main}
      side={() => null}
    />
  )
}
