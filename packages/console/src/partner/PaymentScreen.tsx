/**
 * One payment: what happened to it, what is known of it, and what can be done.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import { QrCode } from "@florin/pages/QrCode"
import type { ComponentChildren } from "preact"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useGet } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { useLoad } from "../shell/Load.ts"
import { at } from "../shell/Path.ts"
import { Card, Code, codeFact, foreign, State, timeFact } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { usePlace } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import { Timeline } from "../shell/Timeline.tsx"
import * as History from "./History.tsx"
import { left, refunding } from "./Refunding.tsx"
import * as Texts from "./Texts.ts"

const { payment: texts, payments } = Texts.texts

/**
 * The API reads a payment for its merchant only. If the address does not say whose it is, as after a search by id, each
 * of the first merchants is asked.
 */
const find = async (
  get: ReturnType<typeof useGet>,
  id: string,
  merchantId: string | undefined,
  signal: AbortSignal,
): Promise<Payment.Details> => {
  const of = (merchant: string) => get<Payment.Details>(at`/payments/${id}`, signal, {}, merchant)
  if (merchantId !== undefined) return of(merchantId)
  const { merchants } = await get<Merchant.Page>("/merchants", signal, { limit: 50 })
  try {
    return await Promise.any(merchants.map((merchant) => of(merchant.id)))
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  }
}

const cancelling = ({ amount, merchant, paymentId }: Payment.Details): Act => {
  const { cancel } = Texts.texts.payment
  return {
    ...cancel,
    scope: "pay",
    body: cancel.body(Reader.amount(amount)),
    isDangerous: true,
    path: at`/payments/${paymentId}/cancel`,
    merchantId: merchant.id,
  }
}

const isOpen = ({ status }: Payment.Details): boolean => status === "requires_action"

const Facts = ({ details }: { readonly details: Payment.Details }) => {
  const { buyer, lineItems = [], metadata } = details
  const list = (items: ReadonlyArray<ComponentChildren>) =>
    items.length > 0 && (
      <ul>
        {items.map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
    )
  return (
    <Card
      title={texts.details}
      facts={[
        codeFact(texts.id, details.paymentId, true),
        [payments.reference, foreign(details.referenceId)],
        [payments.merchant, foreign(details.merchant.name)],
        timeFact(payments.created, details.createdAt),
        timeFact(texts.expiresAt, isOpen(details) ? details.expiresAt * 1000 : null),
        codeFact(texts.payer, buyer?.accountCaip10),
        [texts.wallet, foreign(buyer?.accountProviderName)],
        [texts.description, foreign(details.description)],
        [
          texts.items,
          list(
            lineItems.map(({ amount, name, quantity }) => [
              `${Reader.count(quantity)} × `,
              foreign(name),
              amount && ` · ${Reader.amount(amount)}`,
            ]),
          ),
        ],
        [
          texts.metadata,
          list(
            Object.entries(metadata).map(([name, value]) => [
              <code>{name}</code>,
              ": ",
              foreign(value),
            ]),
          ),
        ],
      ]}
    />
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { query } = usePlace()
  const get = useGet()
  const merchantId = query.get("merchantId") ?? undefined
  const loaded = useLoad(id, (signal) => find(get, id, merchantId, signal), { isLive: true })
  return (
    <Detail
      of={loaded}
      back={{ to: "/payments", name: payments.title }}
      name={payments.title}
      title={(details) => (
        <>
          {Reader.amount(details.amount)} <State is={details.status} texts={Shell.texts.status} />
        </>
      )}
      note={({ referenceId }) => texts.of(referenceId)}
      acts={(details) => (
        <>
          {left(details) > 0n && <ActButton act={refunding(details)} onDone={loaded.reload} />}
          {isOpen(details) && <ActButton act={cancelling(details)} onDone={loaded.reload} />}
        </>
      )}
      main={(details) => (
        <Card title={texts.history}>
          <Timeline steps={History.steps(details)} />
        </Card>
      )}
      side={(details) => (
        <>
          {isOpen(details) && (
            <Card title={texts.link}>
              <QrCode text={details.gatewayUrl} label={texts.qr} />
              <Code name={texts.link} text={details.gatewayUrl} isWhole />
            </Card>
          )}
          <Facts details={details} />
        </>
      )}
    />
  )
}
