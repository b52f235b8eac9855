/**
 * The feed, the stream and the webhooks of several processes on PostgreSQL contain the same events, whichever process
 * is killed. The standard's own library verifies the webhooks.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import { makePartner } from "@florin/client"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Databases from "../../../postgres/test-support/databases.ts"
import * as Listeners from "../listeners.ts"
import * as Serving from "../serving.ts"
import * as Tellers from "../tellers.ts"

const kills = Counts.of({ usual: 4, full: 200 })
const events = Counts.of({ usual: 20, full: 400 })
/** A machine with much else to do takes minutes. */
const timeout = Counts.of({ usual: 600_000, full: 7_200_000 })
const processes = 3
const shops = 4
/** Whoever comes next takes over what one leaves behind. */
const worker = { idleInMs: 100, leaseInMs: 6000 }

type Listening = Effect.Success<ReturnType<typeof Listeners.listen>>

/** A partner's key, and its receivers by what they do. */
const partner = Effect.fnUntraced(function* (
  databaseUrl: string,
  manners: ReadonlyArray<(nth: number) => Listeners.Manner>,
) {
  const listeners = yield* Effect.forEach(manners, (manner) => Listeners.listen(manner))
  const { dispose, operator } = Tellers.service(databaseUrl)
  const { id: partnerId } = yield* Effect.promise(() =>
    operator.partners.create({ name: "Partner" }),
  )
  const tenant = { partnerId, mode: "test" } as const
  for (const { trust, url } of listeners) {
    trust((yield* Effect.promise(() => operator.webhooks.create({ ...tenant, url }))).secret)
  }
  const { secret: key } = yield* Effect.promise(() =>
    operator.keys.issue({ ...tenant, name: "A key" }),
  )
  yield* Effect.promise(dispose)
  return { key, listeners }
})

/** Until it is answered: who asks does not know that a process is gone. */
const insist = <A>(call: () => Promise<A>): Promise<A> =>
  call().catch(async () => {
    await Serving.pause(20)
    return insist(call)
  })

/** A client of several processes. Each call goes to the next one, whether it is there or not. */
const clientOf = (key: string, urls: ReadonlyArray<string>) => {
  const baseUrl = "http://florin.example"
  let asked = 0
  return makePartner({
    baseUrl,
    apiKey: key,
    timing: { random: () => 0.5, sleep: () => Serving.pause(20) },
    fetch: (url, init) => {
      asked += 1
      return fetch(url.replace(baseUrl, urls[asked % urls.length] ?? baseUrl), init)
    },
  })
}

type Client = ReturnType<typeof clientOf>
type Fed = Awaited<ReturnType<Client["events"]["list"]>>["data"][number]

const merchantOf = async (client: Client): Promise<string> => {
  const made = { merchantName: "Shop", merchantEmail: "shop@example.com" }
  return (await insist(() => client.merchants.create(made, { idempotencyKey: "shop" }))).merchant.id
}

/** Two events: a payment is created, and cancelled. */
const order = async (client: Client, merchantId: string, referenceId: string): Promise<string> => {
  const amount = { unit: "iso4217/USD", value: "125" }
  const { paymentId } = await insist(() =>
    client.payments.create({ merchantId, referenceId, amount }, { idempotencyKey: referenceId }),
  )
  await insist(() => client.payments.cancel(paymentId, { merchantId }))
  return paymentId
}

const feedOf = async (client: Client): Promise<ReadonlyArray<Fed>> => {
  const feed: Array<Fed> = []
  for await (const event of client.events.all()) feed.push(event)
  return feed
}

const paymentOf = ({ data }: Fed): string => ("paymentId" in data ? data.paymentId : "")

/** What is fed is what was done: each payment once, with both of its events in their order. */
const requireFeed = (feed: ReadonlyArray<Fed>, payments: ReadonlyArray<string>): void => {
  const types = Map.groupBy(feed, paymentOf)
  assert.deepStrictEqual(
    [...types].map(([id, its]) => [id, its.map(({ type }) => type)] as const).toSorted(),
    payments.toSorted().map((id) => [id, ["payment.created", "payment.cancelled"]] as const),
  )
}

/** A receiver heard what is fed and nothing else, in the same words, and first of each payment in its order. */
const requireHeard = ({ heard, refused }: Listening, feed: ReadonlyArray<Fed>): void => {
  assert.deepStrictEqual(refused, [])
  const bodies = new Map(feed.map((event) => [event.id, JSON.stringify(event)]))
  for (const { body, id } of heard) assert.strictEqual(body, bodies.get(id))
  const first = new Map(heard.toReversed().map((each) => [each.id, each]))
  const inOrder = heard.filter((each) => first.get(each.id) === each)
  const byPayment = (ids: ReadonlyArray<{ readonly id: string; readonly payment: string }>) =>
    Object.fromEntries(
      [...Map.groupBy(ids, ({ payment }) => payment)].map(([payment, its]) => [
        payment,
        its.map(({ id }) => id),
      ]),
    )
  assert.deepStrictEqual(
    byPayment(inOrder.map(({ id, paymentId }) => ({ id, payment: paymentId }))),
    byPayment(feed.map((event) => ({ id: event.id, payment: paymentOf(event) }))),
  )
}

/** Payments are made through all processes, which are killed over them again and again. */
const killing = Effect.gen(function* () {
  const databaseUrl = yield* Databases.address("migrated")
  const { key, listeners } = yield* partner(databaseUrl, [
    () => 200,
    (nth) => (nth % 3 === 0 ? 500 : 200),
  ])
  const urls: Array<string> = Array.from({ length: processes }, () => "http://127.0.0.1:9")
  const client = clientOf(key, urls)
  const begin = Effect.fnUntraced(function* (place: number, death: Tellers.Task["death"]) {
    const started = yield* Tellers.start(databaseUrl, worker, death)
    if (started.url !== "") urls[place] = started.url
    return started
  })
  let done = 0
  const dying = Effect.fnUntraced(function* (place: number) {
    while (done < kills) {
      const nth = done++
      // Any point comes soon, and the next one elsewhere; every fourth dies at any moment.
      const point = nth % 4 === 3 ? undefined : Tellers.points[(nth * 5) % Tellers.points.length]
      const next = yield* begin(place, point === undefined ? null : { point, times: 1 + (nth % 3) })
      if (point === undefined) {
        yield* Effect.sleep((nth * 37) % 1000)
        yield* next.kill
      }
      const [, signal] = yield* next.ended
      assert.strictEqual(signal, "SIGKILL", point)
    }
    yield* begin(place, null)
  })

  const payments: Array<string> = []
  const streamed: Array<Fed> = []
  const leaving = new AbortController()
  let isOver = false
  const follow = async (): Promise<void> => {
    try {
      for await (const { event } of client.events.stream({}, leaving)) streamed.push(event)
    } catch (error) {
      if (!leaving.signal.aborted) throw error
    }
  }
  const shop = async (merchantId: string, name: number, nth = 0): Promise<void> => {
    if (isOver) return undefined
    payments.push(await order(client, merchantId, `${name} ${nth}`))
    await insist(() => client.events.list({ limit: 1 }))
    await Serving.pause(50)
    return shop(merchantId, name, nth + 1)
  }
  const telling = Effect.promise(async () => {
    const merchantId = await merchantOf(client)
    await Promise.all(Array.from({ length: shops }, (_, name) => shop(merchantId, name)))
  })
  const reading = Effect.promise(follow)
  const ending = Effect.gen(function* () {
    yield* Effect.forEach(urls, (_, place) => dying(place), { concurrency: "unbounded" })
    isOver = true
  })
  const agreeing = Effect.gen(function* () {
    yield* Effect.all([telling, ending], { concurrency: "unbounded" })
    const feed = yield* Effect.promise(() => feedOf(client))
    const isHeard = () =>
      streamed.length >= feed.length && listeners.every(({ count }) => count() >= feed.length)
    yield* Effect.promise(() => Serving.until(isHeard))
    leaving.abort()
    requireFeed(feed, payments)
    assert.deepStrictEqual(streamed, feed)
    for (const listener of listeners) requireHeard(listener, feed)
  })
  yield* Effect.all([agreeing, reading], { concurrency: "unbounded" })
}).pipe(Effect.scoped)

/** Ten receivers that are well, five that never answer, and five that fail. */
const beside = Effect.gen(function* () {
  const databaseUrl = yield* Databases.address("migrated")
  const of = (count: number, manner: Listeners.Manner) =>
    Array.from({ length: count }, () => () => manner)
  const manners = [...of(10, 200), ...of(5, "hang"), ...of(5, 500)]
  const { key, listeners } = yield* partner(databaseUrl, manners)
  const started = yield* Effect.all([Tellers.start(databaseUrl), Tellers.start(databaseUrl)], {
    concurrency: "unbounded",
  })
  const client = clientOf(
    key,
    started.map(({ url }) => url),
  )
  const well = listeners.slice(0, 10)
  yield* Effect.promise(async () => {
    const merchantId = await merchantOf(client)
    const payments: Array<string> = []
    for (let nth = 0; nth < events / 2; nth++) {
      // oxlint-disable-next-line no-await-in-loop -- One order after the other.
      payments.push(await order(client, merchantId, `${nth}`))
    }
    await Serving.until(() => well.every(({ count }) => count() === events))
    const feed = await feedOf(client)
    requireFeed(feed, payments)
    for (const listener of well) requireHeard(listener, feed)
  })
}).pipe(Effect.scoped)

describe("the feed, stream and webhooks of several processes", () => {
  it.live(
    `A7: contain the same events, in order for each payment, over ${kills} kills`,
    () => killing,
    timeout,
  )

  it.live(
    "S10: reach 10 of 20 endpoints in order, while 5 never respond and 5 fail",
    () => beside,
    timeout,
  )
})
