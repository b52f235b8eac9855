/**
 * Behavior that needs several processes: a change in one ends held calls in another, and the others finish the work
 * of a killed one.
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import * as Counts from "@florin/testing/Counts"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Streams from "../streams.ts"
import * as World from "../world.ts"
import * as Servers from "./servers.ts"

const world = Servers.shared()

const threeOf = Effect.map(Servers.Servers, ({ running }) => {
  const [first, second, third] = running()
  return first === undefined || second === undefined || third === undefined
    ? assert.fail("three server processes were started")
    : ([first, second, third] as const)
})

/** Sends requests to one of the servers. */
const to = ({ respond }: Servers.Server) =>
  Effect.updateService(World.World, (service) => ({ ...service, respond }))

const live = TestClock.withLive
const soon = live(Effect.sleep(5))

/** Waits until so many polls are parked in a process. */
const parked = (server: Servers.Server, id: string, count: number): Effect.Effect<void> =>
  Effect.flatMap(server.ask("parked", id), (found) =>
    found === count ? Effect.void : Effect.andThen(soon, parked(server, id, count)),
  )

/** A payment whose confirm is ready to be sent. */
const ready = Effect.fnUntraced(function* ({ own, walletKey }: Scene.Scene) {
  const id = yield* Scene.createPayment(own.key, own.merchantId)
  const option = yield* Scene.firstOption(walletKey, id)
  const body = yield* Scene.confirmBody(walletKey, id, option)
  return {
    id,
    confirm: { path: `/v1/gateway/payment/${id}/confirm`, key: walletKey, body },
    status: { path: `/v1/gateway/payment/${id}/status?maxPollMs=25000`, key: walletKey },
    details: {
      path: `/v1/payments/${id}`,
      key: own.key,
      headers: { "Merchant-Id": own.merchantId },
    },
  }
})

describe("a call held in one process", () => {
  /** So little time passes that only a signal ends the poll: it reads again by itself after 5 s. */
  it.effect("completes with a worker's change in another", () =>
    Effect.gen(function* () {
      const payment = yield* ready(yield* Scene.make)
      const [here, there] = yield* threeOf
      yield* to(there)(Scene.send(payment.confirm))
      const polls = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 5 }, () => to(here)(Scene.send(payment.status))),
          { concurrency: "unbounded" },
        ),
      )
      yield* parked(here, payment.id, 5)
      for (const _ of [1, 2]) {
        yield* World.pass("1 second")
        yield* there.ask("drain", "collector")
      }
      const statuses = (yield* Fiber.join(polls)).map(({ body }) => Scene.text(body, "status"))
      assert.deepStrictEqual([...new Set(statuses)], ["succeeded"])
    }).pipe(Effect.provide(world)),
  )
})

describe("a stream of events", () => {
  it.effect("has the events of all processes, in order, and continues on another process", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { key, merchantId } = scene.own
      const { walletKey } = scene
      const servers = yield* threeOf
      const open = (server: Servers.Server, last?: string) =>
        Effect.map(
          server.respond(
            Scene.requestOf({
              path: "/v1/events/stream",
              key,
              ...(last !== undefined && { headers: { "Last-Event-ID": last } }),
            }),
          ),
          Streams.read,
        )
      const read: Array<Streams.Sent> = []
      const second = World.pass("1 second").pipe(Effect.provide(yield* Effect.context<never>()))
      /** Reads on at one process while something is done, until so much came or the stream ended: time flies there. */
      const readOn = Effect.fnUntraced(function* <E, R>(
        place: number,
        count: number,
        work: Effect.Effect<unknown, E, R>,
      ) {
        const stream = yield* open(servers[place % 3] ?? servers[0], read.at(-1)?.id)
        yield* work
        read.push(...(yield* Streams.whilePassing(stream.events(count), second)))
        yield* stream.leave
      })
      const orders = Effect.forEach(
        servers,
        (server) =>
          Effect.flatMap(Scene.createPayment(key, merchantId), (id) =>
            to(server)(
              Scene.send({
                method: "POST",
                path: `/v1/gateway/payment/${id}/cancel`,
                key: walletKey,
              }),
            ),
          ),
        { concurrency: "unbounded" },
      )
      // Some events are left to the next connection, which is to another process.
      for (const round of [0, 1, 2]) yield* readOn(round, 1 + round, orders)
      const fed = yield* Streams.feed(key)
      assert.lengthOf(fed, 18)
      for (let place = 0; read.length < fed.length; place += 1) {
        yield* readOn(place, fed.length - read.length, Effect.void)
      }
      assert.deepStrictEqual(
        read.map(({ data }) => data),
        fed,
      )
    }).pipe(Effect.provide(world)),
  )
})

/** Sends a request that may be repeated, until a server answers it: the next one where one is gone. */
const insist = (sent: Scene.Sent): Effect.Effect<Scene.Reply, never, Scene.Ports> =>
  Effect.catchDefect(Scene.send(sent), () => Effect.andThen(soon, insist(sent)))

/** Lets time pass in steps, with the workers awake, until something is so. */
const passUntil = <E, R>(
  holds: Effect.Effect<boolean, E, R>,
  stepsMax = 200,
): Effect.Effect<void, E, R> =>
  Effect.flatMap(holds, (isSo) => {
    if (isSo) return Effect.void
    assert.isAbove(stepsMax, 0, "it never came to that")
    return World.pass("2 seconds").pipe(
      Effect.andThen(soon),
      Effect.andThen(passUntil(holds, stepsMax - 1)),
    )
  })

describe("a process that is killed during a chain call", () => {
  const calls = ["verify", "look", "rehearse", "nonceFloor", "sign", "broadcast"] as const
  const paymentCount = Counts.of({ usual: 12, full: 60 })
  const merchantCount = 10

  /** Kills the process that makes some call to the chain, before the chain gets it or before the answer is there. */
  const killAt = Effect.fnUntraced(function* (call: string, when: "before" | "after", nth: number) {
    const { aroundChain, replace } = yield* Servers.Servers
    let made = 0
    let killed: Servers.Server | null = null
    let complete = Effect.void
    aroundChain((server, name, asked) => {
      if (name !== call || killed !== null) return asked
      made += 1
      if (made < nth) return asked
      killed = server
      const kill = Effect.map(replace(server), (start) => {
        complete = start
      })
      return when === "before" ? kill : Effect.tap(asked, kill)
    })
    return { isDone: Effect.sync(() => killed !== null), complete: Effect.suspend(() => complete) }
  })

  const deaths = calls.flatMap((call) => [
    { call, when: "before" as const },
    { call, when: "after" as const },
  ])

  for (const { call, when } of Counts.some(deaths, 3)) {
    it.effect(`P1, A1: loses and doubles nothing ${when} the chain has its ${call}`, () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const { own } = scene
        const { running } = yield* Servers.Servers
        const ledger = yield* LedgerStore
        const outbox = yield* Outbox
        const payments = yield* Effect.forEach(Array.from({ length: paymentCount }), () =>
          ready(scene),
        )
        const killing = yield* killAt(call, when, 3)
        yield* Effect.forEach(running(), (server) => server.ask("startWorkers"))

        const confirmed = Effect.forEach(
          [...payments, ...payments],
          ({ confirm }) => insist(confirm),
          { concurrency: "unbounded" },
        )
        const merchants = Effect.forEach(
          Array.from({ length: merchantCount }, (_, index) => index),
          (index) =>
            insist({
              path: "/v1/merchants",
              key: own.key,
              headers: { "Idempotency-Key": `merchant ${index}` },
              body: { merchantName: `Shop ${index}`, merchantEmail: "shop@example.com" },
            }),
          { concurrency: "unbounded" },
        )
        const open = [...payments]
        /** Asks about payments until one is open: whoever succeeded stays so. */
        const isOver: Effect.Effect<boolean, never, Scene.Ports> = Effect.suspend(() => {
          const [next] = open
          if (next === undefined) return Effect.succeed(true)
          return Effect.flatMap(insist(next.details), ({ body }) => {
            if (Scene.at(body, "status") !== "succeeded") return Effect.succeed(false)
            open.shift()
            return isOver
          })
        })
        const [answers, made] = yield* Effect.all([confirmed, merchants, passUntil(isOver)], {
          concurrency: "unbounded",
        })

        assert.isTrue(yield* killing.isDone, "nobody was killed")
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
        assert.deepStrictEqual([...new Set(made.map(({ status }) => status))], [201])
        const listed = yield* Scene.send({ path: "/v1/merchants", key: own.key })
        assert.strictEqual(Scene.at(listed.body, "totalCount"), 1 + merchantCount)
        for (const { id } of payments) {
          const paymentId = PaymentId.PaymentId.make(id)
          assert.deepStrictEqual(
            (yield* outbox.eventsOf(paymentId)).map(({ type }) => type),
            ["payment.created", "payment.processing", "payment.succeeded"],
          )
          // While the process that collects is gone, the scan may find the money first: it leaves suspense for the payment.
          const kinds = (yield* ledger.ledgerOf(paymentId)).map(({ kind }) => kind)
          assert.deepStrictEqual(
            kinds.filter((kind) => kind !== "reverse"),
            ["collect"],
          )
          assert.isAtMost(kinds.length, 2)
        }
        const { differences, unsound } = yield* Reconciler.check("test")
        assert.deepStrictEqual(differences, [])
        assert.deepStrictEqual(unsound, [])
        yield* killing.complete
      }).pipe(Effect.provide(world)),
    )
  }
})
