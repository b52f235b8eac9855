/**
 * What becomes of the merchant's share of a payment: where it goes, what of it pays off an earlier refund, and how it
 * ends.
 *
 * Shares that go to one destination are gathered into one outflow. From then on the outflow says how far they are, and
 * each payment is told when its share is paid, held or free again.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Caip from "./Caip.ts"
import * as Change from "./Change.ts"
import * as Ledger from "./Ledger.ts"
import type * as Merchant from "./Merchant.ts"
import type * as Mode from "./Mode.ts"
import * as Money from "./Money.ts"
import * as Outflow from "./Outflow.ts"
import * as Payment from "./Payment.ts"
import * as Refunding from "./Refunding.ts"
import * as Settlement from "./Settlement.ts"
import * as SettlementDestination from "./SettlementDestination.ts"
import type * as Transfer from "./Transfer.ts"

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

/** What one transfer can pay: shares of one token, from one account of ours to one destination. */
export interface Group {
  readonly partnerId: Merchant.PartnerId
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

/** Text that is the same for the same group, for keys and columns. */
export const groupKey = (group: Group): string =>
  `${groupKeyPrefix(group, group.token)}${group.from}/${group.destination.address}`

/** Text that every {@link groupKey} of a partner's shares in a token begins with. */
export const groupKeyPrefix = (
  { mode, partnerId }: Pick<Group, "mode" | "partnerId">,
  token: Caip.Token,
): string => `${partnerId}/${mode}/${Caip.tokenKey(token)}/`

/** What of a share is still the merchant's: refunds of other payments may have taken a part of it. */
const left = (payment: Payment.Payment): Money.Quantity => {
  const state = succeeded(payment)
  if (state === undefined) return Money.zero
  const { net } = state.charge
  return Money.clamp(net - Settlement.keptOf(state.settlement), net)
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

/** Where a share that was not gathered goes now, by the last destination that its merchant has or had for its token. */
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
 * Points a share that was not gathered to where it goes now, or notes that it waits. Null if it is so already, or if
 * there is no such share.
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
            withSettlement(payment, {
              _tag: "Pending",
              destination: route.account,
              ...keptIn(settlement),
            }),
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
export type Debts = ReadonlyMap<Merchant.MerchantId, Money.Quantity>

/** Splits a share into what is sent and what pays off the merchant's debt. */
const shareOf = (
  { id: paymentId, merchantId }: Payment.Payment,
  net: Money.Quantity,
  debt: Money.Quantity,
): Outflow.Share => {
  const netted = Money.min(net, debt)
  return { paymentId, merchantId, quantity: Money.clamp(net - netted, net), netted }
}

/** The shares of payments in their order, each netted against what its merchant still owes then. */
export const sharesOf = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Debts,
): ReadonlyArray<Outflow.Share> => {
  const open = new Map(debts)
  return payments.map((payment) => {
    const debt = open.get(payment.merchantId) ?? Money.zero
    const share = shareOf(payment, left(payment), debt)
    open.set(payment.merchantId, Money.clamp(debt - share.netted, debt))
    return share
  })
}

interface Taken {
  readonly payment: Payment.Payment
  readonly share: Outflow.Share
}

/** The shares of payments in their order, up to the last one that a single transfer can pay with those before it. */
const fitting = (
  payments: ReadonlyArray<Payment.Payment>,
  debts: Debts,
): { readonly quantity: Money.Quantity; readonly taken: ReadonlyArray<Taken> } => {
  const shares = sharesOf(payments, debts)
  const taken: Array<Taken> = []
  let quantity = Money.zero
  for (const [index, payment] of payments.entries()) {
    const share = shares[index]
    if (share === undefined) break
    const total = Money.add(quantity, share.quantity)
    if (Result.isFailure(total)) break
    quantity = total.success
    taken.push({ payment, share })
  }
  return { quantity, taken }
}

/** Nothing is left of the share to send: all of it paid off what the merchant owed, or is kept for refunds. */
const allNetted = (payment: Payment.Payment, now: number): Settlement.Settlement => ({
  _tag: "Netted",
  netted: succeeded(payment)?.charge.net ?? Money.zero,
  settledAt: now,
})

/** Spread into a settlement, so that what is kept of the share is not forgotten. */
const keptIn = (settlement: Settlement.Settlement): { readonly kept?: Money.Quantity } => {
  const kept = Settlement.keptOf(settlement)
  return kept === 0n ? {} : { kept }
}

const keptBy = (payment: Payment.Payment): { readonly kept?: Money.Quantity } => {
  const settlement = succeeded(payment)?.settlement
  return settlement === undefined ? {} : keptIn(settlement)
}

/** Pays off debt with the whole share: nothing is sent. */
const net = (
  payment: Payment.Payment,
  { netted }: Outflow.Share,
  held: Ledger.Held,
  now: number,
): Change.Change =>
  Change.make(withSettlement(payment, allNetted(payment, now)), now, {
    event: "payment.settled",
    ledger:
      netted === 0n
        ? []
        : [Ledger.netted({ ...held, merchantId: payment.merchantId, quantity: netted })],
    due: { settle: null },
  })

const gathered = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  destination: Caip.Account,
  outflowId: Outflow.OutflowId,
  now: number,
): Change.Change =>
  Change.make(
    withSettlement(payment, {
      _tag: "Processing",
      destination,
      quantity,
      netted,
      outflowId,
      ...keptBy(payment),
    }),
    now,
    { due: { settle: null } },
  )

/**
 * Gathers the shares of a group into one outflow, in the order of the payments. A share that the merchant's debt uses up
 * is settled without a transfer. Payments whose share does not wait any more are left out, and those whose merchant's
 * destination is another one now or changes; null if that is all of them.
 */
export const gather = (
  payments: ReadonlyArray<Payment.Payment>,
  group: Group,
  { debts, lasts }: { readonly debts: Debts; readonly lasts: Lasts },
  outflowId: Outflow.OutflowId,
  now: number,
): Change.Write | null => {
  const key = groupKey(group)
  const lastOf = (payment: Payment.Payment) =>
    lasts.find(({ merchantId }) => merchantId === payment.merchantId)
  const waiting = payments.filter((payment) => {
    const own = groupOf(payment)
    return own !== null && groupKey(own) === key && leadsTo(group.destination, lastOf(payment), now)
  })
  if (waiting.length === 0) return null
  const { destination, from, mode, partnerId, token } = group
  const { quantity, taken } = fitting(waiting, debts)
  const shares = taken.flatMap(({ share }) => (share.quantity === 0n ? [] : [share]))
  const changes = taken.map(({ payment, share }) =>
    share.quantity === 0n
      ? net(payment, share, { collecting: from, token }, now)
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

/** A share, and what of it a refund takes on the account of ours that collected it. */
interface Cut extends Ledger.Kept {
  readonly payment: Payment.Payment
}

/** The shares in their order, until the refund has what it needs. The last one may be cut in two. */
const cuts = (
  refunded: Payment.Payment,
  token: Caip.Token,
  shares: ReadonlyArray<Payment.Payment>,
): ReadonlyArray<Cut> => {
  let need = Refunding.needOf(refunded)
  return shares.flatMap((payment) => {
    const group = groupOf(payment)
    const isOwn =
      payment.merchantId === refunded.merchantId &&
      payment.mode === refunded.mode &&
      group !== null &&
      Caip.sameToken(group.token, token)
    if (!isOwn) return []
    const quantity = Money.min(left(payment), need)
    need = Money.clamp(need - quantity, need)
    return quantity === 0n ? [] : [{ payment, collecting: group.from, quantity }]
  })
}

/** The share, less what is kept of it. */
const cut = ({ payment, quantity }: Cut, now: number): Settlement.Settlement | null => {
  const settlement = succeeded(payment)?.settlement
  if (settlement?._tag !== "Pending") return null
  const kept = Money.clamp(Settlement.keptOf(settlement) + quantity, Money.largest)
  return left(payment) === quantity ? allNetted(payment, now) : { ...settlement, kept }
}

/**
 * Keeps shares that wait for a refund of money that the same merchant had, in the order of the payments. Each is kept on
 * the account of ours that collected it, and the refund leaves from the account that its own payment paid. Null if the
 * refund needs nothing, or none of the shares is there.
 */
export const keep = (
  refunded: Payment.Payment,
  shares: ReadonlyArray<Payment.Payment>,
  now: number,
): Change.Write | null => {
  const refund = Payment.refundOf(refunded)
  if (refund === null) return null
  const { token } = refund
  const taken = cuts(refunded, token, shares)
  if (taken.length === 0) return null
  const changes = taken.flatMap((each) => {
    const settlement = cut(each, now)
    if (settlement === null) return []
    const { collecting, payment, quantity } = each
    const { merchantId } = payment
    const next = withSettlement(payment, settlement)
    const isRefunded = payment.id === refunded.id
    const isGone = settlement._tag === "Netted"
    return [
      Change.make(isRefunded ? Refunding.keeping(next, taken) : next, now, {
        ledger: [Ledger.keptBack({ merchantId, collecting, token, quantity })],
        ...(isGone && { event: "payment.settled", due: { settle: null } }),
      }),
    ]
  })
  return {
    payments: changes.some(({ payment }) => payment.id === refunded.id)
      ? changes
      : [Change.make(Refunding.keeping(refunded, taken), now, {}), ...changes],
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
export const paid = (
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
  const { destination } = settlement
  const { id: outflowId } = outflow
  return Change.make(
    withSettlement(payment, {
      _tag: "Successful",
      destination,
      quantity,
      netted,
      outflowId,
      txHash,
      settledAt: now,
    }),
    now,
    { event: "payment.settled", due: { settle: null } },
  )
}

/** The destination cannot be paid, or was not: the share is kept, visibly, until an operator retries it. */
export const held = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  failure: Transfer.Failure,
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  if (settlement?._tag !== "Processing" && settlement?._tag !== "Successful") return null
  const { destination, outflowId } = settlement
  return Change.make(
    withSettlement(payment, {
      _tag: "Held",
      destination,
      outflowId,
      ...failure,
      heldAt: now,
      ...keptIn(settlement),
    }),
    now,
    { event: "settlement.held", due: { settle: null } },
  )
}

/** Whether a refund took the share back before it was sent. */
export const isCancelled = (payment: Payment.Payment): boolean =>
  succeeded(payment)?.settlement._tag === "Cancelled"

/**
 * Whether the share may have been paid to a destination without this ledger's knowing: it waits, or one of these outflows
 * carries it, or a refund cancelled it of which nothing was sent.
 */
export const isUnpaid = (
  payment: Payment.Payment,
  { address }: Caip.Account,
  outflows: ReadonlyArray<Outflow.Outflow>,
): boolean => {
  const state = succeeded(payment)
  switch (state?.settlement._tag) {
    case "Pending":
      return state.settlement.destination.address === address
    case "Processing":
    case "Held": {
      const { outflowId } = state.settlement
      return outflows.some(({ id }) => id === outflowId)
    }
    case "Cancelled":
      return (
        state.settlement.destination?.address === address && state.refund?.state._tag === "Pending"
      )
    default:
      return false
  }
}

/** The share was paid without this ledger's knowing. A refund that is still to be sent draws on the float from then on. */
export const recorded = (
  payment: Payment.Payment,
  { netted, quantity }: Outflow.Share,
  {
    outflowId,
    transfer,
  }: { readonly outflowId: Outflow.OutflowId; readonly transfer: Transfer.Evidence },
  now: number,
): Change.Change => {
  const { to: address, token } = transfer.movement
  return Change.make(
    withSettlement(Refunding.fromFloat(payment), {
      _tag: "Successful",
      destination: { chainId: token.chainId, address },
      quantity,
      netted,
      outflowId,
      txHash: transfer.txHash,
      settledAt: now,
    }),
    now,
    { event: "payment.settled", due: { settle: null } },
  )
}

/** The outflow is cancelled: the share waits to be gathered again, for the same destination or another one. */
export const released = (
  payment: Payment.Payment,
  outflow: Outflow.Outflow,
  { destination, dueAt }: { readonly destination?: Caip.Account; readonly dueAt: number },
  now: number,
): Change.Change | null => {
  const settlement = carried(payment, outflow)
  if (settlement?._tag !== "Processing" && settlement?._tag !== "Held") return null
  return Change.make(
    withSettlement(payment, {
      _tag: "Pending",
      destination: destination ?? settlement.destination,
      ...keptIn(settlement),
    }),
    now,
    { due: { settle: dueAt } },
  )
}

/** The transfer was found under another hash of the same transaction. */
export const moved = (
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

/** Whether a payout may still go where it was gathered for: each of its merchants has that destination now. */
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

/** What the shares of an outflow are to the ledger, each as part of its payment's history. */
export const bookings = (
  { movement }: Outflow.Outflow,
  { advance, shares }: Extract<Outflow.Purpose, { readonly _tag: "Settle" }>,
): ReadonlyArray<Change.Booking> => {
  const { from: collecting, to: address, token } = movement
  const destination = { chainId: token.chainId, address }
  return [
    ...shares.map(({ merchantId, netted, paymentId, quantity }) => ({
      paymentId,
      transaction: Ledger.settled({
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
            transaction: Ledger.advanced({ ...advance, collecting, destination, token }),
          },
        ]),
  ]
}
