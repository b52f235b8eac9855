/**
 * Events and their deliveries: each announced change once, in order, and only to the endpoints that may see it.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Audit from "@florin/core/domain/books/Audit"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Event from "@florin/core/domain/payment/Event"
import { findPartner, type Tenant } from "@florin/core/ports/AccountStore"
import type { ClaimedDelivery, FeedEntry, Outbox } from "@florin/core/ports/Outbox"
import type { Turns } from "@florin/core/ports/Turns"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import {
  atOnce,
  begin,
  applyEffects,
  farFuture,
  failsWith,
  type It,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

/** Everything in a tenant's feed, page by page. */
const readFeed = Effect.fnUntraced(function* (
  { outbox }: Scene,
  tenant: Tenant,
  limit: number,
  after = 0,
) {
  const seen: Array<FeedEntry> = []
  for (;;) {
    const page = yield* outbox.events(tenant, seen.at(-1)?.sequence ?? after, limit)
    assert.isAtMost(page.length, limit)
    if (page.length === 0) return seen
    seen.push(...page)
  }
})

const announce = (scene: Scene, id: Parameters<Outbox["Service"]["eventsOf"]>[0]) =>
  scene.payments.modifyPayment(id, applyEffects({ event: "payment.settled" }))

/** The claimed deliveries to one endpoint. */
const to = (endpoint: Webhook.Endpoint, claimed: ReadonlyArray<ClaimedDelivery>) =>
  claimed.filter((each) => each.endpoint.id === endpoint.id)

/** The latest deliveries to an endpoint. */
const deliveredTo = (outbox: Outbox["Service"], id: Webhook.EndpointId, limit: number) =>
  Effect.map(outbox.deliveries(id, limit), (all) => all.map(({ delivery }) => delivery))

const idsOf = (deliveries: ReadonlyArray<Webhook.Delivery>): ReadonlyArray<string> =>
  deliveries.map((each) => each.id).toSorted()

/** A scene with an endpoint and no other deliveries. */
const quiet = Effect.gen(function* () {
  const scene = yield* begin
  yield* scene.clearDeliveries
  const endpoint = scene.world.endpoint()
  yield* scene.outbox.putEndpoint(endpoint)
  return { scene, endpoint }
})

const answeredWith = (status: number, at: number): Webhook.Attempt => ({
  at,
  status,
  error: status === 200 ? null : "it responded with an error",
})

export const events = (it: It): void => {
  it.effect(
    "announces each change with an event once, with the payment right after the change",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { outbox, world, walk } = scene
        const expected: Array<Event.Event> = []
        for (const stage of Fixtures.stages) {
          const path = world.path(stage)
          const { id } = yield* walk(path)
          const own = path
            .flatMap((write) => write.payments)
            .flatMap(({ event, payment, refundId }) =>
              event === undefined ? [] : [Event.make(event, payment, refundId)],
            )
          const stored = yield* outbox.eventsOf(id)
          assert.deepStrictEqual(stored, own, stage)
          assert.deepStrictEqual(
            stored.map((each) => each.stateVersion),
            range(own.length),
          )
          expected.push(...own)
        }
        const feed = yield* readFeed(scene, world.tenant, 1000)
        assert.deepStrictEqual(
          feed.map((each) => each.event),
          expected,
        )
      }),
  )

  it.effect("keep the transfer that they announced after a reorganisation moved it", () =>
    Effect.gen(function* () {
      const { outbox, payments, walk, world } = yield* begin
      const { id } = yield* walk(world.path("settled"))
      const announced = yield* outbox.eventsOf(id)
      const { state } = yield* payments.payment(id)
      if (state._tag !== "Succeeded") return assert.fail("it did not succeed")
      const { transfer: from } = state
      const moved = {
        ...from,
        blockNumber: from.blockNumber + 1,
        blockHash: Fixtures.hash("moved"),
      }
      for (const [left, next] of [
        [from, moved],
        [moved, { ...moved, blockHash: Fixtures.hash("moved again") }],
      ] as const) {
        yield* payments.modifyPayment(id, (current) =>
          Result.succeed({ result: null, change: Audit.move(current, left, next, now) }),
        )
        assert.deepStrictEqual(yield* outbox.eventsOf(id), announced)
      }
    }),
  )

  it.effect("keep how the payment was settled after a refund reopened it", () =>
    Effect.gen(function* () {
      const { outbox, walk, world } = yield* begin
      const path = world.path("refundAfterSettlement")
      const { id } = yield* walk(path)
      const settled = (yield* outbox.eventsOf(id)).find(({ type }) => type === "payment.settled")
      assert.deepStrictEqual(settled?.payment, Fixtures.paymentAfter(path.slice(0, -1)))
    }),
  )

  it.effect("numbers a tenant's events upwards, and pages through them", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outbox, world, createMany } = scene
      yield* createMany(23)
      const all = yield* readFeed(scene, world.tenant, 1000)
      assert.strictEqual(all.length, 23)
      for (const [index, each] of all.entries()) {
        assert.isAbove(each.sequence, all[index - 1]?.sequence ?? 0)
      }
      for (const limit of [1, 5, 22, 23, 24]) {
        assert.deepStrictEqual(yield* readFeed(scene, world.tenant, limit), all)
      }
      const last = all.at(-1)?.sequence ?? 0
      assert.deepStrictEqual(yield* outbox.events(world.tenant, last, 10), [])
      assert.deepStrictEqual(yield* outbox.events(world.tenant, last - 1, 10), all.slice(-1))
    }),
  )

  it.effect("shows a tenant its own events only", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outbox, world, create } = scene
      const tenants = [world.tenant, world.live, world.other, world.otherLive]
      const payments = yield* Effect.forEach(tenants, (tenant) => create(tenant))
      for (const [index, tenant] of tenants.entries()) {
        const feed = yield* outbox.events(tenant, 0, 100)
        assert.deepStrictEqual(
          feed.flatMap(({ event }) => (Event.isOfPayment(event) ? [event.payment] : [])),
          payments.slice(index, index + 1),
        )
      }
    }),
  )

  it.effect(
    "shows each of several readers at the same time everything that was written before",
    () =>
      Effect.gen(function* () {
        const { create, outbox, world } = yield* begin
        for (const round of range(Counts.of({ usual: 40, full: 1000 }))) {
          yield* create()
          const pages = yield* atOnce(range(8), () => outbox.events(world.tenant, 0, 1000))
          for (const page of pages) assert.strictEqual(page.length, round + 1)
        }
      }),
    timeout,
  )

  it.effect(
    "is read completely and once by a follower while many write",
    () =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 2, full: 50 }))) {
          const scene = yield* begin
          const { world, create } = scene
          let writing = true
          const [, followed] = yield* Effect.all(
            [
              atOnce(range(20), () =>
                Effect.gen(function* () {
                  for (let step = 0; step < 3; step++) {
                    const { id } = yield* create()
                    yield* Effect.yieldNow
                    yield* announce(scene, id)
                    yield* Effect.yieldNow
                  }
                }),
              ).pipe(Effect.tap(() => Effect.sync(() => (writing = false)))),
              Effect.gen(function* () {
                const seen: Array<FeedEntry> = []
                for (;;) {
                  const last = !writing
                  const more = yield* readFeed(scene, world.tenant, 7, seen.at(-1)?.sequence)
                  seen.push(...more)
                  if (last) return seen
                  yield* Effect.yieldNow
                }
              }),
            ],
            { concurrency: "unbounded" },
          )
          const all = yield* readFeed(scene, world.tenant, 1000)
          assert.strictEqual(all.length, 120)
          assert.deepStrictEqual(followed, all)
          assert.strictEqual(new Set(all.map((each) => each.event.id)).size, 120)
          assert.strictEqual(new Set(all.map((each) => each.sequence)).size, 120)
        }
      }),
    timeout,
  )

  it.effect(
    "counts the versions of a payment without gaps, even with many concurrent writers",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { payments, outbox, create } = scene
        const { id } = yield* create()
        yield* atOnce(range(20), (index) =>
          index % 2 === 0 ? announce(scene, id) : payments.modifyPayment(id, applyEffects({})),
        )
        const stored = yield* outbox.eventsOf(id)
        assert.deepStrictEqual(
          stored.map((each) => each.stateVersion),
          range(11),
        )
        for (const each of stored) {
          assert.strictEqual(each.payment.stateVersion, each.stateVersion)
          assert.deepStrictEqual(each, Event.make(each.type, each.payment))
        }
        const payment = yield* payments.payment(id)
        assert.strictEqual(payment.stateVersion, 10)
        assert.strictEqual(payment.revision, 21)
      }),
  )
}

export const deliveries = (it: It): void => {
  it.effect("returns endpoints as they were last written, to their tenant only", () =>
    Effect.gen(function* () {
      const { outbox, world } = yield* begin
      const own = world.endpoint({ types: ["payment.succeeded", "refund.held"] })
      const second = world.endpoint({ createdAt: now + 1 })
      const live = world.endpoint(world.live)
      for (const each of [own, second, live, world.endpoint(world.other)]) {
        yield* outbox.putEndpoint(each)
      }
      const rotated = Webhook.rotateSecret(own, second.secrets.current, now)
      yield* outbox.putEndpoint(rotated)
      const byId = (list: ReadonlyArray<Webhook.Endpoint>) =>
        list.toSorted((left, right) => (left.id < right.id ? -1 : 1))
      assert.deepStrictEqual(byId(yield* outbox.endpoints(world.tenant)), byId([rotated, second]))
      assert.deepStrictEqual(yield* outbox.endpoints(world.live), [live])
      assert.deepStrictEqual(yield* outbox.endpoints(world.otherLive), [])
      const disabled = Webhook.disable(second, now + 2)
      yield* outbox.putEndpoint(disabled)
      assert.deepStrictEqual(byId(yield* outbox.endpoints(world.tenant)), byId([rotated, disabled]))
    }),
  )

  it.effect("applies a change to the current endpoint of its tenant, or returns why not", () =>
    Effect.gen(function* () {
      const { outbox, world } = yield* begin
      const endpoint = world.endpoint()
      yield* outbox.putEndpoint(endpoint)
      const { id } = endpoint
      const disabled = Webhook.disable(endpoint, now)
      const seen: Array<Webhook.Endpoint> = []
      const disable = outbox.modifyEndpoint(world.tenant, id, (current) => {
        seen.push(current)
        return Result.succeed(Webhook.disable(current, now))
      })
      assert.deepStrictEqual(yield* disable, disabled)
      assert.deepStrictEqual(yield* disable, disabled)
      assert.deepStrictEqual(seen, [endpoint, disabled])
      const refused = { _tag: "Refused", why: 7 }
      assert.deepStrictEqual(
        yield* Effect.flip(outbox.modifyEndpoint(world.tenant, id, () => Result.fail(refused))),
        refused,
      )
      for (const [tenant, whose] of [
        [world.live, id],
        [world.other, id],
        [world.tenant, world.endpoint().id],
      ] as const) {
        const failure = yield* failsWith(
          "NotFound",
          outbox.modifyEndpoint(tenant, whose, () => Result.succeed(endpoint)),
        )
        assert.strictEqual(failure._tag === "NotFound" && failure.what, "webhook")
      }
      assert.deepStrictEqual(yield* outbox.endpoints(world.tenant), [disabled])
    }),
  )

  it.effect("loses none of many concurrent changes of an endpoint", () =>
    Effect.gen(function* () {
      const { outbox, world } = yield* begin
      const endpoint = world.endpoint()
      yield* outbox.putEndpoint(endpoint)
      const written = yield* atOnce(range(20), () =>
        outbox.modifyEndpoint(world.tenant, endpoint.id, (current) =>
          Result.succeed({ ...current, createdAt: current.createdAt + 1 }),
        ),
      )
      assert.deepStrictEqual(
        written
          .map((each) => each.createdAt - endpoint.createdAt)
          .toSorted((left, right) => left - right),
        range(20).map((index) => index + 1),
      )
      assert.deepStrictEqual(yield* outbox.endpoints(world.tenant), [
        { ...endpoint, createdAt: endpoint.createdAt + 20 },
      ])
    }),
  )

  it.effect("goes to every endpoint of the tenant that wants the event, and to no other", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, payments, outbox, world, create, clearDeliveries, fanOut } = scene
      yield* clearDeliveries
      const all = world.endpoint()
      const settled = world.endpoint({ types: ["payment.settled"] })
      const created = world.endpoint({ types: ["refund.held", "payment.created"] })
      const never = [
        world.endpoint({ types: ["payment.failed"] }),
        world.endpoint({ disabledAt: now }),
        world.endpoint(world.live),
        world.endpoint(world.other),
        world.endpoint(world.otherLive),
      ]
      for (const each of [all, settled, created, ...never]) yield* outbox.putEndpoint(each)
      const { id } = yield* create()
      yield* announce(scene, id)
      // A change without an event is not delivered.
      yield* payments.modifyPayment(id, applyEffects({}))
      yield* fanOut
      const [first, second] = yield* outbox.eventsOf(id)
      if (first === undefined || second === undefined) return assert.fail("no events")
      const partner = yield* findPartner(accounts, world.tenant.partnerId)
      const expected = [
        [all, first],
        [all, second],
        [settled, second],
        [created, first],
      ] as const
      const claimed: Array<ClaimedDelivery> = []
      // One after the other for each endpoint.
      for (const _ of range(2)) {
        const next = yield* outbox.claimDeliveries({ limit: 100, leaseInMs: 1000, now: now + 1000 })
        claimed.push(...next)
        for (const { delivery, fence } of next) {
          yield* outbox.finishDelivery(Webhook.abandon(delivery), fence)
        }
      }
      assert.deepStrictEqual(
        claimed
          .map((each) => ({ endpoint: each.endpoint, event: each.event, delivery: each.delivery }))
          .toSorted((left, right) => (left.delivery.id < right.delivery.id ? -1 : 1)),
        expected
          .map(([endpoint, event]) => ({
            endpoint,
            event,
            delivery:
              Webhook.deliveryOf(event, endpoint, partner) ?? assert.fail("it is not wanted"),
          }))
          .toSorted((left, right) => (left.delivery.id < right.delivery.id ? -1 : 1)),
      )
      for (const each of never) {
        assert.deepStrictEqual(yield* deliveredTo(outbox, each.id, 10), [])
      }
    }),
  )

  it.effect("is created for the endpoint as it is when the event is fanned out", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outbox, world, create, fanOut } = scene
      const { id } = yield* create()
      yield* fanOut
      const endpoint = world.endpoint()
      yield* outbox.putEndpoint(endpoint)
      yield* create({ now: now - 60_000 })
      yield* fanOut
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [])
      yield* announce(scene, id)
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [])
      yield* fanOut
      assert.strictEqual((yield* deliveredTo(outbox, endpoint.id, 10)).length, 1)
      yield* announce(scene, id)
      yield* outbox.putEndpoint({ ...endpoint, types: ["payment.failed"] })
      yield* fanOut
      assert.strictEqual((yield* deliveredTo(outbox, endpoint.id, 10)).length, 1)
      yield* outbox.putEndpoint(endpoint)
      yield* announce(scene, id)
      yield* fanOut
      const [, , , third] = yield* outbox.eventsOf(id)
      const listed = yield* deliveredTo(outbox, endpoint.id, 10)
      assert.strictEqual(listed.length, 2)
      assert.strictEqual(listed.filter((each) => each.eventId === third?.id).length, 1)
      assert.strictEqual((yield* deliveredTo(outbox, endpoint.id, 1)).length, 1)
      const [first] = listed
      if (first === undefined) return assert.fail("nothing is delivered")
      const never = Webhook.deliveryId(endpoint.id, "evt_never")
      assert.deepStrictEqual(yield* outbox.deliveriesById([first.id, never, first.id]), [first])
      assert.deepStrictEqual(yield* outbox.deliveriesById([]), [])
    }),
  )

  it.effect("is pending until it is delivered or given up, with the time of its oldest event", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, world, create, fanOut } = scene
      const disabled = world.endpoint({ disabledAt: now })
      yield* outbox.putEndpoint(disabled)
      const pending = Effect.map(outbox.pending, (all) =>
        all.filter(({ endpointId }) => [endpoint.id, disabled.id].includes(endpointId)),
      )
      assert.deepStrictEqual(yield* pending, [])
      const first = yield* create()
      const second = yield* create({ now: now + 5000 })
      yield* fanOut
      const both = { endpointId: endpoint.id, count: 2, oldestAt: now }
      assert.deepStrictEqual(yield* pending, [both])
      const claimed = to(
        endpoint,
        yield* outbox.claimDeliveries({ limit: 9, leaseInMs: 1000, now: now + 9000 }),
      )
      // A lease changes nothing: the delivery was not made yet.
      assert.deepStrictEqual(yield* pending, [both])
      const finish = Effect.fnUntraced(function* (id: string, status: number) {
        const [event] = yield* outbox.eventsOf(PaymentId.PaymentId.make(id))
        const made = claimed.find(({ delivery }) => delivery.eventId === event?.id)
        if (made === undefined) return assert.fail("it was not claimed")
        const after = Webhook.recordAttempt(made.delivery, answeredWith(status, now + 9000))
        return yield* outbox.finishDelivery(after, made.fence)
      })
      yield* finish(second.id, 500)
      assert.deepStrictEqual(yield* pending, [both])
      yield* finish(first.id, 200)
      assert.deepStrictEqual(yield* pending, [{ ...both, count: 1, oldestAt: now + 5000 }])
      yield* outbox.putEndpoint({ ...endpoint, disabledAt: now })
      assert.deepStrictEqual(yield* pending, [])
    }),
  )

  it.effect(
    "is decided for each event of a tenant and each of its enabled endpoints, oldest first",
    () =>
      Effect.gen(function* () {
        const { scene, endpoint } = yield* quiet
        const { accounts, outbox, world, create } = scene
        const others = [world.endpoint({ disabledAt: now }), world.endpoint(world.other)]
        for (const each of others) yield* outbox.putEndpoint(each)
        const payment = yield* create()
        const other = yield* create(world.other)
        const nobody = yield* create(world.otherLive)
        yield* announce(scene, payment.id)
        const announced = yield* outbox.eventsOf(payment.id)
        assert.deepStrictEqual(yield* outbox.eventsOf(payment.id, "waiting"), announced)
        yield* Stores.putPartner(accounts, world.partner({ name: "Renamed" }))
        const asked: Array<ReadonlyArray<string | undefined>> = []
        const decide: Parameters<typeof outbox.fanOut>[1] = (event, target, partner) => {
          asked.push([event.id, target.id, partner.name])
          return Webhook.deliveryOf(event, target, partner)
        }
        assert.strictEqual(yield* outbox.fanOut(3, decide), 3)
        assert.deepStrictEqual(yield* outbox.eventsOf(payment.id, "waiting"), announced.slice(1))
        assert.deepStrictEqual(yield* outbox.eventsOf(nobody.id, "waiting"), [])
        assert.strictEqual(yield* outbox.fanOut(3, decide), 1)
        assert.deepStrictEqual(yield* outbox.eventsOf(payment.id, "waiting"), [])
        assert.strictEqual(yield* outbox.fanOut(3, decide), 0)
        const [, theirs] = others
        const [created, settled] = announced
        const [theirEvent] = yield* outbox.eventsOf(other.id)
        assert.deepStrictEqual(asked, [
          [created?.id, endpoint.id, "Renamed"],
          [theirEvent?.id, theirs?.id, "Another partner"],
          [settled?.id, endpoint.id, "Renamed"],
        ])
        assert.deepStrictEqual(
          (yield* deliveredTo(outbox, endpoint.id, 10)).map(({ eventId }) => eventId),
          [settled?.id, created?.id],
        )
      }),
  )

  it.effect(
    "is not created, and its event continues to wait, if a process fails while it decides",
    () =>
      Effect.gen(function* () {
        const { scene, endpoint } = yield* quiet
        const { outbox, createMany } = scene
        const payments = yield* createMany(4)
        let decided = 0
        const breaking: Parameters<typeof outbox.fanOut>[1] = (...asked) => {
          decided += 1
          if (decided === 3) throw new Error("the process breaks")
          return Webhook.deliveryOf(...asked)
        }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(outbox.fanOut(10, breaking))))
        assert.strictEqual(decided, 3)
        assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [])
        for (const { id } of payments) assert.lengthOf(yield* outbox.eventsOf(id, "waiting"), 1)
        assert.strictEqual(yield* outbox.fanOut(10, Webhook.deliveryOf), 4)
        assert.lengthOf(yield* deliveredTo(outbox, endpoint.id, 10), 4)
      }),
  )

  it.effect(
    "is created once, in the order of its payment, even if many processes fan out concurrently and are interrupted",
    () =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 3, full: 30 }))) {
          const { scene, endpoint } = yield* quiet
          const { outbox, world, create, fanOut } = scene
          const second = world.endpoint()
          yield* outbox.putEndpoint(second)
          const write = atOnce(range(12), () =>
            Effect.gen(function* () {
              const { id } = yield* create()
              yield* Effect.forEach(range(4), () => announce(scene, id))
              return id
            }),
          )
          const send = Effect.fnUntraced(function* (turn: number) {
            for (const count of range(40)) {
              const fanning = outbox.fanOut(3 + turn, Webhook.deliveryOf)
              const fiber = yield* Effect.forkChild(fanning, { startImmediately: true })
              // One in three is stopped somewhere on its way.
              if ((count + turn) % 3 === 0) {
                yield* Effect.forEach(range(count % 7), () => Effect.yieldNow)
                yield* Fiber.interrupt(fiber)
              } else {
                yield* Fiber.await(fiber)
              }
              yield* Effect.yieldNow
            }
          })
          const [ids] = yield* Effect.all([write, atOnce(range(4), send)], {
            concurrency: "unbounded",
          })
          yield* fanOut
          for (const { id } of [endpoint, second]) {
            const listed = (yield* deliveredTo(outbox, id, 1000)).map(({ eventId }) => eventId)
            assert.lengthOf(listed, ids.length * 5)
            assert.strictEqual(new Set(listed).size, listed.length)
            for (const paymentId of ids) {
              const announced = (yield* outbox.eventsOf(paymentId)).map((event) => event.id)
              assert.deepStrictEqual(
                listed.filter((eventId) => announced.includes(eventId)),
                announced.toReversed(),
              )
            }
          }
        }
      }),
    timeout,
  )

  it.effect("is leased to one sender at a time", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, create, fanOut } = scene
      yield* create()
      yield* fanOut
      const claim = (at: number) =>
        Effect.map(outbox.claimDeliveries({ limit: 10, leaseInMs: 100, now: at }), (claimed) =>
          to(endpoint, claimed),
        )
      assert.deepStrictEqual(yield* claim(now - 1), [])
      const [first, ...more] = yield* claim(now)
      if (first === undefined) return assert.fail("nothing was due")
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(yield* claim(now + 99), [])
      const [second] = yield* claim(now + 100)
      if (second === undefined) return assert.fail("nothing was due")
      const finished = Webhook.recordAttempt(first.delivery, answeredWith(200, now))
      yield* failsWith("LeaseLost", outbox.finishDelivery(finished, first.fence))
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [second.delivery])
      yield* outbox.finishDelivery(finished, second.fence)
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [finished])
      for (const { fence } of [first, second]) {
        yield* failsWith("LeaseLost", outbox.finishDelivery(first.delivery, fence))
      }
      assert.deepStrictEqual(yield* claim(farFuture), [])
    }),
  )

  it.effect.each([{ others: 0 }, { others: 300 }])(
    "is first tried after the deliveries of earlier events of its payment: among $others others",
    ({ others }) =>
      Effect.gen(function* () {
        const { scene, endpoint } = yield* quiet
        const { create, createMany, fanOut, outbox } = scene
        const { id } = yield* create()
        for (const _ of range(2)) yield* announce(scene, id)
        yield* createMany(others, { now: now + 1 })
        yield* fanOut
        const reported = yield* outbox.eventsOf(id)
        const claim = (at: number) =>
          Effect.map(outbox.claimDeliveries({ limit: 1000, leaseInMs: 100, now: at }), (claimed) =>
            to(endpoint, claimed).filter(
              ({ event }) => Event.isOfPayment(event) && event.payment.id === id,
            ),
          )
        let at = now + 1000
        for (const event of reported) {
          const [next, ...more] = yield* claim(at)
          assert.strictEqual(next?.event.id, event.id)
          assert.deepStrictEqual(more, [])
          // It can be claimed neither while it is in progress, nor after its sender is gone.
          assert.deepStrictEqual(yield* claim(at + 99), [])
          at += 100
          const [again, ...later] = yield* claim(at)
          if (again === undefined) return assert.fail("nothing was due")
          assert.strictEqual(again.event.id, event.id)
          assert.deepStrictEqual(later, [])
          const failed = Webhook.recordAttempt(again.delivery, answeredWith(500, at))
          yield* outbox.finishDelivery(failed, again.fence)
        }
        assert.lengthOf(yield* claim(farFuture), reported.length)
      }),
    timeout,
  )

  it.effect("is due again after a failed attempt, until the last", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, create, fanOut } = scene
      yield* create()
      yield* fanOut
      let at = now
      let expected: Webhook.Delivery | undefined
      for (const attempt of range(Webhook.retryDelaysInMs.length)) {
        const early = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now: at - 1 })
        assert.deepStrictEqual(to(endpoint, early), [], `attempt ${attempt}`)
        const [claimed] = to(
          endpoint,
          yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now: at }),
        )
        if (claimed === undefined) return assert.fail(`attempt ${attempt} is not due`)
        if (expected !== undefined) assert.deepStrictEqual(claimed.delivery, expected)
        expected = Webhook.recordAttempt(claimed.delivery, answeredWith(500, at))
        yield* outbox.finishDelivery(expected, claimed.fence)
        at = expected.dueAt ?? at
      }
      if (expected === undefined) return assert.fail("nothing was tried")
      assert.strictEqual(expected.state, "givenUp")
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [expected])
      const after = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now: farFuture })
      assert.deepStrictEqual(to(endpoint, after), [])
    }),
  )

  it.effect("is made with the current endpoint", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, world, create, fanOut } = scene
      yield* create()
      yield* fanOut
      const rotated = Webhook.rotateSecret(endpoint, world.endpoint().secrets.current, now)
      yield* outbox.putEndpoint(rotated)
      const claimed = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now: now + 10 })
      assert.deepStrictEqual(
        to(endpoint, claimed).map((each) => each.endpoint),
        [rotated],
      )
    }),
  )

  it.effect("is sent again on request, in any state", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, create, fanOut } = scene
      const replay = (id: Webhook.DeliveryId, at: number) =>
        outbox.replayDeliveries([id], (current) => Webhook.replay(current, at))
      assert.deepStrictEqual(yield* replay(Webhook.DeliveryId.make("dlv_nobody"), now), [])
      yield* create()
      yield* fanOut
      const claim = (at: number) =>
        Effect.map(outbox.claimDeliveries({ limit: 10, leaseInMs: 1000, now: at }), (claimed) =>
          to(endpoint, claimed),
        )
      const [first] = yield* claim(now)
      if (first === undefined) return assert.fail("nothing was due")
      const done = Webhook.recordAttempt(first.delivery, answeredWith(200, now))
      yield* outbox.finishDelivery(done, first.fence)
      yield* replay(done.id, now + 10)
      assert.deepStrictEqual(yield* deliveredTo(outbox, endpoint.id, 10), [
        Webhook.replay(done, now + 10),
      ])
      const [again] = yield* claim(now + 10)
      if (again === undefined) return assert.fail("nothing was due")
      assert.deepStrictEqual(again.delivery, Webhook.replay(done, now + 10))
      // Its current worker has lost it: the replay is another attempt.
      yield* replay(done.id, now + 20)
      yield* failsWith("LeaseLost", outbox.finishDelivery(done, again.fence))
      const [last] = yield* claim(now + 20)
      if (last === undefined) return assert.fail("nothing was due")
      yield* outbox.finishDelivery(done, last.fence)
      assert.deepStrictEqual(yield* claim(farFuture), [])
    }),
  )

  it.effect("is sent again with others in one write, if it is decided", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, createMany, fanOut } = scene
      yield* createMany(4)
      yield* fanOut
      const claimed = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now })
      for (const { delivery, fence } of claimed) {
        yield* outbox.finishDelivery(Webhook.abandon(delivery), fence)
      }
      const all = yield* deliveredTo(outbox, endpoint.id, 10)
      const [first, second, third] = all.map(({ id }) => id)
      if (first === undefined || second === undefined || third === undefined) {
        return assert.fail("too little was delivered")
      }
      const never = Webhook.deliveryId(endpoint.id, "evt_never")
      const asked: Array<string> = []
      const replayed = yield* outbox.replayDeliveries([third, never, first, second], (current) => {
        asked.push(current.id)
        return current.id === first ? null : Webhook.replay(current, now + asked.length)
      })
      assert.deepStrictEqual(asked, [third, first, second])
      assert.deepStrictEqual(
        replayed.map(({ dueAt, id }) => [id, dueAt]),
        [
          [third, now + 1],
          [second, now + 3],
        ],
      )
      assert.deepStrictEqual(
        (yield* deliveredTo(outbox, endpoint.id, 10)).map(({ state }) => state),
        ["givenUp", "pending", "pending", "givenUp"],
      )
      const due = yield* outbox.claimDeliveries({ limit: 10, leaseInMs: 10, now: now + 3 })
      assert.deepStrictEqual(
        due.map(({ delivery }) => delivery),
        replayed,
      )
    }),
  )

  it.effect("is listed with its event, page by page", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, create, fanOut, world } = scene
      // One after another, because payments that are created at the same time may have different orders in the feed and
      // in the deliveries.
      for (const _ of range(5)) yield* create()
      yield* fanOut
      const feed = (yield* outbox.events(world.tenant, 0, 10)).map(({ event }) => event)
      const all = yield* outbox.deliveries(endpoint.id, 10)
      assert.deepStrictEqual(
        all.map(({ event }) => event),
        feed.toReversed(),
      )
      for (const each of all) assert.strictEqual(each.delivery.eventId, each.event.id)
      for (const place of range(5)) {
        const after = all[place]?.delivery.id ?? null
        assert.deepStrictEqual(
          yield* outbox.deliveries(endpoint.id, 2, after),
          all.slice(place + 1, place + 3),
        )
      }
    }),
  )

  it.effect("announces a test only to the tested endpoint and in the feed", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, fanOut, world } = scene
      const second = world.endpoint()
      yield* outbox.putEndpoint(second)
      const event: Event.TestEvent = {
        id: `evt_${endpoint.id}`,
        type: Event.webhookTest,
        stateVersion: 0,
        createdAt: now,
        endpointId: endpoint.id,
        ...world.tenant,
      }
      yield* outbox.announce(event)
      yield* fanOut
      assert.deepStrictEqual(
        (yield* outbox.deliveries(endpoint.id, 10)).map((each) => each.event),
        [event],
      )
      assert.deepStrictEqual(yield* outbox.deliveries(second.id, 10), [])
      const feed = yield* outbox.events(world.tenant, 0, 10)
      assert.deepStrictEqual(
        feed.map((each) => each.event),
        [event],
      )
    }),
  )

  it.effect("finds the events of a period, of their tenant only", () =>
    Effect.gen(function* () {
      const { create, outbox, world } = yield* begin
      for (const at of [3, 1, 2, 1]) yield* create({ now: now + at })
      yield* create({ ...world.other, now: now + 1 })
      const ids = (yield* outbox.events(world.tenant, 0, 10)).map(({ event }) => event.id)
      const find = (from: number, before: number, limit = 10) =>
        outbox.eventIds(world.tenant, { from: now + from, before: now + before }, limit)
      assert.deepStrictEqual(yield* find(1, 3), ids.slice(1))
      assert.deepStrictEqual(yield* find(0, 4), ids)
      assert.deepStrictEqual(yield* find(0, 4, 2), ids.slice(0, 2))
      assert.deepStrictEqual(yield* find(3, 3), [])
      assert.deepStrictEqual(yield* find(4, 9), [])
    }),
  )

  it.effect("goes to endpoints that are found by their tenant, up to the limit", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, world } = scene
      const disabled = world.endpoint({ disabledAt: now })
      yield* outbox.putEndpoint(disabled)
      yield* outbox.putEndpoint(world.endpoint(world.other))
      for (const each of [endpoint, disabled]) {
        assert.deepStrictEqual(yield* outbox.endpoints(world.tenant, each), [each])
        assert.deepStrictEqual(yield* outbox.endpoints(world.other, each), [])
        assert.deepStrictEqual(yield* outbox.endpoints(world.live, each), [])
        assert.deepStrictEqual(yield* outbox.endpoints(null, each), [each])
      }
      assert.deepStrictEqual(yield* outbox.endpoints(world.tenant), [endpoint, disabled])
      assert.deepStrictEqual(yield* outbox.endpoints(world.tenant, "enabled"), [endpoint])
      const mayAdd = (called: ReadonlyArray<Webhook.Endpoint>) =>
        called.length < 5 ? Result.void : Result.fail({ _tag: "Full" as const, message: "full" })
      const puts = yield* atOnce(range(20), () =>
        Effect.result(outbox.putEndpoint(world.endpoint(), mayAdd)),
      )
      assert.strictEqual(puts.filter(Result.isSuccess).length, 4)
      assert.lengthOf(yield* outbox.endpoints(world.tenant, "enabled"), 5)
    }),
  )

  it.effect(
    "goes to one of many senders each time: nothing twice, nothing left",
    () =>
      Effect.gen(function* () {
        const { scene, endpoint } = yield* quiet
        const { outbox, createMany, fanOut } = scene
        yield* createMany(100)
        yield* fanOut
        const claims = yield* atOnce(range(10), () =>
          Effect.gen(function* () {
            const own: Array<ClaimedDelivery> = []
            for (;;) {
              const claimed = yield* outbox.claimDeliveries({
                limit: 7,
                leaseInMs: 60_000,
                now: now + 100,
              })
              if (claimed.length === 0) return own
              assert.isAtMost(claimed.length, 7)
              own.push(...claimed)
            }
          }),
        )
        const all = to(endpoint, claims.flat())
        assert.strictEqual(all.length, 100, "deliveries that were claimed")
        assert.deepStrictEqual(
          idsOf(all.map((each) => each.delivery)),
          idsOf(yield* deliveredTo(outbox, endpoint.id, 1000)),
        )
        const outcomes = yield* atOnce([...all, ...all], ({ delivery, fence }) =>
          Effect.result(
            outbox.finishDelivery(Webhook.recordAttempt(delivery, answeredWith(200, now)), fence),
          ),
        )
        assert.strictEqual(outcomes.filter(Result.isSuccess).length, 100)
      }),
    timeout,
  )

  it.effect.each([{ count: 20 }, { count: 300 }])(
    "S10: partners take turns, then their endpoints, each up to its places: $count events",
    ({ count }) =>
      Effect.gen(function* () {
        const { scene, endpoint: first } = yield* quiet
        const { createMany, fanOut, outbox, world } = scene
        const second = world.endpoint()
        yield* outbox.putEndpoint(second)
        yield* createMany(count)
        yield* fanOut
        const others = world.endpoint({ partnerId: world.other.partnerId })
        yield* outbox.putEndpoint(others)
        yield* createMany(3, { partnerId: world.other.partnerId, now: now + 50 })
        yield* fanOut
        const claim = (limit: number, turns?: Turns) =>
          Effect.map(
            outbox.claimDeliveries({
              limit,
              leaseInMs: 60_000,
              now: now + 100,
              ...(turns && { turns }),
            }),
            (claimed) => (endpoint: Webhook.Endpoint) => to(endpoint, claimed).length,
          )
        const fair = yield* claim(4)
        assert.deepStrictEqual([first, second, others].map(fair), [1, 1, 2])
        const queue = { group: world.tenant.partnerId, member: first.id }
        const limited = yield* claim(50, {
          ofGroup: 8,
          ofQueue: 5,
          last: "",
          groups: [],
          queues: [{ ...queue, free: 2 }],
        })
        assert.deepStrictEqual([first, second, others].map(limited), [2, 5, 1])
      }),
    timeout,
  )

  it.effect("is claimed oldest due time first", () =>
    Effect.gen(function* () {
      const { scene, endpoint } = yield* quiet
      const { outbox, create, fanOut } = scene
      for (const at of [30, 10, 20]) yield* create({ now: now + at })
      yield* fanOut
      const seen: Array<number> = []
      for (const _ of range(3)) {
        const claimed = yield* outbox.claimDeliveries({
          limit: 1,
          leaseInMs: 60_000,
          now: now + 100,
        })
        for (const { event } of to(endpoint, claimed)) seen.push(event.createdAt - now)
      }
      assert.deepStrictEqual(seen, [10, 20, 30])
    }),
  )
}
