/**
 * Stands in for `next start`, so that the example runs without Next: `node server.ts`.
 *
 * @module
 */
import process from "node:process"
import { tryIt } from "@florin/example-try-it"
import { florin, port } from "./florin.ts"
import { register } from "./instrumentation.ts"
import { listen } from "./standIn.ts"

await register()
const close = await listen(port)
process.once("SIGINT", close).once("SIGTERM", close)
await tryIt(florin)
