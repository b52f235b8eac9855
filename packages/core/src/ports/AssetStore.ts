/**
 * The store of the assets and networks that a service ever served.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Catalog from "../domain/Catalog.ts"
import type { Read, StorageUnavailable } from "./StorageError.ts"

/**
 * Stores rows of assets and networks, so that amounts can be read after an operator removed a token from the
 * configuration.
 *
 * Contract, besides that of every store in `Storage`:
 * - A row is never deleted. A row of the same token or network replaces the earlier one.
 * - A token keeps its decimals once a payment or the ledger counts in it: rows with others are refused then, and none of
 *   them is stored. Before that, a row that was wrong is replaced like any other.
 * - Rows come back in the order in which each was first stored, whatever replaced it later.
 */
export class AssetStore extends Context.Service<
  AssetStore,
  {
    /** All rows that were ever stored. */
    readonly known: Read<Catalog.Rows>
    readonly remember: (
      rows: Catalog.Rows,
    ) => Effect.Effect<void, Catalog.AssetConflict | StorageUnavailable>
  }
>()("@florin/core/ports/AssetStore") {}
