/**
 * Signals of this process that also pass each changed payment to a listener.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/payment/Payment"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Signals } from "@florin/core/ports/Signals"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The change continues even if the listener fails. */
export const layer = <E, R>(
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
