/**
 * What a merchant is owed: an entry for each of its payments, which waits to be paid out or is used for refunds.
 *
 * What a payout takes, a debt uses, or a refund takes back is a part of an entry, and the ledger owes what is left of
 * it: that is the law of this file.
 *
 * @module
 */
import * as Caip from "../chain/Caip.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import * as Ledger from "../money/Ledger.ts"
import type * as Outflow from "../outflow/Outflow.ts"
import * as SettlementDestination from "../partner/SettlementDestination.ts"
import * as Change from "../payment/Change.ts"
import * as Entry from "../payment/Entry.ts"
import * as Payment from "../payment/Payment.ts"
import * as Refund from "../payment/Refund.ts"
import * as Refunding from "./Refunding.ts"

/** The entry of a payment that succeeded. */
export const entryOf = ({ state }: Payment.Payment): Entry.Entry | undefined =>
  state._tag === "Succeeded" ? state.entry : undefined

/** The entry of a payment, if it waits to be paid out, or for a destination. */
const waitingOf = (payment: Payment.Payment): Entry.Entry | undefined => {
  const entry = entryOf(payment)
  return entry !== undefined && Entry.isWaiting(entry) ? entry : undefined
}

/** Writes the entry of a payment. */
export const changed = (
  payment: Payment.Payment,
  entry: Entry.Entry,
  now: number,
  effects: Change.Effects,
): Change.Change => Change.make(withEntry(payment, entry), now, effects)

const withEntry = (payment: Payment.Payment, entry: Entry.Entry): Payment.Payment =>
  payment.state._tag === "Succeeded" ? { ...payment, state: { ...payment.state, entry } } : payment

/** What is to happen after a part of an entry was used: nothing if it is settled now, which is announced. */
export const following = (entry: Entry.Entry, now: number): Change.Effects =>
  entry.settled === undefined
    ? { due: { settle: now } }
    : { event: "payment.settled", due: { settle: null } }

// --- where it goes

/** What one transfer can pay: shares of one token, from one of our accounts to one destination. */
export interface Group {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
  readonly token: Caip.Token
  readonly from: Caip.Address
  readonly destination: Caip.Account
}

/** The group of a share that waits to be gathered. Null if none does. */
export const groupOf = (payment: Payment.Payment): Group | null => {
  const { destination = null } = waitingOf(payment) ?? {}
  const { mode, partnerId, state } = payment
  if (state._tag !== "Succeeded" || destination === null) return null
  const { payTo: from, token } = state.attempt.option
  return { partnerId, mode, token, from, destination }
}

/** A key that is equal for equal groups. */
export const groupKey = (group: Group): string =>
  `${groupKeyPrefix(group, group.token)}${group.from}/${group.destination.address}`

/** Text that every {@link groupKey} of a partner's shares in a token begins with. */
export const groupKeyPrefix = (
  { mode, partnerId }: Pick<Group, "mode" | "partnerId">,
  token: Caip.Token,
): string => `${partnerId}/${mode}/${Caip.tokenKey(token)}/`

/** The token of a share that waits to be gathered or is owed; null if none does. */
export const tokenOfWaiting = (payment: Payment.Payment): Caip.Token | null =>
  payment.state._tag === "Succeeded" && waitingOf(payment) !== undefined
    ? payment.state.attempt.option.token
    : null

/** The token of a share without a destination that is owed, or was until refunds took all of it; null if there is none. */
export const tokenUnplanned = (payment: Payment.Payment): Caip.Token | null =>
  payment.state._tag === "Succeeded" && payment.state.entry.destination === null
    ? payment.state.attempt.option.token
    : null

/** The token of an owed share without a destination; null if there is none. */
export const tokenOwed = (payment: Payment.Payment): Caip.Token | null =>
  waitingOf(payment)?.destination === null ? tokenOfWaiting(payment) : null

/** The last destination of each merchant for one token, deleted ones too. */
export type Lasts = ReadonlyArray<SettlementDestination.SettlementDestination>

/** Where a share that was not gathered goes now, by the merchant's last destination for its token, deleted or not. */
export const routeOf = (
  payment: Payment.Payment,
  last: SettlementDestination.SettlementDestination | undefined,
  now: number,
): SettlementDestination.Route =>
  SettlementDestination.routeOf(waitingOf(payment)?.destination ?? null, last, now)

/** Whether a share that was planned for an account goes there now. */
export const leadsTo = (
  account: Caip.Account,
  last: SettlementDestination.SettlementDestination | undefined,
  now: number,
): boolean => {
  const route = SettlementDestination.routeOf(account, last, now)
  return route._tag === "Pays" && Caip.sameAccount(route.account, account)
}

/**
 * Updates where a share that was not gathered goes, or records that it waits. Null if nothing changes, or if there is
 * no such share.
 */
export const aim = (
  payment: Payment.Payment,
  route: SettlementDestination.Route,
  now: number,
): Change.Change | null => {
  const entry = waitingOf(payment)
  if (entry === undefined) return null
  const { destination, waitsSince, ...rest } = entry
  switch (route._tag) {
    case "Waits":
      return waitsSince === undefined
        ? changed(payment, { ...entry, waitsSince: now }, now, { due: { settle: now } })
        : null
    case "Owed":
      return waitsSince === undefined
        ? null
        : changed(payment, { ...rest, destination }, now, { due: { settle: null } })
    case "Pays": {
      const { account } = route
      const isSame = destination !== null && Caip.sameAccount(destination, account)
      return isSame && waitsSince === undefined
        ? null
        : changed(payment, { ...rest, destination: account }, now, { due: { settle: now } })
    }
  }
}

// --- how much of it

/** How much of a share was left before refunds took of it of which nothing was sent. */
export const leftBefore = (payment: Payment.Payment): Money.Quantity => {
  const entry = entryOf(Refunding.withoutOwn(payment))
  return entry === undefined ? Money.zero : Entry.left(entry)
}

/** How much of a share is left. Of one that refunds took back, this is what it was before those that were not sent. */
export const left = (payment: Payment.Payment): Money.Quantity => {
  const entry = entryOf(payment)
  if (entry === undefined) return Money.zero
  return Entry.isRefunded(entry) ? leftBefore(payment) : Entry.left(entry)
}

/** The time before which nothing of a waiting share is gathered. */
export const heldUntil = (payment: Payment.Payment): number | null =>
  groupOf(payment) === null ? null : (entryOf(payment)?.heldUntil ?? null)

/** Lets a waiting share be gathered no sooner than `from`, or as soon as it is due. */
export const holdBack = (
  payment: Payment.Payment,
  { dueAt, from }: { readonly from: number | null; readonly dueAt: number },
  now: number,
): Change.Change | null => {
  const entry = waitingOf(payment)
  if (entry === undefined || entry.destination === null) return null
  const { heldUntil: _, ...rest } = entry
  const next = from === null ? rest : { ...rest, heldUntil: from }
  return changed(payment, next, now, { due: { settle: dueAt } })
}

/** The whole of a share that waits to be gathered, before anything of it is netted. */
export const pendingQuantity = (payment: Payment.Payment): Money.Quantity =>
  groupOf(payment) === null ? Money.zero : left(payment)

/** What a merchant owes us in the token that is paid out. */
export type Debts = ReadonlyMap<MerchantId.MerchantId, Money.Quantity>

/** The shares of payments in their order, each netted with its merchant's remaining debt. */
export const sharesOf = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Debts,
  quantityOf = left,
): ReadonlyArray<Outflow.Share> => {
  const open = new Map(debts)
  return payments.map((payment) => {
    const { id: paymentId, merchantId } = payment
    const [all, debt] = [quantityOf(payment), open.get(merchantId) ?? Money.zero]
    const netted = Money.min(all, debt)
    open.set(merchantId, Money.clamp(debt - netted, debt))
    return { paymentId, merchantId, quantity: Money.clamp(all - netted, all), netted }
  })
}

// --- refunds

/** A share, and how much of it a refund takes on the account that collected it. */
interface Cut extends Ledger.Kept {
  readonly payment: Payment.Payment
  readonly entry: Entry.Entry
}

/**
 * The shares in their order, until the refund has what it needs. The last one may be split. Shares of the partner's
 * other merchants are taken only if the operator allows it.
 */
const cuts = (
  refunded: Payment.Payment,
  refund: Refund.Refund,
  shares: ReadonlyArray<Payment.Payment>,
  netsMerchants: boolean,
): ReadonlyArray<Cut> => {
  let need: Money.Quantity = Refund.need(refund)
  return shares.flatMap((payment) => {
    const entry = waitingOf(payment)
    const { payTo: collecting, token } = Payment.attemptOf(payment)?.option ?? {}
    const isOwn =
      payment.partnerId === refunded.partnerId &&
      (netsMerchants || payment.merchantId === refunded.merchantId) &&
      payment.mode === refunded.mode &&
      token !== undefined &&
      Caip.sameToken(token, refund.token)
    if (!isOwn || entry === undefined || collecting === undefined) return []
    const quantity = Money.min(Entry.left(entry), need)
    need = Money.clamp(need - quantity, need)
    return quantity === 0n ? [] : [{ payment, entry, collecting, quantity }]
  })
}

/**
 * Keeps shares for the first waiting refund of a payment that needs them, in the order of the payments. Each is kept
 * on the account that collected it, and the refund leaves from the account that its own payment paid. Null if the
 * refund needs nothing, or no share is available.
 */
export const keep = (
  refunded: Payment.Payment,
  shares: ReadonlyArray<Payment.Payment>,
  now: number,
  netsMerchants = false,
): Change.Write | null => {
  const refund = Refunding.inNeed(refunded)
  if (refund === null) return null
  const { id: refundId, token } = refund
  const taken = cuts(refunded, refund, shares, netsMerchants)
  if (taken.length === 0) return null
  const changes = taken.map(({ collecting, entry, payment, quantity }) => {
    const { merchantId: from } = payment
    const { id: paymentId, merchantId } = refunded
    const refundOf = { paymentId, refundId }
    const rest = Entry.take(entry, { _tag: "Netted", netted: quantity, refundOf })
    const next = Entry.settle(Entry.left(rest) > 0n ? rest : Entry.freed(rest), now)
    const isRefunded = payment.id === paymentId
    return changed(isRefunded ? Refunding.keepShares(payment, refund, taken) : payment, next, now, {
      ledger: [Ledger.keptBack({ from, merchantId, collecting, token, quantity })],
      // A share that waits keeps its work.
      ...(Entry.isWaiting(next) ? {} : following(next, now)),
    })
  })
  return {
    payments: changes.some(({ payment }) => payment.id === refunded.id)
      ? changes
      : [Change.make(Refunding.keepShares(refunded, refund, taken), now, {}), ...changes],
    outflows: [],
  }
}

/** The refund whose transfer settles a share that paid off debt, if that was not final when the share was used. */
export const refundAwaited = (payment: Payment.Payment): Entry.RefundOf | null => {
  const entry = entryOf(payment)
  return entry === undefined ? null : Entry.refundAwaited(entry)
}

/** The transfer that the share paid off is final. */
export const recordPaidOff = (
  payment: Payment.Payment,
  txHash: string,
  now: number,
): Change.Change | null => {
  const entry = entryOf(payment)
  if (entry === undefined || Entry.refundAwaited(entry) === null) return null
  const next = { ...entry, settled: { at: now, txHash } }
  return changed(payment, next, now, following(next, now))
}

/** Whether a refund took the share back before it was sent. */
export const isCancelled = (payment: Payment.Payment): boolean => {
  const entry = entryOf(payment)
  return entry !== undefined && Entry.isRefunded(entry)
}

/**
 * Whether the share may have been paid to an account without a record in this ledger: it waits, or a refund of which
 * nothing was sent cancelled it.
 */
export const isUnpaid = (payment: Payment.Payment, to: Caip.Address): boolean => {
  const entry = entryOf(payment)
  if (entry?.destination?.address !== to) return false
  return Entry.isRefunded(entry) ? Refunding.unsent(payment).length > 0 : Entry.isWaiting(entry)
}

// --- the law

/** How much the ledger owes of an entry, if these outflows are booked. What pays off debt is gone at once. */
export const owed = (
  payment: Payment.Payment,
  isBooked: (id: OutflowId.OutflowId) => boolean,
): bigint => {
  const entry = entryOf(payment)
  if (entry === undefined) return 0n
  const unbooked = entry.parts.reduce((sum, part) => {
    if (part._tag === "Netted") return sum
    const [id, quantity] =
      part._tag === "Refunded"
        ? [Payment.refunds(payment).find((each) => each.id === part.refundId)?.outflowId, 0n]
        : [part.outflowId, part.quantity]
    return id === undefined || isBooked(id) ? sum : sum + quantity + part.netted
  }, 0n)
  return Entry.left(entry) + unbooked
}

/** How much these transactions owe a merchant. */
export const owedBy = (
  transactions: ReadonlyArray<Ledger.Transaction>,
  merchantId: MerchantId.MerchantId,
): bigint =>
  transactions
    .flatMap(({ postings }) => postings)
    .filter(({ account }) => account._tag === "Owed" && account.merchantId === merchantId)
    .reduce((sum, { delta }) => sum - delta, 0n)
