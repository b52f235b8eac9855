/**
 * Whether a payer must tell who they are before an option can be confirmed.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Amount from "../domain/Amount.ts"
import type * as Caip from "../domain/Caip.ts"
import type * as Merchant from "../domain/Merchant.ts"

export interface Question {
  readonly merchantId: Merchant.MerchantId
  /** What the payment asks for. */
  readonly amount: Amount.Amount
  readonly account: Caip.Account
}

/** The policy port: pure, and the same answer for the same question throughout a payment's life. */
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
   * Needed from a threshold on, in minor units of each currency. A currency without a threshold, and an amount asked in
   * a token, always needs it: a threshold that cannot be compared is not one that was met.
   */
  static readonly layerAbove = (thresholds: { readonly [C in Amount.Currency]?: bigint }) =>
    Layer.succeed(CollectDataPolicy, {
      isNeeded: ({ amount }) => {
        const threshold = amount.unit._tag === "Fiat" ? thresholds[amount.unit.currency] : undefined
        return Effect.succeed(threshold === undefined || amount.quantity >= threshold)
      },
    })

  /** Needed for the merchants listed. */
  static readonly layerForMerchants = (merchants: Iterable<string>) => {
    const listed = new Set(merchants)
    return Layer.succeed(CollectDataPolicy, {
      isNeeded: ({ merchantId }) => Effect.succeed(listed.has(merchantId)),
    })
  }
}
