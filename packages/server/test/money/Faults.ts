/**
 * A fault for each property of money: the test of the property must show it. These know how the service keeps its
 * records, and change with it; the properties do not.
 *
 * @module
 */
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { DueWork } from "@florin/core/ports/DueWork"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { OutflowStore, type Shown } from "@florin/core/ports/OutflowStore"
import { Context, Effect, Result } from "effect"
import type * as World from "../simulation/World.ts"

type Ports = Parameters<World.Replacing>[0]

/** Decisions on outgoing money that see something else, or whose writes are something else. */
const decisions =
  (
    spoil: (write: Change.Write, shown: Shown) => Change.Write,
    see: (shown: Shown) => Shown = (shown) => shown,
  ) =>
  (ports: Ports): Ports => {
    const store = Context.get(ports, OutflowStore)
    const spoiled: <A, E>(
      decide: (
        shown: Shown,
      ) => Result.Result<{ readonly result: A; readonly write: Change.Write | null }, E>,
    ) => typeof decide = (decide) => (shown) =>
      Result.map(decide(see(shown)), (decision) => ({
        ...decision,
        write: decision.write && spoil(decision.write, shown),
      }))
    return Context.add(ports, OutflowStore, {
      ...store,
      modify: (subjects, decide, ...conditions) =>
        store.modify(subjects, spoiled(decide), ...conditions),
    })
  }

const withEntryOf = (payment: Payment.Payment, before: Payment.Payment | undefined) =>
  payment.state._tag === "Succeeded" && before?.state._tag === "Succeeded"
    ? { ...payment, state: { ...payment.state, entry: before.state.entry } }
    : payment

/** The request of a refund writes the refund only. */
export const refundsLeaveShares = decisions((write, shown) => {
  if (!write.payments.some(({ event }) => event === "refund.pending")) return write
  return {
    payments: write.payments.flatMap((change) => {
      const before = shown.payments.find(({ id }) => id === change.payment.id)
      return change.event === "refund.pending"
        ? [{ ...change, payment: withEntryOf(change.payment, before), due: {} }]
        : []
    }),
    outflows: write.outflows.filter(({ outflow }) => outflow.state._tag !== "Cancelled"),
  }
})

export const payoutsIgnoreRefunds = (ports: Ports): Ports => {
  const store = Context.get(ports, OutflowStore)
  return Context.add(ports, OutflowStore, { ...store, refundsInNeed: () => Effect.succeed([]) })
}

/** What a refund draws on its partner's credit is looked at before it is written, and not when. */
export const creditIsJudgedBefore = decisions((write) => ({
  ...write,
  outflows: write.outflows.map((change) => {
    const { credit: _, ...rest } = change
    return rest
  }),
}))

export const limitsAreJudgedBefore = decisions((write) => ({
  ...write,
  outflows: write.outflows.map((change) => {
    const { limit: _, ...rest } = change
    return rest
  }),
}))

export const reservesArePaid = (ports: Ports): Ports => {
  const store = Context.get(ports, AccountStore)
  return Context.add(ports, AccountStore, {
    ...store,
    partners: (ids) =>
      Effect.map(store.partners(ids), (all) =>
        all.map((partner) => {
          const { limits: _, ...rest } = partner
          return rest
        }),
      ),
  })
}

/** What each merchant owes is what all of them owe. */
export const debtsAreShared = (ports: Ports): Ports => {
  const store = Context.get(ports, LedgerStore)
  return Context.add(ports, LedgerStore, {
    ...store,
    balances: (mode, token, accounts) =>
      Effect.map(store.balances(mode, token), (all) => {
        if (token === null || accounts === undefined || "debtorsOf" in accounts) return all
        const debts = [...all.values()].filter(({ account }) => account._tag === "Debt")
        const debt = debts.reduce((sum, { balance }) => sum + balance, 0n)
        const of = (account: Ledger.Account) =>
          account._tag === "Debt" ? debt : Ledger.balanceOf(all, account, token)
        return new Map(
          accounts.map((account) => [
            Ledger.balanceKey(account, token),
            { account, token, balance: of(account) },
          ]),
        )
      }),
  })
}

const asWaiting = (outflow: Outflow.Outflow): Outflow.Outflow =>
  outflow.state._tag === "Sent" ? { ...outflow, state: { _tag: "Waiting" } } : outflow

/** Requests take a payout that was sent for one that waits. */
export const sentLooksWaiting = (ports: Ports): Ports => {
  const store = Context.get(ports, OutflowStore)
  return Context.add(ports, OutflowStore, {
    ...store,
    modify: (subjects, decide, lease, signed) => {
      const isOfWorker = lease !== null || signed !== undefined
      return store.modify(
        subjects,
        (shown) =>
          decide(isOfWorker ? shown : { ...shown, outflows: shown.outflows.map(asWaiting) }),
        lease,
        signed,
      )
    },
  })
}

/** Every payment is written so. */
const payments = (spoil: (change: Change.Change) => Change.Change) =>
  decisions((write) => ({ ...write, payments: write.payments.map(spoil) }))

const withEntry = (
  change: Change.Change,
  spoil: (entry: Entry.Entry) => Entry.Entry,
): Change.Change => {
  const { payment } = change
  return payment.state._tag === "Succeeded"
    ? {
        ...change,
        payment: { ...payment, state: { ...payment.state, entry: spoil(payment.state.entry) } },
      }
    : change
}

export const cancelledSharesForget = payments((change) =>
  withEntry(change, (entry) => (Entry.isRefunded(entry) ? { ...entry, destination: null } : entry)),
)

/** What moved instead is not noted. */
export const movedLooksHeld = decisions((write) => ({
  ...write,
  outflows: write.outflows.map((change) => {
    const { outflow } = change
    if (outflow.state._tag !== "Held") return change
    const { moved: _, movedOtherwise: __, ...state } = outflow.state
    return { ...change, outflow: { ...outflow, state } }
  }),
}))

/** A payment whose transfer is gone for good owes its merchant nothing. */
export const lostPaymentsAreNotOwed = payments((change) =>
  change.moved?.to === null
    ? {
        ...withEntry(change, ({ quantity }) => ({
          quantity,
          destination: null,
          parts: [
            { _tag: "Refunded", netted: quantity, refundId: Refund.RefundId.make("rfnd_lost") },
          ],
        })),
        due: { ...change.due, settle: null },
      }
    : change,
)

const lastDestinations =
  (
    spoil: (
      last: SettlementDestination.SettlementDestination,
    ) => SettlementDestination.SettlementDestination,
  ) =>
  (ports: Ports): Ports => {
    const accounts = Context.get(ports, AccountStore)
    const spoiled = decisions(
      (write) => write,
      (shown) => ({ ...shown, destinations: shown.destinations.map(spoil) }),
    )(ports)
    return Context.add(spoiled, AccountStore, {
      ...accounts,
      destinations: (merchants, token) =>
        Effect.map(accounts.destinations(merchants, token), (lasts) => lasts.map(spoil)),
    })
  }

/** A change of a destination takes effect at once. */
export const changesDoNotWait = lastDestinations((last) => {
  const { takesEffectAt: _, ...rest } = last
  return rest
})

/** Nothing is paid to a destination once it is deleted. */
export const deletedIsForgotten = lastDestinations((last) => {
  const { deletedAt, ...rest } = last
  return deletedAt === undefined ? last : { ...rest, takesEffectAt: Number.MAX_SAFE_INTEGER }
})

/** Live payments that ask for a test outcome are taken for test payments. */
export const testOutcomesAreLive = (ports: Ports): Ports => {
  const work = Context.get(ports, DueWork)
  const asTest = (payment: Payment.Payment): Payment.Payment =>
    Object.hasOwn(payment.metadata, TestOutcome.key) ? { ...payment, mode: "test" } : payment
  const spoiled = decisions(
    (write, { payments: before }) => ({
      ...write,
      payments: write.payments.map((change) => {
        const { mode } = before.find(({ id }) => id === change.payment.id) ?? change.payment
        return { ...change, payment: { ...change.payment, mode } }
      }),
    }),
    (shown) => ({ ...shown, payments: shown.payments.map(asTest) }),
  )
  return Context.add(spoiled(ports), DueWork, {
    ...work,
    claimDue: (kind, options) =>
      Effect.map(work.claimDue(kind, options), (all) =>
        all.map((claimed) => ({ ...claimed, payment: asTest(claimed.payment) })),
      ),
  })
}
