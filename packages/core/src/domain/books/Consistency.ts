/**
 * Rules about money and events that hold at any time, whatever happened before. Each yields what contradicts it.
 *
 * They know nothing of how a service keeps its records: `florin reconcile --deep` applies them to what is stored, and
 * the oracle of the tests to what HTTP interface, ledger and chains show.
 *
 * @module
 */
import * as BigInt from "effect/BigInt"

/** What a payment says about an outflow that carries its money, and in which state that is. */
export interface Carried {
  readonly what: "payout" | "refund"
  readonly outflowId: string
  readonly state: string
}

/** A payment as its readers see it. Quantities are in the smallest unit of the token in which it was paid. */
export interface Payment {
  readonly id: string
  readonly status: string
  /** What the payer paid, and the fee of it; null until the payment succeeded. */
  readonly paid: bigint | null
  readonly fee: bigint | null
  /** Set once the merchant's share is settled: what was sent of it, and what paid off debts. */
  readonly settled: { readonly txId: string; readonly sent: bigint; readonly netted: bigint } | null
  /** In the order in which they were requested. */
  readonly refunds: ReadonlyArray<{ readonly status: string; readonly quantity: bigint }>
  readonly carried: ReadonlyArray<Carried>
  /** All outflows that it names, those of earlier parts of its share too. */
  readonly outflowIds: ReadonlyArray<string>
}

/** An event of a payment, with what it says about the payment. */
export interface Event {
  readonly version: number
  readonly status: string
  /** The statuses of its refunds. */
  readonly refunds: ReadonlyArray<string>
  /** The transaction that settled it. */
  readonly settlement: string | null
}

/** One transfer of the service, and the payments whose money it carries. */
export interface Outflow {
  readonly id: string
  readonly state: string
  readonly quantity: bigint
  readonly shares: ReadonlyArray<{ readonly paymentId: string; readonly quantity: bigint }>
  /** What it paid beyond all shares. */
  readonly advance: bigint
}

/** The balance of a ledger account. */
export interface Entry {
  readonly token: string
  readonly quantity: bigint
}

type Contradictions = Iterable<string>

/** The ledger's balances sum to zero for each token. */
export const sumToZero = function* (ledger: Iterable<Entry>): Contradictions {
  const sums = new Map<string, bigint>()
  for (const { quantity, token } of ledger) sums.set(token, (sums.get(token) ?? 0n) + quantity)
  for (const [token, sum] of sums) if (sum !== 0n) yield `the ledger is off by ${sum} of ${token}`
}

/** Refunds are together never more than what was paid, and a payment that failed has none. */
export const refundsWhatWasPaid = function* (payment: Payment): Contradictions {
  const { id, paid, refunds, status } = payment
  if (refunds.length === 0) return
  if (status !== "succeeded") yield `${id} is refunded, and never succeeded`
  const total = BigInt.sumAll(refunds.map(({ quantity }) => quantity))
  if (paid === null || total > paid) yield `${id} was paid ${paid}, and its refunds are ${total}`
}

/** The merchant gets what was paid less the fee and what refunds took of it, once the payment has succeeded. */
export const paysWhatIsOwed = function* (payment: Payment): Contradictions {
  const { fee, id, paid, refunds, settled, status } = payment
  if (settled === null) return
  if (status !== "succeeded") yield `${id} is paid out, and never succeeded`
  const { netted, sent } = settled
  const total = BigInt.sumAll(refunds.map(({ quantity }) => quantity))
  const net = paid === null || fee === null ? null : paid - fee
  if (net === null || sent + netted > net || sent + netted < net - total) {
    const less = total === 0n ? "" : `, and at most ${total} refunded`
    yield `${id} was paid ${paid}, and of that ${sent} was sent, ${netted} netted, and ${fee} the fee${less}`
  }
}

/** What the ledger still owes the merchant for a payment is what is left of its entries. */
export const isOwed = function* (id: string, owed: bigint, ledger: bigint): Contradictions {
  if (owed !== ledger)
    yield `${owed} of ${id} is owed to its merchant, and the ledger owes ${ledger}`
}

/** The states of an outflow when a payment says this about it. */
const statesWhen: Readonly<Record<string, ReadonlyArray<string>>> = {
  pending: ["waiting", "sent"],
  processing: ["waiting", "sent"],
  held: ["held"],
  paid: ["paid"],
  succeeded: ["paid"],
}

/** What a payment says about an outflow is true. If not, the payment waits for something that never happens. */
export const isCarried = function* (
  { id }: Payment,
  { outflowId, state, what }: Carried,
  outflow: Outflow | undefined,
): Contradictions {
  if (outflow === undefined) {
    yield `the ${what} of ${id} is ${state} in ${outflowId}, which does not exist`
    return
  }
  if (statesWhen[state]?.includes(outflow.state) !== true) {
    yield `the ${what} of ${id} is ${state}, and ${outflowId} is ${outflow.state}`
  }
  const count = outflow.shares.filter(({ paymentId }) => paymentId === id).length
  if (count !== 1) yield `the ${what} of ${id} is in ${outflowId} ${count} times`
}

/** An outflow is the sum of what it carries. */
export const isSum = function* ({ advance, id, quantity, shares }: Outflow): Contradictions {
  const sum = shares.reduce((total, share) => total + share.quantity, advance)
  if (sum !== quantity) yield `${id} is of ${quantity}, and its payments sum to ${sum}`
}

/** Each payment that an outflow carries names it: otherwise the payment may be paid by another one, too. */
export const isNamed = function* (
  { id, state }: Outflow,
  paymentId: string,
  payment: Payment | undefined,
): Contradictions {
  if (state === "cancelled" || payment?.outflowIds.includes(id) === true) return
  const names = payment?.outflowIds.join(", ") ?? ""
  yield payment === undefined
    ? `${id} pays ${paymentId}, which does not exist`
    : `${paymentId} is in ${id} (${state}), and names ${names === "" ? "no outflow" : names}`
}

/**
 * The events of a payment have the versions 0, 1, 2 and so on, and the last one shows it as it is. A reorganisation may
 * let another of the transaction's `hashes` settle it, which no event announces.
 */
export const areComplete = function* (
  { id, refunds, settled, status }: Payment,
  events: ReadonlyArray<Event>,
  hashes: ReadonlyArray<string> = [],
): Contradictions {
  const versions = events.map(({ version }) => version)
  if (versions.length === 0 || versions.some((version, index) => version !== index)) {
    yield `the events of ${id} have the versions ${versions.join(", ")}`
  }
  const last = events.at(-1)
  for (const [what, is, said] of [
    ["status", status, last?.status],
    ["refunds", refunds.map((each) => each.status).join(", "), last?.refunds.join(", ") ?? ""],
    ["settlement", settled?.txId ?? null, last?.settlement ?? null],
  ] as const) {
    const isAnnounced = is === said || [is, said].every((each) => hashes.includes(`${each}`))
    if (!isAnnounced) yield `the ${what} of ${id} is ${is}, and its last event says ${said}`
  }
}
