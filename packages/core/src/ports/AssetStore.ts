/**
 * The store of all assets and networks that a service has served.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Catalog from "../domain/chain/Catalog.ts"
import type { Read, StorageUnavailable } from "./StorageError.ts"

/**
 * Stores rows of assets and networks, so that amounts can be read after an operator removes a token from the
 * configuration.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - A row is never deleted. A row of the same token or network replaces the earlier one.
 * - The decimals of a token are fixed once a payment or the ledger uses it. Rows with other decimals are then refused,
 *   and none of them is stored. Before that, a wrong row is replaced like any other.
 * - Rows are returned in the order in which each was first stored, also if they were replaced later.
 */
export class AssetStore extends Context.Service<
  AssetStore,
  {
    /** All rows that are stored. */
    readonly known: Read<Catalog.Rows>
    readonly remember: (
      rows: Catalog.Rows,
    ) => Effect.Effect<void, Catalog.AssetConflict | StorageUnavailable>
  }
>()("@florin/core/ports/AssetStore") {}
