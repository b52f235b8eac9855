/**
 * How the business goes: two requests, one for statistics and one for payouts on their way.
 *
 * @module
 */
import type * as Payout from "@florin/api/wire/Payout"
import { useConsole } from "../shell/Console.tsx"
import { dayOf, startOfDay } from "../shell/Filter.ts"
import { useLoad } from "../shell/Load.ts"
import { Card, Empty, Head, Skeleton, toneOf } from "../shell/Pieces.tsx"
import { Plot } from "../shell/Plot.tsx"
import { ProblemNote, sentence } from "../shell/Problem.tsx"
import * as Reader from "../shell/Reader.ts"
import { filtered, Link, usePlace } from "../shell/Route.tsx"
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
  const by: Period =
    periods.find((each) => each === place.query.get("by")) ??
    (span > 90 ? "month" : span > 30 ? "week" : "day")
  const startTs = startOfDay(dayOf(Date.now(), 1 - span)) ?? ""
  const loaded = useLoad(
    `${startTs} ${by}`,
    async (signal) => ({
      by,
      statistics: await partner.payments.statistics(
        { by, startTs, timeZone: Reader.timeZone },
        { signal },
      ),
    }),
    live,
  )
  const payouts = useLoad("payouts", (signal) => partner.payouts.list({ limit: 200 }, { signal }))

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
  if (loaded.value === undefined) {
    return (
      <>
        {head}
        {loaded.error === undefined ? (
          <Skeleton rows={8} />
        ) : (
          <ProblemNote error={loaded.error} retry={loaded.reload} />
        )}
      </>
    )
  }
  const { statistics } = loaded.value
  const { buckets, statuses, timeToSuccess, tokens, units } = statistics
  const payments = buckets.reduce((sum, each) => sum + each.payments, 0)
  const succeeded = buckets.reduce((sum, each) => sum + each.succeeded, 0)
  const earned = Revenue.earned(statistics)
  const waiting = sums(
    (payouts.value?.data ?? []).filter(({ state }) => state !== "paid" && state !== "cancelled"),
  )
  const money = (of: "gross" | "net" | "refunded") =>
    earned
      .map((each) => Reader.amount({ ...each, value: Revenue.sum(statistics, each, of) }))
      .join(" + ") || "–"
  // Periods count whole, so they may begin earlier than was asked for.
  const from = buckets[0]?.startTs ?? startTs
  const parts = ([50, 95] as const).flatMap((percent) => {
    const ms = Revenue.within(timeToSuccess, percent / 100)
    return ms === undefined ? [] : [texts.part(`${percent}`, duration(ms))]
  })
  return (
    <>
      {head}
      {loaded.error !== undefined && <ProblemNote error={loaded.error} retry={loaded.reload} />}
      <div class="tiles">
        <div class="tile">
          <span class="note">{texts.net}</span>
          <strong>{money("net")}</strong>
          {earned.length > 0 && <span class="note">{texts.gross(money("gross"))}</span>}
        </div>
        <div class="tile">
          <span class="note">{texts.payments}</span>
          <strong>{Reader.count(payments)}</strong>
          <span class="note">
            {Reader.count(succeeded)} {status.succeeded}
          </span>
        </div>
        <div class="tile">
          <span class="note">{texts.refunded}</span>
          <strong>{money("refunded")}</strong>
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
      {payments === 0 ? (
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
          <Card
            title={texts.net}
            head={
              <div class="actions">
                {periods.map((each) => (
                  <Link
                    key={each}
                    class="chip"
                    to={filtered(place, { by: each })}
                    aria-current={each === by ? "page" : undefined}
                  >
                    {texts.period[each]}
                  </Link>
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
                  name: barName(loaded.value?.by ?? by, at),
                  value,
                }))}
                format={(value) => Reader.money(value, each.display.assetSymbol)}
                file={`revenue-${each.display.assetSymbol}-${by}`}
                unit={each.display.assetSymbol}
              />
            ))}
            {earned.length === 0 && <p class="note">{texts.nothing}</p>}
          </Card>
          <div class="columns">
            <div class="stack">
              <Card title={texts.states}>
                <ul class="stack">
                  {statuses
                    .filter((each) => each.payments > 0)
                    .map(({ payments: count, status: state }) => (
                      <Share
                        key={state}
                        name={status[state]}
                        count={count}
                        of={payments}
                        tone={toneOf(state)}
                        to={`/payments?${new URLSearchParams({ startTs: from, ...(state !== "cancelled" && { status: state }) })}`}
                      />
                    ))}
                </ul>
              </Card>
              {succeeded > 0 && (
                <Card title={texts.time}>
                  <p class="note">{parts.join(", ")}</p>
                  <ul class="stack">
                    {Revenue.cumulated(timeToSuccess).map((each) => (
                      <Share
                        key={each.upToMs}
                        name={texts.within(duration(each.upToMs))}
                        count={each.payments}
                        of={succeeded}
                        tone="good"
                        to={`/payments?${new URLSearchParams({ startTs: from, status: "succeeded" })}`}
                      />
                    ))}
                  </ul>
                </Card>
              )}
            </div>
            {succeeded > 0 && (
              <Card title={texts.ways}>
                <ul class="stack">
                  {tokens
                    .filter((each) => each.succeeded > 0)
                    .slice(0, tokensMax)
                    .map((each) => {
                      const { assetSymbol = "", networkName } =
                        units.find(({ unit }) => unit === each.unit)?.display ?? {}
                      return (
                        <Share
                          key={each.unit}
                          name={[assetSymbol, networkName].filter(Boolean).join(" · ")}
                          count={each.succeeded}
                          of={succeeded}
                          tone="good"
                          to={`/payments?${new URLSearchParams({ startTs: from, status: "succeeded", token_symbol: assetSymbol, network: each.unit?.split("/")[1] ?? "" })}`}
                        />
                      )
                    })}
                </ul>
              </Card>
            )}
          </div>
        </>
      )}
    </>
  )
}
