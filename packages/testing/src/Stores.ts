/**
 * Wraps all stores of a storage, for tests that count, delay or break any of their calls.
 *
 * @module
 */
import * as Storage from "@florin/core/ports/Storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

const stores: ReadonlyArray<Context.Key<Storage.Storage, object>> = Storage.stores

/**
 * The provided stores, each passed through `wrap`.
 *
 * @example
 * const broken = Layer.effectContext(Stores.wrapped((store) => new Proxy(store, handler)))
 */
export const wrapAll = (wrap: <S extends object>(store: S) => S) =>
  Effect.map(Storage.all, (context) =>
    stores.reduce(
      (all, store) => Context.add(all, store, wrap(Context.get(context, store))),
      context,
    ),
  )
