/**
 * One payment: what happened to it, from what the API says of it, what is known of it, and what can be done.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import type * as Refund from "@florin/api/wire/Refund"
import { Refused } from "@florin/client"
import { refusedBy } from "@florin/client/Connection"
import { QrCode } from "@florin/pages/QrCode"
import { useRef } from "preact/hooks"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useGet } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { pulseInMs, useLoad } from "../shell/Load.ts"
import { at } from "../shell/Path.ts"
import {
  Card,
  Code,
  codeFact,
  type Fact,
  foreign,
  list,
  State,
  timeFact,
} from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link, usePlace } from "../shell/Route.tsx"
import { type Step, step, Timeline } from "../shell/Timeline.tsx"
import { left, refunding } from "./Refunding.tsx"
import * as Texts from "./Texts.ts"

const { payment: texts, payments, refundStatus, words } = Texts.texts

const code = (name: string, text: string | undefined) =>
  text !== undefined && <Code name={name} text={text} />

const refundStep = (refund: Refund.Refund): Step => {
  const { amount, destination, held, pendingReason, pendingUntil, reason, status, txId } = refund
  return step(
    status,
    `${texts.refundOf(Reader.amount(amount))} · ${refundStatus[status]}`,
    held?.since ?? pendingUntil,
    pendingReason && texts.pendingReason[pendingReason],
    held?.reason && texts.shareReason[held.reason],
    reason !== undefined && (
      <p>
        {texts.reason}: {foreign(reason)}
      </p>
    ),
    code(texts.payer, destination),
    code(words.transaction, txId),
  )
}

const ends = (details: Payment.Details): ReadonlyArray<Step> => {
  const { amount, cancelledAt, cancelledReason, expiresAt, failureCode, info, status } = details
  switch (status) {
    case "requires_action":
      return [step("processing", texts.waits), step("next", texts.expiresAt, expiresAt * 1000)]
    case "processing":
      return [step("processing", texts.processing)]
    case "failed":
      return [step("failed", failureCode === "declined_user" ? texts.declined : texts.failed)]
    case "expired":
      return [step("failed", texts.expired, expiresAt * 1000)]
    case "cancelled": {
      const by = cancelledReason && texts.cancelledBy[cancelledReason]
      return [step("failed", texts.cancelled, cancelledAt, by)]
    }
    case "succeeded":
      return [
        step(
          "paid",
          `${texts.paid} · ${Reader.amount(info?.optionAmount ?? amount)}`,
          undefined,
          info?.optionAmount.display.networkName,
          code(words.transaction, info?.txId),
        ),
      ]
  }
}

/** Every step that is known, the oldest first. Steps without a time are those of which the API does not say it. */
const steps = (details: Payment.Details): ReadonlyArray<Step> => {
  const { amount, createdAt, payout, refunds = [], settlement } = details
  const share =
    payout &&
    step(
      payout.state,
      texts.share[payout.state],
      payout.dueAt,
      payout.reason !== null && texts.shareReason[payout.reason],
      payout.id !== null && (
        <p>
          <Link to={at`/payouts/${payout.id}`}>{texts.payout}</Link>
        </p>
      ),
      code(words.transaction, settlement?.successful.txId),
    )
  return [
    step("done", `${words.created} · ${Reader.amount(amount)}`, createdAt),
    ...ends(details),
    ...refunds.map(refundStep),
    ...(share === undefined ? [] : [share]),
  ]
}

/**
 * The API reads a payment for its merchant only. If the address does not say whose it is, as after a search by id, each
 * merchant is asked, page by page.
 */
const find = async (
  get: ReturnType<typeof useGet>,
  id: string,
  merchantId: string | undefined,
  signal: AbortSignal,
  cursor?: string,
): Promise<Payment.Details> => {
  const of = (merchant: string) => get<Payment.Details>(at`/payments/${id}`, signal, {}, merchant)
  if (merchantId !== undefined) return of(merchantId)
  const page = await get<Merchant.Page>("/merchants", signal, { limit: 50, cursor })
  try {
    return await Promise.any(page.merchants.map((merchant) => of(merchant.id)))
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error
    const { errors } = error
    const other = errors.find((each: unknown) => !(each instanceof Refused && each.status === 404))
    if (other !== undefined) throw other
    if (page.nextCursor !== null) return find(get, id, undefined, signal, page.nextCursor)
    throw errors[0] ?? refusedBy({ code: "payment_not_found", message: "there is no merchant" })
  }
}

const cancelling = ({ amount, merchant, paymentId }: Payment.Details): Act => {
  return {
    ...texts.cancel,
    scope: "pay",
    body: texts.cancel.body(Reader.amount(amount)),
    isDangerous: true,
    path: at`/payments/${paymentId}/cancel`,
    merchantId: merchant.id,
  }
}

const isOpen = ({ status }: Payment.Details): boolean => status === "requires_action"

const facts = (details: Payment.Details): ReadonlyArray<Fact> => [
  codeFact(texts.id, details.paymentId, true),
  [payments.reference, foreign(details.referenceId)],
  [words.merchant, foreign(details.merchant.name)],
  timeFact(words.created, details.createdAt),
  timeFact(texts.expiresAt, isOpen(details) ? details.expiresAt * 1000 : null),
  codeFact(texts.payer, details.buyer?.accountCaip10),
  [texts.wallet, foreign(details.buyer?.accountProviderName)],
  [texts.description, foreign(details.description)],
  [
    texts.items,
    list(
      (details.lineItems ?? []).map(({ amount, name, quantity }) => [
        `${Reader.count(quantity)} × `,
        foreign(name),
        amount && ` · ${Reader.amount(amount)}`,
      ]),
      "",
    ),
  ],
  [
    texts.metadata,
    list(
      Object.entries(details.metadata).map(([name, value]) => [
        <code>{name}</code>,
        ": ",
        foreign(value),
      ]),
      "",
    ),
  ],
]

export const Screen = ({ id = "" }: Params) => {
  const { query } = usePlace()
  const get = useGet()
  const merchantId = useRef(query.get("merchantId") ?? undefined)
  const load = async (signal: AbortSignal) => {
    const details = await find(get, id, merchantId.current, signal)
    merchantId.current = details.merchant.id
    return details
  }
  const loaded = useLoad(id, load, { everyInMs: pulseInMs })
  return (
    <Detail
      of={loaded}
      back={{ to: "/payments", name: payments.title }}
      name={payments.title}
      title={(details) => (
        <>
          {Reader.amount(details.amount)} <State is={details.status} texts={Texts.texts.status} />
        </>
      )}
      note={({ referenceId }) => texts.of(referenceId)}
      acts={(details) => (
        <>
          {left(details) > 0n && <ActButton act={refunding(details)} />}
          {isOpen(details) && <ActButton act={cancelling(details)} />}
        </>
      )}
      main={(details) => (
        <Card title={texts.history}>
          <Timeline steps={steps(details)} />
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
          <Card title={words.details} facts={facts(details)} />
        </>
      )}
    />
  )
}
