/**
 * The setup of each rule of the storage suite: its own world in a storage that may hold others.
 *
 * @module
 */
import { assert, type Vitest } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Lane from "@florin/core/domain/outflow/Lane"
import * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import { type Lease, DueWork } from "@florin/core/ports/DueWork"
import { inTurn, LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import type { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"

/** The test API that a part of the suite uses. */
export type It = Vitest.MethodsNonLive<Storage>

/** Long enough for an adapter that talks to a real database. */
export const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** Later than anything that a test makes due, and earlier than the end of any clock. */
export const farFuture = 8_000_000_000_000

let worlds = 0

/** A world whose names were not used in this storage before. */
const unusedWorld = Effect.fnUntraced(function* (accounts: AccountStore["Service"]) {
  for (;;) {
    const world = Fixtures.make(`s${++worlds}`)
    const known = yield* Effect.result(findPartner(accounts, world.tenant.partnerId))
    if (Result.isSuccess(known)) continue
    if (known.failure._tag === "NotFound") return world
    return yield* known.failure
  }
})

/** A decision with a fixed result. */
export const fixedDecision =
  <A>(result: A, change: Change.Change | null) =>
  () =>
    Result.succeed({ result, change })

/** A decision that returns whether it changed anything. */
export const reportChange =
  <E>(decide: (payment: Payment.Payment) => Result.Result<Change.Change | null, E>) =>
  (payment: Payment.Payment): Result.Result<Stores.Decision<boolean>, E> =>
    Result.map(decide(payment), (change) => ({ result: change !== null, change }))

/** A decision that only does what the given effects say. */
export const applyEffects =
  (effects: Change.Effects, at: number = Fixtures.now) =>
  (payment: Payment.Payment): Result.Result<Stores.Decision<Payment.Payment>> => {
    const change = Change.make(payment, at, effects)
    return Result.succeed({ result: change.payment, change })
  }

export const begin = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const responses = yield* ResponseStore
  const outflows = yield* OutflowStore
  const payments = { ...(yield* PaymentStore), modifyPayment: Stores.modifyPayment(outflows) }
  const lanes = yield* LaneStore
  const work = yield* DueWork
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const world = yield* unusedWorld(accounts)
  yield* Stores.putPartner(accounts, world.partner())
  yield* Stores.putPartner(
    accounts,
    world.partner({ id: world.other.partnerId, name: "Another partner" }),
  )

  const create = Effect.fnUntraced(function* (overrides: Fixtures.PaymentOverrides = {}) {
    const change = world.createPayment(overrides)
    yield* payments.createPayment(change, null, "{}", Fixtures.now)
    return change.payment
  })

  const createMany = (count: number, overrides: Fixtures.PaymentOverrides = {}) =>
    Effect.forEach(range(count), () => create(overrides), { concurrency: 10 })

  /** Writes a whole path, write by write. */
  const walk = Effect.fnUntraced(function* (path: ReadonlyArray<Change.Write>) {
    for (const write of path) yield* Fixtures.store({ ...payments, ...outflows }, write)
    return Fixtures.paymentAfter(path)
  })

  /** Writes a fixed result, whatever the state of the records. */
  const put = (write: Change.Write, lease: Lease | null = null) =>
    outflows.modify(
      Fixtures.subjectsOf(write),
      () => Result.succeed({ result: null, write }),
      lease,
    )

  const reach = (stage: Fixtures.Stage, overrides: Fixtures.PaymentOverrides = {}) =>
    walk(world.path(stage, overrides))

  /** Makes work due for a payment, and changes nothing else. */
  const makeDue = (payment: Pick<Payment.Payment, "id">, due: Change.Due) =>
    payments.modifyPayment(payment.id, applyEffects({ due }))

  /** Removes everything that is due for good, whichever test left it. */
  const clearDue = (kind: Change.WorkKind) =>
    Effect.repeat(work.claimDue(kind, { limit: 1000, leaseInMs: farFuture, now: farFuture }), {
      until: (claimed) => claimed.length === 0,
    })

  /** The same for outflows. */
  const clearDueOutflows = (kind: Change.OutflowWorkKind) =>
    Effect.repeat(
      work.claimDueOutflows(kind, { limit: 1000, leaseInMs: farFuture, now: farFuture }),
      { until: (claimed) => claimed.length === 0 },
    )

  /** Makes deliveries of everything that waits, whichever test left it. */
  const fanOut = Effect.repeat(outbox.fanOut(1000, Webhook.deliveryOf), {
    until: (count) => count === 0,
  })

  const clearDeliveries = Effect.andThen(
    fanOut,
    // Each delivery allows the next one of its payment to be claimed.
    outbox
      .claimDeliveries({ limit: 1000, leaseInMs: farFuture, now: farFuture })
      .pipe(
        Effect.tap(
          Effect.forEach(({ delivery, fence }) =>
            Effect.ignore(outbox.finishDelivery(Webhook.abandon(delivery), fence)),
          ),
        ),
        Effect.repeat({ until: (claimed) => claimed.length === 0 }),
      ),
  )

  /** The lease on the one payment that is due. */
  const claimOne = Effect.fnUntraced(function* (
    kind: Change.WorkKind,
    at: number,
    leaseInMs = 1000,
  ) {
    const claimed = yield* work.claimDue(kind, { limit: 2, leaseInMs, now: at })
    assert.strictEqual(claimed.length, 1, `work of kind ${kind} that is due`)
    const [first] = claimed
    return first === undefined ? yield* Effect.die("nothing was due") : first.lease
  })

  /** Writes a movement of the operator's own money, under a new key. */
  const post = (transaction: Ledger.Transaction, mode: Mode.Mode = "test") =>
    ledger.post(mode, Fixtures.key(world.next()), transaction)

  /** The balances of accounts in the world's token, without those that are 0. */
  const balances = (token = world.token) => Effect.map(ledger.balances("test", token), nonZero)

  return {
    accounts,
    responses,
    payments,
    outflows,
    lanes,
    work,
    ledger,
    outbox,
    world,
    create,
    createMany,
    walk,
    reach,
    makeDue,
    clearDue,
    clearDueOutflows,
    put,
    fanOut,
    clearDeliveries,
    claimOne,
    post,
    balances,
  }
})

export type Scene = Effect.Success<typeof begin>

/**
 * Accounts or tokens that are easily mixed up: on a chain, on the chain of another family with the same name, and there
 * with a letter in the other case. None of the addresses is hex.
 */
export const lookalikes = (
  { world }: Pick<Scene, "world">,
  chainId: Caip.ChainId,
): readonly [Caip.Account, Caip.Account, Caip.Account] => {
  const twin = Caip.ChainId.make(`harbour:${Caip.referenceOf(chainId)}`)
  const name = world.next()
  const address = Caip.Address.make(`Quay.${name}-%7E`)
  return [
    { chainId, address },
    { chainId: twin, address },
    { chainId: twin, address: Caip.Address.make(`quay.${name}-%7E`) },
  ]
}

/** How a lane's next transaction is signed in a test. */
export interface Signing {
  readonly lane: Lane.Lane
  readonly floor?: number
  readonly fee?: Partial<Pick<Lane.Transaction, "signedAt" | "feeMax">>
  readonly lease?: Lease
}

/** Writes a signed transaction into its lane with a decision on a payment. */
export const changeInLane = <A, E>(
  { outflows }: Pick<Scene, "outflows">,
  id: PaymentId.PaymentId,
  signed: Lane.Signed,
  decide: (current: Payment.Payment) => Result.Result<Stores.Decision<A>, E>,
  lease: Lease | null = null,
) =>
  outflows.modify(
    { outflows: [], payments: [id] },
    ({ payments: [current] }) =>
      current === undefined
        ? assert.fail("a decision is shown the payment that it asks for")
        : Result.map(decide(current), ({ result, change = null }) => ({
            result,
            write: change === null ? null : Fixtures.writeOf(change),
          })),
    lease,
    signed,
  )

/** Signs the next transaction of a lane in form only, and writes it with a decision on a payment. */
export const modifyInLane = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
  { outflows, lanes }: Pick<Scene, "lanes" | "outflows">,
  { fee = {}, floor = 0, lease, lane }: Signing,
  id: PaymentId.PaymentId,
  decide: (current: Payment.Payment, signed: Lane.Signed) => Result.Result<Stores.Decision<A>, E>,
) {
  const signAndWrite = Effect.gen(function* () {
    const state = yield* lanes.laneState("test", lane)
    const transaction = Fixtures.laneTransaction(lane, Lane.nextNonce(state, floor), fee)
    const signed = { state, transaction }
    return yield* changeInLane(
      { outflows },
      id,
      signed,
      (current) => decide(current, signed),
      lease,
    )
  })
  return yield* inTurn(
    lanes,
    lane,
    Effect.retry(signAndWrite, { while: ({ _tag }) => _tag === "LaneMoved" }),
  )
})

export const nonZero = (balances: Ledger.Balances): ReadonlyMap<string, bigint> =>
  new Map(
    [...balances.values()]
      .filter((each) => each.balance !== 0n)
      .map((each) => [Ledger.balanceKey(each.account, each.token), each.balance]),
  )

export const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, i) => i)

/** Runs everything at the same time. */
export const atOnce = <A, B, E, R>(
  items: ReadonlyArray<A>,
  run: (item: A, index: number) => Effect.Effect<B, E, R>,
) => Effect.forEach(items, run, { concurrency: "unbounded" })

/** Ids of payments in a fixed order, to compare sets. */
export const idsOf = (
  payments: ReadonlyArray<{ readonly id: PaymentId.PaymentId }>,
): ReadonlyArray<string> => payments.map((each) => each.id).toSorted()

/** Fails unless the effect fails with this tag; returns the failure. */
export const failsWith = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  tag: E["_tag"],
  effect: Effect.Effect<A, E, R>,
) {
  const failure = yield* Effect.flip(effect)
  assert.strictEqual(failure._tag, tag)
  return failure
})
