/**
 * Asks a person for one of several things, by its number.
 *
 * @module
 */
import { createInterface } from "node:readline"

interface Streams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
}

/** Asks until the answer is a number of the list; undefined when there will be none. */
export const ask = async (
  question: string,
  count: number,
  { input, output }: Streams,
  signal?: AbortSignal,
): Promise<number | undefined> => {
  // Not as a terminal, so that Ctrl-C stays what it is.
  const lines = createInterface({ input, terminal: false, ...(signal && { signal }) })
  try {
    output.write(question)
    for await (const line of lines) {
      const number = /^[0-9]{1,9}$/u.test(line.trim()) ? Number(line) : 0
      if (number >= 1 && number <= count) return number
      if (line.trim() === "") return undefined
      output.write(`a number from 1 to ${count}, or nothing to stop: `)
    }
    return undefined
  } finally {
    lines.close()
  }
}
