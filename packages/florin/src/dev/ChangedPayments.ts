/**
 * Signals of this process that also show each payment that changed to somebody who looks.
 *
 * @module
 */
import type * as Payment from "@florin/core/domain/Payment"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { Signals } from "@florin/core/ports/Signals"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A change goes its way whatever becomes of the look. */
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
