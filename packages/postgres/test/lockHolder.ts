/**
 * A process that locks a directory on command, and prints the result.
 *
 * @module
 */
import { once } from "node:events"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as DirectoryLock from "../src/DirectoryLock.ts"

const say = (line: string) => Effect.sync(() => process.stdout.write(`${line}\n`))

const program = Effect.gen(function* () {
  yield* say("ready")
  yield* Effect.promise(() => once(process.stdin, "data"))
  yield* DirectoryLock.acquire(process.argv[2] ?? "", "a starter")
  yield* say("held")
  // Until it is killed, or its input ends.
  yield* Effect.promise(() => once(process.stdin.resume(), "end"))
})

await Effect.runPromise(
  program.pipe(
    Effect.scoped,
    Effect.catch(({ _tag, message }) => say(`${_tag}: ${message}`)),
  ),
)
process.exit()
