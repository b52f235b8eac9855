/**
 * Which storage the HTTP tests run on: the memory's, or one in the database that the run names. The same tests run on
 * each.
 *
 * @module
 */
import { env } from "node:process"
import type { Storage } from "@florin/core/ports/Storage"
import { Effect, Layer, ManagedRuntime } from "effect"

/**
 * One database for all files of a process, emptied for each service that is built: to make one takes longer than most
 * files. It ends with the process.
 */
const emptied = async (kind: "postgres" | "pglite") => {
  const [Databases, StoragePostgres] = await Promise.all([
    import("../../postgres/test-support/databases.ts"),
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

const named = env["FLORIN_STORAGE"]
const kind = named === "postgres" || named === "pglite" ? named : null

/** It takes many times as long as memory: what only repeats is done less often on it. */
export const isDatabase = kind !== null

/** Stands before the memory's storage. */
export const layer: Layer.Layer<never, never, Storage> =
  kind === null ? Layer.empty : await emptied(kind)
