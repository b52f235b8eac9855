/**
 * Our server with our judge, as a process of its own.
 *
 * @module
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { Effect, Layer } from "effect"
import * as Judge from "../src/Judge.ts"
import * as Ground from "./ground.ts"

const server = NodeListener.layer({ port: 0 }).pipe(
  Layer.provideMerge(Florin.layer({ publicUrl: Ground.publicUrl })),
  Layer.provideMerge(Ground.layer((attempt) => Judge.verify(Ground.link, attempt))),
)

Effect.runFork(
  Effect.gen(function* () {
    const { port } = yield* NodeListener.NodeListener
    const { key, prepare } = yield* Ground.seed
    const run = Effect.runPromiseWith(yield* Effect.context<Layer.Success<typeof server>>())
    Ground.tell({ port, key }, (count, isForged) => run(prepare(count, isForged)))
    return yield* Effect.never
  }).pipe(Effect.provide(server)),
)
