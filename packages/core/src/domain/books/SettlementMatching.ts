/**
 * Decides what happens to the merchant's share of a payment: where it goes, how much of it pays off an earlier refund,
 * and how it ends.
 *
 * Shares for one destination are gathered into one outflow. From then on the outflow holds their progress, and each
 * payment is updated when its share is paid, held or free again.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Caip from "../chain/Caip.ts"
import type * as Transfer from "../chain/Transfer.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as PaymentId from "../ground/PaymentId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import * as PartnerLimits from "../partner/PartnerLimits.ts"
import * as SettlementDestination from "../partner/SettlementDestination.ts"
import * as Change from "../payment/Change.ts"
import * as Payment from "../payment/Payment.ts"
import * as Settlement from "../payment/Settlement.ts"
import * as Refunding from "./Refunding.ts"

/** The account in effect for a token among a merchant's destinations, or null if it has none. */
export const match = (
  token: Caip.Token,
  destinations: ReadonlyArray<SettlementDestination.SettlementDestination>,
  now: number,
): Caip.Account | null => {
  const own = destinations.find((each) => Caip.sameToken(each.token, token))
  return own === undefined ? null : SettlementDestination.accountAt(own, now)
}

const succeeded = (payment: Payment.Payment) =>
  payment.state._tag === "Succeeded" ? payment.state : undefined

const withSettlement = (
  payment: Payment.Payment,
  settlement: Settlement.Settlement,
): Payment.Payment =>
  payment.state._tag === "Succeeded"
    ? { ...payment, state: { ...payment.state, settlement } }
    : payment

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
  const state = succeeded(payment)
  if (state?.settlement._tag !== "Pending") return null
  const { mode, partnerId } = payment
  const { payTo: from, token } = state.attempt.option
  return { partnerId, mode, token, from, destination: state.settlement.destination }
}

/** A key that is equal for equal groups. */
export const groupKey = (group: Group): string =>
  `${groupKeyPrefix(group, group.token)}${group.from}/${group.destination.address}`

/** Text that every {@link groupKey} of a partner's shares in a token begins with. */
export const groupKeyPrefix = (
  { mode, partnerId }: Pick<Group, "mode" | "partnerId">,
  token: Caip.Token,
): string => `${partnerId}/${mode}/${Caip.tokenKey(token)}/`

/**
 * How much of a share still belongs to the merchant: refunds of other payments may have taken a part of it, or a part
 * was paid.
 */
const left = (payment: Payment.Payment): Money.Quantity => {
  const state = succeeded(payment)
  if (state === undefined) return Money.zero
  const { net } = state.charge
  const { settlement } = state
  const gone = Settlement.keptOf(settlement) + Settlement.total(Settlement.partsOf(settlement))
  return Money.clamp(net - gone, net)
}

/** How much of a share may be paid out now. */
const payable = (
  payment: Payment.Payment,
  limits: PartnerLimits.PartnerLimits,
  now: number,
): Money.Quantity => {
  const state = succeeded(payment)
  if (state === undefined) return Money.zero
  const { charge, succeededAt } = state
  const back = PartnerLimits.heldBack(limits, { net: charge.net, succeededAt }, now)
  return Money.clamp(left(payment) - back, charge.net)
}

/** If nothing of a share may be paid out now, when more of it may be; else `now`. */
export const payableAt = (
  payment: Payment.Payment,
  limits: PartnerLimits.PartnerLimits,
  now: number,
): number => {
  const state = succeeded(payment)
  if (state === undefined || left(payment) === 0n) return now
  const { charge, succeededAt } = state
  const share = { net: charge.net, succeededAt, left: left(payment) }
  return PartnerLimits.payableAt(limits, share, now)
}

/** The time before which nothing of a waiting share is gathered. */
export const heldUntil = (payment: Payment.Payment): number | null => {
  const settlement = succeeded(payment)?.settlement
  return settlement?._tag === "Pending" ? (settlement.from ?? null) : null
}

/** Lets a waiting share be gathered no sooner than `from`, or as soon as it is due. */
export const holdBack = (
  payment: Payment.Payment,
  { dueAt, from }: { readonly from: number | null; readonly dueAt: number },
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Pending") return null
  const { from: _, ...rest } = settlement
  const next = from === null ? rest : { ...rest, from }
  return Change.make(withSettlement(payment, next), now, { due: { settle: dueAt } })
}

/** The whole of a share that waits to be gathered, before anything of it is netted. */
export const pendingQuantity = (payment: Payment.Payment): Money.Quantity =>
  groupOf(payment) === null ? Money.zero : left(payment)

/** The token of a share that waits to be gathered or is owed; null if none does. */
export const tokenOfWaiting = (payment: Payment.Payment): Caip.Token | null => {
  const state = succeeded(payment)
  return state?.settlement._tag === "Pending" || state?.settlement._tag === "Owed"
    ? state.attempt.option.token
    : null
}

/** The token of an owed share without a destination; null if there is none. */
export const tokenOwed = (payment: Payment.Payment): Caip.Token | null =>
  succeeded(payment)?.settlement._tag === "Owed" ? tokenOfWaiting(payment) : null

/** Where a share that was not gathered goes now, by the merchant's last destination for its token, deleted or not. */
export const routeOf = (
  payment: Payment.Payment,
  last: SettlementDestination.SettlementDestination | undefined,
  now: number,
): SettlementDestination.Route => {
  const settlement = succeeded(payment)?.settlement
  const planned = settlement?._tag === "Pending" ? settlement.destination : null
  return SettlementDestination.routeOf(planned, last, now)
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
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Pending" && settlement?._tag !== "Owed") return null
  const { waitsSince, ...rest } = settlement
  switch (route._tag) {
    case "Waits":
      return waitsSince === undefined
        ? Change.make(withSettlement(payment, { ...settlement, waitsSince: now }), now, {
            due: { settle: now },
          })
        : null
    case "Owed":
      return waitsSince === undefined
        ? null
        : Change.make(withSettlement(payment, rest), now, { due: { settle: null } })
    case "Pays":
      return settlement._tag === "Pending" &&
        waitsSince === undefined &&
        Caip.sameAccount(settlement.destination, route.account)
        ? null
        : Change.make(
            withSettlement(
              payment,
              rest._tag === "Pending"
                ? { ...rest, destination: route.account }
                : { _tag: "Pending", destination: route.account },
            ),
            now,
            { due: { settle: now } },
          )
  }
}

/** The last destination of each merchant for one token, deleted ones too. */
export type Lasts = ReadonlyArray<SettlementDestination.SettlementDestination>

/** Whether a share that was planned for an account goes there now. */
export const leadsTo = (
  account: Caip.Account,
  last: SettlementDestination.SettlementDestination | undefined,
  now: number,
): boolean => {
  const route = SettlementDestination.routeOf(account, last, now)
  return route._tag === "Pays" && Caip.sameAccount(route.account, account)
}

/** What a merchant owes us in the token that is paid out. */
export type Debts = ReadonlyMap<MerchantId.MerchantId, Money.Quantity>

/** Splits a share into what is sent and what pays off the merchant's debt. */
const shareOf = (
  { id: paymentId, merchantId }: Payment.Payment,
  net: Money.Quantity,
  debt: Money.Quantity,
): Outflow.Share => {
  const netted = Money.min(net, debt)
  return { paymentId, merchantId, quantity: Money.clamp(net - netted, net), netted }
}

/** The shares of payments in their order, each netted with its merchant's remaining debt. */
export const sharesOf = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Debts,
  quantityOf = left,
): ReadonlyArray<Outflow.Share> => {
  const open = new Map(debts)
  return payments.map((payment) => {
    const debt = open.get(payment.merchantId) ?? Money.zero
    const share = shareOf(payment, quantityOf(payment), debt)
    open.set(payment.merchantId, Money.clamp(debt - share.netted, debt))
    return share
  })
}

interface Taken {
  readonly payment: Payment.Payment
  readonly share: Outflow.Share
}

/** The limits of a payout, other than its shares. */
export interface Bounds {
  readonly limits: PartnerLimits.PartnerLimits
  /** The most that it carries if it has more than one share; null if there is no limit. */
  readonly most: bigint | null
}

const unbounded: Bounds = { limits: PartnerLimits.none, most: null }

/** The shares of payments in their order, up to the last one that a single transfer can pay with those before it. */
const fitting = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Debts,
  { limits, most }: Bounds,
  now: number,
): { readonly quantity: Money.Quantity; readonly taken: ReadonlyArray<Taken> } => {
  const shares = sharesOf(payments, debts, (payment) => payable(payment, limits, now))
  const taken: Array<Taken> = []
  let quantity = Money.zero
  for (const [index, payment] of payments.entries()) {
    const share = shares[index]
    if (share === undefined) break
    const total = Money.add(quantity, share.quantity)
    if (Result.isFailure(total)) break
    if (most !== null && quantity > 0n && total.success > most) break
    quantity = total.success
    taken.push({ payment, share })
  }
  return { quantity, taken }
}

/** The sums of all these parts. */
const summed = (parts: ReadonlyArray<Pick<Settlement.Part, "netted" | "quantity">>) => ({
  quantity: Money.clamp(
    parts.reduce((sum, { quantity }) => sum + quantity, 0n),
    Money.largest,
  ),
  netted: Money.clamp(
    parts.reduce((sum, { netted }) => sum + netted, 0n),
    Money.largest,
  ),
})

const partsIn = (parts: ReadonlyArray<Settlement.Part>) => (parts.length === 0 ? {} : { parts })

/** The settlement of a share that is completely used: by these parts, and by refunds, the last of which is of a payment. */
const ended = (
  payment: Payment.Payment,
  destination: Caip.Account,
  parts: ReadonlyArray<Settlement.Part>,
  refundOf: PaymentId.PaymentId | undefined,
  now: number,
): Settlement.Settlement => {
  const last = parts.findLast(({ sent }) => sent !== undefined)
  if (last?.sent === undefined) {
    // All of it paid off the merchant's debt, or is kept for refunds.
    const netted = succeeded(payment)?.charge.net ?? Money.zero
    return {
      _tag: "Netted",
      netted,
      settledAt: now,
      ...(refundOf !== undefined && { refundOf }),
    }
  }
  return {
    _tag: "Successful",
    destination,
    ...summed(parts),
    ...last.sent,
    settledAt: now,
    ...partsIn(parts.filter((each) => each !== last)),
  }
}

/** The part that was paid last. */
const lastOf = ({
  netted,
  outflowId,
  parts = [],
  quantity,
  txHash,
}: Extract<Settlement.Settlement, { readonly _tag: "Successful" }>): Settlement.Part => {
  const before = summed(parts)
  return {
    quantity: Money.clamp(quantity - before.quantity, quantity),
    netted: Money.clamp(netted - before.netted, netted),
    sent: { outflowId, txHash },
  }
}

interface Gone {
  readonly kept?: Money.Quantity
  readonly parts?: ReadonlyArray<Settlement.Part>
}

/** Fields to spread into a settlement, so that earlier parts of the share are not lost. */
const goneIn = (settlement: Settlement.Settlement): Gone => {
  const kept = Settlement.keptOf(settlement)
  return { ...(kept > 0n && { kept }), ...partsIn(Settlement.partsOf(settlement)) }
}

/** The used part of a paid share other than its last part: the unpaid rest was kept for refunds. */
const goneBeside = (
  payment: Payment.Payment,
  { netted, parts = [], quantity }: Extract<Settlement.Settlement, { readonly _tag: "Successful" }>,
): Gone => {
  const all = succeeded(payment)?.charge.net ?? Money.zero
  const kept = Money.clamp(all - quantity - netted, all)
  return { ...(kept > 0n && { kept }), ...partsIn(parts) }
}

const partsOf = (payment: Payment.Payment): ReadonlyArray<Settlement.Part> => {
  const settlement = succeeded(payment)?.settlement
  return settlement === undefined ? [] : Settlement.partsOf(settlement)
}

const goneOf = (payment: Payment.Payment) => {
  const settlement = succeeded(payment)?.settlement
  return settlement === undefined ? {} : goneIn(settlement)
}

/** What a share that is completely used changes: one that waits for the transfer of a refund is not settled yet. */
const endingOf = (settlement: Settlement.Settlement, now: number): Change.Effects => {
  if (settlement._tag === "Pending") return {}
  return settlement._tag === "Netted" && settlement.refundOf !== undefined
    ? { due: { settle: now } }
    : { event: "payment.settled", due: { settle: null } }
}

/** The refund whose transfer settles a share that paid off debt, if that was not final when the share was used. */
export const refundAwaited = (payment: Payment.Payment): PaymentId.PaymentId | null => {
  const settlement = succeeded(payment)?.settlement
  return settlement?._tag === "Netted" && settlement.txHash === undefined
    ? (settlement.refundOf ?? null)
    : null
}

/** The transfer that the share paid off is final. */
export const recordPaidOff = (
  payment: Payment.Payment,
  txHash: string,
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Netted" || refundAwaited(payment) === null) return null
  const next = { ...settlement, txHash, settledAt: now }
  return Change.make(withSettlement(payment, next), now, {
    event: "payment.settled",
    due: { settle: null },
  })
}

/** Pays off debt with all of the share that may be paid now: nothing is sent. */
const net = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  held: Ledger.Held & { readonly destination: Caip.Account },
  refundOf: PaymentId.PaymentId | undefined,
  now: number,
): Change.Change => {
  const { collecting, destination, token } = held
  const before = partsOf(payment)
  const parts = netted === 0n ? before : [...before, { quantity, netted }]
  const isGone = left(payment) === netted
  const next = isGone
    ? ended(payment, destination, parts, refundOf, now)
    : ({ _tag: "Pending", destination, ...goneOf(payment), parts } as const)
  return Change.make(withSettlement(payment, next), now, {
    due: { settle: now },
    ...endingOf(next, now),
    ledger:
      netted === 0n
        ? []
        : [
            Ledger.netting({
              collecting,
              token,
              merchantId: payment.merchantId,
              quantity: netted,
            }),
          ],
  })
}

const gathered = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  destination: Caip.Account,
  outflowId: OutflowId.OutflowId,
  now: number,
): Change.Change =>
  Change.make(
    withSettlement(payment, {
      _tag: "Processing",
      destination,
      quantity,
      netted,
      outflowId,
      ...goneOf(payment),
    }),
    now,
    { due: { settle: null } },
  )

/**
 * Gathers the shares of a group into one outflow, in the order of the payments. A share that the merchant's debt uses
 * up is settled without a transfer. Left out are payments whose share no longer waits, or may not go now, and those
 * whose merchant's destination is now another one or changes. Null if no payment is left.
 */
export const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  group: Group,
  {
    debts,
    lasts,
    refunds,
  }: {
    readonly debts: Debts
    readonly lasts: Lasts
    /** The payment of each indebted merchant whose refund was sent last. */
    readonly refunds?: ReadonlyMap<MerchantId.MerchantId, PaymentId.PaymentId>
  },
  outflowId: OutflowId.OutflowId,
  now: number,
  bounds = unbounded,
): Change.Write | null => {
  const key = groupKey(group)
  const lastFor = (payment: Payment.Payment) =>
    lasts.find(({ merchantId }) => merchantId === payment.merchantId)
  const waiting = payments.filter((payment) => {
    const own = groupOf(payment)
    const isPayable = left(payment) === 0n || payable(payment, bounds.limits, now) > 0n
    const leads = leadsTo(group.destination, lastFor(payment), now)
    return own !== null && groupKey(own) === key && leads && isPayable
  })
  if (waiting.length === 0) return null
  const { destination, from, mode, partnerId, token } = group
  const { quantity, taken } = fitting(waiting, debts, bounds, now)
  const shares = taken.flatMap(({ share }) => (share.quantity === 0n ? [] : [share]))
  const changes = taken.map(({ payment, share }) =>
    share.quantity === 0n
      ? net(
          payment,
          share,
          { collecting: from, destination, token },
          refunds?.get(payment.merchantId),
          now,
        )
      : gathered(payment, share, destination, outflowId, now),
  )
  const outflow = Outflow.make(
    {
      id: outflowId,
      partnerId,
      mode,
      movement: { token, from, to: destination.address, quantity },
      purpose: { _tag: "Settle", shares },
    },
    now,
  )
  return {
    payments: changes,
    outflows: shares.length === 0 ? [] : [{ outflow, ledger: [], claims: [], due: { send: now } }],
  }
}

/** A share, and how much of it a refund takes on the account that collected it. */
interface Cut extends Ledger.Kept {
  readonly payment: Payment.Payment
}

/**
 * The shares in their order, until the refund has what it needs. The last one may be split. Shares of the partner's
 * other merchants are taken only if the operator allows it.
 */
const cuts = (
  refunded: Payment.Payment,
  token: Caip.Token,
  shares: ReadonlyArray<Payment.Payment>,
  netsMerchants: boolean,
): ReadonlyArray<Cut> => {
  let need = Refunding.needOf(refunded)
  return shares.flatMap((payment) => {
    const group = groupOf(payment)
    const isOwn =
      payment.partnerId === refunded.partnerId &&
      (netsMerchants || payment.merchantId === refunded.merchantId) &&
      payment.mode === refunded.mode &&
      group !== null &&
      Caip.sameToken(group.token, token)
    if (!isOwn) return []
    const quantity = Money.min(left(payment), need)
    need = Money.clamp(need - quantity, need)
    return quantity === 0n ? [] : [{ payment, collecting: group.from, quantity }]
  })
}

/** The share without the part that is kept. */
const cut = (
  { payment, quantity }: Cut,
  refundOf: PaymentId.PaymentId,
  now: number,
): Settlement.Settlement | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Pending") return null
  const { destination } = settlement
  if (left(payment) === quantity) {
    return ended(payment, destination, partsOf(payment), refundOf, now)
  }
  const kept = Money.clamp(Settlement.keptOf(settlement) + quantity, Money.largest)
  return { ...settlement, kept }
}

/**
 * Keeps shares for a waiting refund of money that its merchant already had, in the order of the payments. Each is kept
 * on the account that collected it, and the refund leaves from the account that its own payment paid. Null if the
 * refund needs nothing, or no share is available.
 */
export const keep = (
  refunded: Payment.Payment,
  shares: ReadonlyArray<Payment.Payment>,
  now: number,
  netsMerchants = false,
): Change.Write | null => {
  const refund = Payment.refundOf(refunded)
  if (refund === null) return null
  const { token } = refund
  const taken = cuts(refunded, token, shares, netsMerchants)
  if (taken.length === 0) return null
  const changes = taken.flatMap((each) => {
    const settlement = cut(each, refunded.id, now)
    if (settlement === null) return []
    const { collecting, payment, quantity } = each
    const { merchantId: from } = payment
    const { merchantId } = refunded
    const next = withSettlement(payment, settlement)
    const isRefunded = payment.id === refunded.id
    return [
      Change.make(isRefunded ? Refunding.keepShares(next, taken) : next, now, {
        ledger: [Ledger.keptBack({ from, merchantId, collecting, token, quantity })],
        ...endingOf(settlement, now),
      }),
    ]
  })
  return {
    payments: changes.some(({ payment }) => payment.id === refunded.id)
      ? changes
      : [Change.make(Refunding.keepShares(refunded, taken), now, {}), ...changes],
    outflows: [],
  }
}

/** The share, if this outflow carries it now. */
const carried = (payment: Payment.Payment, { id }: Outflow.Outflow) => {
  const settlement = succeeded(payment)?.settlement
  return settlement !== undefined && Settlement.outflowOf(settlement) === id
    ? settlement
    : undefined
}

/** The outflow's transfer is final. */
export const recordPaid = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  const share =
    outflow.purpose._tag === "Settle"
      ? outflow.purpose.shares.find(({ paymentId }) => paymentId === payment.id)
      : undefined
  if (settlement?._tag !== "Processing" && settlement?._tag !== "Held") return null
  if (share === undefined) return null
  const { netted, quantity } = share
  const sent = { outflowId: outflow.id, txHash }
  return finished(payment, settlement.destination, { quantity, netted, sent }, now)
}

/** A part of the share is paid: it was the last one, or the rest waits to be gathered again. */
const finished = (
  payment: Payment.Payment,
  destination: Caip.Account,
  part: Settlement.Part,
  now: number,
): Change.Change => {
  const parts = [...partsOf(payment), part]
  const isGone = left(payment) <= part.quantity + part.netted
  const next = isGone
    ? ended(payment, destination, parts, undefined, now)
    : ({ _tag: "Pending", destination, ...goneOf(payment), parts } as const)
  return Change.make(withSettlement(payment, next), now, {
    due: { settle: now },
    ...endingOf(next, now),
  })
}

/** The destination cannot be paid, or was not: the share is kept and shown until an operator retries it. */
export const recordHeld = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  if (settlement?._tag !== "Processing" && settlement?._tag !== "Successful") return null
  const { destination, outflowId } = settlement
  const gone = settlement._tag === "Successful" ? goneBeside(payment, settlement) : goneOf(payment)
  return Change.make(
    withSettlement(payment, {
      _tag: "Held",
      destination,
      outflowId,
      ...failure,
      heldAt: now,
      ...gone,
    }),
    now,
    { event: "settlement.held", due: { settle: null } },
  )
}

/** Whether a refund took the share back before it was sent. */
export const isCancelled = (payment: Payment.Payment): boolean =>
  succeeded(payment)?.settlement._tag === "Cancelled"

/**
 * Whether the share may have been paid to a destination without a record in this ledger: it waits, or a refund of which
 * nothing was sent cancelled it.
 */
export const isUnpaid = (payment: Payment.Payment, { address }: Caip.Account): boolean => {
  const state = succeeded(payment)
  switch (state?.settlement._tag) {
    case "Pending":
      return state.settlement.destination.address === address
    case "Cancelled":
      return (
        state.settlement.destination?.address === address && state.refund?.state._tag === "Pending"
      )
    default:
      return false
  }
}

/** The share was paid without a record in this ledger. A refund that is still to be sent then uses the float. */
export const recordPaidElsewhere = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  {
    outflowId,
    transfer,
  }: { readonly outflowId: OutflowId.OutflowId; readonly transfer: Transfer.Evidence },
  now: number,
): Change.Change => {
  const { to: address, token } = transfer.movement
  const destination = { chainId: token.chainId, address }
  const sent = { outflowId, txHash: transfer.txHash }
  return finished(Refunding.fromFloat(payment), destination, { quantity, netted, sent }, now)
}

/** The outflow is cancelled: the share waits to be gathered again, for the same destination or another one. */
export const release = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { destination, dueAt }: { readonly destination?: Caip.Account; readonly dueAt: number },
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  if (settlement?._tag !== "Processing" && settlement?._tag !== "Held") {
    return unpaid(
      payment,
      outflow,
      { dueAt, ...(destination !== undefined && { destination }) },
      now,
    )
  }
  return Change.make(
    withSettlement(payment, {
      _tag: "Pending",
      destination: destination ?? settlement.destination,
      ...goneIn(settlement),
    }),
    now,
    { due: { settle: dueAt } },
  )
}

/** Undoes a part that this outflow paid before the rest of the share: a reorganisation took its transfer back. */
const unpaid = (
  payment: Payment.Payment,
  { id }: Outflow.Outflow,
  { destination, dueAt }: { readonly destination?: Caip.Account; readonly dueAt: number },
  now: number,
): Change.Change | null => {
  const settlement = succeeded(payment)?.settlement
  const isOf = ({ sent }: Settlement.Part) => sent?.outflowId === id
  if (settlement === undefined || !partsOf(payment).some(isOf)) return null
  const parts = partsOf(payment).filter((each) => !isOf(each))
  switch (settlement._tag) {
    case "Pending":
    case "Successful": {
      const gone = settlement._tag === "Pending" ? goneOf(payment) : goneBeside(payment, settlement)
      const last = settlement._tag === "Pending" ? [] : [lastOf(settlement)]
      return Change.make(
        withSettlement(payment, {
          _tag: "Pending",
          destination: destination ?? settlement.destination,
          ...gone,
          parts: [...parts, ...last],
        }),
        now,
        { due: { settle: dueAt } },
      )
    }
    case "Processing":
    case "Held":
      return Change.make(withSettlement(payment, { ...settlement, parts }), now, {})
    default:
      return null
  }
}

/** The transfer was found under another hash of the same transaction. */
export const recordMoved = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { txHash }: Transfer.Evidence,
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  return settlement?._tag === "Successful"
    ? Change.make(withSettlement(payment, { ...settlement, txHash }), now, {})
    : null
}

/** Whether a payout may still go to its destination: each of its merchants has that destination now. */
export const maySend = (
  { movement, purpose }: Outflow.Outflow,
  lasts: Lasts,
  now: number,
): boolean => {
  const account = { chainId: movement.token.chainId, address: movement.to }
  const shares = purpose._tag === "Settle" ? purpose.shares : []
  const merchants = new Set(shares.map(({ merchantId }) => merchantId))
  return lasts
    .filter(({ merchantId }) => merchants.has(merchantId))
    .every((last) => leadsTo(account, last, now))
}

/** The merchant has a destination now: an owed share waits to be gathered. Null if none is owed. */
export const due = (
  payment: Payment.Payment,
  destination: Caip.Account,
  now: number,
): Change.Change | null =>
  succeeded(payment)?.settlement._tag === "Owed"
    ? Change.make(withSettlement(payment, { _tag: "Pending", destination }), now, {
        due: { settle: now },
      })
    : null

/** The ledger's bookings of an outflow's shares, each as part of its payment's history. */
export const bookings = (
  { movement }: Outflow.Outflow,
  { advance, shares }: Extract<Outflow.Purpose, { readonly _tag: "Settle" }>,
): ReadonlyArray<Change.Booking> => {
  const { from: collecting, to: address, token } = movement
  const destination = { chainId: token.chainId, address }
  return [
    ...shares.map(({ merchantId, netted, paymentId, quantity }) => ({
      paymentId,
      transaction: Ledger.settlementOf({
        merchantId,
        collecting,
        destination,
        token,
        quantity,
        netted,
      }),
    })),
    ...(advance === undefined
      ? []
      : [
          {
            paymentId: null,
            transaction: Ledger.advance({ ...advance, collecting, destination, token }),
          },
        ]),
  ]
}
