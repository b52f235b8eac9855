/**
 * How the business goes: two requests, one for payments with their totals and one for payouts on their way.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Payout from "@florin/api/wire/Payout"
import { useMemo } from "preact/hooks"
import { useConsole } from "../shell/Console.tsx"
import { dayOf, startOfDay } from "../shell/Filter.ts"
import { useList, useLoad } from "../shell/Load.ts"
import { Card, Empty, Head, Skeleton, State, Time, toneOf } from "../shell/Pieces.tsx"
import { Plot } from "../shell/Plot.tsx"
import { ProblemNote, sentence } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import * as Shell from "../shell/Texts.ts"
import * as Parts from "./PaymentParts.tsx"
import * as Revenue from "./Revenue.ts"
import * as Texts from "./Texts.ts"

const { overview: texts, payments: paymentTexts } = Texts.texts
const { status } = Shell.texts

const periods = ["day", "week", "month"] as const
const spans = [7, 30, 90, 365] as const
const spanDefault = 30
const recentMax = 6

/** The sum of each token's payouts. Amounts of one token are exact. */
const sums = (payouts: ReadonlyArray<Payout.Payout>): ReadonlyArray<Payout.Payout["amount"]> => {
  const byUnit = new Map<string, Payout.Payout["amount"]>()
  for (const { amount } of payouts) {
    const was = BigInt(byUnit.get(amount.unit)?.value ?? 0)
    byUnit.set(amount.unit, { ...amount, value: `${was + BigInt(amount.value)}` })
  }
  return [...byUnit.values()]
}

const month = new Intl.DateTimeFormat(Reader.locale, { month: "long", year: "numeric" })

const barName = (period: Revenue.Period, startsAt: number): string =>
  period === "month" ? month.format(startsAt) : Reader.day(startsAt)

const Share = ({
  count,
  name,
  of,
  tone,
  to,
}: {
  readonly name: string
  readonly count: number
  readonly of: number
  readonly tone: string
  readonly to: string
}) => (
  <li>
    <Link to={to} class="share">
      <span>
        <span>{name}</span>
        <span class="number">{Reader.count(count)}</span>
      </span>
      <span class="meter" aria-hidden="true">
        <span class={tone} style={{ inlineSize: `${(count / of) * 100}%` }} />
      </span>
    </Link>
  </li>
)

export const Screen = () => {
  const { partner } = useConsole()
  const place = usePlace()
  const span = spans.find((each) => `${each}` === place.query.get("days")) ?? spanDefault
  const period: Revenue.Period =
    periods.find((each) => each === place.query.get("by")) ??
    (span > 90 ? "month" : span > 30 ? "week" : "day")
  const startTs = startOfDay(dayOf(Date.now(), 1 - span)) ?? ""

  const list = useList(
    startTs,
    ({ paymentId }: Payment.Item) => paymentId,
    async (cursor, signal) => {
      const { data, nextCursor, stats } = await partner.payments.list(
        { startTs, limit: 200, ...(cursor !== undefined && { cursor }) },
        { signal },
      )
      return { rows: data, next: nextCursor, extra: stats }
    },
    // Its totals count every payment of the period.
    { isLive: true, everyInMs: 60_000 },
  )
  const payouts = useLoad("payouts", (signal) => partner.payouts.list({ limit: 200 }, { signal }))
  const { extra: stats, rows: items } = list
  const isPart = list.more !== undefined
  const oldest = items?.at(-1)?.createdAt
  // The oldest day that is loaded may lack payments.
  const from =
    isPart && oldest !== undefined ? Revenue.nextDay(oldest) : new Date(startTs).getTime()
  const waiting = useMemo(
    () =>
      sums(
        (payouts.value?.data ?? []).filter(
          ({ state }) => state !== "paid" && state !== "cancelled",
        ),
      ),
    [payouts.value],
  )

  const head = (
    <Head title={texts.title} note={texts.note(Reader.timeZone)}>
      {spans.map((each) => (
        <Link
          key={each}
          class="chip"
          to={filtered(place, { days: `${each}`, by: undefined })}
          aria-current={each === span ? "page" : undefined}
        >
          {texts.last(each)}
        </Link>
      ))}
    </Head>
  )
  if (items === undefined || stats === undefined) {
    return (
      <>
        {head}
        {list.error === undefined ? (
          <Skeleton rows={8} />
        ) : (
          <ProblemNote error={list.error} retry={list.reload} />
        )}
      </>
    )
  }
  const money = (of: typeof stats.netRevenue) =>
    of.length === 0
      ? "–"
      : of.map(({ amount, currency }) => Reader.money(amount, currency)).join(" + ")
  const states = Revenue.countBy(items, (item) => item.status)
  const ways = Revenue.countBy(
    items.filter(({ status: each }) => each === "succeeded"),
    Parts.way,
  ).slice(0, 8)
  return (
    <>
      {head}
      <div class="tiles">
        <div class="tile">
          <span class="note">{texts.net}</span>
          <strong>{money(stats.netRevenue)}</strong>
          {stats.totalRevenue.length > 0 && (
            <span class="note">{texts.gross(money(stats.totalRevenue))}</span>
          )}
        </div>
        <div class="tile">
          <span class="note">{texts.payments}</span>
          <strong>{Reader.count(stats.totalTransactions)}</strong>
          <span class="note">{texts.customers(Reader.count(stats.totalCustomers))}</span>
        </div>
        <div class="tile">
          <span class="note">{texts.refunded}</span>
          <strong>{money(stats.totalRefunded)}</strong>
        </div>
        <div class="tile">
          <span class="note">{texts.waiting}</span>
          <strong>
            {waiting.length === 0 ? "–" : waiting.map((each) => Reader.amount(each)).join(" + ")}
          </strong>
          <span class="note">
            {payouts.error === undefined ? texts.waitingNote : sentence(payouts.error)}
          </span>
        </div>
      </div>
      {items.length === 0 ? (
        <Empty
          {...texts.empty}
          action={
            <Link to="/payments/new" class="button">
              {paymentTexts.create}
            </Link>
          }
        />
      ) : (
        <>
          {isPart && oldest !== undefined && (
            <p class="note">
              {texts.part(Reader.count(items.length), Reader.day(oldest))}{" "}
              <button type="button" class="copy" onClick={list.more}>
                {texts.earlier}
              </button>
            </p>
          )}
          <Card
            title={texts.payments}
            head={
              <div class="actions">
                {periods.map((each) => (
                  <Link
                    key={each}
                    class="chip"
                    to={filtered(place, { by: each })}
                    aria-current={each === period ? "page" : undefined}
                  >
                    {texts.period[each]}
                  </Link>
                ))}
              </div>
            }
          >
            {Revenue.currencies(items).map((currency) => (
              <Plot
                key={currency}
                title={texts.revenue(currency)}
                bars={Revenue.buckets(items, currency, period, from, Date.now()).map(
                  ({ key, startsAt, value }) => ({ key, name: barName(period, startsAt), value }),
                )}
                format={(value) => Reader.money(value, currency)}
                file={`revenue-${currency}-${period}`}
                unit={currency}
              />
            ))}
            {Revenue.currencies(items).length === 0 && <p class="note">{texts.nothing}</p>}
          </Card>
          <div class="columns">
            <Card title={texts.recent} head={<Link to="/payments">{paymentTexts.title}</Link>}>
              <ul class="lines">
                {items.slice(0, recentMax).map((item) => (
                  <li key={item.paymentId}>
                    <span>
                      <Link to={Parts.toPayment(item.paymentId, item.merchant.id)}>
                        <bdi>{item.referenceId}</bdi>
                      </Link>{" "}
                      <span class="note">
                        <Time at={item.createdAt} />
                      </span>
                    </span>
                    <span class="actions">
                      <span class="amount">{Parts.requested(item)}</span>
                      <State is={item.status} texts={status} />
                    </span>
                  </li>
                ))}
              </ul>
            </Card>
            <div class="stack">
              <Card title={texts.states}>
                <ul class="stack">
                  {states.map(([state, count]) => (
                    <Share
                      key={state}
                      name={status[state]}
                      count={count}
                      of={items.length}
                      tone={toneOf(state)}
                      to={`/payments?${new URLSearchParams({ startTs, ...(state !== "cancelled" && { status: state }) })}`}
                    />
                  ))}
                </ul>
              </Card>
              {ways.length > 0 && (
                <Card title={texts.ways}>
                  <ul class="stack">
                    {ways.map(([name, count]) => (
                      <Share
                        key={name}
                        name={name}
                        count={count}
                        of={items.length}
                        tone="good"
                        to={`/payments?${new URLSearchParams({ startTs, status: "succeeded", token_symbol: name.split(" · ")[0] ?? "" })}`}
                      />
                    ))}
                  </ul>
                </Card>
              )}
            </div>
          </div>
        </>
      )}
    </>
  )
}
