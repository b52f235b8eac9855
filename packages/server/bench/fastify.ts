/**
 * Fastify, as a process of its own.
 *
 * @module
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as ByHand from "./byHand.ts"
import * as Ground from "./ground.ts"

const { port, run } = await ByHand.listen(Ground.layer)
Ground.tell({ port, ...(await run(Ground.seed)) })
