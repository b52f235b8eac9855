/**
 * The assets and networks of a service: those that its chains have now, and the stored ones that they had earlier.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalog from "../domain/chain/Catalog.ts"
import { AssetStore } from "./AssetStore.ts"
import { Chains } from "./Chain.ts"

export class Assets extends Context.Service<Assets, Catalog.Catalog>()(
  "@florin/core/ports/Assets",
) {
  /**
   * The assets of both modes' chains, and the stored ones. New rows are stored before any payment can use them. Fails
   * if a token's decimals differ from those in stored payments and bookings.
   */
  static readonly layer = Layer.effect(
    Assets,
    Effect.gen(function* () {
      const chains = yield* Chains
      const store = yield* AssetStore
      const stored = yield* store.known
      const test = chains.of("test").catalog
      const live = chains.of("live").catalog
      yield* Effect.fromResult(Catalog.checkDecimals(test, live, "in test mode"))
      const served = { ...Catalog.join(test, live), families: Catalog.familiesOf([test, live]) }
      const catalog = Catalog.make(served, stored)
      if (!Catalog.isSame(catalog, stored)) {
        const named = Effect.fromResult(Catalog.checkDecimals(stored, served, "in stored payments"))
        yield* store
          .remember(served)
          .pipe(Effect.catchTag("AssetConflict", (conflict) => Effect.andThen(named, conflict)))
      }
      return catalog
    }),
  )
}
