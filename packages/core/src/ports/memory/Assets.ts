/**
 * The assets and networks that were served, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Catalog from "../../domain/chain/Catalog.ts"
import type { AssetStore } from "../AssetStore.ts"

export const make = (isUsed: (token: Caip.Token) => boolean): AssetStore["Service"] => {
  let known: Catalog.Rows = { networks: [], assets: [] }
  return {
    known: Effect.sync(() => known),
    remember: (rows) =>
      Effect.suspend(() => {
        const used = { networks: [], assets: known.assets.filter(({ token }) => isUsed(token)) }
        if (Catalog.conflictIn(used, rows) !== undefined) {
          return Effect.fail(Catalog.AssetConflict.ofStored())
        }
        known = Catalog.join(known, rows)
        return Effect.void
      }),
  }
}
