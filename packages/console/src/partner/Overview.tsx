/**
 * How the business goes: two requests, one for statistics and one for balances.
 *
 * @module
 */
import type * as Amount from "@florin/api/wire/Amount"
import type * as Balance from "@florin/api/wire/Balance"
import type * as Payment from "@florin/api/wire/Payment"
import { useGet, useRead } from "../shell/Api.ts"
import { Detail } from "../shell/Detail.tsx"
import { dayOf, startOfDay } from "../shell/Filter.ts"
import { useLoad } from "../shell/Load.ts"
import { ButtonLink, Card, Chip, Empty, list, meter, toneOf } from "../shell/Pieces.tsx"
import { Plot } from "../shell/Plot.tsx"
import { sentence } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
import * as Revenue from "./Revenue.ts"
import * as Texts from "./Texts.ts"

const { overview: texts, payments: paymentTexts, status } = Texts.texts

const periods = ["day", "week", "month"] as const
type Period = (typeof periods)[number]
const spans = [7, 30, 90, 365] as const
const spanDefault = 30
const tokensMax = 8
const everyInMs = 60_000

/** What payouts carry that are not final, by token. Amounts of one token are exact. */
const carried = (balances: ReadonlyArray<Balance.OfMerchant>): ReadonlyArray<Amount.Amount> => {
  const byUnit = new Map<string, Amount.Amount>()
  for (const { display, inPayout } of balances) {
    const { unit, value } = inPayout
    const sum = BigInt(byUnit.get(unit)?.value ?? 0) + BigInt(value)
    byUnit.set(unit, { unit, value: `${sum}`, display })
  }
  return [...byUnit.values()].filter(({ value }) => value !== "0")
}

const month = new Intl.DateTimeFormat(Reader.locale, { month: "long", year: "numeric" })

const barName = (period: Period, startTs: string): string =>
  period === "month" ? month.format(new Date(startTs)) : Reader.day(startTs)

interface Share {
  readonly name: string
  readonly count: number
  readonly tone: string
  readonly query: { readonly [name: string]: string }
}

/** How large each part of a whole is, with a link to its payments. */
const shares = (of: number, parts: ReadonlyArray<Share>) =>
  list(
    parts.map(({ count, name, query, tone }) => (
      <Link to={`/payments?${new URLSearchParams(query)}`} class="share">
        <span>
          <span>{name}</span>
          <span class="number">{Reader.count(count)}</span>
        </span>
        {meter(of, [tone, count])}
      </Link>
    )),
    "stack",
  )

/** What became of the payments, how soon, and with what they were paid. */
const parts = (
  { statuses, timeToSuccess, tokens, units }: Payment.Statistics,
  startTs: string,
  payments: number,
  succeeded: number,
) => {
  const paid = { startTs, status: "succeeded" }
  const times = ([50, 95] as const).flatMap((percent) => {
    const ms = Revenue.within(timeToSuccess, percent / 100)
    return ms === undefined ? [] : [texts.part(`${percent}`, Reader.duration(ms))]
  })
  const states = statuses.flatMap(({ payments: count, status: state }) => {
    // Cancelled payments are not among the states of the filter.
    const query = state === "cancelled" ? { startTs } : { startTs, status: state }
    return count === 0 ? [] : [{ name: status[state], count, tone: toneOf(state), query }]
  })
  const soon = Revenue.cumulated(timeToSuccess).map(({ payments: count, upToMs }) => {
    return { name: texts.within(Reader.duration(upToMs)), count, tone: "good", query: paid }
  })
  const ways = tokens.flatMap(({ succeeded: count, unit }) => {
    const display = units.find((each) => each.unit === unit)?.display
    const [, network = ""] = unit?.split("/") ?? []
    const query = { ...paid, token_symbol: display?.assetSymbol ?? "", network }
    return count === 0 ? [] : [{ name: Reader.token(display ?? {}), count, tone: "good", query }]
  })
  return (
    <div class="columns">
      <div class="stack">
        <Card title={texts.states}>{shares(payments, states)}</Card>
        {succeeded > 0 && (
          <Card title={texts.time} note={times.join(", ")}>
            {shares(succeeded, soon)}
          </Card>
        )}
      </div>
      {succeeded > 0 && (
        <Card title={texts.ways}>{shares(succeeded, ways.slice(0, tokensMax))}</Card>
      )}
    </div>
  )
}

export const Screen = () => {
  const get = useGet()
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
      return {
        by,
        statistics: await get<Payment.Statistics>("/payments/statistics", signal, asked),
      }
    },
    { everyInMs },
  )
  const balances = useRead<Balance.MerchantPage>("/balances", { limit: 200 }, { everyInMs })
  const { data: owed = [], nextCursor = null } = balances.value ?? {}
  const waitingNote = nextCursor === null ? texts.waitingNote : texts.waitingOf(owed.length)
  const periodChip = (each: Period) => {
    const to = filtered(place, { by: each })
    return <Chip key={each} name={texts.period[each]} to={to} isOn={each === by} />
  }
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
        carried(owed).map(Reader.amount).join(" + ") || "–",
        balances.error === undefined ? waitingNote : sentence(balances.error),
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
            action={
              <ButtonLink look="main" to="/payments/new" scope="pay" name={paymentTexts.create} />
            }
          />
        ) : (
          <>
            <Card title={texts.net} head={<div class="actions">{periods.map(periodChip)}</div>}>
              {earned.map((each) => (
                <Plot
                  key={each.unit}
                  title={texts.revenue(each.display.assetSymbol)}
                  bars={Revenue.bars(statistics, each, (at) => barName(period, at))}
                  format={(value) => Reader.money(value, each.display.assetSymbol)}
                  file={`revenue-${each.display.assetSymbol}-${by}`}
                  unit={each.display.assetSymbol}
                />
              ))}
              {earned.length === 0 && <p class="note">{texts.nothing}</p>}
            </Card>
            {/* Periods count whole, so they may begin earlier than was asked for. */}
            {parts(statistics, buckets[0]?.startTs ?? startTs, payments, succeeded)}
          </>
        )}
      </>
    )
  }
  const spanChip = (each: number) => {
    const to = filtered(place, { days: `${each}`, by: undefined })
    return <Chip key={each} name={texts.last(each)} to={to} isOn={each === span} />
  }
  return (
    <Detail
      of={loaded}
      name={texts.title}
      note={texts.note(Reader.timeZone)}
      acts={spans.map(spanChip)}
      main={shown}
    />
  )
}
