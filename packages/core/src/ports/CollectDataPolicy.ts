/**
 * Whether a payer must identify themselves before an option can be confirmed.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as MerchantId from "../domain/ground/MerchantId.ts"
import type * as Amount from "../domain/money/Amount.ts"

export interface Question {
  readonly merchantId: MerchantId.MerchantId
  /** The amount of the payment. */
  readonly amount: Amount.Amount
  readonly account: Caip.Account
}

/** The policy port. It is pure: the same question has the same result throughout a payment's life. */
export class CollectDataPolicy extends Context.Service<
  CollectDataPolicy,
  { readonly isNeeded: (question: Question) => Effect.Effect<boolean> }
>()("@florin/core/ports/CollectDataPolicy") {
  static readonly layerNever = Layer.succeed(CollectDataPolicy, {
    isNeeded: () => Effect.succeed(false),
  })

  static readonly layerAlways = Layer.succeed(CollectDataPolicy, {
    isNeeded: () => Effect.succeed(true),
  })

  /**
   * Data is needed from a threshold on, in minor units of each currency. It is always needed for a currency without a
   * threshold and for an amount in a token, because such an amount cannot be compared with a threshold.
   */
  static readonly layerAbove = (thresholds: { readonly [C in Amount.Currency]?: bigint }) =>
    Layer.succeed(CollectDataPolicy, {
      isNeeded: ({ amount }) => {
        const threshold = amount.unit._tag === "Fiat" ? thresholds[amount.unit.currency] : undefined
        return Effect.succeed(threshold === undefined || amount.quantity >= threshold)
      },
    })

  /** Data is needed for the listed merchants. */
  static readonly layerForMerchants = (merchants: Iterable<string>) => {
    const listed = new Set(merchants)
    return Layer.succeed(CollectDataPolicy, {
      isNeeded: ({ merchantId }) => Effect.succeed(listed.has(merchantId)),
    })
  }
}
