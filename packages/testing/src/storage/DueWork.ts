/**
 * Due work: nothing is forgotten, and no work is done by two workers at the same time.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Turn from "@florin/core/domain/list/Turn"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type { Claimed, Lease } from "@florin/core/ports/DueWork"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import {
  atOnce,
  begin,
  applyEffects,
  farFuture,
  failsWith,
  idsOf,
  type It,
  modifyInLane,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures

/** A scene in which only work of the test is due. */
const quiet = Effect.tap(begin, ({ clearDue }) => Effect.forEach(Change.workKinds, clearDue))

const paymentsOf = (claimed: ReadonlyArray<Claimed>): ReadonlyArray<Payment.Payment> =>
  claimed.map((each) => each.payment)

/** One thing that may happen to due work. `which` names a payment, `inMs` how far away its next due time is. */
const Happening = Schema.Struct({
  what: Schema.Literals([
    "claim",
    "crash",
    "finish",
    "putOff",
    "finishLate",
    "write",
    "otherWork",
    "idle",
  ]),
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 })),
  inMs: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 }))),
  passesInMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })),
})

/** What the model knows of one payment's work. */
interface Known {
  readonly id: PaymentId.PaymentId
  dueAt: number | null
  leaseUntil: number
  failures: number
  /** The valid lease, and those that are no longer valid. */
  lease: Lease | null
  readonly old: Array<Lease>
}

/** Work of kind `settle` that is due in the order of its creation, each in its own queue. */
const waiting = Effect.fnUntraced(function* (
  { payments, world }: Pick<Scene, "payments" | "world">,
  queues: ReadonlyArray<Partial<Turn.Queue> & { readonly count: number }>,
) {
  const all = queues.flatMap(({ count, ...queue }) => range(count).map(() => queue))
  yield* Effect.forEach(
    all,
    ({ group, member }, index) => {
      const asset = BuiltIn.catalog.assets.find(({ token }) => token.chainId === group)
      const unit = asset && `caip19/${Eip155.formatToken(asset.token)}`
      const change = world.createPayment({
        partnerId: member === "B" ? world.other.partnerId : world.tenant.partnerId,
        ...(unit !== undefined && { amount: { unit, value: "1000" } }),
      })
      const due = { settle: now + index }
      return payments.createPayment({ ...change, due }, null, "{}", now)
    },
    { concurrency: 10, discard: true },
  )
})

/** The queues of claimed work, in its order: the chain, if there is one, and `A` or `B`. */
const namesOf = (claimed: ReadonlyArray<Claimed>, { world }: Pick<Scene, "world">) =>
  claimed.map(({ queue: { group, member } }) =>
    [...(group === "-" ? [] : [group]), member === world.tenant.partnerId ? "A" : "B"].join(" "),
  )

const [base, optimism] = ["eip155:8453", "eip155:10"]
const leased = { leaseInMs: 60_000, now: now + 100_000 }

/** Rules S9 and S10: no chain and no partner takes the turns of another. */
const turns = (it: It): void => {
  it.effect("S10: one partner's large backlog leaves another partner its turns", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      yield* waiting(scene, [
        { count: 300, member: "A" },
        { count: 2, member: "B" },
      ])
      const claimed = yield* scene.work.claimDue("settle", { ...leased, limit: 6 })
      assert.deepStrictEqual(namesOf(claimed, scene).toSorted(), ["A", "A", "A", "A", "B", "B"])
      const rest = yield* scene.work.claimDue("settle", { ...leased, limit: 500 })
      assert.lengthOf(rest, 296)
      assert.deepStrictEqual(new Set(namesOf(rest, scene)), new Set(["A"]))
    }),
  )

  it.effect.each([{ count: 5 }, { count: 300 }])(
    "S9: chains take turns, and partners within them: $count of each",
    ({ count }) =>
      Effect.gen(function* () {
        const scene = yield* quiet
        yield* waiting(scene, [
          { count, group: base, member: "A" },
          { count: 5, group: base, member: "B" },
          { count: 5, group: optimism, member: "B" },
          { count: 5 },
        ])
        const claim = (last: string, lastOfBase: string, limit: number) =>
          Effect.map(
            scene.work.claimDue("settle", {
              ...leased,
              limit,
              turns: {
                ofGroup: 9,
                ofQueue: 9,
                last,
                groups: [{ group: base, free: 9, last: lastOfBase }],
                queues: [],
              },
            }),
            (claimed) => namesOf(claimed, scene),
          )
        const { tenant } = scene.world
        const [first, second] = [tenant.partnerId, scene.world.other.partnerId].toSorted()
        const nameOf = (id: string | undefined) => (id === tenant.partnerId ? "A" : "B")
        assert.deepStrictEqual(yield* claim("-", "", 1), [`${optimism} B`])
        assert.deepStrictEqual(yield* claim(optimism, "", 1), [`${base} ${nameOf(first)}`])
        assert.deepStrictEqual(yield* claim(base, first ?? "", 3), [
          "A",
          `${optimism} B`,
          `${base} ${nameOf(second)}`,
        ])
      }),
    timeout,
  )

  it.effect("S9: no group and no queue gets more than its places", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      yield* waiting(scene, [
        { count: 300, group: base, member: "A" },
        { count: 20, group: base, member: "B" },
        { count: 20, group: optimism, member: "A" },
        { count: 20, group: optimism, member: "B" },
        { count: 20 },
      ])
      const { other, tenant } = scene.world
      const claimed = yield* scene.work.claimDue("settle", {
        ...leased,
        limit: 50,
        turns: {
          ofGroup: 7,
          ofQueue: 4,
          last: "",
          groups: [{ group: optimism, free: 2, last: "" }],
          queues: [
            { group: base, member: other.partnerId, free: 1 },
            { group: optimism, member: tenant.partnerId, free: 0 },
          ],
        },
      })
      assert.deepStrictEqual(namesOf(claimed, scene).toSorted(), [
        ...range(4).map(() => "A"),
        ...range(2).map(() => `${optimism} B`),
        ...range(4).map(() => `${base} A`),
        `${base} B`,
      ])
      const closed = {
        ofGroup: 7,
        ofQueue: 4,
        last: "",
        groups: ["-", base, optimism].map((group) => ({ group, free: 0, last: "" })),
        queues: [],
      }
      const more = yield* scene.work.claimDue("settle", { ...leased, limit: 50, turns: closed })
      assert.deepStrictEqual(more, [])
    }),
  )

  it.effect(
    "S9: keeps its queue when it is postponed, and changes it when it is scheduled again",
    () =>
      Effect.gen(function* () {
        const scene = yield* quiet
        const { makeDue, payments, work, world } = scene
        const asset = BuiltIn.catalog.assets.find(({ token }) => token.chainId === base)
        const token = asset?.token ?? assert.fail("there is no token")
        const amount = { unit: `caip19/${Eip155.formatToken(token)}`, value: "1000" }
        const { payment } = world.createPayment({ amount })
        yield* payments.createPayment(
          { payment, claims: [], ledger: [], due: { settle: now, expire: now } },
          null,
          "{}",
          now,
        )
        const queue = { group: base, member: world.tenant.partnerId }
        const [first = assert.fail()] = yield* work.claimDue("settle", { ...leased, limit: 2 })
        assert.deepStrictEqual(first.queue, queue)
        yield* work.postpone(first.lease, now, 0)
        const [second = assert.fail()] = yield* work.claimDue("settle", { ...leased, limit: 2 })
        assert.deepStrictEqual(second.queue, queue)
        yield* makeDue(payment, { settle: now })
        assert.lengthOf(yield* work.claimDue("settle", { ...leased, limit: 2 }), 1)
        // Recording that a payment expired needs no chain.
        const [expiring = assert.fail()] = yield* work.claimDue("expire", { ...leased, limit: 2 })
        assert.deepStrictEqual(expiring.queue, { ...queue, group: "-" })
      }),
  )
}

export const dueWork = (it: It): void => {
  turns(it)

  it.effect.each(Change.workKinds.map((kind) => ({ kind })))(
    "is claimed from when it is due, and not before: $kind",
    ({ kind }) =>
      Effect.gen(function* () {
        const { payments, work, create, makeDue } = yield* quiet
        const created = yield* create({ expiresAt: now / 1000 + 3600 })
        yield* makeDue(created, { expire: null, [kind]: now + 500 })
        const options = { limit: 10, leaseInMs: 1000 }
        assert.deepStrictEqual(yield* work.claimDue(kind, { ...options, now: now + 499 }), [])
        for (const other of Change.workKinds) {
          if (other === kind) continue
          const claimed = yield* work.claimDue(other, { ...options, now: now + 10_000 })
          assert.deepStrictEqual(claimed, [])
        }
        const [claimed, ...more] = yield* work.claimDue(kind, { ...options, now: now + 500 })
        assert.deepStrictEqual(more, [])
        assert.deepStrictEqual(claimed?.payment, yield* payments.payment(created.id))
        assert.strictEqual(claimed?.lease.kind, kind)
      }),
  )

  it.effect("is due at the end of a new payment's time", () =>
    Effect.gen(function* () {
      const { create, payments, work, claimOne } = yield* quiet
      const { expiresAt, id } = yield* create()
      const at = expiresAt * 1000
      assert.strictEqual(yield* work.nextDueAt("expire"), at)
      assert.deepStrictEqual(
        yield* work.claimDue("expire", { limit: 1, leaseInMs: 1, now: at - 1 }),
        [],
      )
      const lease = yield* claimOne("expire", at)
      yield* payments.modifyPayment(id, applyEffects({ due: { expire: null } }), lease)
    }),
  )

  it.effect("is claimed oldest due time first, up to the requested number", () =>
    Effect.gen(function* () {
      const { work, createMany, makeDue } = yield* quiet
      const payments = yield* createMany(20)
      // 7 and 20 share no divisor, so every time is used once, in another order than that of the payments.
      yield* Effect.forEach(payments, (payment, index) =>
        makeDue(payment, { collect: now + ((index * 7) % 20) }),
      )
      const expected = payments
        .map(({ id }, index) => ({ id, at: (index * 7) % 20 }))
        .toSorted((left, right) => left.at - right.at)
        .map(({ id }) => id)
      const seen: Array<string> = []
      for (const limit of [1, 4, 10, 10]) {
        const claimed = yield* work.claimDue("collect", {
          limit,
          leaseInMs: 1000,
          now: now + 100,
        })
        assert.strictEqual(claimed.length, Math.min(limit, 20 - seen.length))
        seen.push(...paymentsOf(claimed).map((each) => each.id))
      }
      assert.deepStrictEqual(new Set(seen).size, 20)
      // Any order is right within one call; the calls follow each other.
      assert.deepStrictEqual(seen.slice(0, 1), expected.slice(0, 1))
      assert.deepStrictEqual(seen.slice(1, 5).toSorted(), expected.slice(1, 5).toSorted())
      assert.deepStrictEqual(seen.slice(5, 15).toSorted(), expected.slice(5, 15).toSorted())
    }),
  )

  it.effect("has one holder until its lease expires, and then it is due again", () =>
    Effect.gen(function* () {
      const { payments, work, create, makeDue, claimOne } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      const first = yield* claimOne("collect", now, 1000)
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 1, leaseInMs: 1000, now: now + 999 }),
        [],
      )
      const second = yield* claimOne("collect", now + 1000, 1000)
      assert.notStrictEqual(second.fence, first.fence)
      yield* failsWith(
        "LeaseLost",
        payments.modifyPayment(id, applyEffects({ due: { collect: null } }), first),
      )
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 1, leaseInMs: 1000, now: now + 1999 }),
        [],
      )
      const third = yield* claimOne("collect", now + 2000, 1000)
      for (const old of [first, second]) {
        yield* failsWith("LeaseLost", payments.modifyPayment(id, applyEffects({}), old))
      }
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: null } }), third)
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 1, leaseInMs: 1000, now: farFuture }),
        [],
      )
    }),
  )

  it.effect("can still be written late if nobody else has leased it", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      const { work, create, makeDue, claimOne, world } = scene
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      const lease = yield* claimOne("collect", now, 1)
      yield* modifyInLane(
        scene,
        { lane: world.lane, lease },
        id,
        applyEffects({ due: { collect: now + 6000 } }, now + 5000),
      )
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 6000)
    }),
  )

  it.effect("is leased for one write: then the lease is used up", () =>
    Effect.gen(function* () {
      const { payments, create, makeDue, claimOne } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      const lease = yield* claimOne("collect", now)
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: now } }), lease)
      yield* failsWith("LeaseLost", payments.modifyPayment(id, applyEffects({}), lease))
      const next = yield* claimOne("collect", now)
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: null } }), next)
      yield* failsWith("LeaseLost", payments.modifyPayment(id, applyEffects({}), next))
      // An earlier lease is not valid when the work is due again.
      yield* makeDue({ id }, { collect: now })
      const last = yield* claimOne("collect", now)
      for (const old of [lease, next]) {
        yield* failsWith("LeaseLost", payments.modifyPayment(id, applyEffects({}), old))
      }
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: null } }), last)
    }),
  )

  it.effect("stays leased while its holder writes other things", () =>
    Effect.gen(function* () {
      const { payments, work, create, makeDue, claimOne } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      const lease = yield* claimOne("collect", now)
      yield* payments.modifyPayment(id, applyEffects({ due: { watch: now } }), lease)
      yield* payments.modifyPayment(id, () => Result.succeed({ result: null, change: null }), lease)
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 1, leaseInMs: 1000, now: now + 999 }),
        [],
      )
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: null } }), lease)
    }),
  )

  it.effect("is valid only for its kind and its payment", () =>
    Effect.gen(function* () {
      const { payments, createMany, makeDue, claimOne } = yield* quiet
      const [first, second] = yield* createMany(2)
      if (first === undefined || second === undefined) return assert.fail("no payments")
      yield* makeDue(first, { collect: now, settle: now + 5000 })
      yield* makeDue(second, { collect: now + 5000 })
      const lease = yield* claimOne("collect", now)
      yield* failsWith(
        "LeaseLost",
        payments.modifyPayment(first.id, applyEffects({}), { ...lease, fence: lease.fence + 1 }),
      )
      yield* failsWith(
        "LeaseLost",
        payments.modifyPayment(first.id, applyEffects({}), { ...lease, fence: lease.fence - 1 }),
      )
      yield* failsWith(
        "LeaseLost",
        payments.modifyPayment(first.id, applyEffects({}), { ...lease, kind: "watch" }),
      )
      yield* failsWith(
        "LeaseLost",
        payments.modifyPayment(first.id, applyEffects({}), {
          ...lease,
          kind: "settle",
          fence: 1_000_000,
        }),
      )
      yield* payments.modifyPayment(first.id, applyEffects({}), lease)
    }),
  )

  it.effect.each([{ next: now + 10 }, { next: now }, { next: null }])(
    "is taken from its worker if somebody else makes it due at another time: $next",
    ({ next }) =>
      Effect.gen(function* () {
        const { payments, work, create, makeDue, claimOne } = yield* quiet
        const { id } = yield* create()
        yield* makeDue({ id }, { collect: now, settle: now, watch: now })
        const collect = yield* claimOne("collect", now)
        const settle = yield* claimOne("settle", now)
        yield* makeDue({ id }, { collect: next })
        yield* failsWith(
          "LeaseLost",
          payments.modifyPayment(id, applyEffects({ due: { collect: null } }), collect),
        )
        // Kinds that the write does not name are unchanged: leased by the same worker, or due.
        yield* payments.modifyPayment(id, applyEffects({ due: { settle: null } }), settle)
        yield* claimOne("watch", now)
        if (next === null) {
          assert.deepStrictEqual(
            yield* work.claimDue("collect", { limit: 1, leaseInMs: 1, now: farFuture }),
            [],
          )
        } else {
          // There is no need to wait for the lease that was taken away.
          yield* claimOne("collect", next)
        }
      }),
  )

  it.effect("stays leased when a write without a lease names other work, or none", () =>
    Effect.gen(function* () {
      const { payments, create, makeDue, claimOne } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      const lease = yield* claimOne("collect", now)
      yield* payments.modifyPayment(id, applyEffects({}))
      yield* makeDue({ id }, { settle: now, watch: null, audit: now + 1 })
      yield* payments.modifyPayment(id, applyEffects({ due: { collect: now + 1 } }), lease)
      yield* claimOne("collect", now + 1)
    }),
  )

  it.effect("is kept if there is room for more", () =>
    Effect.flatMap(quiet, ({ work }) => work.requireRoom),
  )

  it.effect("is released to be due later, and keeps how often it failed", () =>
    Effect.gen(function* () {
      const { payments, work, create, makeDue } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now, settle: now })
      const before = yield* payments.payment(id)
      for (const failures of range(4)) {
        const at = now + failures * 10
        const [claimed] = yield* work.claimDue("collect", { limit: 1, leaseInMs: 1000, now: at })
        if (claimed === undefined) return assert.fail("nothing was due")
        assert.strictEqual(claimed.failures, failures)
        yield* work.postpone(claimed.lease, at + 10, failures + 1)
        // The lease is used up, and the work is due at the given time, not at the end of the lease.
        yield* failsWith("LeaseLost", work.postpone(claimed.lease, at, 0))
        yield* failsWith("LeaseLost", payments.modifyPayment(id, applyEffects({}), claimed.lease))
        assert.strictEqual(yield* work.nextDueAt("collect"), at + 10)
      }
      assert.deepStrictEqual(yield* payments.payment(id), before)
      assert.strictEqual(yield* work.nextDueAt("settle"), now)
      // If it only waits, it starts from the beginning, and so it does if it is set due again.
      const [still] = yield* work.claimDue("collect", {
        limit: 1,
        leaseInMs: 1000,
        now: now + 40,
      })
      if (still === undefined) return assert.fail("nothing was due")
      yield* work.postpone(still.lease, now + 50, 0)
      const [rested] = yield* work.claimDue("collect", { limit: 1, leaseInMs: 1, now: now + 50 })
      assert.strictEqual(rested?.failures, 0)
      yield* makeDue({ id }, { collect: now })
      const [anew] = yield* work.claimDue("collect", { limit: 1, leaseInMs: 1, now })
      assert.strictEqual(anew?.failures, 0)
    }),
  )

  it.effect("shows the payment as it is when it is claimed", () =>
    Effect.gen(function* () {
      const { payments, work, create, makeDue } = yield* quiet
      const { id } = yield* create()
      yield* makeDue({ id }, { collect: now })
      yield* payments.modifyPayment(id, (current) =>
        Result.succeed({
          result: null,
          change: Change.make({ ...current, referenceId: "moved on" }, now, {}),
        }),
      )
      const claimed = yield* work.claimDue("collect", { limit: 1, leaseInMs: 1, now })
      assert.deepStrictEqual(paymentsOf(claimed), [yield* payments.payment(id)])
    }),
  )

  it.effect("returns the time of the next check: when something is due, or a lease expires", () =>
    Effect.gen(function* () {
      const { payments, work, createMany, makeDue, claimOne } = yield* quiet
      const idle = yield* work.nextDueAt("collect")
      assert.isTrue(idle === null || idle >= farFuture)
      const [first, second] = yield* createMany(2)
      if (first === undefined || second === undefined) return assert.fail("no payments")
      yield* makeDue(first, { collect: now + 300 })
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 300)
      yield* makeDue(second, { collect: now + 200 })
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 200)
      const lease = yield* claimOne("collect", now + 200, 50)
      // A worker that sleeps until then finds work: it is never too early, and there is always some.
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 250)
      assert.strictEqual(
        (yield* work.claimDue("collect", { limit: 9, leaseInMs: 1, now: now + 249 })).length,
        0,
      )
      const again = yield* claimOne("collect", now + 250, 1000)
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 300)
      yield* failsWith("LeaseLost", payments.modifyPayment(second.id, applyEffects({}), lease))
      yield* payments.modifyPayment(second.id, applyEffects({ due: { collect: now + 100 } }), again)
      assert.strictEqual(yield* work.nextDueAt("collect"), now + 100)
      yield* makeDue(second, { collect: null })
      yield* makeDue(first, { collect: null })
      assert.strictEqual(yield* work.nextDueAt("collect"), idle)
    }),
  )

  it.effect("is counted by kind and chain while it waits for a worker, with its longest wait", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      const { work, makeDue, claimOne } = scene
      const polygon = "eip155:137"
      const settling = (at: number) =>
        Effect.map(work.backlog(at), (all) =>
          Object.fromEntries(
            all.flatMap(({ count, group, kind, oldestDueAt }) =>
              kind === "settle" ? [[group, [count, oldestDueAt - now]]] : [],
            ),
          ),
        )
      assert.deepStrictEqual(yield* settling(now + 100), {})
      yield* waiting(scene, [
        { group: base, count: 2 },
        { group: polygon, count: 1 },
        { group: base, count: 1 },
      ])
      assert.deepStrictEqual(yield* settling(now - 1), {})
      assert.deepStrictEqual(yield* settling(now + 1), { [base]: [2, 0] })
      const all = { [base]: [3, 0], [polygon]: [1, 2] }
      assert.deepStrictEqual(yield* settling(now + 100), all)
      // A worker's lease removes the oldest due work until the lease expires.
      const { id } = yield* claimOne("settle", now, 50)
      assert.deepStrictEqual(yield* settling(now + 49), { [base]: [2, 1], [polygon]: [1, 2] })
      assert.deepStrictEqual(yield* settling(now + 50), all)
      yield* makeDue({ id }, { settle: null })
      assert.deepStrictEqual(yield* settling(now + 50), { [base]: [2, 1], [polygon]: [1, 2] })
    }),
  )

  it.effect(
    "goes to one of many workers each time: nothing twice, nothing left",
    () =>
      Effect.gen(function* () {
        const { payments: paymentStore, work, createMany, makeDue } = yield* quiet
        for (const _ of range(Counts.of({ usual: 1, full: 20 }))) {
          const payments = yield* createMany(200)
          yield* Effect.forEach(payments, (each, index) =>
            makeDue(each, { collect: now + (index % 50) }),
          )
          const claims = yield* atOnce(range(20), () =>
            Effect.gen(function* () {
              const own: Array<Claimed> = []
              for (;;) {
                const claimed = yield* work.claimDue("collect", {
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
          const all = claims.flat()
          assert.strictEqual(all.length, 200, "pieces of work that were claimed")
          assert.deepStrictEqual(idsOf(paymentsOf(all)), idsOf(payments))
          // The holder of each lease can write its work.
          yield* Effect.forEach(
            all,
            ({ payment, lease }) =>
              paymentStore.modifyPayment(
                payment.id,
                applyEffects({ due: { collect: null } }),
                lease,
              ),
            { concurrency: 20, discard: true },
          )
          assert.deepStrictEqual(
            yield* work.claimDue("collect", { limit: 1, leaseInMs: 1, now: farFuture }),
            [],
          )
        }
      }),
    timeout,
  )

  it.effect("is written by one of two that claimed it, one after the other's lease", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, work, createMany, makeDue } = yield* quiet
      const payments = yield* createMany(50)
      yield* Effect.forEach(payments, (each) => makeDue(each, { collect: now }))
      const claim = (at: number) => work.claimDue("collect", { limit: 100, leaseInMs: 10, now: at })
      const holders = [...(yield* claim(now)), ...(yield* claim(now + 10))]
      assert.strictEqual(holders.length, 100)
      const outcomes = yield* atOnce(holders, ({ payment, lease }) =>
        Effect.result(
          paymentStore.modifyPayment(payment.id, applyEffects({ due: { collect: null } }), lease),
        ),
      )
      for (const [index, outcome] of outcomes.entries()) {
        assert.strictEqual(Result.isSuccess(outcome), index >= 50)
        if (Result.isFailure(outcome)) assert.strictEqual(outcome.failure._tag, "LeaseLost")
      }
      for (const { id } of payments) {
        // Created, made due, done.
        assert.strictEqual((yield* paymentStore.payment(id)).revision, 3)
      }
    }),
  )

  it.effect(
    "is written by its holder or goes to the next one, never both",
    () =>
      Effect.gen(function* () {
        for (const _ of range(Counts.of({ usual: 1, full: 100 }))) {
          const { payments: paymentStore, work, createMany, makeDue } = yield* quiet
          const payments = yield* createMany(50)
          yield* Effect.forEach(payments, (each) => makeDue(each, { collect: now }))
          const claim = (at: number, limit: number) =>
            work.claimDue("collect", { limit, leaseInMs: 1000, now: at })
          const holders = yield* claim(now, 100)
          assert.strictEqual(holders.length, 50)
          const [written, claimed] = yield* Effect.all(
            [
              atOnce(holders, ({ payment, lease }) =>
                Effect.map(
                  Effect.result(
                    paymentStore.modifyPayment(
                      payment.id,
                      applyEffects({ due: { collect: null } }),
                      lease,
                    ),
                  ),
                  (result) => (Result.isSuccess(result) ? [payment] : []),
                ),
              ),
              // All of their leases have expired.
              atOnce(range(20), () => claim(now + 1000, 5)),
            ],
            { concurrency: "unbounded" },
          )
          const rest = [...claimed.flat(), ...(yield* claim(now + 1000, 100))]
          assert.deepStrictEqual(idsOf([...written.flat(), ...paymentsOf(rest)]), idsOf(payments))
          yield* atOnce(rest, ({ payment, lease }) =>
            paymentStore.modifyPayment(payment.id, applyEffects({ due: { collect: null } }), lease),
          )
        }
      }),
    timeout,
  )

  it.effect("is over for every worker once a write without a lease ends it", () =>
    Effect.gen(function* () {
      const { payments: paymentStore, work, createMany, makeDue } = yield* quiet
      const payments = yield* createMany(50)
      yield* Effect.forEach(payments, (each) => makeDue(each, { collect: now }))
      const [claims] = yield* Effect.all(
        [
          atOnce(range(20), () => work.claimDue("collect", { limit: 5, leaseInMs: 60_000, now })),
          atOnce(payments, (each) => makeDue(each, { collect: null })),
        ],
        { concurrency: "unbounded" },
      )
      for (const { payment, lease } of claims.flat()) {
        yield* failsWith(
          "LeaseLost",
          paymentStore.modifyPayment(payment.id, applyEffects({}), lease),
        )
      }
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 100, leaseInMs: 1, now: farFuture }),
        [],
      )
    }),
  )

  it.effect.prop(
    "is never lost, even if its holders fail",
    { happenings: Schema.Array(Happening).check(Schema.isMaxLength(60)) },
    ({ happenings }) =>
      Effect.gen(function* () {
        const { payments, work: queue, createMany, makeDue } = yield* quiet
        const known = (yield* createMany(5)).map(({ id }): Known => ({
          id,
          dueAt: null,
          leaseUntil: 0,
          failures: 0,
          lease: null,
          old: [],
        }))
        let at = now

        const write = (work: Known, dueAt: number | null, failures = 0) => {
          if (work.lease !== null) work.old.push(work.lease)
          work.lease = null
          work.leaseUntil = 0
          work.dueAt = dueAt
          work.failures = failures
        }
        /** Claims everything, and checks that it is what the model expects to be due. */
        const claim = Effect.fnUntraced(function* (leaseInMs: number) {
          const claimed = yield* queue.claimDue("settle", { limit: 100, leaseInMs, now: at })
          const due = known.filter(
            (each) => each.dueAt !== null && each.dueAt <= at && each.leaseUntil <= at,
          )
          assert.deepStrictEqual(idsOf(paymentsOf(claimed)), idsOf(due))
          for (const work of due) {
            if (work.lease !== null) work.old.push(work.lease)
            const found = claimed.find((each) => each.payment.id === work.id)
            assert.strictEqual(found?.failures, work.failures)
            work.lease = found?.lease ?? null
            work.leaseUntil = at + leaseInMs
          }
        })

        for (const { what, which, inMs, passesInMs } of happenings) {
          const work = known[which]
          if (work === undefined) return assert.fail("no such payment")
          const dueAt = inMs === null ? null : at + inMs
          const effects = { due: { settle: dueAt } }
          switch (what) {
            case "claim":
              yield* claim(20)
              break
            case "crash":
              // The holder is gone; its lease will expire.
              break
            case "finish":
              if (work.lease === null) break
              yield* payments.modifyPayment(work.id, applyEffects(effects), work.lease)
              write(work, dueAt)
              break
            case "putOff":
              if (work.lease === null) break
              yield* queue.postpone(work.lease, at + (inMs ?? 0), work.failures + 1)
              write(work, at + (inMs ?? 0), work.failures + 1)
              break
            case "finishLate":
              for (const old of work.old) {
                yield* failsWith(
                  "LeaseLost",
                  payments.modifyPayment(work.id, applyEffects(effects), old),
                )
                yield* failsWith("LeaseLost", queue.postpone(old, at, 0))
              }
              break
            case "write":
              yield* payments.modifyPayment(work.id, applyEffects(effects))
              write(work, dueAt)
              break
            case "otherWork":
              yield* makeDue(work, { watch: dueAt })
              break
            case "idle":
              at += 100
          }
          at += passesInMs
          const next = known.flatMap((each) =>
            each.dueAt === null ? [] : [Math.max(each.dueAt, each.leaseUntil)],
          )
          const reported = yield* queue.nextDueAt("settle")
          if (next.length > 0) assert.strictEqual(reported, Math.min(...next))
          else assert.isTrue(reported === null || reported >= farFuture)
        }
        at += 1000
        yield* claim(20)
        for (const { id, lease } of known) {
          if (lease === null) continue
          yield* payments.modifyPayment(id, applyEffects({ due: { settle: null } }), lease)
        }
        assert.deepStrictEqual(
          yield* queue.claimDue("settle", { limit: 100, leaseInMs: 1, now: farFuture }),
          [],
        )
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 15, full: 5000 }) } },
  )
}
