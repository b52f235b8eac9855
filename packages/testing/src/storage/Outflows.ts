/**
 * Outflows, and writes of many payments with them: each write is whole or nothing, and every share is in one outflow.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as OwnMoney from "@florin/core/domain/books/OwnMoney"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Change from "@florin/core/domain/payment/Change"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Event from "@florin/core/domain/payment/Event"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import type { OutflowLease, PaymentLease } from "@florin/core/ports/DueWork"
import { type Shown, type WriteDecision, findOutflow } from "@florin/core/ports/OutflowStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { restingOf, restingOn, unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  applyEffects,
  failsWith,
  farFuture,
  type It,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures
const unknown = OutflowId.OutflowId.make("out_nobody")
const nobody = PaymentId.PaymentId.make("pay_nobody")
const rounds = Counts.of({ usual: 3, full: 100 })

const idsIn = (payments: ReadonlyArray<Payment.Payment>) => payments.map(({ id }) => id)

/** Payments whose shares wait to be gathered. After their creation, they are written together. */
const pending = Effect.fnUntraced(function* (
  { put, payments, world }: Scene,
  count: number,
  overrides: Fixtures.PaymentOverrides = {},
  chosen: Fixtures.OptionOverrides = {},
) {
  const paths = range(count).map(() => world.path("settlementPending", overrides, chosen))
  yield* Effect.forEach(
    paths.flatMap(([creation]) => creation?.payments ?? []),
    (change) => payments.createPayment(change, null, "{}", now),
    { concurrency: 10 },
  )
  const steps = Math.max(...paths.map(({ length }) => length))
  for (const step of range(steps).slice(1)) {
    yield* put({ payments: paths.flatMap((path) => path[step]?.payments ?? []), outflows: [] })
  }
  return paths.map(Fixtures.paymentAfter)
})

const groupOf = (payments: ReadonlyArray<Payment.Payment>): Balance.Group => {
  for (const payment of payments) {
    const group = Balance.groupOf(payment)
    if (group !== null) return group
  }
  return assert.fail("no share waits")
}

/** Gathers the waiting shares among these; returns what it wrote. */
const gather = (
  { outflows, world }: Scene,
  payments: ReadonlyArray<Payment.Payment>,
  outflowId = world.outflowId(),
) => {
  const group = groupOf(payments)
  return outflows.modify(
    { outflows: [], payments: idsIn(payments) },
    (shown) => {
      const terms = { debts: new Map(), lasts: shown.destinations }
      const write = Payouts.gather(shown.payments, group, terms, outflowId, now)
      return Result.succeed({ result: write, write })
    },
    null,
  )
}

const outflowOf = (write: Change.Write | null): Outflow.Outflow =>
  write?.outflows[0]?.outflow ?? assert.fail("nothing was gathered")

/** The current shares of a gathered outflow. */
const gathered = Effect.fnUntraced(function* (
  scene: Scene,
  count: number,
  chosen: Fixtures.OptionOverrides = {},
) {
  const payments = yield* pending(scene, count, {}, chosen)
  const write = yield* gather(scene, payments)
  return {
    outflow: outflowOf(write),
    payments: (write?.payments ?? []).map((each) => each.payment),
  }
})

/** Runs a step on an outflow and all of its payments in their current state, and writes its result. */
const step = (
  { outflows }: Scene,
  { id }: Outflow.Outflow,
  payments: ReadonlyArray<PaymentId.PaymentId>,
  decide: (current: Outgoing.Current) => Change.Write | null,
) => outflows.modify({ outflows: [id], payments }, Fixtures.decideOn(decide), null)

/** A transaction that is signed for the current lane. */
const sign = Effect.fnUntraced(function* ({ lanes, world }: Scene) {
  const state = yield* lanes.laneState("test", world.lane)
  return { state, transaction: Fixtures.laneTransaction(world.lane, Lane.nextNonce(state, 0)) }
})

/** A stored outflow that belongs to no payment and is due for work. */
const create = Effect.fnUntraced(function* (
  { put, world }: Scene,
  due: Change.OutflowDue = {},
  overrides: Partial<Pick<Outflow.Outflow, "mode" | "createdAt">> = {},
) {
  const made = Outflow.make(
    {
      id: world.outflowId(),
      partnerId: world.tenant.partnerId,
      mode: overrides.mode ?? "test",
      movement: {
        token: world.token,
        from: world.payTo,
        to: world.destinationAccount.address,
        quantity: Fixtures.quantity(1n),
      },
      purpose: { _tag: "Refund", paymentId: nobody },
    },
    overrides.createdAt ?? now,
  )
  yield* put({ payments: [], outflows: [{ outflow: made, ledger: [], claims: [], due }] })
  return made
})

/** Writes an unchanged outflow with new times of its work. */
const touch = (
  { outflows }: Scene,
  id: OutflowId.OutflowId,
  due: Change.OutflowDue,
  lease: OutflowLease | null = null,
) =>
  outflows.modify(
    { outflows: [id], payments: [] },
    ({ outflows: shown }) =>
      Result.succeed({
        result: null,
        write: {
          payments: [],
          outflows: shown.map((outflow) => ({
            outflow: { ...outflow, revision: outflow.revision + 1 },
            ledger: [],
            claims: [],
            due,
          })),
        },
      }),
    lease,
  )

/** Everything in which a write of these records is visible. */
const observe = Effect.fnUntraced(function* (
  { balances, lanes, ledger, outbox, outflows, payments, world }: Scene,
  ids: ReadonlyArray<PaymentId.PaymentId>,
  of: ReadonlyArray<OutflowId.OutflowId>,
) {
  return {
    payments: yield* Effect.forEach(ids, payments.payment),
    collected: yield* Effect.forEach(ids, payments.collected),
    outflows: (yield* outflows.outflowsById(of)).toSorted((left, right) =>
      left.id < right.id ? -1 : 1,
    ),
    feed: yield* outbox.events(world.tenant, 0, 1000),
    ledgers: yield* Effect.forEach(ids, ledger.ledgerOf),
    balances: yield* balances(),
    lane: yield* lanes.laneState("test", world.lane),
    sent: yield* lanes.laneTransactions(world.lane, 0),
    resting: (yield* payments.resting("test", world.token.chainId, {
      fromBlock: 0,
      after: null,
      limit: 10_000,
    })).filter(({ id }) => ids.some((each) => each === id) || of.some((each) => each === id)),
  }
})

interface Refused {
  readonly _tag: "Refused"
}

/** A write of five payments and two outflows, and objects of others that it may conflict with. */
interface Attempted {
  readonly scene: Scene
  readonly taken: Claim.Claim
  readonly outflow: Outflow.Outflow
  readonly payments: ReadonlyArray<Payment.Payment>
  readonly good: OutflowLease
  readonly stale: OutflowLease
}

interface Cause {
  readonly name: string
  readonly tag: "ClaimTaken" | "LaneMoved" | "LeaseLost" | "NotFound" | "Overdrawn" | "Refused"
  /** Adds what makes the write impossible. */
  readonly spoil?: (write: Change.Write, attempted: Attempted) => Change.Write
  readonly decide?: () => Result.Result<never, Refused>
  readonly lease?: (attempted: Attempted) => OutflowLease | PaymentLease
  readonly subject?: PaymentId.PaymentId | OutflowId.OutflowId
  readonly isLaneStale?: true
}

/** The last payment of a write, changed further. */
const lastPayment = (
  { outflows, payments }: Change.Write,
  change: (last: Change.Change) => Partial<Change.Change>,
): Change.Write => ({
  outflows,
  payments: payments.map((each, index) =>
    index === payments.length - 1 ? { ...each, ...change(each) } : each,
  ),
})

const firstOutflow = (
  { outflows, payments }: Change.Write,
  change: (first: Change.OutflowChange) => Partial<Change.OutflowChange>,
): Change.Write => ({
  payments,
  outflows: outflows.map((each, index) => (index === 0 ? { ...each, ...change(each) } : each)),
})

/** A debt that no merchant has. */
const overdrawing = ({ world }: Scene): Ledger.Transaction =>
  Ledger.netting({
    collecting: world.payTo,
    merchantId: world.merchantId,
    token: world.token,
    quantity: Fixtures.quantity(1n),
  })

const causes: ReadonlyArray<Cause> = [
  {
    name: "a claim of a payment that is taken",
    tag: "ClaimTaken",
    spoil: (write, { taken }) =>
      lastPayment(write, ({ claims }) => ({ claims: [...claims, taken] })),
  },
  {
    name: "a claim of an outflow that is taken",
    tag: "ClaimTaken",
    spoil: (write, { taken }) =>
      firstOutflow(write, ({ claims }) => ({ claims: [...claims, taken] })),
  },
  {
    name: "an account that a payment overdraws",
    tag: "Overdrawn",
    spoil: (write, { scene }) =>
      lastPayment(write, ({ ledger }) => ({ ledger: [...ledger, overdrawing(scene)] })),
  },
  {
    name: "an account that an outflow overdraws",
    tag: "Overdrawn",
    spoil: (write, { scene }) =>
      firstOutflow(write, ({ ledger }) => ({
        ledger: [...ledger, { paymentId: null, transaction: overdrawing(scene) }],
      })),
  },
  { name: "a lost lease of an outflow", tag: "LeaseLost", lease: ({ stale }) => stale },
  {
    name: "a lost lease of a payment",
    tag: "LeaseLost",
    lease: ({ payments: [payment], stale }) => ({
      id: payment?.id ?? nobody,
      kind: "settle",
      fence: stale.fence,
    }),
  },
  {
    name: "a lease of other work",
    tag: "LeaseLost",
    lease: ({ good }) => ({ ...good, kind: "recheck" }),
  },
  {
    name: "a lease of another outflow",
    tag: "LeaseLost",
    lease: ({ good }) => ({ ...good, id: unknown }),
  },
  { name: "another signer who was first", tag: "LaneMoved", isLaneStale: true },
  {
    name: "a decision that fails",
    tag: "Refused",
    decide: () => Result.fail({ _tag: "Refused" }),
  },
  { name: "a payment that does not exist", tag: "NotFound", subject: nobody },
  { name: "an outflow that does not exist", tag: "NotFound", subject: unknown },
]

/** A gathered outflow whose sender has a valid lease, and had an earlier one. */
const prepare = Effect.gen(function* () {
  const scene = yield* begin
  const { payments: store, work, world } = scene
  yield* Effect.forEach(Change.outflowWorkKinds, scene.clearDueOutflows)
  yield* scene.clearDue("watch")
  const other = yield* scene.create()
  const taken = Claim.ofTransfer(world.evidence(world.attempt(other)))
  yield* store.modifyPayment(other.id, applyEffects({ claims: [taken] }))
  const { outflow, payments } = yield* gathered(scene, 5)
  const [stale] = yield* work.claimDueOutflows("send", { limit: 9, leaseInMs: 1, now })
  const [good, ...more] = yield* work.claimDueOutflows("send", {
    limit: 9,
    leaseInMs: farFuture,
    now: now + 1,
  })
  if (stale === undefined || good === undefined) return assert.fail("nothing was due")
  assert.deepStrictEqual(more, [])
  return { scene, outflow, payments, taken, good: good.lease, stale: stale.lease }
})

export const outflowRules = (it: It): void => {
  it.effect.each(Fixtures.stages.map((stage) => ({ stage })))(
    "reads back an outflow as it was written: $stage",
    ({ stage }) =>
      Effect.gen(function* () {
        const { outflows, walk, world } = yield* begin
        const path = world.path(stage)
        yield* walk(path)
        for (const write of path.toReversed()) {
          for (const { outflow } of write.outflows) {
            const last = path
              .flatMap((each) => each.outflows)
              .findLast((each) => each.outflow.id === outflow.id)
            assert.deepStrictEqual(yield* findOutflow(outflows, outflow.id), last?.outflow)
          }
        }
      }),
  )

  it.effect("finds no outflow that was never created", () =>
    Effect.gen(function* () {
      const { create: createPayment, outflows } = yield* begin
      const failure = yield* failsWith("NotFound", findOutflow(outflows, unknown))
      assert.strictEqual(failure._tag === "NotFound" && failure.what, "outflow")
      const { id } = yield* createPayment()
      const decide = (): Result.Result<WriteDecision<null>> =>
        assert.fail("there is nothing to decide on")
      for (const subjects of [
        { outflows: [unknown], payments: [id] },
        { outflows: [], payments: [id, nobody] },
      ]) {
        yield* failsWith("NotFound", outflows.modify(subjects, decide, null))
      }
    }),
  )

  it.effect("finds the existing ones of many outflows, each once", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const made = yield* Effect.forEach(range(12), () => create(scene))
      const ids = made.map(({ id }) => id)
      const found = yield* scene.outflows.outflowsById([...ids, unknown, ...ids.toReversed()])
      assert.deepStrictEqual(
        found.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
        made,
      )
      assert.deepStrictEqual(yield* scene.outflows.outflowsById([]), [])
      assert.deepStrictEqual(yield* scene.outflows.outflowsById([unknown]), [])
    }),
  )

  it.effect("S4: allows one transfer of the operator's own money at a time from an account", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, world } = scene
      const request = (purpose: Outflow.OwnTag, from = world.payTo) => {
        const movement = {
          token: world.token,
          from,
          to: world.destinationAccount.address,
          quantity: Fixtures.quantity(1n),
        }
        const id = world.outflowId()
        const write = OwnMoney.request({ id, mode: "test", movement, purpose }, [], now)
        return Effect.as(scene.put(write), id)
      }
      const asked = yield* atOnce(range(20), (index) =>
        Effect.result(request(index % 2 === 0 ? "Move" : "Withdraw")),
      )
      const [first, ...others] = asked.flatMap((each) =>
        Result.isSuccess(each) ? [each.success] : [],
      )
      assert.deepStrictEqual(others, [])
      for (const each of asked) {
        if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "ClaimTaken")
      }
      // Another account has its own turn, and so do the payouts of each partner.
      yield* request("Sweep", Fixtures.address(world.next()))
      yield* create(scene)
      yield* create(scene)
      const id = first ?? assert.fail("none was written")
      const own = yield* findOutflow(outflows, id)
      assert.isUndefined(own.partnerId)
      yield* step(scene, own, [], (current) => Outgoing.giveUp(current, now))
      yield* request("Move")
    }),
  )

  it.effect("lists the unfinished outflows of a mode, oldest first", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, walk, world } = scene
      const listed = (mode: "live" | "test") =>
        Effect.map(outflows.openOutflows(mode), (all) =>
          all.filter(({ partnerId }) => partnerId === world.tenant.partnerId).map(({ id }) => id),
        )
      const made = yield* Effect.forEach([3, 1, 2], (at) =>
        create(scene, {}, { createdAt: now + at }),
      )
      const live = yield* create(scene, {}, { mode: "live" })
      const expected = [made[1]?.id, made[2]?.id, made[0]?.id]
      assert.deepStrictEqual(yield* listed("test"), expected)
      assert.deepStrictEqual(yield* listed("live"), [live.id])
      const open = ["gathered", "settling", "settlementHeld"] as const
      for (const stage of [...open, "settled", "refunded", "settlementPending"] as const) {
        const path = world.path(stage, { now: now - 1 })
        yield* walk(path)
        const { outflow } = Fixtures.statesAfter(path)
        const isOpen = open.some((each) => each === stage)
        assert.strictEqual(
          (yield* listed("test")).some((id) => id === outflow?.id),
          isOpen,
          stage,
        )
      }
      const [first] = made
      if (first === undefined) return assert.fail("no outflow")
      yield* step(scene, first, [], ({ outflow }) => {
        const cancelled = Outflow.cancel(outflow, now)
        return cancelled === null
          ? null
          : {
              payments: [],
              outflows: [{ outflow: cancelled, ledger: [], claims: [], due: { send: null } }],
            }
      })
      assert.notInclude(yield* listed("test"), first.id)
    }),
  )

  it.effect("changes nothing with an empty write and a valid lease", () =>
    Effect.gen(function* () {
      const { good, outflow, payments, scene, stale } = yield* prepare
      const before = yield* observe(scene, idsIn(payments), [outflow.id])
      const write = (lease: OutflowLease | null) => scene.put({ payments: [], outflows: [] }, lease)
      yield* write(null)
      yield* write(good)
      yield* failsWith("LeaseLost", write(stale))
      assert.deepStrictEqual(yield* observe(scene, idsIn(payments), [outflow.id]), before)
    }),
  )

  it.effect("shows a decision the records in the order in which they were named", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const payments = (yield* scene.createMany(7)).toReversed()
      const made = (yield* Effect.forEach(range(5), () => create(scene))).toReversed()
      const shown = yield* scene.outflows.modify(
        { outflows: made.map(({ id }) => id), payments: idsIn(payments) },
        (result: Shown) => Result.succeed({ result, write: null }),
        null,
      )
      assert.deepStrictEqual(shown, { outflows: made, payments, inflows: [], destinations: [] })
    }),
  )

  it.effect("S11: shows a decision the last destinations of merchants, deleted ones too", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const [payment] = yield* scene.createMany(1)
      const own = world.destination()
      const { token } = own
      const destinations = { token, merchants: [world.merchantId, world.merchant().id] }
      const subjects = { outflows: [], payments: idsIn(payment === undefined ? [] : [payment]) }
      const shownNow = (named: typeof subjects & { readonly destinations?: typeof destinations }) =>
        scene.outflows.modify(
          named,
          (shown) => Result.succeed({ result: shown.destinations, write: null }),
          null,
        )
      assert.deepStrictEqual(yield* shownNow({ ...subjects, destinations }), [])
      yield* accounts.addDestinations(world.merchantId, () => Result.succeed({ added: [own] }), now)
      assert.deepStrictEqual(yield* shownNow(subjects), [])
      assert.deepStrictEqual(yield* shownNow({ ...subjects, destinations }), [own])
      const destination = { ...own, deletedAt: now }
      yield* accounts.modifyDestination(world.merchantId, own.id, () =>
        Result.succeed({ destination, event: null }),
      )
      assert.deepStrictEqual(yield* shownNow({ ...subjects, destinations }), [destination])
      const decide = ({ payments }: Shown) =>
        Result.succeed({
          result: payments.length,
          write: {
            payments: payments.map((each) => Change.make(each, now, {})),
            outflows: [],
          },
        })
      assert.strictEqual(
        yield* scene.outflows.modify({ ...subjects, destinations }, decide, null),
        1,
      )
    }),
  )

  it.effect("lists the waiting shares of a group, oldest first, with their sum", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, world } = scene
      const merchants = range(3).map(() => world.merchant().id)
      const ages = [5, 3, 3, 9, 1, 7]
      const payments = yield* Effect.forEach(ages, (age, index) =>
        Effect.map(
          pending(scene, 1, {
            now: now - age * 1000,
            ...(merchants[index % 3] !== undefined && { merchantId: merchants[index % 3] }),
          }),
          ([payment]) => payment ?? assert.fail("no payment"),
        ),
      )
      const otherToken = Fixtures.token(world.next())
      // Another family has a chain with the same name.
      const twin = {
        ...world.token,
        chainId: Caip.ChainId.make(`harbour:${Caip.referenceOf(world.token.chainId)}`),
      }
      for (const [overrides, chosen] of [
        [{}, { token: otherToken }],
        [{}, { token: twin, account: Fixtures.account(world.next(), twin.chainId) }],
        [{}, { payTo: Fixtures.address(world.next()) }],
        [{ partnerId: world.other.partnerId }, {}],
        [{ mode: "live" as const }, {}],
      ] as const) {
        yield* pending(scene, 1, overrides, chosen)
      }
      const group = groupOf(payments)
      const expected = payments
        .toSorted(
          (left, right) => left.createdAt - right.createdAt || (left.id < right.id ? -1 : 1),
        )
        .map(({ id: paymentId, merchantId }) => ({ paymentId, merchantId }))
      for (const limit of [1, 3, 6, 100]) {
        assert.deepStrictEqual(
          yield* outflows.waitingShares({ _tag: "Group", group, now }, limit),
          expected.slice(0, limit),
        )
      }
      const sum = payments.reduce((all, each) => all + Balance.pendingQuantity(each), 0n)
      assert.isAbove(Number(sum), 0)
      assert.strictEqual(yield* outflows.pendingQuantity(group, now), sum)
      const elsewhere = { ...group, destination: Fixtures.account(world.next()) }
      assert.deepStrictEqual(
        yield* outflows.waitingShares({ _tag: "Group", group: elsewhere, now }, 9),
        [],
      )
      assert.strictEqual(yield* outflows.pendingQuantity(elsewhere, now), 0n)
      // S3: a share that is held back is left out until then.
      const [back = assert.fail("no payment")] = payments
      const holdBack = (from: number | null) =>
        scene.payments.modifyPayment(back.id, (payment) => {
          const held = { from, dueAt: from ?? now }
          return Result.succeed({
            result: null,
            change: Balance.holdBack(payment, held, now),
          })
        })
      yield* holdBack(now + 1)
      const others = expected.filter(({ paymentId }) => paymentId !== back.id)
      assert.deepStrictEqual(
        yield* outflows.waitingShares({ _tag: "Group", group, now }, 100),
        others,
      )
      const own = Balance.pendingQuantity(back)
      assert.strictEqual(yield* outflows.pendingQuantity(group, now), sum - own)
      assert.deepStrictEqual(
        yield* outflows.waitingShares({ _tag: "Group", group, now: now + 1 }, 100),
        expected,
      )
      assert.strictEqual(yield* outflows.pendingQuantity(group, now + 1), sum)
      yield* holdBack(null)
      // A gathered share no longer waits, and waits again if its outflow is cancelled.
      const [first, second, ...rest] = payments
      if (first === undefined || second === undefined) return assert.fail("no payments")
      const outflow = outflowOf(yield* gather(scene, [first, second]))
      assert.deepStrictEqual(
        (yield* outflows.waitingShares({ _tag: "Group", group, now }, 9))
          .map(({ paymentId }) => paymentId)
          .toSorted(),
        idsIn(rest).toSorted(),
      )
      yield* step(scene, outflow, [first.id, second.id], (current) =>
        Outgoing.regather(current, now, now),
      )
      assert.deepStrictEqual(
        yield* outflows.waitingShares({ _tag: "Group", group, now }, 9),
        expected,
      )
      assert.strictEqual(yield* outflows.pendingQuantity(group, now), sum)
    }),
  )

  it.effect(
    "writes all of many payments and their outflow",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { ledger, lanes, outbox, outflows, payments: store, world } = scene
        const token = Fixtures.token(world.next(), yield* unusedChain(scene))
        const payer = Fixtures.account(world.next(), token.chainId)
        const { outflow, payments } = yield* gathered(scene, 12, { token, account: payer })
        const ids = idsIn(payments)
        assert.deepStrictEqual(yield* Effect.forEach(ids, store.payment), payments)
        assert.deepStrictEqual(yield* findOutflow(outflows, outflow.id), outflow)
        const before = yield* outbox.events(world.tenant, 0, 1000)
        const signed = yield* sign(scene)
        yield* outflows.modify(
          { outflows: [outflow.id], payments: [] },
          Fixtures.decideOn((current) =>
            Outgoing.send(current, Lane.slotOf(signed.transaction), now),
          ),
          null,
          signed,
        )
        assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [signed.transaction])
        const transfer = world.evidenceOf(outflow.movement)
        const paid = yield* step(scene, outflow, ids, (current) =>
          Outgoing.pay(current, transfer, now),
        )
        assert.strictEqual(paid?.payments.length, 12)
        const written = (paid?.payments ?? []).map(({ payment }) => payment)
        assert.deepStrictEqual(yield* Effect.forEach(ids, store.payment), written)
        assert.deepStrictEqual(yield* findOutflow(outflows, outflow.id), paid?.outflows[0]?.outflow)
        const feed = yield* outbox.events(world.tenant, 0, 1000)
        assert.deepStrictEqual(feed.slice(0, before.length), before)
        assert.deepStrictEqual(
          feed.slice(before.length).map(({ event }) => event),
          written.map((payment) => Event.make("payment.settled", payment)),
        )
        for (const { id } of payments) {
          const [collected, settled, ...more] = yield* ledger.ledgerOf(id)
          assert.deepStrictEqual([collected?.kind, settled?.kind, more], ["collect", "settle", []])
        }
        // Its transfer rests in its block, and moves if a reorganisation moves it.
        const resting = Effect.map(restingOn(scene, token.chainId), (all) =>
          all.filter(({ id }) => id === outflow.id),
        )
        assert.deepStrictEqual(yield* resting, [restingOf(outflow, transfer)])
        const to = { ...transfer, blockNumber: 107, blockHash: Fixtures.hash("to"), logIndex: 9 }
        yield* step(scene, outflow, ids, (current) => Outgoing.move(current, transfer, to, now))
        assert.deepStrictEqual(yield* resting, [restingOf(outflow, to)])
        yield* store.modifyPayment(
          (yield* scene.create()).id,
          applyEffects({ claims: [Claim.ofTransfer(transfer)] }),
        )
        yield* step(scene, outflow, ids, (current) =>
          Outgoing.revoke(current, { reason: "it is gone", code: "lost" }, now),
        )
        assert.deepStrictEqual(yield* resting, [])
        for (const { id } of payments) {
          const kinds = (yield* ledger.ledgerOf(id)).map(({ kind }) => kind)
          assert.deepStrictEqual(kinds.slice(0, 2), ["collect", "settle"])
          assert.strictEqual(kinds.length, 3)
        }
      }),
    timeout,
  )

  it.effect.each(causes)("writes nothing after $name", (cause) =>
    Effect.gen(function* () {
      const attempted = yield* prepare
      const { good, outflow, payments, scene } = attempted
      const { lanes, outflows, work, world } = scene
      const ids = idsIn(payments)
      const extra = world.outflowId()
      const signed = yield* sign(scene)
      const transfer = world.evidenceOf(outflow.movement)
      const write = ({ decide, lease, spoil, subject }: Partial<Cause>, lane: Lane.Signed) =>
        outflows.modify(
          {
            outflows: [outflow.id, ...(subject === unknown ? [unknown] : [])],
            payments: [...ids, ...(subject === nobody ? [nobody] : [])],
          },
          ({
            outflows: [current],
            payments: shown,
          }): Result.Result<{ readonly result: null; readonly write: Change.Write }, Refused> => {
            if (decide !== undefined) return decide()
            if (current === undefined) return assert.fail("a decision is shown what it asks for")
            const paid = Outgoing.pay({ outflow: current, payments: shown }, transfer, now)
            if (paid === null) return assert.fail("it can be paid")
            const more = Outflow.make({ ...outflow, id: extra }, now)
            const all = lastPayment(
              {
                payments: paid.payments,
                outflows: [
                  ...paid.outflows,
                  { outflow: more, ledger: [], claims: [], due: { recheck: now } },
                ],
              },
              () => ({ due: { watch: now }, collected: world.collected() }),
            )
            return Result.succeed({ result: null, write: spoil?.(all, attempted) ?? all })
          },
          lease?.(attempted) ?? good,
          lane,
        )
      if (cause.isLaneStale === true) {
        const { lane } = signed.transaction
        const first = { state: signed.state, transaction: Fixtures.laneTransaction(lane, 0) }
        assert.isTrue(yield* lanes.placeInLane(first, null))
      }
      const before = yield* observe(scene, ids, [outflow.id, extra])
      assert.deepStrictEqual(before.outflows, [outflow])
      yield* failsWith(cause.tag, write(cause, signed))
      assert.deepStrictEqual(yield* observe(scene, ids, [outflow.id, extra]), before)
      const options = { limit: 9, leaseInMs: 1, now: now + 1000 }
      for (const kind of Change.outflowWorkKinds) {
        assert.deepStrictEqual(yield* work.claimDueOutflows(kind, options), [])
      }
      assert.deepStrictEqual(yield* work.claimDue("watch", options), [])
      // The failed write took nothing, so it can be written without what made it fail.
      yield* write({}, yield* sign(scene))
      const after = yield* observe(scene, ids, [outflow.id, extra])
      assert.strictEqual(after.outflows.length, 2)
      assert.strictEqual(after.feed.length, before.feed.length + 5)
      assert.include(
        after.resting.map(({ id }) => id),
        outflow.id,
      )
      assert.deepStrictEqual(after.collected.at(-1), [world.collected()])
    }),
  )

  it.effect(
    "shows each of many decisions on the same records what the previous one wrote",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { outflows, payments: store } = scene
        const payments = yield* scene.createMany(6)
        const { id } = yield* create(scene)
        yield* Effect.all(
          [
            atOnce(range(20), (index) => {
              const some = payments.filter((_, at) => (at + index) % 3 !== 0)
              const order = index % 2 === 0 ? some : some.toReversed()
              return outflows.modify(
                { outflows: [id], payments: idsIn(order) },
                (shown) =>
                  Result.succeed({
                    result: null,
                    write: {
                      payments: shown.payments.map((each) => Change.make(each, now, {})),
                      outflows: shown.outflows.map((each) => ({
                        outflow: { ...each, revision: each.revision + 1 },
                        ledger: [],
                        claims: [],
                        due: {},
                      })),
                    },
                  }),
                null,
              )
            }),
            atOnce(payments, (payment) => store.modifyPayment(payment.id, applyEffects({}))),
          ],
          { concurrency: "unbounded" },
        )
        assert.strictEqual((yield* findOutflow(outflows, id)).revision, 20)
        const revisions = yield* Effect.forEach(payments, (each) => store.payment(each.id))
        // Its creation, one write of its own, and two thirds of the 20: none undid another.
        assert.strictEqual(
          revisions.reduce((sum, { revision }) => sum + revision, 0),
          6 + 6 + 20 * 4,
        )
      }),
    timeout,
  )

  it.effect(
    "lets exactly one of 20 concurrent calls gather the same shares",
    () =>
      Effect.gen(function* () {
        for (const _ of range(rounds)) {
          const scene = yield* begin
          const payments = yield* pending(scene, 30)
          const group = groupOf(payments)
          const writes = yield* atOnce(range(20), (index) =>
            gather(scene, index % 2 === 0 ? payments : payments.toReversed()),
          )
          const written = writes.flatMap((write) => (write === null ? [] : [write]))
          assert.strictEqual(written.length, 1, "outflows that were gathered")
          const outflow = outflowOf(written[0] ?? null)
          assert.strictEqual(Outflow.paymentIds(outflow).length, 30)
          assert.deepStrictEqual(
            yield* scene.outflows.waitingShares({ _tag: "Group", group, now }, 99),
            [],
          )
          const open = yield* scene.outflows.openOutflows("test")
          assert.deepStrictEqual(
            open.filter(({ partnerId }) => partnerId === scene.world.tenant.partnerId),
            [outflow],
          )
        }
      }),
    timeout,
  )

  it.effect(
    "puts each share into one outflow, even if many calls gather overlapping shares in any order",
    () =>
      Effect.gen(function* () {
        for (const round of range(rounds)) {
          const scene = yield* begin
          const payments = yield* pending(scene, 30)
          const writes = yield* atOnce(range(20), (index) => {
            const from = (index * 7 + round) % 30
            const some = [...payments.slice(from), ...payments.slice(0, from)].slice(0, 12)
            return gather(scene, index % 2 === 0 ? some : some.toReversed())
          })
          const shares = writes.flatMap((write) =>
            write === null ? [] : Outflow.paymentIds(outflowOf(write)),
          )
          assert.deepStrictEqual(shares.toSorted(), idsIn(payments).toSorted())
          for (const write of writes) {
            for (const { payment } of write?.payments ?? []) {
              assert.deepStrictEqual(yield* scene.payments.payment(payment.id), payment)
            }
          }
        }
      }),
    timeout,
  )

  it.effect(
    "lets exactly one of a refund and a sender have a share that was gathered",
    () =>
      Effect.gen(function* () {
        const winners = new Set<string>()
        for (const round of range(rounds * 4)) {
          const scene = yield* begin
          const { lanes, outflows, payments: store, world } = scene
          const { outflow, payments } = yield* gathered(scene, 4)
          const ids = idsIn(payments)
          const [first] = ids
          const signed = yield* sign(scene)
          const slot = Lane.slotOf(signed.transaction)
          const send = Effect.map(
            outflows.modify(
              { outflows: [outflow.id], payments: [] },
              Fixtures.decideOn((current) => Outgoing.send(current, slot, now)),
              null,
              signed,
            ),
            (write) => write !== null,
          )
          const refund = outflows.modify(
            { outflows: [outflow.id], payments: ids },
            ({ outflows: [current], payments: shown }) => {
              const [payment] = shown
              if (current === undefined || payment === undefined) return assert.fail("no records")
              const refunds = {
                refund: Refund.RefundId.make(`rfnd_${payment.id.slice("pay_".length)}`),
                outflow: world.outflowId(),
              }
              const carrying = { outflow: current, payments: shown }
              return Result.map(Outgoing.refund(payment, refunds, carrying, now), (write) => ({
                result: write.outflows.length > 1,
                write,
              }))
            },
            null,
          )
          // First one after another, in either order, and then at the same time.
          const isAtOnce = { concurrency: round < 2 ? 1 : ("unbounded" as const) }
          const [isSent, isTakenBack] =
            round % 2 === 0
              ? yield* Effect.all([send, refund], isAtOnce)
              : (yield* Effect.all([refund, send], isAtOnce)).toReversed()
          assert.notStrictEqual(isSent, isTakenBack, "both have the share, or neither")
          winners.add(isSent === true ? "sender" : "refund")
          const { state } = yield* findOutflow(outflows, outflow.id)
          assert.strictEqual(state._tag, isSent ? "Sent" : "Cancelled")
          assert.strictEqual((yield* lanes.laneTransactions(world.lane, 0)).length, isSent ? 1 : 0)
          for (const id of ids) {
            const payment = yield* store.payment(id)
            if (payment.state._tag !== "Succeeded") return assert.fail("it was paid")
            const { entry } = payment.state
            const refunded = Payment.refundOf(payment)
            const isFirst = id === first
            assert.strictEqual(
              Entry.status(entry),
              isSent ? "processing" : isFirst ? "cancelled" : "waiting",
            )
            assert.strictEqual(refunded === null, !isFirst)
            if (refunded !== null) assert.strictEqual(Refund.drawsOnFloat(refunded), isSent)
          }
        }
        assert.deepStrictEqual(winners, new Set(["sender", "refund"]))
      }),
    timeout,
  )

  it.effect(
    "gathers and pays 500 payments in one write each",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { outflow, payments } = yield* gathered(scene, 500)
        assert.strictEqual(Outflow.paymentIds(outflow).length, 500)
        const paid = yield* step(scene, outflow, idsIn(payments), (current) =>
          Outgoing.pay(current, scene.world.evidenceOf(outflow.movement), now),
        )
        assert.strictEqual(paid?.payments.length, 500)
        for (const { payment } of paid?.payments.slice(-3) ?? []) {
          assert.deepStrictEqual(yield* scene.payments.payment(payment.id), payment)
        }
        const balance = yield* Stores.balanceOf(
          scene.ledger,
          "test",
          { _tag: "Owed", merchantId: scene.world.merchantId, address: scene.world.payTo },
          scene.world.token,
        )
        assert.strictEqual(balance, 0n)
      }),
    timeout,
  )

  const claim = ({ work }: Scene, at: number, limit = 100, leaseInMs = 1000) =>
    work.claimDueOutflows("send", { limit, leaseInMs, now: at })

  /** A scene in which only work of the test is due. */
  const quiet = Effect.tap(begin, ({ clearDueOutflows }) =>
    Effect.forEach(Change.outflowWorkKinds, clearDueOutflows),
  )

  it.effect("are claimed once their work is due, oldest due time first", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      const idle = yield* scene.work.nextDueAt("send")
      assert.isTrue(idle === null || idle >= farFuture)
      const made = yield* Effect.forEach([7, 3, 9, 1, 5], (at) =>
        Effect.map(create(scene, { send: now + at }), (outflow) => ({ at, outflow })),
      )
      yield* create(scene, { recheck: now })
      assert.strictEqual(yield* scene.work.nextDueAt("send"), now + 1)
      assert.strictEqual(yield* scene.work.nextDueAt("recheck"), now)
      assert.deepStrictEqual(yield* claim(scene, now), [])
      const order = made.toSorted((left, right) => left.at - right.at).map(({ outflow }) => outflow)
      const seen: Array<Outflow.Outflow> = []
      for (const limit of [1, 1, 2, 9]) {
        const claimed = yield* claim(scene, now + 10, limit)
        for (const { lease, outflow } of claimed) {
          assert.strictEqual(lease.id, outflow.id)
          assert.strictEqual(lease.kind, "send")
          seen.push(outflow)
        }
      }
      assert.deepStrictEqual(seen, order)
    }),
  )

  it.effect("have one holder of their work, until the lease expires or the work is written", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      const { id } = yield* create(scene, { send: now, recheck: now })
      const [first] = yield* claim(scene, now, 1, 10)
      assert.deepStrictEqual(yield* claim(scene, now + 9), [])
      assert.strictEqual(yield* scene.work.nextDueAt("send"), now + 10)
      const [second] = yield* claim(scene, now + 10, 1, 10)
      if (first === undefined || second === undefined) return assert.fail("nothing was due")
      assert.notStrictEqual(first.lease.fence, second.lease.fence)
      yield* failsWith("LeaseLost", touch(scene, id, { send: null }, first.lease))
      yield* failsWith("LeaseLost", scene.work.postpone(first.lease, now, 0))
      // A write that does not name the work leaves the lease with its holder.
      yield* touch(scene, id, {})
      yield* touch(scene, id, { recheck: null }, second.lease)
      yield* touch(scene, id, { send: now + 20 }, second.lease)
      yield* failsWith("LeaseLost", touch(scene, id, {}, second.lease))
      const [third] = yield* claim(scene, now + 20)
      assert.deepStrictEqual(third?.outflow, yield* findOutflow(scene.outflows, id))
      if (third === undefined) return assert.fail("nothing was due")
      yield* touch(scene, id, { send: null }, third.lease)
      assert.deepStrictEqual(yield* claim(scene, farFuture), [])
    }),
  )

  it.effect("are released to be due later, and keep how often they failed", () =>
    Effect.gen(function* () {
      const scene = yield* quiet
      const { id } = yield* create(scene, { send: now })
      for (const failures of range(3)) {
        const at = now + failures * 10
        const [claimed] = yield* claim(scene, at)
        if (claimed === undefined) return assert.fail("nothing was due")
        assert.strictEqual(claimed.failures, failures)
        yield* scene.work.postpone(claimed.lease, at + 10, failures + 1)
        yield* failsWith("LeaseLost", scene.work.postpone(claimed.lease, at, 0))
        assert.strictEqual(yield* scene.work.nextDueAt("send"), at + 10)
      }
      yield* touch(scene, id, { send: now })
      assert.strictEqual((yield* claim(scene, now))[0]?.failures, 0)
    }),
  )

  it.effect(
    "go to one of many workers each time: nothing twice, nothing left",
    () =>
      Effect.gen(function* () {
        const scene = yield* quiet
        const made = yield* Effect.forEach(range(60), (at) => create(scene, { send: now + at }), {
          concurrency: 10,
        })
        const claims = yield* atOnce(range(10), () => claim(scene, now + 100, 7, 60_000))
        const rest = yield* claim(scene, now + 100, 100, 60_000)
        assert.deepStrictEqual(
          [...claims.flat(), ...rest].map(({ outflow }) => outflow.id).toSorted(),
          made.map(({ id }) => id).toSorted(),
        )
      }),
    timeout,
  )
}
