/**
 * Stands in for `next start`, so that the example runs without Next: `node server.ts`.
 *
 * @module
 */
import process from "node:process"
import { tryIt } from "@florin/example-try-it"
import * as NodeListener from "@florin/server/NodeListener"
import { florin, port } from "./florin.ts"
import { register } from "./instrumentation.ts"

await register()
const server = await NodeListener.listen(florin, { port })
process.once("SIGINT", server.close).once("SIGTERM", server.close)
await tryIt(florin, server.url)
