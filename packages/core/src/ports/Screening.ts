/**
 * Whether we may take money from an account, or send some to it, at all.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Caip from "../domain/Caip.ts"
import * as Invalid from "../domain/Invalid.ts"

const isAddress = Schema.is(Caip.Address)

/** The screening service did not answer. Nothing is taken before it does. */
export class ScreeningUnavailable extends Schema.TaggedError<ScreeningUnavailable>()(
  "ScreeningUnavailable",
  { message: Schema.String },
) {}

/** The screening port. An answer may change between two calls: money already sent is not affected. */
export class Screening extends Context.Service<
  Screening,
  {
    /** Those of the accounts that are refused. */
    readonly refused: (
      accounts: ReadonlyArray<Caip.Account>,
    ) => Effect.Effect<ReadonlyArray<Caip.Account>, ScreeningUnavailable>
  }
>()("@florin/core/ports/Screening") {
  static readonly layerAllowAll = Layer.succeed(Screening, {
    refused: () => Effect.succeed([]),
  })

  /**
   * Refuses listed addresses on every chain, such as `0x…`, however their letters are written: in no family do two
   * people have addresses that differ in that alone.
   */
  static readonly layerDenyList = (addresses: Iterable<string>) =>
    Layer.effect(
      Screening,
      Effect.gen(function* () {
        const listed = [...addresses]
        const wrong = listed.findIndex((each) => !isAddress(each))
        if (wrong !== -1) {
          return yield* Effect.fromResult(
            Invalid.fail(
              `addresses[${wrong}]`,
              "must be an address alone, such as 0x…, without its chain",
            ),
          )
        }
        const denied = new Set(listed.map((each) => each.toLowerCase()))
        return Screening.of({
          refused: (accounts) =>
            Effect.succeed(accounts.filter(({ address }) => denied.has(address.toLowerCase()))),
        })
      }),
    )
}
