/**
 * One payout, and the payments that it pays.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useConsole } from "../shell/Console.tsx"
import type { Params } from "../shell/Face.ts"
import { useLoad } from "../shell/Load.ts"
import { Card, Code, Fact, Facts, Head } from "../shell/Pieces.tsx"
import { ProblemNote, Waiting } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { type Step, Timeline } from "../shell/Timeline.tsx"
import * as Parts from "./PaymentParts.tsx"
import { StatePill, sum } from "./Payouts.tsx"
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
  const { partner } = useConsole()
  const { payouts: texts } = Texts.texts()
  const loaded = useLoad(id, (signal) => partner.payouts.get(id, { signal }), { isLive: true })
  const { error, reload, value: payout } = loaded
  const back = { to: "/payouts", name: texts.title }
  if (payout === undefined) return <Waiting of={loaded} title={texts.payout} back={back} />
  const { advance, amount, destination, payments } = payout
  const said = (value: string) => Reader.amount({ ...amount, value })
  return (
    <>
      <Head
        back={back}
        title={
          <>
            {sum(payout)} <StatePill state={payout.state} />
          </>
        }
      />
      {error !== undefined && <ProblemNote error={error} retry={reload} />}
      <div class="columns">
        <Card title={texts.shares}>
          <ul class="lines">
            {payments.map(({ amount: part, merchantId, netted, paymentId }) => (
              <li key={paymentId}>
                <Link to={Parts.toPayment(paymentId, merchantId)}>
                  <code>{paymentId}</code>
                </Link>
                <span>
                  <span class="amount">{said(part.value)}</span>
                  {netted.value !== "0" && (
                    <span class="note"> {texts.netted(said(netted.value))}</span>
                  )}
                </span>
              </li>
            ))}
          </ul>
          {advance !== undefined && <p class="note">{texts.advance(said(advance.amount.value))}</p>}
        </Card>
        <div class="stack">
          <Card>
            <Timeline steps={steps(payout)} />
          </Card>
          <Card>
            <Facts>
              <Fact name={texts.id}>
                <Code name={texts.id} text={payout.id} isWhole />
              </Fact>
              <Fact name={texts.destination}>
                <Code name={texts.destination} text={destination} isWhole />
              </Fact>
            </Facts>
          </Card>
        </div>
      </div>
    </>
  )
}
