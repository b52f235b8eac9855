/**
 * Asks a person to confirm.
 *
 * @module
 */
import { stdin, stdout } from "node:process"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Printable from "./Printable.ts"

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Asks a question once. Only `y` and `yes` confirm it: another answer, the end of the input or the signal do not. */
export const confirm = async (
  { input, output }: Streams,
  question: string,
  signal: AbortSignal,
): Promise<boolean> => {
  // Not as a terminal, so that Ctrl-C keeps its meaning.
  const lines = createInterface({ input, terminal: false, signal })
  output.write(Printable.output(question))
  const { done, value } = await lines[Symbol.asyncIterator]().next()
  lines.close()
  return done !== true && /^y(?:es)?$/iu.test(value.trim())
}

/** Asks the person at the terminal. */
export const ask = (question: string): Effect.Effect<boolean> =>
  Effect.promise((signal) =>
    confirm({ input: stdin, output: stdout }, `\n  ${question} (y/N)? `, signal),
  )
