/**
 * Asks a person to confirm.
 *
 * @module
 */
import { createInterface } from "node:readline"
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
