/**
 * What a person reads on the terminal.
 *
 * @module
 */
import { stderr, stdout } from "node:process"
import { styleText } from "node:util"

type Style = "bold" | "cyan" | "dim" | "green" | "red" | "yellow"

/** Colours only where somebody looks. */
const styled = (
  style: Style,
  text: string,
  { isTTY }: { readonly isTTY: boolean } = stdout,
): string => (isTTY ? styleText(style, text) : text)

const write = (line: string): void => {
  stdout.write(`${line}\n`)
}

export const heading = (text: string): void => {
  write(`\n${styled("bold", text)}\n`)
}

/** One step of a story: what happened, and the facts worth seeing. */
export const step = (number: number, text: string, facts: ReadonlyArray<string> = []): void => {
  write(`${styled("cyan", number.toString().padStart(2))}  ${text}`)
  for (const fact of facts) write(`      ${styled("dim", fact)}`)
}

export const done = (text: string): void => {
  write(`\n${styled("green", "✓")} ${text}`)
}

export const failed = (text: string): void => {
  stderr.write(`\n${styled("red", "✗", stderr)} ${text}\n`)
}

export const note = (text: string): void => {
  write(`  ${styled("yellow", text)}`)
}
