/**
 * What webhooks of a partner feel of its other receivers: 10,000 events to 20 endpoints, of which 5 never answer and 5
 * answer 500. Two processes tell them, on PostgreSQL. First the rate that the 10 healthy ones sustain alone; then, at half
 * of it, how long after an event each of them hears it: alone, and with the others, by turns. Only ratios of one run count.
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
import * as Server from "../../postgres/test-support/server.ts"
import * as Listeners from "../test/listeners.ts"
import * as Serving from "../test/serving.ts"
import * as Tellers from "../test/tellers.ts"

const events = Number(process.env["EVENTS"] ?? 10_000)
const [healthy, bad, processes] = [10, 5, 2]
/** What others on the machine do changes: the two are measured by turns. */
const rounds = Number(process.env["ROUNDS"] ?? 5)
/** How long what ends is left to end. */
const settlesInMs = 3000
/** While the rate is measured, so many events at most are not heard by all. */
const aheadMax = 200
const paymentsAtOnce = 8

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length * part)] ?? Number.NaN

const bench = Effect.fnUntraced(function* (databaseUrl: string) {
  const florin = Tellers.service(databaseUrl)
  const { operator } = florin
  const make = Effect.promise(async () => {
    const { id: partnerId } = await operator.partners.create({ name: "Bench" })
    const tenant = { partnerId, mode: "test" } as const
    const { secret: text } = await operator.keys.issue({ ...tenant, name: "Bench" })
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
    const { secret, webhook } = yield* Effect.promise(() =>
      operator.webhooks.create({ ...tenant, url: listener.url }),
    )
    listener.trust(secret)
    const disable = Effect.promise(() => operator.webhooks.disable({ webhookId: webhook.id }))
    return { listener, disable }
  })
  const well = yield* Effect.forEach(Array.from({ length: healthy }), () => add(200))
  for (let count = 0; count < processes; count++) yield* Tellers.start(databaseUrl)

  let told = 0
  const heardBy = (count: number): Promise<void> =>
    Serving.until(() => well.every(({ listener }) => listener.count() >= count))
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
    const before = well.map(({ listener }) => listener.heard.length)
    const first = told
    await Promise.all(
      Array.from({ length: count / 2 }, async (_, nth) => {
        await sleep((nth * 2000) / perSecond)
        await tell()
      }),
    )
    await heardBy(first + count)
    return well.flatMap(({ listener }, index) =>
      listener.heard.slice(before[index]).map(({ lagInMs }) => lagInMs),
    )
  }

  // Warms up.
  yield* Effect.promise(() => sustained(200))
  const rate = yield* Effect.promise(() => sustained(Math.max(events / 5, 400)))
  stdout.write(
    `${healthy} that answer sustain ${rate.toFixed(1)} events/s, ${(rate * healthy).toFixed(0)} deliveries/s\n\n`,
  )
  const alone: Array<number> = []
  const beside: Array<number> = []
  const calls = { hang: 0, fail: 0 }
  for (let round = 0; round < rounds; round++) {
    const count = events / rounds
    alone.push(...(yield* Effect.promise(() => paced(count, rate / 2))))
    const others = yield* Effect.forEach(Array.from({ length: bad }), () =>
      Effect.all({ hang: add("hang"), fail: add(500) }),
    )
    beside.push(...(yield* Effect.promise(() => paced(count, rate / 2))))
    for (const { fail, hang } of others) {
      calls.hang += hang.listener.heard.length
      calls.fail += fail.listener.heard.length
      yield* Effect.all([hang.disable, fail.disable])
    }
    stdout.write(`round ${round + 1} of ${rounds}\n`)
    yield* Effect.promise(() => sleep(settlesInMs))
  }

  stdout.write(`\nms from event to webhook at ${(rate / 2).toFixed(1)} events/s\n`)
  const show = (what: string, lags: ReadonlyArray<number>) =>
    stdout.write(
      `${what.padEnd(40)} p50 ${quantile(lags, 0.5)}, p99 ${quantile(lags, 0.99)}, of ${lags.length}\n`,
    )
  show("alone", alone)
  show(`beside ${bad} that hang and ${bad} that answer 500`, beside)
  stdout.write(`ratio of p99 ${(quantile(beside, 0.99) / quantile(alone, 0.99)).toFixed(2)}\n\n`)
  const sum = (of: (each: Listeners.Listener) => number) =>
    well.reduce((all, { listener }) => all + of(listener), 0)
  const refused = sum((each) => each.refused.length)
  stdout.write(
    `heard ${sum((each) => each.count())} of ${told * healthy}, in ${sum((each) => each.heard.length)} calls, ${refused} refused; calls to those that hang ${calls.hang}, that answer 500 ${calls.fail}\n`,
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
