/**
 * Whether we may take money from an account, or send money to it.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Caip from "../domain/Caip.ts"

/** The screening service did not respond. No money is taken until it does. */
export class ScreeningUnavailable extends Schema.TaggedError<ScreeningUnavailable>()(
  "ScreeningUnavailable",
  { message: Schema.String },
) {}

/** The screening port. The result may change between two calls. Money that was already sent is not affected. */
export class Screening extends Context.Service<
  Screening,
  {
    /** The accounts among these that are refused. */
    readonly refused: (
      accounts: ReadonlyArray<Caip.Account>,
    ) => Effect.Effect<ReadonlyArray<Caip.Account>, ScreeningUnavailable>
  }
>()("@florin/core/ports/Screening") {
  static readonly layerAllowAll = Layer.succeed(Screening, {
    refused: () => Effect.succeed([]),
  })

  /** Refuses listed addresses on every chain. */
  static readonly layerDenyList = (addresses: Iterable<Caip.Address>) => {
    const denied = new Set(addresses)
    return Layer.succeed(Screening, {
      refused: (accounts) =>
        Effect.succeed(accounts.filter((account) => denied.has(account.address))),
    })
  }
}
