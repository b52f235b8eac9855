/**
 * One payment: what happened to it, what is known of it, and what can be done.
 *
 * @module
 */
import type * as Merchant from "@florin/api/wire/Merchant"
import type * as Payment from "@florin/api/wire/Payment"
import { QrCode } from "@florin/pages/QrCode"
import { type Act, ActButton } from "../shell/Act.tsx"
import { useGet } from "../shell/Api.ts"
import type { Params } from "../shell/Face.ts"
import { useLoad } from "../shell/Load.ts"
import { Card, Code, codeFact, Facts, foreign, State, timeFact } from "../shell/Pieces.tsx"
import { Detail } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, usePlace } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import { Timeline } from "../shell/Timeline.tsx"
import * as History from "./History.tsx"
import { left, refunding } from "./Refunding.tsx"
import * as Texts from "./Texts.ts"

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
  const { payment: texts } = Texts.texts()
  return {
    scope: "pay",
    title: texts.cancelTitle,
    name: texts.cancel,
    body: <p>{texts.cancelNote(Reader.amount(amount))}</p>,
    action: texts.cancel,
    isDangerous: true,
    path: at`/payments/${paymentId}/cancel`,
    merchantId: merchant.id,
    said: texts.cancelDone,
  }
}

const Details = ({ details }: { readonly details: Payment.Details }) => {
  const { payment: texts, payments } = Texts.texts()
  const { buyer, description, lineItems = [], merchant, metadata, referenceId } = details
  const entries = Object.entries(metadata)
  return (
    <Card title={texts.details}>
      <Facts
        of={[
          codeFact(texts.id, details.paymentId, true),
          [payments.reference, foreign(referenceId)],
          [payments.merchant, foreign(merchant.name)],
          timeFact(payments.created, details.createdAt),
          timeFact(
            texts.expiresAt,
            details.status === "requires_action" ? details.expiresAt * 1000 : null,
          ),
          codeFact(texts.payer, buyer?.accountCaip10),
          [texts.wallet, foreign(buyer?.accountProviderName)],
          [texts.description, foreign(description)],
          [
            texts.items,
            lineItems.length > 0 && (
              <ul>
                {lineItems.map(({ amount, name, quantity }, index) => (
                  <li key={index}>
                    {Reader.count(quantity)} × {foreign(name)}
                    {amount !== undefined && ` · ${Reader.amount(amount)}`}
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            texts.metadata,
            entries.length > 0 && (
              <ul>
                {entries.map(([name, value]) => (
                  <li key={name}>
                    <code>{name}</code>: {foreign(value)}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Card>
  )
}

export const Screen = ({ id = "" }: Params) => {
  const { query } = usePlace()
  const { payment: texts, payments } = Texts.texts()
  const { status } = Shell.texts()
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
          {Reader.amount(details.amount)} <State is={details.status} texts={status} />
        </>
      )}
      note={({ referenceId }) => texts.of(referenceId)}
      acts={(details) => (
        <>
          {left(details) > 0n && <ActButton act={refunding(details)} onDone={loaded.reload} />}
          {details.status === "requires_action" && (
            <ActButton act={cancelling(details)} onDone={loaded.reload} />
          )}
        </>
      )}
    >
      {(details) => (
        <div class="columns">
          <Card title={texts.history}>
            <Timeline steps={History.steps(details)} />
          </Card>
          <div class="stack">
            {details.status === "requires_action" && (
              <Card title={texts.link}>
                <QrCode text={details.gatewayUrl} label={texts.qr} />
                <Code name={texts.link} text={details.gatewayUrl} isWhole />
              </Card>
            )}
            <Details details={details} />
          </div>
        </div>
      )}
    </Detail>
  )
}
