/**
 * Runs command lines one after another: to start a process takes longer than most commands. A form feed ends what each
 * prints, on both streams. On standard output its exit code follows, and another form feed.
 *
 * @module
 */
import process, { argv, exit, stderr, stdout } from "node:process"
import * as Schema from "effect/Schema"
import * as CompileCache from "../src/CompileCache.ts"

CompileCache.enable()
const { run } = await import("../src/Program.ts")

// Each run listens as if it were the only one.
for (const emitter of [process, stdout, stderr]) emitter.setMaxListeners(0)

const readWords = Schema.decodeUnknownSync(Schema.Array(Schema.String))

const take = async (message: unknown) => {
  const words = readWords(message)
  argv.splice(2, argv.length, ...words)
  const code = await run(words)
  stdout.write(`\f${code}\f`)
  stderr.write("\f")
}

process.on("message", (message) => {
  void take(message)
})
// The tests have ended, or were killed.
process.once("disconnect", () => exit())
