/**
 * How the business goes: two requests, one for statistics and one for payouts on their way.
 *
 * @module
 */
import type * as Payment from "@florin/api/wire/Payment"
import type * as Payout from "@florin/api/wire/Payout"
import { useConsole } from "../shell/Console.tsx"
import { dayOf, startOfDay } from "../shell/Filter.ts"
import { useLoad } from "../shell/Load.ts"
import { ButtonLink, Card, Chip, Empty, Head, toneOf } from "../shell/Pieces.tsx"
import { Plot } from "../shell/Plot.tsx"
import { sentence } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import { Shown } from "../shell/Shown.tsx"
import * as Shell from "../shell/Texts.ts"
import * as Revenue from "./Revenue.ts"
import * as Texts from "./Texts.ts"

const { overview: texts, payments: paymentTexts } = Texts.texts
const { status } = Shell.texts

const periods = ["day", "week", "month"] as const
type Period = (typeof periods)[number]
const spans = [7, 30, 90, 365] as const
const spanDefault = 30
const tokensMax = 8
const live = { isLive: true, everyInMs: 60_000 }

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

const barName = (period: Period, startTs: string): string =>
  period === "month" ? month.format(new Date(startTs)) : Reader.day(startTs)

/** A time of a class, such as `30 sec`. */
const duration = (ms: number): string => {
  const [unit, size] =
    ms < 60_000
      ? (["second", 1000] as const)
      : ms < 3_600_000
        ? (["minute", 60_000] as const)
        : (["hour", 3_600_000] as const)
  return new Intl.NumberFormat(Reader.locale, { style: "unit", unit }).format(ms / size)
}

type Statistics = Payment.Statistics

/** How large each part of a whole is, with a link to its payments. */
const Shares = ({
  of,
  parts,
}: {
  readonly of: number
  readonly parts: ReadonlyArray<{
    readonly name: string
    readonly count: number
    readonly tone: string
    readonly query: { readonly [name: string]: string }
  }>
}) => (
  <ul class="stack">
    {parts.map(({ count, name, query, tone }) => (
      <li key={name}>
        <Link to={`/payments?${new URLSearchParams(query)}`} class="share">
          <span>
            <span>{name}</span>
            <span class="number">{Reader.count(count)}</span>
          </span>
          <span class="meter" aria-hidden="true">
            <span class={tone} style={{ inlineSize: `${(count / of) * 100}%` }} />
          </span>
        </Link>
      </li>
    ))}
  </ul>
)

/** What became of the payments, how soon, and with what they were paid. */
const Parts = ({
  statistics: { statuses, timeToSuccess, tokens, units },
  payments,
  startTs,
  succeeded,
}: {
  readonly statistics: Statistics
  readonly payments: number
  readonly startTs: string
  readonly succeeded: number
}) => {
  const paid = { startTs, status: "succeeded" }
  const times = ([50, 95] as const).flatMap((percent) => {
    const ms = Revenue.within(timeToSuccess, percent / 100)
    return ms === undefined ? [] : [texts.part(`${percent}`, duration(ms))]
  })
  const states = statuses.flatMap(({ payments: count, status: state }) => {
    // Cancelled payments are not among the states of the filter.
    const query = state === "cancelled" ? { startTs } : { startTs, status: state }
    return count === 0 ? [] : [{ name: status[state], count, tone: toneOf(state), query }]
  })
  const soon = Revenue.cumulated(timeToSuccess).map(({ payments: count, upToMs }) => ({
    name: texts.within(duration(upToMs)),
    count,
    tone: "good",
    query: paid,
  }))
  const ways = tokens.flatMap(({ succeeded: count, unit }) => {
    const display = units.find((each) => each.unit === unit)?.display
    const { assetSymbol = "", networkName } = display ?? {}
    const name = [assetSymbol, networkName].filter(Boolean).join(" · ")
    const query = { ...paid, token_symbol: assetSymbol, network: unit?.split("/")[1] ?? "" }
    return count === 0 ? [] : [{ name, count, tone: "good", query }]
  })
  return (
    <div class="columns">
      <div class="stack">
        <Card title={texts.states}>
          <Shares parts={states} of={payments} />
        </Card>
        {succeeded > 0 && (
          <Card title={texts.time}>
            <p class="note">{times.join(", ")}</p>
            <Shares parts={soon} of={succeeded} />
          </Card>
        )}
      </div>
      {succeeded > 0 && (
        <Card title={texts.ways}>
          <Shares parts={ways.slice(0, tokensMax)} of={succeeded} />
        </Card>
      )}
    </div>
  )
}

export const Screen = () => {
  const { partner } = useConsole()
  const place = usePlace()
  const span = spans.find((each) => `${each}` === place.query.get("days")) ?? spanDefault
  const by: Period =
    periods.find((each) => each === place.query.get("by")) ??
    (span > 90 ? "month" : span > 30 ? "week" : "day")
  const startTs = startOfDay(dayOf(Date.now(), 1 - span)) ?? ""
  const loaded = useLoad(
    `${startTs} ${by}`,
    async (signal) => {
      const asked = { by, startTs, timeZone: Reader.timeZone }
      return { by, statistics: await partner.payments.statistics(asked, { signal }) }
    },
    live,
  )
  const payouts = useLoad("payouts", (signal) => partner.payouts.list({ limit: 200 }, { signal }))
  const waiting = sums(
    (payouts.value?.data ?? []).filter(({ state }) => state !== "paid" && state !== "cancelled"),
  )
  const shown = ({ by: period, statistics }: NonNullable<typeof loaded.value>) => {
    const { buckets } = statistics
    const payments = buckets.reduce((sum, each) => sum + each.payments, 0)
    const succeeded = buckets.reduce((sum, each) => sum + each.succeeded, 0)
    const earned = Revenue.earned(statistics)
    const money = (of: "gross" | "net" | "refunded") =>
      earned
        .map((each) => Reader.amount({ ...each, value: Revenue.sum(statistics, each, of) }))
        .join(" + ") || "–"
    const tiles = [
      [texts.net, money("net"), earned.length > 0 ? texts.gross(money("gross")) : ""],
      [texts.payments, Reader.count(payments), `${Reader.count(succeeded)} ${status.succeeded}`],
      [texts.refunded, money("refunded"), ""],
      [
        texts.waiting,
        waiting.map((each) => Reader.amount(each)).join(" + ") || "–",
        payouts.error === undefined ? texts.waitingNote : sentence(payouts.error),
      ],
    ] as const
    return (
      <>
        <div class="tiles">
          {tiles.map(([name, value, note]) => (
            <div key={name} class="tile">
              <span class="note">{name}</span>
              <strong>{value}</strong>
              {note !== "" && <span class="note">{note}</span>}
            </div>
          ))}
        </div>
        {payments === 0 ? (
          <Empty
            {...texts.empty}
            action={<ButtonLink look="main" to="/payments/new" name={paymentTexts.create} />}
          />
        ) : (
          <>
            <Card
              title={texts.net}
              head={
                <div class="actions">
                  {periods.map((each) => (
                    <Chip
                      key={each}
                      name={texts.period[each]}
                      to={filtered(place, { by: each })}
                      isOn={each === by}
                    />
                  ))}
                </div>
              }
            >
              {earned.map((each) => (
                <Plot
                  key={each.unit}
                  title={texts.revenue(each.display.assetSymbol)}
                  bars={Revenue.bars(statistics, each).map(({ key, startTs: at, value }) => ({
                    key,
                    name: barName(period, at),
                    value,
                  }))}
                  format={(value) => Reader.money(value, each.display.assetSymbol)}
                  file={`revenue-${each.display.assetSymbol}-${by}`}
                  unit={each.display.assetSymbol}
                />
              ))}
              {earned.length === 0 && <p class="note">{texts.nothing}</p>}
            </Card>
            <Parts
              statistics={statistics}
              payments={payments}
              // Periods count whole, so they may begin earlier than was asked for.
              startTs={buckets[0]?.startTs ?? startTs}
              succeeded={succeeded}
            />
          </>
        )}
      </>
    )
  }
  return (
    <>
      <Head title={texts.title} note={texts.note(Reader.timeZone)}>
        {spans.map((each) => (
          <Chip
            key={each}
            name={texts.last(each)}
            to={filtered(place, { days: `${each}`, by: undefined })}
            isOn={each === span}
          />
        ))}
      </Head>
      <Shown of={loaded}>{shown}</Shown>
    </>
  )
}
