/**
 * Our server, as a process of its own; with the argument `unmeasured`, without metrics.
 *
 * @module
 */
import process from "node:process"
import "effect/schema/SchemaJITCompiler/enable"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { Effect, Layer } from "effect"
import * as Ground from "./ground.ts"

const server = NodeListener.layer({ port: 0 }).pipe(
  Layer.provideMerge(
    Florin.layer({ publicUrl: Ground.publicUrl, metrics: !process.argv.includes("unmeasured") }),
  ),
  Layer.provideMerge(Ground.layer),
)

Effect.runFork(
  Effect.gen(function* () {
    const { port } = yield* NodeListener.NodeListener
    Ground.tell({ port, ...(yield* Ground.seed) })
    return yield* Effect.never
  }).pipe(Effect.provide(server)),
)
