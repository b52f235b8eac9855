/**
 * Payouts: transfers to merchants, and one with the payments that it pays.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import type { Params } from "../shell/Face.ts"
import { chips, link } from "../shell/Filter.ts"
import { Listing } from "../shell/Listing.tsx"
import { at } from "../shell/Path.ts"
import { ButtonLink, Card, Code, codeFact, line, State } from "../shell/Pieces.tsx"
import * as Reader from "../shell/Reader.ts"
import { Link } from "../shell/Route.tsx"
import { column, numbers, states, times } from "../shell/Table.tsx"
import { step, type Step, Timeline } from "../shell/Timeline.tsx"
import * as Parts from "./PaymentParts.tsx"
import * as Texts from "./Texts.ts"

const { merchants, payment, payouts: texts, words } = Texts.texts

/** Amount and network, such as `12.50 USDC · Base`. */
const sum = ({ amount }: Pick<Payout.Payout, "amount">): string =>
  `${Reader.amount(amount)} · ${amount.display.networkName ?? ""}`

export const All = () => (
  <Listing<Payout.Payout, Payout.Page>
    texts={texts}
    path="/payouts"
    rowsOf={({ data }) => data}
    filters={[chips("status", words.states.outflow), link("merchantId")]}
    columns={[
      column(words.amount, "title", 3, sum),
      states(words.status, "end", ({ state }) => state, words.states.outflow),
      column(texts.destination, "below", 2, ({ destination }) => (
        <code title={destination}>{Reader.short(destination)}</code>
      )),
      numbers(texts.payments, "wide", "6rem", ({ paymentCount }) => Reader.count(paymentCount)),
      times(words.created, "belowEnd", ({ createdAt }) => createdAt),
    ]}
    to={({ id }) => at`/payouts/${id}`}
    next={<ButtonLink to="/merchants" name={merchants.title} />}
  />
)

const steps = (payout: Payout.Details): ReadonlyArray<Step> => {
  const { createdAt, paidAt, reason, sentAt, state, txId } = payout
  const why = reason !== null && payment.shareReason[reason]
  const last =
    state === "paid"
      ? step("paid", texts.paid, paidAt, txId && <Code name={words.transaction} text={txId} />)
      : state === "held" || state === "cancelled"
        ? step("failed", words.states.outflow[state], null, why)
        : step("processing", state === "sent" ? texts.final : texts.waits, null, why)
  const sent = sentAt === null ? [] : [step("done", texts.sent, sentAt)]
  return [step("done", words.created, createdAt), ...sent, last]
}

export const One = ({ id = "" }: Params) => (
  <Detail
    of={useRead<Payout.Details>(at`/payouts/${id}`)}
    back={{ to: "/payouts", name: texts.title }}
    name={texts.payout}
    title={(payout) => (
      <>
        {sum(payout)} <State is={payout.state} texts={words.states.outflow} />
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
