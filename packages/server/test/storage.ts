/**
 * Which storage the HTTP tests run on: the memory's, or one in the database that the run names. The same tests run on
 * each.
 *
 * @module
 */
import { env } from "node:process"
import { Storage } from "@florin/core/ports/Storage"
import { Effect, Layer, ManagedRuntime } from "effect"

/**
 * One database for all files of a process, emptied for each service that is built: to make one takes longer than most
 * files. It ends with the process.
 */
const emptied = async (kind: "postgres" | "pglite") => {
  const [Databases, StoragePostgres] = await Promise.all([
    import("../../postgres/test/databases.ts"),
    import("../../postgres/src/StoragePostgres.ts"),
  ])
  const client = ManagedRuntime.make(
    kind === "postgres" ? Databases.database() : Databases.embedded,
  )
  const empty = Effect.promise(async () => {
    await client.runPromise(Databases.empty)
    return client.context()
  })
  return Layer.provide(Layer.fresh(StoragePostgres.layer), Layer.effectContext(empty))
}

const kind = env["FLORIN_STORAGE"]

/** It takes several times as long as the others: what only repeats is done less often on it. */
export const isEmbedded = kind === "pglite"

/** Stands before the memory's storage. */
export const layer: Layer.Layer<Storage, never, Storage> =
  kind === "postgres" || kind === "pglite" ? await emptied(kind) : Layer.effect(Storage, Storage)
