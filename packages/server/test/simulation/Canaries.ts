/**
 * Faults that are put into the service on purpose. Each must be seen in a few hundred seeds, or the simulation proves
 * nothing.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { Chains } from "@florin/core/ports/Chain"
import { DueWork } from "@florin/core/ports/DueWork"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { RateSource } from "@florin/core/ports/RateSource"
import { ResponseStore, type Once } from "@florin/core/ports/ResponseStore"
import { Context, Effect, Result } from "effect"
import type * as World from "./World.ts"

type Ports = Parameters<World.Replacing>[0]

const chains =
  (change: (chain: ReturnType<Chains["Service"]["of"]>) => Partial<typeof chain>) =>
  (ports: Ports): Ports => {
    const chain = Context.get(ports, Chains).of("test")
    const changed = new Proxy(chain, {
      get: (target, key) => Reflect.get(replaced, key) ?? Reflect.get(target, key),
    })
    const replaced = change(chain)
    return Context.add(ports, Chains, { of: () => changed })
  }

/** Every decision on one payment is written so. */
const changes =
  (spoil: (change: Change.Change, before: Payment.Payment) => Change.Change) =>
  (ports: Ports): Ports => {
    const store = Context.get(ports, OutflowStore)
    return Context.add(ports, OutflowStore, {
      ...store,
      modify: (subjects, decide, ...conditions) =>
        store.modify(
          subjects,
          (shown) =>
            Result.map(decide(shown), (decision) => {
              const [before] = shown.payments
              const [change, ...others] = decision.write?.payments ?? []
              const isOfOne = Object.keys(subjects).length === 2 && others.length === 0
              return isOfOne && decision.write?.outflows.length === 0 && before && change
                ? { ...decision, write: { outflows: [], payments: [spoil(change, before)] } }
                : decision
            }),
          ...conditions,
        ),
    })
  }

/** Writes of workers whose lease nobody looks at. */
const withoutFence = (ports: Ports): Ports => {
  const outflows = Context.get(ports, OutflowStore)
  return Context.add(ports, OutflowStore, {
    ...outflows,
    modify: (subjects, decide, _, signed) => outflows.modify(subjects, decide, null, signed),
  })
}

/**
 * Work that several processes have at the same time, and whose lease nobody looks at. If it is only not looked at,
 * hardly any world shows it: every decision reads its record again.
 */
const withoutLease = (ports: Ports): Ports => {
  const work = Context.get(ports, DueWork)
  return withoutFence(
    Context.add(ports, DueWork, {
      ...work,
      claimDue: (kind, options) => work.claimDue(kind, { ...options, leaseInMs: 0 }),
      claimDueOutflows: (kind, options) =>
        work.claimDueOutflows(kind, { ...options, leaseInMs: 0 }),
    }),
  )
}

/** A key that stands for any request. */
const anything = (once: Once): Once => ({
  ...once,
  fingerprint: Idempotency.Fingerprint.make("0".repeat(64)),
})

const early = (observation: Transfer.Observation): Transfer.Observation =>
  observation._tag === "Included" ? { ...observation, _tag: "Final" } : observation

export const canaries: Readonly<Record<string, World.Replacing>> = {
  "a transfer may pay two payments": (ports) =>
    changes((change) => ({ ...change, claims: [] }))(
      chains((chain) => ({ look: (sought) => chain.look({ ...sought, except: [] }) }))(ports),
    ),
  "anybody may sign where a refund goes": chains(() => ({
    isSignedBy: () => Effect.succeed(true),
  })),
  "a worker's lease is neither kept nor checked when it writes": withoutLease,
  "money is final as soon as it is in a block": chains((chain) => ({
    look: (sought) => Effect.map(chain.look(sought), early),
  })),
  "an event is written after its change, and a process dies between": changes((change) => {
    const { event, ...silent } = change
    return event === "payment.processing" && change.payment.updatedAt % 5 === 0 ? silent : change
  }),
  "a price is a millionth too low": (ports) => {
    const rates = Context.get(ports, RateSource)
    return Context.add(ports, RateSource, {
      ...rates,
      rate: (currency, asset) =>
        Effect.map(rates.rate(currency, asset), (rate) => ({
          ...rate,
          numerator: rate.numerator * 999_999n,
          denominator: rate.denominator * 1_000_000n,
        })),
    })
  },
  "statistics ignore a filter": (ports) => {
    const store = Context.get(ports, PaymentStore)
    return Context.add(ports, PaymentStore, {
      ...store,
      paymentStats: (tenant, _, now) => store.paymentStats(tenant, PaymentFilter.unfiltered, now),
    })
  },
  "an idempotency key is remembered without its request": (ports) => {
    const payments = Context.get(ports, PaymentStore)
    const responses = Context.get(ports, ResponseStore)
    return ports.pipe(
      Context.add(PaymentStore, {
        ...payments,
        createPayment: (change, once, response, now, entry) =>
          payments.createPayment(change, once && anything(once), response, now, entry),
      }),
      Context.add(ResponseStore, {
        ...responses,
        storedResponse: (once, now) => responses.storedResponse(anything(once), now),
        respondOnce: (once, now, write) => responses.respondOnce(anything(once), now, write),
      }),
    )
  },
  "a booking is left out": changes((change, before) =>
    before.createdAt % 7 === 0 ? { ...change, ledger: [] } : change,
  ),
  "a success is announced and not kept": changes((change, before) =>
    change.payment.state._tag === "Succeeded" && before.createdAt % 7 === 0
      ? { ...change, payment: { ...change.payment, state: before.state } }
      : change,
  ),
}
