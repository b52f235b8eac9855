/**
 * Creates a payment, and shows its link with a QR code.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import { QrCode } from "@florin/pages/QrCode"
import * as TypedAmount from "@florin/pages/TypedAmount"
import { useRef, useState } from "preact/hooks"
import type { Life } from "../messages/PartnerMessages.ts"
import { useConsole } from "../shell/Console.tsx"
import { Form, SelectField, TextField, useOnce, useSubmission } from "../shell/Form.tsx"
import { useLoad } from "../shell/Load.ts"
import { Card, Code, Head } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { go } from "../shell/Route.tsx"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

const lives = { hour: 3600, day: 86_400, week: 604_740 } as const
const isLife = (text: string): text is Life => text in lives
const itemsMax = 50

interface Line {
  readonly name: string
  readonly quantity: string
}

interface Made {
  readonly created: Payment.Created
  readonly merchantId: string
  readonly amount: string
}

const Done = ({ made, again }: { readonly made: Made; readonly again: () => void }) => {
  const { create: texts, payment } = Texts.texts()
  const { gatewayUrl, paymentId } = made.created
  return (
    <Card title={texts.done}>
      <p>{texts.doneNote(made.amount)}</p>
      <QrCode text={gatewayUrl} label={payment.qr} />
      <Code name={payment.link} text={gatewayUrl} isWhole />
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => go(Parts.toPayment(paymentId, made.merchantId))}
        >
          {texts.see}
        </button>
        <button type="button" class="button quiet" onClick={again}>
          {texts.another}
        </button>
      </div>
    </Card>
  )
}

export const Screen = () => {
  const { partner } = useConsole()
  const { create: texts, payment, payments } = Texts.texts()
  const [text, setText] = useState("")
  const [currency, setCurrency] = useState("USD")
  const [referenceId, setReferenceId] = useState("")
  const [description, setDescription] = useState("")
  const [life, setLife] = useState<Life>("day")
  const [lines, setLines] = useState<ReadonlyArray<Line>>([])
  const [chosen, setChosen] = useState("")
  const [wasTried, setWasTried] = useState(false)
  const [made, setMade] = useState<Made>()
  const submission = useSubmission()
  const once = useOnce()
  const ends = useRef({ key: "", at: 0 })
  const merchants = useLoad("merchants", (signal) =>
    partner.merchants.list({ status: "active", limit: 200 }, { signal }),
  )
  const choices = merchants.value?.merchants ?? []
  const merchantId = chosen === "" ? choices[0]?.id : chosen
  const decimals = TypedAmount.digitsOf(currency)
  const value = TypedAmount.parse(text, decimals)
  const said = Reader.amount({
    unit: `iso4217/${currency}`,
    value: value ?? "0",
    display: { assetName: currency, assetSymbol: currency, decimals },
  })

  const submit = async () => {
    if (value === undefined || merchantId === undefined) return
    const items = lines.filter(({ name }) => name !== "")
    const asked = {
      referenceId,
      merchantId,
      amount: { unit: `iso4217/${currency}`, value },
      ...(description !== "" && { description }),
      ...(items.length > 0 && {
        lineItems: items.map(({ name, quantity }) => ({ name, quantity: Number(quantity) || 1 })),
      }),
    }
    const idempotencyKey = once({ ...asked, life })
    // A retry with the same key must ask for the same.
    if (ends.current.key !== idempotencyKey) {
      ends.current = { key: idempotencyKey, at: Math.floor(Date.now() / 1000) + lives[life] }
    }
    const body = { ...asked, expiresAt: ends.current.at }
    const created = await partner.payments.create(body, { idempotencyKey })
    setMade({ created, merchantId, amount: said })
  }
  const setLine = (index: number, change: Partial<Line>) =>
    setLines(lines.map((line, each) => (each === index ? { ...line, ...change } : line)))
  const amountError =
    wasTried && value === undefined ? payment.invalidAmount : submission.issue("amount.value")
  return (
    <>
      <Head title={texts.title} back={{ to: "/payments", name: payments.title }} />
      <div class="columns">
        {made !== undefined ? (
          <Done
            made={made}
            again={() => {
              setMade(undefined)
              setReferenceId("")
              setWasTried(false)
            }}
          />
        ) : (
          <Card>
            <Form
              action={texts.button}
              submission={submission}
              onSubmit={() => {
                setWasTried(true)
                if (value !== undefined && referenceId !== "") submission.submit(submit)
              }}
            >
              <div class="pair">
                <TextField
                  label={texts.amount}
                  error={amountError}
                  inputMode="decimal"
                  placeholder="12.50"
                  value={text}
                  onValue={setText}
                />
                <SelectField
                  label={texts.currency}
                  value={currency}
                  options={TypedAmount.currencies.map((each) => [each, each])}
                  onValue={setCurrency}
                />
              </div>
              <TextField
                label={texts.reference}
                hint={texts.referenceHint}
                error={
                  wasTried && referenceId === ""
                    ? texts.needsReference
                    : submission.issue("referenceId")
                }
                maxLength={255}
                value={referenceId}
                onValue={setReferenceId}
              />
              {choices.length > 1 && (
                <SelectField
                  label={texts.merchant}
                  value={merchantId ?? ""}
                  options={choices.map(({ id, name }) => [id, name])}
                  onValue={setChosen}
                />
              )}
              <TextField
                label={texts.description}
                hint={texts.descriptionHint}
                error={submission.issue("description")}
                maxLength={500}
                value={description}
                onValue={setDescription}
              />
              {lines.map((line, index) => (
                <div key={index} class="pair">
                  <TextField
                    label={texts.itemName}
                    value={line.name}
                    onValue={(name) => setLine(index, { name })}
                  />
                  <div class="removable">
                    <TextField
                      label={texts.quantity}
                      inputMode="numeric"
                      value={line.quantity}
                      onValue={(quantity) => setLine(index, { quantity })}
                    />
                    <button
                      type="button"
                      class="copy"
                      aria-label={texts.removeItem(line.name)}
                      onClick={() => setLines(lines.filter((_, each) => each !== index))}
                    >
                      ×
                    </button>
                  </div>
                </div>
              ))}
              {lines.length < itemsMax && (
                <button
                  type="button"
                  class="copy"
                  onClick={() => setLines([...lines, { name: "", quantity: "1" }])}
                >
                  {texts.addItem}
                </button>
              )}
              <SelectField
                label={texts.expires}
                value={life}
                options={Object.entries(texts.lives)}
                onValue={(each) => setLife(isLife(each) ? each : "day")}
              />
            </Form>
          </Card>
        )}
      </div>
    </>
  )
}
