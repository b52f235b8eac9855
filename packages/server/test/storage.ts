/**
 * Which storage the HTTP tests run on: the memory's, or the one that the run names. The same tests run on each.
 *
 * @module
 */
import { env } from "node:process"
import { Storage } from "@florin/core/ports/Storage"
import { Effect, Layer } from "effect"

/** A database of its own for each service that is built. */
const postgres = Layer.unwrap(
  Effect.promise(async () => {
    const [{ database }, StoragePostgres] = await Promise.all([
      import("../../postgres/test/databases.ts"),
      import("../../postgres/src/StoragePostgres.ts"),
    ])
    return Layer.provide(StoragePostgres.layer, database())
  }),
)

/** Stands before the memory's storage. */
export const layer: Layer.Layer<Storage, never, Storage> =
  env["FLORIN_STORAGE"] === "postgres" ? postgres : Layer.effect(Storage, Storage)
