/**
 * Finds records that contradict each other: the rules of `Consistency`, for everything that is stored. It only reads,
 * one page at a time, so it can run next to a service of any size.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Balance from "../../domain/books/Balance.ts"
import * as Consistency from "../../domain/books/Consistency.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Transfer from "../../domain/chain/Transfer.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Rfc3339 from "../../domain/ground/Rfc3339.ts"
import * as PaymentFilter from "../../domain/list/PaymentFilter.ts"
import type * as PaymentQuery from "../../domain/list/PaymentQuery.ts"
import * as PaymentSort from "../../domain/list/PaymentSort.ts"
import * as PaymentStats from "../../domain/list/PaymentStats.ts"
import type * as Payout from "../../domain/list/Payout.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Lane from "../../domain/outflow/Lane.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as OutflowState from "../../domain/outflow/OutflowState.ts"
import * as Entry from "../../domain/payment/Entry.ts"
import type * as Event from "../../domain/payment/Event.ts"
import * as Payment from "../../domain/payment/Payment.ts"
import * as PaymentState from "../../domain/payment/PaymentState.ts"
import * as Refund from "../../domain/payment/Refund.ts"
import { AccountStore, type Page, type Tenant } from "../../ports/AccountStore.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"

export interface Contradiction {
  readonly mode: Mode.Mode
  /** The id of the payment, payout or partner that it is about; `ledger` if it is about no single one. */
  readonly subject: string
  readonly what: string
}

export interface Listener {
  readonly found: (contradiction: Contradiction) => void
  /** How many of all payments were read. */
  readonly progressed: (done: number, total: number) => void
}

type Found = ReadonlyArray<string>

const carriedBy = ({ state }: Payment.Payment): ReadonlyArray<Consistency.Carried> => {
  if (state._tag !== "Succeeded") return []
  const { entry, refunds } = state
  const states = { Carried: "processing", Held: "held", Paid: "paid" } as const
  return [
    ...Entry.inPayouts(entry).map(({ _tag, outflowId }) => ({
      what: "payout" as const,
      state: states[_tag],
      outflowId,
    })),
    ...refunds.map((refund) => ({
      what: "refund" as const,
      state: Refund.status(refund),
      outflowId: refund.outflowId,
    })),
  ]
}

const settledOf = (payment: Payment.Payment): Consistency.Payment["settled"] => {
  const txId = Payment.payoutOf(payment)?.txId
  if (txId === undefined || payment.state._tag !== "Succeeded") return null
  const { entry } = payment.state
  return { txId, sent: Entry.paid(entry), netted: Entry.netted(entry) }
}

const readPayment = (payment: Payment.Payment): Consistency.Payment => {
  const { id, state } = payment
  return {
    id,
    status: Payment.stored(payment),
    paid: state._tag === "Succeeded" ? state.transfer.movement.quantity : null,
    fee: state._tag === "Succeeded" ? state.charge.total : null,
    settled: settledOf(payment),
    refunds: Payment.refunds(payment).map((each) => ({
      status: Refund.status(each),
      quantity: each.quantity,
    })),
    carried: carriedBy(payment),
    outflowIds: Payment.outflowIds(payment),
  }
}

const readEvent = ({ payment, stateVersion }: Event.Event): Consistency.Event => {
  const { refunds, settled, status } = readPayment(payment)
  return {
    version: stateVersion,
    status,
    refunds: refunds.map((each) => each.status),
    settlement: settled?.txId ?? null,
  }
}

const readOutflow = (outflow: Outflow.Outflow): Consistency.Outflow => {
  const { id, movement, purpose } = outflow
  const { quantity } = movement
  return {
    id,
    state: Outflow.status(outflow),
    quantity,
    shares:
      "shares" in purpose
        ? purpose.shares
        : Outflow.paymentIds(outflow).map((paymentId) => ({ paymentId, quantity })),
    advance: ("advance" in purpose ? purpose.advance?.quantity : undefined) ?? 0n,
  }
}

/** The payer's transfer is the one that was asked for, and pays no other payment. */
const ofTransfer = Effect.fnUntraced(function* ({ auditedSince, id, state }: Payment.Payment) {
  // While it is looked for again, or once it is lost, it is claimed by nobody.
  if (state._tag !== "Succeeded" || state.lost !== undefined || auditedSince !== undefined) {
    return []
  }
  const { attempt, transfer } = state
  const { chainId } = transfer.movement.token
  const claims = yield* (yield* PaymentStore).claimsOf(chainId, transfer.txHash)
  const holder = claims.find(({ logIndex }) => logIndex === transfer.logIndex)
  return [
    ...(Transfer.isSameMovement(Payment.movement(attempt), transfer.movement)
      ? []
      : [`${id} was paid by another transfer than it asked for, in ${transfer.txHash}`]),
    ...(holder?.paymentId === id
      ? []
      : [
          `the transfer of ${id} in ${transfer.txHash} is claimed by ${holder?.paymentId ?? "no payment"}`,
        ]),
  ]
})

/** A transaction that is waited for is stored, so that its bytes can be sent again. */
const ofSlot = Effect.fnUntraced(function* (subject: string, { lane, nonce }: Lane.Slot) {
  const [stored] = yield* (yield* LaneStore).laneTransactions(lane, nonce, nonce)
  return stored === undefined
    ? [`${subject} waits for the transaction with nonce ${nonce} of ${lane.sender}, which is gone`]
    : []
})

/** The hashes of our transaction that settled a payment, of which each may be the one that is mined. */
const hashesOf = Effect.fnUntraced(function* (
  outflows: ReadonlyArray<Outflow.Outflow>,
  txHash: string,
) {
  const paid = outflows.flatMap(({ state }) =>
    state._tag === "Paid" && state.transfer.txHash === txHash ? [state.transfer] : [],
  )
  const lanes = yield* LaneStore
  const found = yield* Effect.forEach(paid, ({ movement: { from, token }, txNonce }) =>
    lanes.laneTransactions({ chainId: token.chainId, sender: from }, txNonce, txNonce),
  )
  return found.flat().flatMap(Lane.hashes)
})

/** What contradicts one payment, unless the service writes meanwhile. */
export const ofPayment = Effect.fnUntraced(function* (payment: Payment.Payment) {
  const { id, state } = payment
  const shown = readPayment(payment)
  const events = (yield* (yield* Outbox).eventsOf(id)).map(readEvent)
  const ledger = yield* (yield* LedgerStore).ledgerOf(id)
  const outflows =
    shown.outflowIds.length === 0
      ? []
      : yield* (yield* OutflowStore).outflowsById(Payment.outflowIds(payment))
  const byId = new Map(outflows.map((each) => [String(each.id), readOutflow(each)]))
  const owed = Balance.owed(payment, (outflowId) =>
    outflows.some((each) => each.id === outflowId && OutflowState.isBooked[Outflow.status(each)]),
  )
  const slots = yield* Effect.forEach(outflows, (each) =>
    each.state._tag === "Sent" ? ofSlot(each.id, each.state.slot) : Effect.succeed([]),
  )
  const txId = shown.settled?.txId
  const isMoved = txId !== undefined && events.at(-1)?.settlement !== txId
  const hashes = isMoved ? yield* hashesOf(outflows, txId) : []
  const isWaiting = state._tag === "Processing" && state.slot !== null
  const found: Found = [
    ...Consistency.refundsWhatWasPaid(shown),
    ...Consistency.paysWhatIsOwed(shown),
    ...Consistency.isOwed(id, owed, Balance.owedBy(ledger, payment.merchantId)),
    ...Consistency.areComplete(shown, events, hashes),
    ...shown.carried.flatMap((each) =>
      Array.from(Consistency.isCarried(shown, each, byId.get(each.outflowId))),
    ),
    ...ledger.flatMap(({ kind, postings }) =>
      Result.match(Ledger.transaction(kind, postings), {
        onFailure: ({ message }) => [
          `a ledger transaction of ${id} (${kind}) is wrong: ${message}`,
        ],
        onSuccess: () => [],
      }),
    ),
    ...slots.flat(),
    ...(isWaiting ? yield* ofSlot(id, state.slot) : []),
    ...(yield* ofTransfer(payment)),
  ]
  return found
})

const ofPayout = Effect.fnUntraced(function* (payout: Outflow.Outflow) {
  const payments = yield* PaymentStore
  const shown = readOutflow(payout)
  const named = yield* Effect.forEach(
    Outflow.paymentIds(payout),
    (id) =>
      payments.payment(id).pipe(
        Effect.map(readPayment),
        Effect.catchTag("NotFound", () => Effect.succeed(undefined)),
        Effect.map((payment) => Array.from(Consistency.isNamed(shown, id, payment))),
      ),
    { concurrency: 8 },
  )
  return [...Consistency.isSum(shown), ...named.flat()]
})

const dayInMs = 24 * 60 * 60 * 1000

/** Epoch milliseconds; `before` is excluded. */
interface Period {
  readonly from: number
  readonly before: number
}

const sort: PaymentSort.Sort = { by: "date", direction: "asc" }
const pauseInMs = 1000
/** Each may have many shares. */
const payoutsPerPage = 20

/** Looks twice more: the service may have written between two reads of the first look. */
const confirm = Effect.fnUntraced(function* <E, R, E2, R2>(
  first: Effect.Effect<Found, E, R>,
  again: Effect.Effect<Found, E2, R2>,
) {
  const none: Found = []
  if ((yield* first).length === 0) return none
  const second = yield* Effect.delay(again, pauseInMs)
  return second.length === 0 ? none : yield* Effect.delay(again, pauseInMs)
})

/** Calls `look` with the payments that were created in a period, oldest first, page by page. */
const forEachPage = Effect.fnUntraced(function* <E, R>(
  tenant: Tenant,
  { before: createdBefore, from: createdFrom }: Period,
  look: (page: ReadonlyArray<Payment.Payment>) => Effect.Effect<void, E, R>,
) {
  const payments = yield* PaymentStore
  const filter = { ...PaymentFilter.unfiltered, createdFrom, createdBefore }
  let after: PaymentSort.Position | null = null
  do {
    const query: PaymentQuery.PaymentQuery = { filter, sort, limit: Limits.listPageMax, after }
    const now = yield* Clock.currentTimeMillis
    const page: Page<Payment.Payment> = yield* payments.payments(tenant, query, now)
    yield* look(page.items)
    const last = page.items.at(-1)
    after = page.hasMore && last !== undefined ? PaymentSort.position(last, sort) : null
  } while (after !== null)
})

/** Calls `look` with the payouts that were created in a period, page by page. */
const forEachPayout = Effect.fnUntraced(function* <E, R>(
  tenant: Tenant,
  { before: createdBefore, from: createdFrom }: Period,
  look: (payout: Outflow.Outflow) => Effect.Effect<void, E, R>,
) {
  const store = yield* OutflowStore
  let after: Payout.Position | null = null
  do {
    const page: Page<Payout.Listed> = yield* store.outflows(
      tenant,
      { createdFrom, createdBefore },
      { after, limit: payoutsPerPage },
    )
    const ids = page.items.map(({ payout }) => payout.id)
    yield* Effect.forEach(yield* store.outflowsById(ids), look)
    after = page.hasMore ? (page.items.at(-1)?.payout ?? null) : null
  } while (after !== null)
})

const statsText = ({ customers, revenue, transactions }: PaymentStats.Stats): string =>
  [
    `${transactions} payments, ${customers} customers`,
    ...revenue.map(
      ({ quantity, refunded, unit }) =>
        `${PaymentSort.groupOf(unit)} ${quantity}, of it ${refunded} refunded`,
    ),
  ].join(", ")

/** How often what changes all the time is compared before it is left for another run. */
const comparedMax = 5

/** Null if they agree, or if the service keeps changing them; otherwise what both are, without a change between. */
const compare = Effect.fnUntraced(function* <E, R, E2, R2>(
  said: Effect.Effect<Found, E, R>,
  counted: Effect.Effect<Found, E2, R2>,
) {
  let before = yield* said
  for (let count = 0; count < comparedMax; count++) {
    const other = yield* counted
    if (before.join() === other.join()) return null
    const after = yield* said
    if (before.join() === after.join()) return { said: before, counted: other }
    before = after
  }
  return null
})

/** All payments, and those in each state: a storage may keep counts of its own for each. */
const filtersOf = (period: Partial<PaymentFilter.Filter>): ReadonlyArray<PaymentFilter.Filter> => {
  const all = { ...PaymentFilter.unfiltered, ...period }
  return [all, ...PaymentState.statuses.map((status) => ({ ...all, statuses: [status] }))]
}

const readStats = Effect.fnUntraced(function* (
  tenant: Tenant,
  period: Partial<PaymentFilter.Filter>,
  now: number,
) {
  const payments = yield* PaymentStore
  return yield* Effect.forEach(filtersOf(period), (filter) =>
    Effect.map(payments.paymentStats(tenant, filter, now), statsText),
  )
})

const differences = (
  when: string,
  compared: { readonly said: Found; readonly counted: Found } | null,
): Found =>
  ["all", ...PaymentState.statuses].flatMap((which, index) => {
    const [said, counted] = [compared?.said[index], compared?.counted[index]]
    return said === counted
      ? []
      : [`statistics of ${which} payments ${when}: they say ${said}, and the list has ${counted}`]
  })

/** The statistics of a day are those of the payments that are listed. */
const ofDay = Effect.fnUntraced(function* <E, R>(
  tenant: Tenant,
  day: Period,
  look: (page: ReadonlyArray<Payment.Payment>) => Effect.Effect<void, E, R>,
) {
  const now = yield* Clock.currentTimeMillis
  const period = { createdFrom: day.from, createdBefore: day.before }
  let isFirst = true
  const count = Effect.gen(function* () {
    const tallies = filtersOf(period).map((filter) => PaymentStats.tally(filter, now))
    const isSeen = !isFirst
    isFirst = false
    yield* forEachPage(tenant, day, (page) => {
      for (const { add } of tallies) page.forEach(add)
      return isSeen ? Effect.void : look(page)
    })
    return tallies.map(({ stats }) => statsText(stats()))
  })
  const compared = yield* compare(readStats(tenant, period, now), count)
  return differences(`of ${Rfc3339.format(day.from).slice(0, 10)}`, compared)
})

/** The statistics of all time are those of all days. */
const ofAllTime = Effect.fnUntraced(function* (tenant: Tenant) {
  const now = yield* Clock.currentTimeMillis
  const compared = yield* compare(
    readStats(tenant, {}, now),
    readStats(tenant, { createdFrom: 0 }, now),
  )
  return differences("of all time", compared)
})

/** When the first payment after a time was created; null if there is none. */
const firstAfter = Effect.fnUntraced(function* (tenant: Tenant, { before, from }: Period) {
  const filter = { ...PaymentFilter.unfiltered, createdFrom: from, createdBefore: before }
  const query = { filter, sort, limit: 1, after: null }
  const now = yield* Clock.currentTimeMillis
  const { items } = yield* (yield* PaymentStore).payments(tenant, query, now)
  return items[0]?.createdAt ?? null
})

/** Looks at everything of a mode that exists when it begins. What is found while the service writes is looked at again. */
export const find = Effect.fn("Contradictions.find")(function* (
  mode: Mode.Mode,
  listener: Listener,
) {
  const payments = yield* PaymentStore
  const outflows = yield* OutflowStore
  const report = (subject: string) => (found: Found) =>
    Effect.sync(() => found.forEach((what) => listener.found({ mode, subject, what })))
  const ofLedger = Effect.map((yield* LedgerStore).balances(mode, null), (balances) =>
    Array.from(
      Consistency.sumToZero(
        Array.from(balances.values(), ({ balance, token }) => ({
          token: Caip.tokenKey(token),
          quantity: balance,
        })),
      ),
    ),
  )
  yield* Effect.flatMap(confirm(ofLedger, ofLedger), report("ledger"))
  const end = (yield* Clock.currentTimeMillis) + 1
  const tenants = (yield* (yield* AccountStore).partners(null)).map(({ id }) => ({
    partnerId: id,
    mode,
  }))
  const until = { ...PaymentFilter.unfiltered, createdBefore: end }
  const counts = yield* Effect.forEach(tenants, (tenant) =>
    payments.paymentStats(tenant, until, end),
  )
  const total = counts.reduce((sum, { transactions }) => sum + transactions, 0)
  let done = 0
  const lookAtPayment = (payment: Payment.Payment) =>
    Effect.flatMap(
      confirm(ofPayment(payment), Effect.flatMap(payments.payment(payment.id), ofPayment)),
      report(payment.id),
    )
  const lookAtPayout = (payout: Outflow.Outflow) =>
    Effect.flatMap(
      confirm(ofPayout(payout), Effect.flatMap(findOutflow(outflows, payout.id), ofPayout)),
      report(payout.id),
    )
  const lookAtPage = (page: ReadonlyArray<Payment.Payment>) =>
    Effect.andThen(
      Effect.forEach(page, lookAtPayment, { concurrency: 8, discard: true }),
      Effect.sync(() => listener.progressed((done += page.length), total)),
    )
  for (const tenant of tenants) {
    yield* Effect.flatMap(ofAllTime(tenant), report(tenant.partnerId))
    let payoutsFrom = 0
    let next = yield* firstAfter(tenant, { from: 0, before: end })
    while (next !== null) {
      const from = next - (next % dayInMs)
      const before = Math.min(from + dayInMs, end)
      yield* Effect.flatMap(ofDay(tenant, { from, before }, lookAtPage), report(tenant.partnerId))
      yield* forEachPayout(tenant, { from: payoutsFrom, before }, lookAtPayout)
      payoutsFrom = before
      next = yield* firstAfter(tenant, { from: before, before: end })
    }
    yield* forEachPayout(tenant, { from: payoutsFrom, before: end }, lookAtPayout)
  }
})
