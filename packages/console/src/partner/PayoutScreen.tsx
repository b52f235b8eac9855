/**
 * One payout, and the payments that it pays.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useRead } from "../shell/Api.ts"
import type { Params } from "../shell/Face.ts"
import { Card, Code, codeFact, State } from "../shell/Pieces.tsx"
import { Detail } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { at, Link } from "../shell/Route.tsx"
import { type Step, Timeline } from "../shell/Timeline.tsx"
import * as Parts from "./PaymentParts.tsx"
import { sum } from "./Payouts.tsx"
import * as Texts from "./Texts.ts"

const steps = ({
  createdAt,
  paidAt,
  reason,
  sentAt,
  state,
  txId,
}: Payout.Details): ReadonlyArray<Step> => {
  const { payment, payouts: texts } = Texts.texts()
  const why = reason !== null && <p>{payment.shareReason[reason]}</p>
  return [
    { key: "created", title: texts.created, at: createdAt, tone: "done" },
    ...(sentAt === null
      ? []
      : [{ key: "sent", title: texts.sent, at: sentAt, tone: "done" as const }]),
    state === "paid"
      ? {
          key: "paid",
          title: texts.paid,
          at: paidAt ?? undefined,
          tone: "done",
          body: txId !== null && <Code name={payment.transaction} text={txId} />,
        }
      : state === "held" || state === "cancelled"
        ? { key: state, title: texts.state[state], tone: "bad", body: why }
        : {
            key: "now",
            title: state === "sent" ? texts.final : texts.waits,
            tone: "now",
            body: why,
          },
  ]
}

export const Screen = ({ id = "" }: Params) => {
  const { payouts: texts } = Texts.texts()
  return (
    <Detail
      of={useRead<Payout.Details>(at`/payouts/${id}`)}
      back={{ to: "/payouts", name: texts.title }}
      name={texts.payout}
      title={(payout) => (
        <>
          {sum(payout)} <State is={payout.state} texts={texts.state} />
        </>
      )}
      main={({ advance, amount, payments }) => {
        const said = (value: string) => Reader.amount({ ...amount, value })
        return (
          <Card
            title={texts.shares}
            lines={payments.map(({ amount: part, merchantId, netted, paymentId }) => (
              <>
                <Link to={Parts.toPayment(paymentId, merchantId)}>
                  <code>{paymentId}</code>
                </Link>
                <span>
                  <span class="amount">{said(part.value)}</span>
                  {netted.value !== "0" && (
                    <span class="note"> {texts.netted(said(netted.value))}</span>
                  )}
                </span>
              </>
            ))}
            acts={advance && <p class="note">{texts.advance(said(advance.amount.value))}</p>}
          />
        )
      }}
      side={(payout) => (
        <>
          <Card>
            <Timeline steps={steps(payout)} />
          </Card>
          <Card
            facts={[
              codeFact(texts.id, payout.id, true),
              codeFact(texts.destination, payout.destination, true),
            ]}
          />
        </>
      )}
    />
  )
}
