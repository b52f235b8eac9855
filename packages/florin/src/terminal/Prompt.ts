/**
 * Asks a person questions, line by line.
 *
 * @module
 */
import { createInterface, type Interface } from "node:readline"
import * as Printable from "./Printable.ts"

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

export interface Prompt {
  /** The next line, without surrounding spaces; undefined if the input has ended. */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly say: (line: string) => void
}

/** Nothing is read before the first question. The signal ends the prompt, even during a question. */
export const make = ({ input, output }: Streams, signal: AbortSignal): Prompt => {
  let lines: Interface | undefined
  let answers: AsyncIterator<string> | undefined
  return {
    ask: async (question) => {
      // Not as a terminal, so that Ctrl-C keeps its meaning.
      lines ??= createInterface({ input, terminal: false, signal })
      answers ??= lines[Symbol.asyncIterator]()
      output.write(Printable.output(question))
      const { done, value } = await answers.next()
      return done === true ? undefined : value.trim()
    },
    say: (line) => {
      output.write(`${Printable.output(line)}\n`)
    },
  }
}
