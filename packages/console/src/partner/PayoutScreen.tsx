/**
 * One payout, and the payments that it pays.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { at } from "../shell/Path.ts"
import { Card, Code, codeFact, line, State } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { type Step, step, Timeline } from "../shell/Timeline.tsx"
import * as Parts from "./PaymentParts.tsx"
import { sum } from "./Payouts.tsx"
import * as Texts from "./Texts.ts"

const { payment, payouts: texts } = Texts.texts

const steps = (payout: Payout.Details): ReadonlyArray<Step> => {
  const { createdAt, paidAt, reason, sentAt, state, txId } = payout
  const why = reason !== null && payment.shareReason[reason]
  const last =
    state === "paid"
      ? step("paid", texts.paid, paidAt, txId && <Code name={payment.transaction} text={txId} />)
      : state === "held" || state === "cancelled"
        ? step("failed", texts.state[state], null, why)
        : step("processing", state === "sent" ? texts.final : texts.waits, null, why)
  const sent = sentAt === null ? [] : [step("done", texts.sent, sentAt)]
  return [step("done", texts.created, createdAt), ...sent, last]
}

export const Screen = ({ id = "" }: Params) => (
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
          lines={payments.map(({ amount: part, merchantId, netted, paymentId }) =>
            line(
              <Link to={Parts.toPayment(paymentId, merchantId)}>
                <code>{paymentId}</code>
              </Link>,
              [said(part.value), netted.value !== "0" && texts.netted(said(netted.value))]
                .filter((text) => text !== false)
                .join(", "),
            ),
          )}
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
