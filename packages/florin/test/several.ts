/**
 * Runs several command lines one after the other, where a process for each would take longer than all of them: each
 * argument is the words of one, as JSON. A form feed ends what each says; their codes come last.
 *
 * @module
 */
import process, { argv, exit, stderr, stdout } from "node:process"
import { run } from "../src/Program.ts"

// Each run listens as if it were the only one.
for (const emitter of [process, stdout, stderr]) emitter.setMaxListeners(0)

const codes: Array<number> = []
for (const words of argv.slice(2)) {
  // oxlint-disable-next-line no-await-in-loop -- They print to the same place.
  codes.push(await run(JSON.parse(words)))
  for (const stream of [stdout, stderr]) stream.write("\f")
}
stdout.write(JSON.stringify(codes))
exit(0)
