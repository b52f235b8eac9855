/**
 * Assets and networks that were served, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Catalog from "../../domain/Catalog.ts"
import type { AssetStore } from "../AssetStore.ts"

export const make = (): AssetStore["Service"] => {
  let known: Catalog.Rows = { networks: [], assets: [] }
  return {
    known: Effect.sync(() => known),
    remember: (rows) =>
      Effect.suspend(() => {
        if (Result.isFailure(Catalog.checkDecimals(known, rows, "stored"))) {
          return Effect.fail(Catalog.AssetConflict.ofStored())
        }
        known = Catalog.joined(known, rows)
        return Effect.void
      }),
  }
}
