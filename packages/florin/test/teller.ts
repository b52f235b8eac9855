/**
 * One of several processes of a service (see tellers.ts). It ends with its input.
 *
 * @module
 */
import { flushCompileCache } from "node:module"
import process from "node:process"
import * as NodeListener from "@florin/server/NodeListener"
import * as Schema from "effect/Schema"
import * as Tellers from "./tellers.ts"

// Otherwise Node keeps what it compiled at an end that this process may not come to.
flushCompileCache()

const { databaseUrl, death, worker } = Schema.decodeUnknownSync(Tellers.Task)(process.argv[2])
const florin = Tellers.service(databaseUrl, worker, Tellers.dying(death))
const { url } = await NodeListener.listen(florin, { port: 0 })
await florin.workers.start()
process.stdout.write(`${url}\n`)
process.stdin.resume().once("end", () => process.exit())
