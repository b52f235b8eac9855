/**
 * Whether we may take money from an account, or send money to it.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Caip from "../domain/chain/Caip.ts"
import * as Invalid from "../domain/ground/Invalid.ts"

const isAddress = Schema.is(Caip.Address)

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

  /**
   * Refuses listed addresses, such as `0x…`, on every chain, in upper or lower case: in no family do addresses of two
   * people differ only in the case of their letters.
   */
  static readonly layerDenyList = (addresses: Iterable<string>) =>
    Layer.effect(
      Screening,
      Effect.gen(function* () {
        const listed = [...addresses]
        const wrong = listed.findIndex((each) => !isAddress(each))
        if (wrong !== -1) {
          return yield* Invalid.of(
            `addresses[${wrong}]`,
            "must be an address alone, such as 0x…, without its chain",
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
