/**
 * Asks a person, line by line.
 *
 * @module
 */
import { createInterface, type Interface } from "node:readline"

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

export interface Prompt {
  /** The next line, without the spaces around it; undefined when there will be none. */
  readonly ask: (question: string) => Promise<string | undefined>
  readonly say: (line: string) => void
}

/** Nothing is read before the first question. The signal ends it, whoever is being asked. */
export const make = ({ input, output }: Streams, signal: AbortSignal): Prompt => {
  let lines: Interface | undefined
  let answers: AsyncIterator<string> | undefined
  return {
    ask: async (question) => {
      // Not as a terminal, so that Ctrl-C stays what it is.
      lines ??= createInterface({ input, terminal: false, signal })
      answers ??= lines[Symbol.asyncIterator]()
      output.write(question)
      const { done, value } = await answers.next()
      return done === true ? undefined : value.trim()
    },
    say: (line) => {
      output.write(`${line}\n`)
    },
  }
}
