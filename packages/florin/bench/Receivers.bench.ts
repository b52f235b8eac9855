/**
 * What webhooks of a partner feel of its other receivers: 10,000 events to 20 endpoints, of which 5 never answer and 5
 * answer 500. Two processes tell them, on PostgreSQL. First the rate that the 10 healthy ones sustain alone; then, at half
 * of it, how long after an event each of them hears it: alone, and with the others. Only ratios of one run count.
 *
 * @example
 * node bench/Receivers.bench.ts
 * EVENTS=1000 node bench/Receivers.bench.ts
 *
 * @module
 */
import process, { stdout } from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { makePartner } from "@florin/client"
import { Effect } from "effect"
import * as Server from "../../postgres/test/server.ts"
import * as Listeners from "../test/listeners.ts"
import * as Serving from "../test/serving.ts"
import * as Tellers from "../test/tellers.ts"

const events = Number(process.env["EVENTS"] ?? 10_000)
const [healthy, bad, processes] = [10, 5, 2]
/** While the rate is measured, so many events at most are not heard by all. */
const aheadMax = 200
const paymentsAtOnce = 8

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN

const bench = Effect.fnUntraced(function* (databaseUrl: string) {
  const florin = Tellers.service(databaseUrl)
  const { operator } = florin
  const make = Effect.promise(async () => {
    const { id: partnerId } = await operator.createPartner({ name: "Bench" })
    const tenant = { partnerId, mode: "test" } as const
    const { text } = await operator.issueKey({ ...tenant, name: "Bench" })
    const client = makePartner({
      baseUrl: "https://pay.example.com",
      apiKey: text,
      fetch: (url, init) => florin.handler(new Request(url, init)),
    })
    const { merchant } = await client.merchants.create({
      merchantName: "Corner Shop",
      merchantEmail: "shop@example.com",
    })
    return { tenant, client, merchantId: merchant.id }
  })
  const { client, merchantId, tenant } = yield* make
  const add = Effect.fnUntraced(function* (manner: Listeners.Manner) {
    const listener = yield* Listeners.listen(() => manner)
    const { secret } = yield* Effect.promise(() =>
      operator.createWebhook(tenant, { url: listener.url }),
    )
    listener.trust(secret)
    return listener
  })
  const well = yield* Effect.forEach(Array.from({ length: healthy }), () => add(200))
  for (let count = 0; count < processes; count++) yield* Tellers.start(databaseUrl)

  let told = 0
  const heardBy = (count: number): Promise<void> =>
    Serving.until(() => well.every((each) => each.count() >= count))
  /** Two events: a payment is created, and cancelled. */
  const tell = async (): Promise<void> => {
    const { paymentId } = await client.payments.create({
      merchantId,
      referenceId: "order",
      amount: { unit: "iso4217/USD", value: "125" },
    })
    told += 1
    await client.payments.cancel(paymentId, { merchantId })
    told += 1
  }

  /** Events in a second, if no more are told than are heard, but for a few. */
  const sustained = async (count: number): Promise<number> => {
    const first = told
    const startedAt = performance.now()
    const work = async (): Promise<void> => {
      if (told >= first + count) return
      await heardBy(told - aheadMax)
      await tell()
      await work()
    }
    await Promise.all(Array.from({ length: paymentsAtOnce }, work))
    await heardBy(told)
    return (told - first) / ((performance.now() - startedAt) / 1000)
  }

  /** Tells at a rate, whatever becomes of those before; answers how late each was heard. */
  const paced = async (count: number, perSecond: number): Promise<ReadonlyArray<number>> => {
    const before = well.map(({ heard }) => heard.length)
    const first = told
    await Promise.all(
      Array.from({ length: count / 2 }, async (_, nth) => {
        await sleep((nth * 2000) / perSecond)
        await tell()
      }),
    )
    await heardBy(first + count)
    return well.flatMap(({ heard }, index) =>
      heard.slice(before[index]).map(({ lagInMs }) => lagInMs),
    )
  }

  // Warms up.
  yield* Effect.promise(() => sustained(200))
  const rate = yield* Effect.promise(() => sustained(Math.max(events / 5, 400)))
  stdout.write(
    `${healthy} that answer sustain ${rate.toFixed(1)} events/s, ${(rate * healthy).toFixed(0)} deliveries/s\n\n`,
  )
  stdout.write(`ms from event to webhook at ${(rate / 2).toFixed(1)} events/s\n`)
  const show = (what: string, lags: ReadonlyArray<number>) =>
    stdout.write(
      `${what.padEnd(40)} p50 ${quantile(lags, 0.5)}, p99 ${quantile(lags, 0.99)}, of ${lags.length}\n`,
    )
  const alone = yield* Effect.promise(() => paced(events, rate / 2))
  show("alone", alone)
  const hanging = yield* Effect.forEach(Array.from({ length: bad }), () => add("hang"))
  const failing = yield* Effect.forEach(Array.from({ length: bad }), () => add(500))
  const beside = yield* Effect.promise(() => paced(events, rate / 2))
  show(`beside ${bad} that hang and ${bad} that answer 500`, beside)
  const sum = (some: ReadonlyArray<number>) => some.reduce((all, one) => all + one, 0)
  const calls = (some: ReadonlyArray<Listeners.Listener>) =>
    sum(some.map(({ heard }) => heard.length))
  stdout.write(`ratio of p99 ${(quantile(beside, 0.99) / quantile(alone, 0.99)).toFixed(2)}\n\n`)
  stdout.write(
    `${sum(well.map(({ count }) => count()))} of ${told * healthy} heard, ${calls(well)} calls, ${sum(well.map(({ refused }) => refused.length))} refused; calls to those that hang ${calls(hanging)}, that answer 500 ${calls(failing)}\n`,
  )
  yield* Effect.promise(florin.dispose)
})

await Effect.runPromise(
  Effect.gen(function* () {
    const { url } = yield* Server.make
    yield* bench(url)
  }).pipe(Effect.scoped),
)
process.exit()
