/**
 * Stands in for `next start`, so that the example runs without Next: `node server.ts`.
 *
 * @module
 */
import process, { env } from "node:process"
import { tryIt } from "@florin/example-try-it"
import * as NodeListener from "@florin/server/NodeListener"
import { florin } from "./florin.ts"
import { register } from "./instrumentation.ts"

await register()
const server = await NodeListener.listen(florin, { port: Number(env["PORT"] ?? 3000) })
process.once("SIGINT", server.close).once("SIGTERM", server.close)
await tryIt(florin, server.url)
