/**
 * Storage in the memory of one process: for tests, demos and development. It keeps every promise of the port but one:
 * it forgets everything when the process ends.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type * as ApiKey from "../domain/ApiKey.ts"
import * as Caip from "../domain/Caip.ts"
import * as ChainState from "../domain/ChainState.ts"
import * as Change from "../domain/Change.ts"
import * as Claim from "../domain/Claim.ts"
import * as Event from "../domain/Event.ts"
import * as Idempotency from "../domain/Idempotency.ts"
import type * as Lane from "../domain/Lane.ts"
import * as Ledger from "../domain/Ledger.ts"
import * as Merchant from "../domain/Merchant.ts"
import type * as Mode from "../domain/Mode.ts"
import * as Payment from "../domain/Payment.ts"
import type * as PaymentId from "../domain/PaymentId.ts"
import * as PaymentQuery from "../domain/PaymentQuery.ts"
import * as PaymentStats from "../domain/PaymentStats.ts"
import type * as Refund from "../domain/Refund.ts"
import type * as SettlementDestination from "../domain/SettlementDestination.ts"
import * as Spending from "../domain/Spending.ts"
import * as Webhook from "../domain/Webhook.ts"
import { AccountStore, type Tenant } from "./AccountStore.ts"
import { AnswerStore, type Created, type Once } from "./AnswerStore.ts"
import { DueHeap } from "./DueHeap.ts"
import { DueWork, type Hold } from "./DueWork.ts"
import { LaneStore } from "./LaneStore.ts"
import { LedgerStore } from "./LedgerStore.ts"
import { type FeedEntry, Outbox } from "./Outbox.ts"
import { type Decision, PaymentStore, type Resting } from "./PaymentStore.ts"
import type { Storage } from "./Storage.ts"
import {
  ClaimTaken,
  IdempotencyConflict,
  LaneMoved,
  LeaseLost,
  NotFound,
  Overdrawn,
} from "./StorageError.ts"

/** Due work on one row: when, until when somebody holds it, and what tells holders apart. */
interface Work {
  readonly dueAt: number
  readonly leaseUntil: number
  readonly fence: number
  readonly failures: number
}

/** A piece of work by key, with the order in which it falls due. */
class WorkQueue<K> {
  readonly #work = new Map<K, Work>()
  readonly #heap = new DueHeap<K>()
  /** Fences of work that is done stay known, so that an old holder never meets its own number again. */
  readonly #fences = new Map<K, number>()

  /** Makes work due, or takes it away; whoever held it holds nothing any more. */
  set(key: K, dueAt: number | null): void {
    const fence = (this.#fences.get(key) ?? 0) + 1
    this.#fences.set(key, fence)
    if (dueAt === null) {
      this.#work.delete(key)
    } else {
      this.#put(key, { dueAt, leaseUntil: 0, fence, failures: 0 })
    }
  }

  /** Puts held work off; whoever held it holds nothing any more. */
  postpone(key: K, dueAt: number): void {
    const failures = this.failures(key) + 1
    this.set(key, dueAt)
    const work = this.#work.get(key)
    if (work !== undefined) this.#work.set(key, { ...work, failures })
  }

  failures(key: K): number {
    return this.#work.get(key)?.failures ?? 0
  }

  isHeld(key: K, fence: number): boolean {
    return this.#work.get(key)?.fence === fence
  }

  claim(limit: number, leaseInMs: number, now: number): ReadonlyArray<readonly [K, number]> {
    const claimed: Array<readonly [K, number]> = []
    while (claimed.length < limit) {
      const at = this.#nextAt()
      if (at === null || at > now) break
      const entry = this.#heap.pop()
      const work = entry === undefined ? undefined : this.#work.get(entry.key)
      if (entry === undefined || work === undefined) break
      const fence = work.fence + 1
      this.#fences.set(entry.key, fence)
      this.#put(entry.key, { ...work, leaseUntil: now + leaseInMs, fence })
      claimed.push([entry.key, fence])
    }
    return claimed
  }

  nextAt(): number | null {
    return this.#nextAt()
  }

  #put(key: K, work: Work): void {
    this.#work.set(key, work)
    this.#heap.push(Math.max(work.dueAt, work.leaseUntil), key)
  }

  /** Drops heap entries that no longer say when their work is due. */
  #nextAt(): number | null {
    for (;;) {
      const at = this.#heap.peekAt()
      const key = this.#heap.peekKey()
      if (at === null || key === undefined) return null
      const work = this.#work.get(key)
      if (work !== undefined && Math.max(work.dueAt, work.leaseUntil) === at) return at
      this.#heap.pop()
    }
  }
}

const tenantKey = (tenant: Tenant): string => `${tenant.partnerId}/${tenant.mode}`

const isTenants = (tenant: Tenant, owned: Tenant): boolean =>
  owned.partnerId === tenant.partnerId && owned.mode === tenant.mode

const onceKey = ({ scope, key }: Pick<Once, "scope" | "key">): string =>
  JSON.stringify([scope.partnerId, scope.mode, scope.endpoint, key])

const laneKey = (lane: Lane.Lane): string => `${lane.chainId}:${lane.sender}`

const restingKey = (mode: Mode.Mode, chainId: Caip.ChainId): string => `${mode}:${chainId}`

/** The newest block first. */
const byMark = (left: Resting, right: Resting): number =>
  right.mark.number - left.mark.number || (left.claim > right.claim ? -1 : 1)

const append = <K, V>(map: Map<K, Array<V>>, key: K, ...values: ReadonlyArray<V>): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [...values])
  else list.push(...values)
}

const found = <A>(what: NotFound["what"], value: A | undefined): Result.Result<A, NotFound> =>
  value === undefined ? Result.fail(NotFound.of(what)) : Result.succeed(value)

const isSameMovement = Schema.toEquivalence(Ledger.Transaction)

/** One step of the event loop: nothing else runs between its reads and its writes. */
const atomic = <A, E>(run: () => Result.Result<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => Effect.fromResult(run()))

const make = Effect.sync(() => {
  const partners = new Map<Merchant.PartnerId, Merchant.Partner>()
  const keys = new Map<ApiKey.ApiKeyId, ApiKey.ApiKey>()
  const keysByHash = new Map<ApiKey.KeyHash, ApiKey.ApiKeyId>()
  const merchants = new Map<Merchant.MerchantId, Merchant.Merchant>()
  const destinations = new Map<
    SettlementDestination.SettlementDestinationId,
    SettlementDestination.SettlementDestination
  >()
  const remembered = new Map<string, Idempotency.Remembered>()
  const payments = new Map<PaymentId.PaymentId, Payment.Payment>()
  const paymentsOfTenant = new Map<string, Array<PaymentId.PaymentId>>()
  const refunds = new Map<Refund.RefundId, PaymentId.PaymentId>()
  const claims = new Set<string>()
  const resting = new Map<string, Map<string, Resting>>()
  const chainStates: { readonly [M in Mode.Mode]: Map<Caip.ChainId, ChainState.ChainState> } = {
    test: new Map(),
    live: new Map(),
  }
  const ledger = new Map<PaymentId.PaymentId, Array<Ledger.Transaction>>()
  const posted = new Map<
    Idempotency.IdempotencyKey,
    { readonly mode: Mode.Mode; readonly transaction: Ledger.Transaction }
  >()
  const balances: { readonly [M in Mode.Mode]: Map<string, Ledger.Balance> } = {
    test: new Map(),
    live: new Map(),
  }
  const events = new Map<PaymentId.PaymentId, Array<Event.Event>>()
  const feeds = new Map<string, Array<FeedEntry>>()
  /** Events that wait to be fanned out. */
  const outbox: Array<Event.Event> = []
  const endpoints = new Map<Webhook.EndpointId, Webhook.Endpoint>()
  const deliveries = new Map<
    Webhook.DeliveryId,
    { readonly delivery: Webhook.Delivery; readonly event: Event.Event }
  >()
  const deliveriesOf = new Map<Webhook.EndpointId, Array<Webhook.DeliveryId>>()
  const deliveryWork = new WorkQueue<Webhook.DeliveryId>()
  const collected = new Map<PaymentId.PaymentId, Map<string, Change.Collected>>()
  const work: { readonly [K in Change.WorkKind]: WorkQueue<PaymentId.PaymentId> } = {
    expire: new WorkQueue(),
    collect: new WorkQueue(),
    settle: new WorkQueue(),
    refund: new WorkQueue(),
    watch: new WorkQueue(),
    audit: new WorkQueue(),
  }
  const lanes = new Map<
    string,
    {
      next: number | null
      spending: Spending.Spending
      readonly turn: Semaphore.Semaphore
      /** By nonce. */
      readonly sent: Array<Lane.Transaction>
    }
  >()
  let sequence = 0

  const laneOf = (lane: Lane.Lane) => {
    const key = laneKey(lane)
    const known = lanes.get(key)
    if (known !== undefined) return known
    const fresh = { next: null, spending: Spending.none, turn: Semaphore.makeUnsafe(1), sent: [] }
    lanes.set(key, fresh)
    return fresh
  }

  /** Where a nonce stands in its lane, or would. */
  const indexIn = (sent: ReadonlyArray<Lane.Transaction>, nonce: number): number =>
    sent.findLastIndex((each) => each.nonce < nonce) + 1

  const transactionAt = (lane: Lane.Lane, nonce: number): Lane.Transaction | null => {
    const { sent } = laneOf(lane)
    const transaction = sent[indexIn(sent, nonce)]
    return transaction?.nonce === nonce ? transaction : null
  }

  /** A lane must be as its signer saw it. */
  const checkLane = ({ state, transaction }: Lane.Signed): Result.Result<void, LaneMoved> => {
    const { next, spending } = laneOf(transaction.lane)
    return next === state.nextNonce &&
      spending.hour === state.spending.hour &&
      spending.quantity === state.spending.quantity
      ? Result.void
      : Result.fail(LaneMoved.of())
  }

  /** Puts a transaction into its slot. */
  const place = (transaction: Lane.Transaction, replaced: Lane.Transaction | null) => {
    const lane = laneOf(transaction.lane)
    lane.next = Math.max(lane.next ?? 0, transaction.nonce + 1)
    lane.spending = Spending.afterPlacing(lane.spending, transaction, replaced)
    const index = indexIn(lane.sent, transaction.nonce)
    lane.sent.splice(index, replaced === null ? 0 : 1, transaction)
  }

  /** The balances as they would be, of the accounts and tokens that the transactions touch. */
  const afterPosting = (
    mode: Mode.Mode,
    transactions: ReadonlyArray<Ledger.Transaction>,
  ): Ledger.Balances => {
    const touched = Ledger.balances(transactions)
    return new Map(
      [...touched].map(([key, each]) => [
        key,
        { ...each, balance: each.balance + (balances[mode].get(key)?.balance ?? 0n) },
      ]),
    )
  }

  const checkLedger = (
    mode: Mode.Mode,
    transactions: ReadonlyArray<Ledger.Transaction>,
  ): Result.Result<Ledger.Balances, Overdrawn> => {
    const after = afterPosting(mode, transactions)
    const [unsound] = Ledger.unsound(after)
    if (unsound !== undefined) {
      return Result.fail(Overdrawn.ofAccount(unsound.account))
    }
    const tokens = transactions.filter(Ledger.drawsOnFloat).flatMap((each) => each.postings)
    const short = tokens.find(
      ({ token }) => Ledger.float(new Map([...balances[mode], ...after]), token) < 0n,
    )
    return short === undefined ? Result.succeed(after) : Result.fail(Overdrawn.ofFloat())
  }

  const post = (mode: Mode.Mode, after: Ledger.Balances): void => {
    for (const [key, balance] of after) balances[mode].set(key, balance)
  }

  const announce = (payment: Payment.Payment, type: Event.EventType): void => {
    const event = Event.make(type, payment)
    append(events, payment.id, event)
    append(feeds, tenantKey(payment), { sequence: ++sequence, event })
    outbox.push(event)
  }

  const endpointsOf = (tenant: Tenant): ReadonlyArray<Webhook.Endpoint> =>
    [...endpoints.values()].filter((each) => isTenants(tenant, each))

  const replaceCollected = (id: PaymentId.PaymentId, data: Change.Collected): void => {
    const of = collected.get(id) ?? new Map<string, Change.Collected>()
    collected.set(id, of.set(Caip.formatAccount(data.account), data))
  }

  const keepFirstCollected = (id: PaymentId.PaymentId, data: Change.Collected): void => {
    const isKnown = collected.get(id)?.has(Caip.formatAccount(data.account)) === true
    if (!isKnown) replaceCollected(id, data)
  }

  const restingOn = (mode: Mode.Mode, chainId: Caip.ChainId): Map<string, Resting> => {
    const key = restingKey(mode, chainId)
    const known = resting.get(key) ?? new Map<string, Resting>()
    resting.set(key, known)
    return known
  }

  const restOn = ({ id, mode }: Payment.Payment, claim: Claim.Claim): void => {
    if (claim._tag !== "Transfer") return
    const { blockHash, blockNumber, chainId } = claim
    const key = Claim.key(claim)
    const mark = { number: blockNumber, hash: blockHash }
    restingOn(mode, chainId).set(key, { claim: key, paymentId: id, mark })
  }

  const move = (payment: Payment.Payment, { from, to }: Change.Moved): void => {
    const left = Claim.ofTransfer(from)
    restingOn(payment.mode, left.chainId).delete(Claim.key(left))
    if (to === null) return
    const next = Claim.ofTransfer(to)
    claims.delete(Claim.key(left))
    claims.add(Claim.key(next))
    restOn(payment, next)
  }

  /** The claims of a change that nobody may have made before. */
  const newClaims = ({ claims: own, moved }: Change.Change): ReadonlyArray<string> => {
    const made = own.map(Claim.key)
    if (moved === undefined || moved.to === null) return made
    const next = Claim.key(Claim.ofTransfer(moved.to))
    return next === Claim.key(Claim.ofTransfer(moved.from)) ? made : [...made, next]
  }

  /** Checks everything that could refuse a change, then writes all of it. */
  const write = (
    change: Change.Change,
    hold: Hold | null,
  ): Result.Result<void, ClaimTaken | Overdrawn | LeaseLost> => {
    const { payment } = change
    if (hold !== null && !work[hold.kind].isHeld(payment.id, hold.fence)) {
      return Result.fail(LeaseLost.of())
    }
    const taken = newClaims(change).find((claim) => claims.has(claim))
    if (taken !== undefined) {
      return Result.fail(ClaimTaken.of(taken))
    }
    const after = checkLedger(payment.mode, change.ledger)
    if (Result.isFailure(after)) return Result.fail(after.failure)

    for (const claim of change.claims) {
      claims.add(Claim.key(claim))
      restOn(payment, claim)
    }
    if (change.moved !== undefined) move(payment, change.moved)
    if (change.collected !== undefined) replaceCollected(payment.id, change.collected)
    post(payment.mode, after.success)
    if (change.ledger.length > 0) append(ledger, payment.id, ...change.ledger)
    payments.set(payment.id, payment)
    const refund = Payment.refundOf(payment)
    if (refund !== null) refunds.set(refund.id, payment.id)
    for (const kind of Change.workKinds) {
      const dueAt = change.due[kind]
      if (dueAt !== undefined) work[kind].set(payment.id, dueAt)
    }
    if (change.event !== undefined) announce(payment, change.event)
    return Result.void
  }

  const settle = <A>(
    decision: Decision<A>,
    hold: Hold | null,
  ): Result.Result<A, ClaimTaken | Overdrawn | LeaseLost> => {
    const { change } = decision
    return change === undefined || change === null
      ? Result.succeed(decision.answer)
      : Result.map(write(change, hold), () => decision.answer)
  }

  /** The answer that is remembered for a request, or null where there is none. */
  const answered = (once: Once, now: number): Result.Result<string | null, IdempotencyConflict> => {
    const earlier = remembered.get(onceKey(once))
    switch (Idempotency.judge(earlier, once.fingerprint, now)) {
      case "replay":
        return Result.succeed(earlier?.answer ?? null)
      case "conflict":
        return Result.fail(IdempotencyConflict.ofRequest())
      case "fresh":
        return Result.succeed(null)
    }
  }

  /** Answers from memory, or runs `create` and remembers its answer. */
  const answerOnce = <E>(
    once: Once | null,
    now: number,
    create: () => Result.Result<string, E>,
  ): Result.Result<Created, E | IdempotencyConflict> => {
    if (once === null) {
      return Result.map(create(), (answer) => ({ replayed: false, answer }))
    }
    const earlier = answered(once, now)
    if (Result.isFailure(earlier)) return Result.fail(earlier.failure)
    return earlier.success === null
      ? Result.map(create(), (answer) => {
          remembered.set(onceKey(once), Idempotency.remember({ ...once, answer }, now))
          return { replayed: false, answer }
        })
      : Result.succeed({ replayed: true, answer: earlier.success })
  }

  const paymentsOf = (tenant: Tenant): ReadonlyArray<Payment.Payment> =>
    (paymentsOfTenant.get(tenantKey(tenant)) ?? []).flatMap((id) => {
      const payment = payments.get(id)
      return payment === undefined ? [] : [payment]
    })

  const merchantOf = (tenant: Tenant, id: Merchant.MerchantId): Merchant.Merchant | undefined => {
    const merchant = merchants.get(id)
    return merchant !== undefined && isTenants(tenant, merchant) ? merchant : undefined
  }

  const destinationsOf = (merchantId: Merchant.MerchantId) =>
    [...destinations.values()]
      .filter((each) => each.merchantId === merchantId)
      .toSorted((left, right) => left.createdAt - right.createdAt)

  const writeKeys = (changed: ReadonlyArray<ApiKey.ApiKey>): void => {
    for (const key of changed) {
      keys.set(key.id, key)
      keysByHash.set(key.hash, key.id)
    }
  }

  const partnerOf = (owner: ApiKey.Owner): Merchant.Partner | null =>
    owner._tag === "Partner" ? (partners.get(owner.partnerId) ?? null) : null

  return Context.empty().pipe(
    Context.add(AccountStore, {
      putPartner: (partner) => Effect.sync(() => void partners.set(partner.id, partner)),
      partner: (id) => atomic(() => found("partner", partners.get(id))),
      partners: Effect.sync(() => [...partners.values()]),
      putKeys: (changed) => Effect.sync(() => writeKeys(changed)),
      keyByHash: (hash) =>
        atomic(() => {
          const id = keysByHash.get(hash)
          return Result.map(found("key", id === undefined ? undefined : keys.get(id)), (key) => ({
            key,
            partner: partnerOf(key.owner),
          }))
        }),
      key: (id) => atomic(() => found("key", keys.get(id))),
      modifyKey: (id, decide) =>
        atomic(() =>
          Result.flatMap(found("key", keys.get(id)), (key) =>
            Result.map(decide(key), ({ answer, keys: changed }) => {
              writeKeys(changed)
              return answer
            }),
          ),
        ),
      keys: (partnerId) =>
        Effect.sync(() =>
          [...keys.values()]
            .filter((key) =>
              key.owner._tag === "Partner" ? key.owner.partnerId === partnerId : partnerId === null,
            )
            .toReversed()
            .toSorted((left, right) => right.createdAt - left.createdAt),
        ),
      createMerchant: (merchant, once, answer, now) =>
        atomic(() =>
          answerOnce(once, now, () => {
            merchants.set(merchant.id, merchant)
            return Result.succeed(answer)
          }),
        ),
      merchant: (tenant, id) => atomic(() => found("merchant", merchantOf(tenant, id))),
      merchantsById: (tenant, ids) =>
        Effect.sync(() =>
          [...new Set(ids)].flatMap((id) => {
            const merchant = merchantOf(tenant, id)
            return merchant === undefined ? [] : [merchant]
          }),
        ),
      modifyMerchant: (tenant, id, decide) =>
        atomic(() =>
          Result.flatMap(found("merchant", merchantOf(tenant, id)), (current) =>
            Result.map(decide(current), (changed) => {
              merchants.set(id, changed)
              return changed
            }),
          ),
        ),
      merchants: (tenant, filter, { after, limit }) =>
        Effect.sync(() => {
          const listed = [...merchants.values()]
            .filter((each) => isTenants(tenant, each) && Merchant.isListed(each, filter))
            .toSorted(Merchant.newestFirst)
          const rest = listed.filter(
            (each) => after === null || Merchant.newestFirst(after, each) < 0,
          )
          return {
            items: rest.slice(0, limit),
            hasMore: rest.length > limit,
            totalCount: listed.length,
          }
        }),
      destinations: (merchantId) => Effect.sync(() => destinationsOf(merchantId)),
      addDestinations: (merchantId, once, decide, now) =>
        atomic(() =>
          answerOnce(once, now, () =>
            Result.map(decide(destinationsOf(merchantId)), ({ added, answer }) => {
              for (const each of added) destinations.set(each.id, each)
              return answer
            }),
          ),
        ),
      modifyDestination: (merchantId, id, decide) =>
        atomic(() => {
          const known = destinations.get(id)
          const own = known?.merchantId === merchantId ? known : undefined
          return Result.flatMap(found("destination", own), (current) =>
            Result.map(decide(current), (changed) => {
              if (changed === null) destinations.delete(id)
              else destinations.set(id, changed)
              return changed ?? current
            }),
          )
        }),
    }),
    Context.add(AnswerStore, {
      answered: (once, now) => atomic(() => answered(once, now)),
      deleteAnswers: (now, limit) =>
        Effect.sync(() => {
          let deleted = 0
          for (const [key, { expiresAt }] of remembered) {
            if (deleted === limit) break
            if (now < expiresAt) continue
            remembered.delete(key)
            deleted += 1
          }
          return deleted
        }),
    }),
    Context.add(PaymentStore, {
      createPayment: (change, once, answer, now) =>
        atomic(() =>
          answerOnce(once, now, () => {
            // A repeated call creates nothing again.
            if (payments.has(change.payment.id)) return Result.succeed(answer)
            // A new payment claims nothing and moves nothing, so nothing can refuse it.
            write({ ...change, claims: [], ledger: [] }, null)
            append(paymentsOfTenant, tenantKey(change.payment), change.payment.id)
            return Result.succeed(answer)
          }),
        ),
      payment: (id) => atomic(() => found("payment", payments.get(id))),
      modifyPayment: (id, decide, hold) =>
        atomic(() =>
          Result.flatMap(found("payment", payments.get(id)), (current) =>
            Result.flatMap(decide(current), (decision) => settle(decision, hold ?? null)),
          ),
        ),
      modifyPaymentInLane: (id, signed, decide, hold) =>
        atomic(() =>
          Result.flatMap(found("payment", payments.get(id)), (current) =>
            Result.flatMap(decide(current), ({ answer, change = null }) =>
              change === null
                ? Result.succeed(answer)
                : Result.flatMap(checkLane(signed), () =>
                    Result.map(write(change, hold), () => {
                      place(signed.transaction, null)
                      return answer
                    }),
                  ),
            ),
          ),
        ),
      resting: (mode, chainId, { after, fromBlock, limit }) =>
        Effect.sync(() =>
          [...restingOn(mode, chainId).values()]
            .filter(({ mark }) => mark.number >= fromBlock)
            .toSorted(byMark)
            .filter((each) => after === null || byMark(after, each) < 0)
            .slice(0, limit),
        ),
      payments: (tenant, query, now) =>
        Effect.sync(() => {
          const page = PaymentQuery.page(paymentsOf(tenant), query, now)
          return { items: page.items, hasMore: page.next !== null }
        }),
      paymentStats: (tenant, filter, now) =>
        Effect.sync(() => PaymentStats.of(paymentsOf(tenant), filter, now)),
      paymentOfRefund: (tenant, id) =>
        atomic(() => {
          const paymentId = refunds.get(id)
          const payment = paymentId === undefined ? undefined : payments.get(paymentId)
          return found(
            "refund",
            payment !== undefined && isTenants(tenant, payment) ? payment : undefined,
          )
        }),
      stuckPayments: (mode) =>
        Effect.sync(() =>
          [...payments.values()].filter((each) => each.mode === mode && Payment.isStuck(each)),
        ),
      putCollected: (id, data) =>
        atomic(() =>
          Result.map(found("payment", payments.get(id)), () => keepFirstCollected(id, data)),
        ),
      collected: (id) => Effect.sync(() => [...(collected.get(id)?.values() ?? [])]),
      deleteCollected: (now, limit) =>
        Effect.sync(() => {
          let deleted = 0
          for (const [id, of] of collected) {
            for (const [key, each] of of) {
              if (each.deleteAt > now || deleted === limit) continue
              of.delete(key)
              deleted += 1
            }
            if (of.size === 0) collected.delete(id)
          }
          return deleted
        }),
    }),
    Context.add(LaneStore, {
      inLaneTurn: (lane, effect) => laneOf(lane).turn.withPermits(1)(effect),
      laneState: (mode, lane) =>
        Effect.sync(() => {
          const { next, spending } = laneOf(lane)
          const chain = chainStates[mode].get(lane.chainId)
          return {
            spending,
            nextNonce: next,
            acceptedNonce: chain?.accepted?.[lane.sender] ?? 0,
            haltedBecause: chain?.halt?.reason ?? null,
          }
        }),
      laneTransactions: (lane, fromNonce) =>
        Effect.sync(() => {
          const { sent } = laneOf(lane)
          return sent.slice(indexIn(sent, fromNonce))
        }),
      laneTransaction: (lane, nonce) => Effect.sync(() => transactionAt(lane, nonce)),
      placeInLane: (signed, replaces) =>
        Effect.sync(() => {
          const { lane, nonce } = signed.transaction
          const isFree = transactionAt(lane, nonce)?.hash === replaces?.hash
          const mayPlace = isFree && Result.isSuccess(checkLane(signed))
          if (mayPlace) place(signed.transaction, replaces)
          return mayPlace
        }),
      chainStates: (mode) =>
        Effect.sync(() =>
          [...chainStates[mode].values()].toSorted((left, right) => left.chainId - right.chainId),
        ),
      modifyChainState: (mode, chainId, decide) =>
        Effect.sync(() => {
          const next = decide(chainStates[mode].get(chainId) ?? ChainState.unknown(chainId))
          if (next !== null) chainStates[mode].set(chainId, next)
          return next !== null
        }),
    }),
    Context.add(DueWork, {
      time: Clock.currentTimeMillis,
      claimDue: (kind, { limit, leaseInMs, now }) =>
        Effect.sync(() =>
          work[kind].claim(limit, leaseInMs, now).flatMap(([id, fence]) => {
            const payment = payments.get(id)
            const failures = work[kind].failures(id)
            return payment === undefined ? [] : [{ payment, hold: { kind, fence }, failures }]
          }),
        ),
      postpone: (id, hold, dueAt) =>
        atomic(() => {
          if (!work[hold.kind].isHeld(id, hold.fence)) return Result.fail(LeaseLost.of())
          work[hold.kind].postpone(id, dueAt)
          return Result.void
        }),
      nextDueAt: (kind) => Effect.sync(() => work[kind].nextAt()),
    }),
    Context.add(LedgerStore, {
      balance: (mode, account, token) =>
        Effect.sync(() => Ledger.balanceOf(balances[mode], account, token)),
      float: (mode, token) => Effect.sync(() => Ledger.float(balances[mode], token)),
      balances: (mode, token) =>
        Effect.sync(
          () =>
            new Map(
              [...balances[mode]].filter(
                ([, each]) =>
                  token === null || Ledger.tokenKey(each.token) === Ledger.tokenKey(token),
              ),
            ),
        ),
      ledgerOf: (id) => Effect.sync(() => [...(ledger.get(id) ?? [])]),
      post: (mode, key, transaction) =>
        atomic((): Result.Result<void, Overdrawn | IdempotencyConflict> => {
          const earlier = posted.get(key)
          if (earlier !== undefined) {
            return earlier.mode === mode && isSameMovement(earlier.transaction, transaction)
              ? Result.void
              : Result.fail(IdempotencyConflict.ofMovement())
          }
          return Result.map(checkLedger(mode, [transaction]), (after) => {
            posted.set(key, { mode, transaction })
            post(mode, after)
          })
        }),
    }),
    Context.add(Outbox, {
      events: (tenant, after, limit) =>
        Effect.sync(() =>
          (feeds.get(tenantKey(tenant)) ?? [])
            .filter((each) => each.sequence > after)
            .slice(0, limit),
        ),
      eventsOf: (id) => Effect.sync(() => [...(events.get(id) ?? [])]),
      waitingEvents: (id) => Effect.sync(() => outbox.filter((each) => each.payment.id === id)),
      fanOut: (limit, decide) =>
        Effect.sync(() => {
          const taken = outbox.slice(0, limit)
          const made = taken.flatMap((event) => {
            const partner = partners.get(event.payment.partnerId)
            if (partner === undefined) return []
            return endpointsOf(event.payment).flatMap((endpoint) => {
              const delivery = decide(event, endpoint, partner)
              return delivery === null ? [] : [{ delivery, event }]
            })
          })
          outbox.splice(0, taken.length)
          for (const each of made) {
            const { dueAt, endpointId, id } = each.delivery
            deliveries.set(id, each)
            append(deliveriesOf, endpointId, id)
            deliveryWork.set(id, dueAt)
          }
          return taken.length
        }),
      putEndpoint: (endpoint) => Effect.sync(() => void endpoints.set(endpoint.id, endpoint)),
      modifyEndpoint: (tenant, id, decide) =>
        atomic(() => {
          const known = endpoints.get(id)
          const own = known !== undefined && isTenants(tenant, known) ? known : undefined
          return Result.flatMap(found("webhook", own), (current) =>
            Result.map(decide(current), (changed) => {
              endpoints.set(id, changed)
              return changed
            }),
          )
        }),
      endpoints: (tenant) => Effect.sync(() => endpointsOf(tenant)),
      deliveries: (endpointId, limit) =>
        Effect.sync(() =>
          (deliveriesOf.get(endpointId) ?? [])
            .toReversed()
            .slice(0, limit)
            .flatMap((id) => {
              const known = deliveries.get(id)
              return known === undefined ? [] : [known.delivery]
            }),
        ),
      deliveriesById: (ids) =>
        Effect.sync(() =>
          [...new Set(ids)].flatMap((id) => {
            const known = deliveries.get(id)
            return known === undefined ? [] : [known.delivery]
          }),
        ),
      claimDeliveries: ({ limit, leaseInMs, now }) =>
        Effect.sync(() =>
          deliveryWork.claim(limit, leaseInMs, now).flatMap(([id, fence]) => {
            const known = deliveries.get(id)
            const endpoint =
              known === undefined ? undefined : endpoints.get(known.delivery.endpointId)
            return known === undefined || endpoint === undefined
              ? []
              : [{ ...known, endpoint, fence }]
          }),
        ),
      finishDelivery: (delivery, fence) =>
        atomic(() => {
          const known = deliveries.get(delivery.id)
          if (known === undefined || !deliveryWork.isHeld(delivery.id, fence)) {
            return Result.fail(LeaseLost.of())
          }
          deliveries.set(delivery.id, { delivery, event: known.event })
          deliveryWork.set(delivery.id, delivery.dueAt)
          return Result.void
        }),
      replayDelivery: (id, now) =>
        atomic(() =>
          Result.map(found("webhook", deliveries.get(id)), ({ delivery, event }) => {
            deliveries.set(id, { delivery: Webhook.replay(delivery, now), event })
            deliveryWork.set(id, now)
          }),
        ),
    }),
  )
})

/** An empty storage. Each layer value that is built is a storage of its own. */
export const layer: Layer.Layer<Storage> = Layer.effectContext(make)
