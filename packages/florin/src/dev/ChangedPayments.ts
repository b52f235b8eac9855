/**
 * Signals of a local service that also look at each changed payment.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import { catalog } from "@florin/core/domain/eip155/BuiltIn"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as TestOutcome from "@florin/core/domain/payment/TestOutcome"
import * as Relayer from "@florin/core/engine/chain/Relayer"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Signals } from "@florin/core/ports/Signals"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Printable from "../terminal/Printable.ts"

/** The change continues even if the listener fails. */
const layer = <E, R>(
  look: (payment: Payment.Payment) => Effect.Effect<void, E, R>,
): Layer.Layer<Signals, never, Signals | PaymentStore | R> =>
  Layer.effect(
    Signals,
    Effect.gen(function* () {
      const signals = yield* Signals
      const payments = yield* PaymentStore
      const context = yield* Effect.context<R>()
      return Signals.of({
        ...signals,
        changed: (id) =>
          Effect.andThen(
            signals.changed(id),
            Effect.ignore(
              payments.payment(id).pipe(Effect.flatMap(look), Effect.provideContext(context)),
            ),
          ),
      })
    }),
  )

/** `pay_… succeeded: 12.50 USD, paid with 12.50 USDC on Base (order-1)` */
const lineOf = (
  { amount, id, referenceId }: Payment.Payment,
  { transfer }: Extract<Payment.State, { readonly _tag: "Succeeded" }>,
): string => {
  const { quantity, token } = transfer.movement
  const paid = Amount.toText({ unit: Amount.token(token), quantity }, catalog)
  const network = Catalog.networkName(catalog, token.chainId)
  return `${id} succeeded: ${Amount.toText(amount, catalog)}, paid with ${paid} on ${network} (${Printable.from(referenceId)})`
}

/** Reports, once, each payment that has succeeded since. */
export const reporting = (say: (line: string) => void) =>
  Layer.unwrap(
    Effect.map(Clock.currentTimeMillis, (since) => {
      const said = new Set<string>()
      return layer((payment) =>
        Effect.sync(() => {
          const { id, state } = payment
          if (state._tag !== "Succeeded" || state.succeededAt < since || said.has(id)) return
          said.add(id)
          say(lineOf(payment, state))
        }),
      )
    }),
  )

/** The hashes of transactions that a local chain is still to take back, once, by replacing their block. */
export type Hashes = Set<string>

/** Records the transaction of a test payment that asks for a reorganisation, before any chain has it. */
export const reorganising = (hashes: Hashes) =>
  layer((payment) => {
    const { state } = payment
    const isAsked = TestOutcome.of(payment) === "reorganised"
    if (!isAsked || state._tag !== "Processing" || state.slot === null) return Effect.void
    return Effect.map(Relayer.transactionAt(state.slot), ({ hash }) => {
      hashes.add(hash)
    })
  })
