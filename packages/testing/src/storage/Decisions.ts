/**
 * Decisions on payments: one order, one winner, all or nothing.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Refunding from "@florin/core/domain/books/Refunding"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Claim from "@florin/core/domain/chain/Claim"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import type { Lease } from "@florin/core/ports/DueWork"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import type * as Stores from "../Stores.ts"
import { unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  applyEffects,
  fixedDecision,
  reportChange,
  failsWith,
  type It,
  lookalikes,
  modifyInLane,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures
const unknown = PaymentId.PaymentId.make("pay_nobody")
const rounds = Counts.of({ usual: 2, full: 200 })
/** A decision runs again whenever another one wrote first. A busy machine can run about this many at the same time. */
const atOnceMany = Counts.of({ usual: 16, full: 100 })

type Contestant = (
  payment: Payment.Payment,
  index: number,
) => ReturnType<typeof PaymentTransition.cancel>

const confirm =
  (scene: Scene): Contestant =>
  (payment, index) =>
    PaymentTransition.confirm(
      payment,
      scene.world.attempt(payment, {
        option: { account: Fixtures.account(`${payment.id}/${index}`) },
      }),
      now,
    )
const cancelByUser: Contestant = (payment) =>
  PaymentTransition.cancel(payment, "cancelled_by_user", now)
const cancelByMerchant: Contestant = (payment) =>
  PaymentTransition.cancel(payment, "cancelled_by_merchant", now)
/** Its clock is a little ahead: for it, the payment has expired. */
const expire: Contestant = (payment) => PaymentTransition.expire(payment, payment.expiresAt * 1000)

/** The decisions that compete. A loser is refused or, like the second of two cancellations, has nothing left to do. */
const races: ReadonlyArray<{
  readonly name: string
  readonly contestants: (scene: Scene) => ReadonlyArray<Contestant>
}> = [
  { name: "different confirms", contestants: (scene) => [confirm(scene)] },
  {
    name: "confirm and cancel by the user",
    contestants: (scene) => [confirm(scene), cancelByUser],
  },
  {
    name: "confirm and cancel by the merchant",
    contestants: (scene) => [confirm(scene), cancelByMerchant],
  },
  { name: "confirm and expire", contestants: (scene) => [confirm(scene), expire] },
  { name: "both cancels", contestants: () => [cancelByUser, cancelByMerchant] },
  {
    name: "everything",
    contestants: (scene) => [confirm(scene), cancelByUser, cancelByMerchant, expire],
  },
]

/** Everything in which a change is visible. */
const observe = Effect.fnUntraced(function* (
  { payments, lanes, ledger, outbox, world, balances }: Scene,
  id: PaymentId.PaymentId,
) {
  return {
    payment: yield* payments.payment(id),
    events: yield* outbox.eventsOf(id),
    feed: yield* outbox.events(world.tenant, 0, 1000),
    waiting: yield* outbox.eventsOf(id, "waiting"),
    ledger: yield* ledger.ledgerOf(id),
    balances: yield* balances(),
    lane: yield* lanes.laneTransactions(world.lane, 0),
    collected: yield* payments.collected(id),
  }
})

interface Attempted {
  readonly scene: Scene
  /** Taken by another payment. */
  readonly transfer: Claim.Claim
  readonly authorization: Claim.Claim
  readonly good: Lease
  readonly stale: Lease
}

interface Cause {
  readonly name: string
  /** Adds what makes the change impossible. */
  readonly spoil: (
    effects: Change.Effects,
    attempted: Attempted,
  ) => Pick<Change.Effects, "claims" | "ledger">
  readonly decide?: (change: Change.Change) => Result.Result<Stores.Decision<string>, Refused>
  readonly lease?: (attempted: Attempted) => Lease
  readonly tag: string | null
}

interface Refused {
  readonly _tag: "Refused"
}

const unspoilt = () => ({})

const causes: ReadonlyArray<Cause> = [
  {
    name: "a claimed transfer",
    spoil: ({ claims = [] }, { transfer }) => ({ claims: [...claims, transfer] }),
    tag: "ClaimTaken",
  },
  {
    name: "a claimed authorization",
    spoil: ({ claims = [] }, { authorization }) => ({ claims: [...claims, authorization] }),
    tag: "ClaimTaken",
  },
  {
    name: "an overdrawn account",
    spoil: ({ ledger = [] }, { scene: { world } }) => ({
      ledger: [
        ...ledger,
        Ledger.netting({
          collecting: world.payTo,
          merchantId: world.merchantId,
          token: world.token,
          quantity: Fixtures.quantity(1n),
        }),
      ],
    }),
    tag: "Overdrawn",
  },
  {
    name: "float that the account does not have",
    // The account holds enough, but a part of it belongs to others.
    spoil: ({ ledger = [] }, { scene: { world } }) => ({
      ledger: [
        ...ledger,
        Ledger.suspension({
          payer: world.destinationAccount,
          collecting: world.payTo,
          token: world.token,
          quantity: Fixtures.quantity(50n),
        }),
        Ledger.withdrawal({
          collecting: world.payTo,
          token: world.token,
          quantity: Fixtures.quantity(1001n),
        }),
      ],
    }),
    tag: "Overdrawn",
  },
  { name: "a lost lease", spoil: unspoilt, lease: ({ stale }) => stale, tag: "LeaseLost" },
  {
    name: "a decision that fails",
    spoil: unspoilt,
    decide: () => Result.fail({ _tag: "Refused" }),
    tag: "Refused",
  },
  {
    name: "a decision whose change is null",
    spoil: unspoilt,
    decide: () => Result.succeed({ result: "nothing", change: null }),
    tag: null,
  },
  {
    name: "a decision without a change",
    spoil: unspoilt,
    decide: () => Result.succeed({ result: "nothing" }),
    tag: null,
  },
]

/** A confirmed payment with leased work, and claims that others took. */
const prepare = Effect.gen(function* () {
  const scene = yield* begin
  const { payments, world, create, claimOne, clearDue } = scene
  yield* clearDue("collect")
  yield* clearDue("watch")
  const other = yield* create()
  const taken = world.attempt(other)
  const transfer = Claim.ofTransfer(world.evidence(taken))
  const authorization = Claim.ofAuthorization(taken.option)
  yield* payments.modifyPayment(other.id, applyEffects({ claims: [transfer, authorization] }))
  const { id } = yield* scene.reach("confirmed")
  const stale = yield* claimOne("collect", now, 10)
  const good = yield* claimOne("collect", now + 20)
  return { scene, id, other, transfer, authorization, good, stale }
})

/** USDC on Base: a quantity of a token may be larger than an amount in any currency. */
const usdcOnBase = "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"

export const decisions = (it: It): void => {
  it.effect(
    "keeps every part of a payment that succeeded, whichever of them a change touches",
    () =>
      Effect.gen(function* () {
        const { outbox, payments, reach, world } = yield* begin
        const { id } = yield* reach("settled")
        type Paid = Payment.Payment & {
          readonly state: Extract<Payment.State, { readonly _tag: "Succeeded" }>
        }
        const isPaid = (payment: Payment.Payment): payment is Paid =>
          payment.state._tag === "Succeeded"
        const steps: ReadonlyArray<(paid: Paid) => Payment.Payment> = [
          (paid) => ({ ...paid, auditedSince: now }),
          (paid) => ({
            ...paid,
            state: { ...paid.state, transfer: { ...paid.state.transfer, blockHash: "0xother" } },
          }),
          (paid) => ({
            ...paid,
            state: { ...paid.state, entry: { ...paid.state.entry, heldUntil: now } },
          }),
          (paid) => {
            const { auditedSince: _, ...rest } = paid
            const entry = { ...paid.state.entry, heldUntil: now + 1 }
            const lost = { reason: "it is gone", lostAt: now }
            return { ...rest, state: { ...paid.state, entry, lost } }
          },
        ]
        for (const step of steps) {
          const written = yield* payments.modifyPayment(id, (current) => {
            if (!isPaid(current)) return assert.fail("it was paid")
            const change = Change.make(step(current), now, { event: "settlement.held" })
            return Result.succeed({ result: change.payment, change })
          })
          assert.deepStrictEqual(yield* payments.payment(id), written)
          assert.deepStrictEqual((yield* outbox.eventsOf(id)).at(-1)?.payment, written)
        }
        for (const value of [100n, 234n]) {
          const part = Refunding.part(
            { unit: Amount.fiat("USD"), quantity: Fixtures.quantity(value) },
            Catalog.empty,
          )
          const ids = {
            refund: Refund.RefundId.make(`rfnd_${value}${id.slice("pay_".length)}`),
            outflow: world.outflowId(),
          }
          const written = yield* payments.modifyPayment(id, (current) =>
            Result.map(Refunding.request(current, ids, null, now, null, part), ({ change }) => ({
              result: change.payment,
              change,
            })),
          )
          assert.deepStrictEqual(
            yield* payments.payment({ tenant: world.tenant, refundId: ids.refund }),
            written,
          )
          assert.strictEqual((yield* outbox.eventsOf(id)).at(-1)?.refundId, ids.refund)
        }
        const { revenue } = yield* payments.paymentStats(
          world.tenant,
          PaymentFilter.unfiltered,
          now,
        )
        assert.deepStrictEqual(
          revenue.map(({ refunded }) => refunded),
          [334n],
        )
      }),
  )

  it.effect.each(Fixtures.stages.map((stage) => ({ stage })))(
    "reads back a payment as it was written: $stage",
    ({ stage }) =>
      Effect.gen(function* () {
        const { payments, reach } = yield* begin
        const written = yield* reach(stage, {
          referenceId: "Ünï-✓ 'quoted\" \\ % _ 𝔘",
          amount: { unit: usdcOnBase, value: (2n ** 256n - 1n).toString() },
          checkout: { successUrl: "https://a.example/?x=1#y", errorUrl: "https://b.example/" },
        })
        assert.deepStrictEqual(yield* payments.payment(written.id), written)
      }),
  )

  it.effect("finds no payment that was never created", () =>
    Effect.gen(function* () {
      const { payments, outflows, lanes, ledger, outbox, world } = yield* begin
      const failure = yield* failsWith("NotFound", payments.payment(unknown))
      assert.strictEqual(failure._tag === "NotFound" && failure.what, "payment")
      yield* failsWith("NotFound", payments.modifyPayment(unknown, fixedDecision(0, null)))
      yield* failsWith(
        "NotFound",
        modifyInLane({ lanes, outflows }, { lane: world.lane }, unknown, fixedDecision(0, null)),
      )
      assert.deepStrictEqual(yield* outbox.eventsOf(unknown), [])
      assert.deepStrictEqual(yield* ledger.ledgerOf(unknown), [])
    }),
  )

  it.effect("returns the result of the decision, or its failure", () =>
    Effect.gen(function* () {
      const { payments, create } = yield* begin
      const { id } = yield* create()
      assert.deepStrictEqual(yield* payments.modifyPayment(id, fixedDecision({ a: 1 }, null)), {
        a: 1,
      })
      const failure = yield* Effect.flip(
        payments.modifyPayment(id, () => Result.fail({ _tag: "Refused", why: 7 })),
      )
      assert.deepStrictEqual(failure, { _tag: "Refused", why: 7 })
    }),
  )

  it.effect("shows each decision what the previous one wrote", () =>
    Effect.gen(function* () {
      const { payments, create } = yield* begin
      const { id } = yield* create()
      for (const index of range(10)) {
        const seen = yield* payments.modifyPayment(id, (current) =>
          Result.succeed({
            result: current,
            change: Change.make({ ...current, referenceId: `order ${index}` }, now, {}),
          }),
        )
        assert.strictEqual(seen.referenceId, index === 0 ? "order 1" : `order ${index - 1}`)
        assert.strictEqual(seen.revision, index + 1)
      }
    }),
  )

  it.effect(`loses none of ${atOnceMany} concurrent decisions on one payment`, () =>
    Effect.gen(function* () {
      const { payments, create } = yield* begin
      const { id } = yield* create()
      const written = yield* atOnce(range(atOnceMany), () =>
        payments.modifyPayment(id, applyEffects({})),
      )
      assert.deepStrictEqual(
        written.map((each) => each.revision).toSorted((left, right) => left - right),
        range(atOnceMany).map((index) => index + 2),
      )
      assert.strictEqual((yield* payments.payment(id)).revision, atOnceMany + 1)
    }),
  )

  it.effect.each(races)(
    "lets exactly one of 100 concurrent decisions succeed: $name",
    ({ contestants }) =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { payments, outbox, create } = scene
        const ways = contestants(scene)
        for (const round of range(rounds)) {
          const { id } = yield* create()
          const outcomes = yield* atOnce(range(100), (index) => {
            // Another decision is first in each round.
            const way = ways[(index + round) % ways.length] ?? cancelByUser
            return Effect.result(
              payments.modifyPayment(id, (payment) =>
                Result.map(way(payment, index), (change) => ({ result: change, change })),
              ),
            )
          })
          const changes = outcomes.flatMap((each) =>
            Result.isSuccess(each) && each.success !== null ? [each.success] : [],
          )
          assert.strictEqual(changes.length, 1, "winners")
          for (const each of outcomes) {
            if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "StateRefused")
          }
          if (ways.length === 1) {
            assert.strictEqual(outcomes.filter(Result.isFailure).length, 99, "refusals")
          }
          const payment = yield* payments.payment(id)
          assert.deepStrictEqual(payment, changes[0]?.payment)
          assert.strictEqual(payment.stateVersion, 1)
          assert.strictEqual(payment.revision, 2)
          const events = yield* outbox.eventsOf(id)
          assert.deepStrictEqual(
            events.map((event) => event.type),
            ["payment.created", changes[0]?.event],
          )
        }
      }),
    timeout,
  )

  it.effect("writes all of a change", () =>
    Effect.gen(function* () {
      const { scene, id, good } = yield* prepare
      const { payments, work, world, create, claimOne } = scene
      const before = yield* observe(scene, id)
      const claim = Claim.ofTransfer(world.evidence(world.attempt(before.payment)))
      const funded = Ledger.funding({
        collecting: world.payTo,
        token: world.token,
        quantity: Fixtures.quantity(1000n),
      })
      const collected = world.collected()
      const next = yield* modifyInLane(
        scene,
        { lane: world.lane, floor: 5, lease: good },
        id,
        (current) => {
          const change = Change.make({ ...current, auditedSince: now }, now, {
            event: "payment.settled",
            ledger: [funded],
            claims: [claim],
            due: { collect: null, watch: now },
            collected,
          })
          return Result.succeed({ result: change.payment, change })
        },
      )
      const after = yield* observe(scene, id)
      assert.deepStrictEqual(after.payment, next)
      assert.strictEqual(next.auditedSince, now)
      assert.strictEqual(next.stateVersion, before.payment.stateVersion + 1)
      assert.deepStrictEqual(after.events.slice(0, -1), before.events)
      assert.deepStrictEqual(after.events.at(-1)?.payment, next)
      assert.deepStrictEqual(after.feed.at(-1)?.event, after.events.at(-1))
      assert.strictEqual(after.feed.length, before.feed.length + 1)
      assert.deepStrictEqual(after.waiting, after.events)
      assert.deepStrictEqual(after.ledger, [funded])
      assert.deepStrictEqual(
        after.balances.get(
          Ledger.balanceKey(
            { _tag: "Collecting", chainId: world.token.chainId, address: world.payTo },
            world.token,
          ),
        ),
        1000n,
      )
      assert.deepStrictEqual(after.lane, [Fixtures.laneTransaction(world.lane, 5)])
      assert.deepStrictEqual(after.collected, [collected])
      const another = yield* create()
      const failure = yield* failsWith(
        "ClaimTaken",
        payments.modifyPayment(another.id, applyEffects({ claims: [claim] })),
      )
      assert.strictEqual(failure._tag === "ClaimTaken" && failure.claim, Claim.key(claim))
      assert.deepStrictEqual(
        yield* work.claimDue("collect", { limit: 10, leaseInMs: 1000, now: now + 100_000 }),
        [],
      )
      yield* claimOne("watch", now)
    }),
  )

  for (const inLane of [false, true]) {
    it.effect.each(causes)(
      `writes nothing${inLane ? ", and takes no nonce," : ""} after $name`,
      (cause) =>
        Effect.gen(function* () {
          const prepared = yield* prepare
          const { scene, id, other, good } = prepared
          const { payments, lanes, work, world } = scene
          const before = yield* observe(scene, id)
          const free = Claim.ofTransfer(world.evidence(world.attempt(before.payment)))
          const effects: Change.Effects = {
            event: "payment.settled",
            ledger: [
              Ledger.funding({
                collecting: world.payTo,
                token: world.token,
                quantity: Fixtures.quantity(1000n),
              }),
            ],
            claims: [free],
            due: { collect: now + 1, watch: now },
            collected: world.collected(),
          }
          const decide = (current: Payment.Payment) => {
            const change = Change.make({ ...current, referenceId: "changed" }, now, {
              ...effects,
              ...cause.spoil(effects, prepared),
            })
            return cause.decide?.(change) ?? Result.succeed({ result: "written", change })
          }
          const lease = cause.lease?.(prepared)
          const outcome = yield* Effect.result(
            inLane
              ? modifyInLane(
                  scene,
                  { lane: world.lane, floor: 5, ...(lease !== undefined && { lease }) },
                  id,
                  decide,
                )
              : payments.modifyPayment(id, decide, lease),
          )
          if (cause.tag === null) {
            assert.deepStrictEqual(outcome, Result.succeed("nothing"))
          } else {
            assert.strictEqual(
              Result.isFailure(outcome) ? outcome.failure._tag : "a success",
              cause.tag,
            )
          }
          assert.deepStrictEqual(yield* observe(scene, id), before)
          // The due work is unchanged, and so is its lease.
          assert.deepStrictEqual(
            yield* work.claimDue("watch", { limit: 10, leaseInMs: 1000, now: now + 10_000 }),
            [],
          )
          assert.deepStrictEqual(
            yield* work.claimDue("collect", { limit: 10, leaseInMs: 1000, now: now + 30 }),
            [],
          )
          yield* payments.modifyPayment(id, applyEffects({ due: { collect: null } }), good)
          // The change's claim is still free, and the nonce is the next one.
          yield* payments.modifyPayment(other.id, applyEffects({ claims: [free] }))
          yield* modifyInLane(scene, { lane: world.lane, floor: 5 }, id, applyEffects({}))
          const [sent] = yield* lanes.laneTransactions(world.lane, 0)
          assert.strictEqual(sent?.nonce, 5)
        }),
    )
  }

  it.effect(
    "gives a transfer to exactly one of many payments that claim it concurrently",
    () =>
      Effect.gen(function* () {
        const { payments: paymentStore, ledger: ledgerStore, world, reach } = yield* begin
        for (const _ of range(Counts.of({ usual: 1, full: 20 }))) {
          const payments = yield* Effect.forEach(range(100), () => reach("confirmed"), {
            concurrency: 10,
          })
          const hashes = range(10).map(() => Fixtures.hash(world.next()))
          const outcomes = yield* atOnce(payments, (payment, index) => {
            const txHash = hashes[index % 10] ?? ""
            const evidence = world.evidence(world.attempt(payment), { txHash })
            return Effect.map(
              Effect.result(
                paymentStore.modifyPayment(
                  payment.id,
                  reportChange((current) =>
                    PaymentTransition.succeed(current, evidence, null, now),
                  ),
                ),
              ),
              (result) => ({ result, which: index % 10, id: payment.id }),
            )
          })
          for (const which of range(10)) {
            const contest = outcomes.filter((each) => each.which === which)
            const winners = contest.filter((each) => Result.isSuccess(each.result))
            assert.strictEqual(winners.length, 1, "payments that a transfer paid")
            for (const { result, id } of contest) {
              const payment = yield* paymentStore.payment(id)
              const ledger = yield* ledgerStore.ledgerOf(id)
              if (Result.isSuccess(result)) {
                assert.strictEqual(payment.state._tag, "Succeeded")
                assert.strictEqual(ledger.length, 1)
              } else {
                assert.strictEqual(result.failure._tag, "ClaimTaken")
                assert.strictEqual(payment.state._tag, "Processing")
                assert.strictEqual(ledger.length, 0)
              }
            }
          }
        }
      }),
    timeout,
  )

  it.effect("keeps a claim forever, even against the payment that made it", () =>
    Effect.gen(function* () {
      const { payments, world, create } = yield* begin
      const first = yield* create()
      const second = yield* create({ mode: "live", partnerId: world.other.partnerId })
      const evidence = world.evidence(world.attempt(first))
      const claim = Claim.ofTransfer(evidence)
      yield* payments.modifyPayment(first.id, applyEffects({ claims: [claim] }))
      for (const { id } of [first, second]) {
        const failure = yield* failsWith(
          "ClaimTaken",
          payments.modifyPayment(
            id,
            applyEffects({ claims: [claim] }, now + 10 * 365 * 86_400_000),
          ),
        )
        assert.strictEqual(failure._tag === "ClaimTaken" && failure.claim, Claim.key(claim))
      }
    }),
  )

  it.effect("distinguishes claims by each of their parts", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, world, create } = scene
      const { id } = yield* create()
      const [here, there, other] = lookalikes(scene, yield* unusedChain(scene))
      const option = world.option(yield* create())
      const transfer = Claim.ofTransfer(world.evidence(world.attempt(yield* create())))
      if (transfer._tag !== "Transfer") return assert.fail("a claim of another kind")
      const authorization = Claim.ofAuthorization(option)
      if (authorization._tag !== "Authorization") return assert.fail("a claim of another kind")
      const claims: ReadonlyArray<Claim.Claim> = [
        transfer,
        { ...transfer, logIndex: transfer.logIndex + 1 },
        { ...transfer, txHash: Fixtures.hash(world.next()) },
        { ...transfer, chainId: Fixtures.otherChainId },
        authorization,
        { ...authorization, nonce: Fixtures.hash(world.next()) },
        { ...authorization, authorizer: Fixtures.address(world.next()) },
        { ...authorization, token: Fixtures.token(world.next()) },
        { ...authorization, token: here },
        { ...authorization, token: there },
        { ...authorization, token: other },
        { ...authorization, authorizer: there.address },
        { ...authorization, authorizer: other.address },
        { ...transfer, chainId: here.chainId },
        { ...transfer, chainId: there.chainId },
      ]
      for (const claim of claims) {
        yield* payments.modifyPayment(id, applyEffects({ claims: [claim] }))
      }
      for (const claim of claims) {
        yield* failsWith(
          "ClaimTaken",
          payments.modifyPayment(id, applyEffects({ claims: [claim] })),
        )
      }
    }),
  )
}
