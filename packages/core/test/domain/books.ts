/** The records that storage would have after some writes, for tests that play whole payouts and refunds. */
import { assert } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import type * as Outgoing from "@florin/core/domain/books/Outgoing"
import type * as Refunding from "@florin/core/domain/books/Refunding"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Event from "@florin/core/domain/payment/Event"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { Result } from "effect"

/** A ledger transaction, and the outflow that wrote it; null if a payment did. */
interface Line {
  readonly outflowId: OutflowId.OutflowId | null
  readonly transaction: Ledger.Transaction
}

export interface Books {
  readonly payments: ReadonlyMap<PaymentId.PaymentId, Payment.Payment>
  readonly outflows: ReadonlyMap<OutflowId.OutflowId, Outflow.Outflow>
  readonly lines: ReadonlyArray<Line>
}

const empty: Books = { payments: new Map(), outflows: new Map(), lines: [] }

/** Books in which the ledger owes what is left of the entries. */
const agreeing = new WeakSet<Books>([empty])

/** A value that must be there. */
export const given = <A>(value: A | null | undefined): A => value ?? assert.fail("there is none")

/** Whether a refund is refused with this code. */
export const isNoRefund = (
  asked: Result.Result<unknown, Refunding.Refused>,
  code: Refunding.RefundRefused["code"],
): boolean =>
  Result.isFailure(asked) && asked.failure._tag === "RefundRefused" && asked.failure.code === code

/** The block that a transfer was found in. */
export const checkpointOf = ({ blockHash: hash, blockNumber: number }: Transfer.Evidence) => ({
  number,
  hash,
})

const isUnique = (ids: ReadonlyArray<string>): boolean => new Set(ids).size === ids.length

/** What the ledger owes from each account, less what is left of the entries there. */
const differences = ({ lines, outflows, payments }: Books): ReadonlyArray<string> => {
  const sums = new Map<string, bigint>()
  const add = (key: string, quantity: bigint) => sums.set(key, (sums.get(key) ?? 0n) + quantity)
  const isBooked = (id: OutflowId.OutflowId) => {
    const outflow = outflows.get(id)
    return outflow !== undefined && OutflowState.isBooked[Outflow.status(outflow)]
  }
  const ledger = Ledger.balances(lines.map(({ transaction }) => transaction))
  for (const [key, { account, balance }] of ledger) if (account._tag === "Owed") add(key, -balance)
  for (const payment of payments.values()) {
    if (payment.state._tag !== "Succeeded") continue
    const { attempt, entry } = payment.state
    const { payTo: address, token } = attempt.option
    const taken = entry.parts.map((part) => part.netted + ("quantity" in part ? part.quantity : 0n))
    const sum = taken.reduce((total, each) => total + each, 0n)
    // A share that the fee used up has no parts but empty ones.
    const net = netOf(payment)
    assert.isTrue(taken.every((each) => each > 0n || net === 0n) && sum <= net)
    const account = { _tag: "Owed", merchantId: payment.merchantId, address } as const
    add(Ledger.balanceKey(account, token), -Balance.owed(payment, isBooked))
  }
  return [...sums].flatMap(([key, sum]) => (sum === 0n ? [] : [`${key}: ${sum}`]))
}

/**
 * The books after a write, as every storage checks it: each record once, and each as the next revision of itself. The
 * ledger owes merchants what is left of their entries.
 */
export const written = (books: Books, write: Change.Write): Books => {
  const payments = new Map(books.payments)
  const outflows = new Map(books.outflows)
  const lines = [...books.lines]
  assert.isTrue(isUnique(write.payments.map(({ payment }) => payment.id)))
  assert.isTrue(isUnique(write.outflows.map(({ outflow }) => outflow.id)))
  for (const { ledger, payment } of write.payments) {
    const before = payments.get(payment.id)
    if (before !== undefined) assert.strictEqual(payment.revision, before.revision + 1)
    payments.set(payment.id, payment)
    lines.push(...ledger.map((transaction) => ({ outflowId: null, transaction })))
  }
  for (const { ledger, outflow } of write.outflows) {
    const before = outflows.get(outflow.id)
    assert.strictEqual(outflow.revision, before === undefined ? 0 : before.revision + 1)
    outflows.set(outflow.id, outflow)
    lines.push(...ledger.map(({ transaction }) => ({ outflowId: outflow.id, transaction })))
  }
  for (const { transaction } of lines.slice(books.lines.length)) {
    assert.isTrue(Result.isSuccess(Ledger.transaction(transaction.kind, transaction.postings)))
  }
  const after = { payments, outflows, lines }
  const found = differences(after)
  // Books that begin in the middle of a life lack what was booked before.
  if (agreeing.has(books)) assert.deepStrictEqual(found, [])
  if (found.length === 0) agreeing.add(after)
  return after
}

/** The books after the writes of some paths. */
export const of = (...paths: ReadonlyArray<ReadonlyArray<Change.Write>>): Books =>
  paths.flat().reduce(written, empty)

/** An outflow with its payments, as a decision is shown it. */
export const current = (books: Books, id: OutflowId.OutflowId): Outgoing.Current => {
  const outflow = given(books.outflows.get(id))
  return {
    outflow,
    payments: Outflow.paymentIds(outflow).map((paymentId) => given(books.payments.get(paymentId))),
  }
}

/** What of a payment is the merchant's; 0 before it succeeded. */
export const netOf = ({ state }: Payment.Payment): bigint =>
  state._tag === "Succeeded" ? state.charge.net : 0n

/** What the events of a write announce, payment by payment. */
export const announced = (
  write: Change.Write,
): ReadonlyArray<readonly [PaymentId.PaymentId, Event.EventType]> =>
  write.payments.flatMap(({ event, payment }) =>
    event === undefined ? [] : [[payment.id, event] as const],
  )
