/**
 * The output on the terminal for people and for programs.
 *
 * @module
 */
import { env, stderr, stdout } from "node:process"
import { styleText } from "node:util"
import * as Hint from "./Hint.ts"
import * as Printable from "./Printable.ts"

export type Style = "bold" | "cyan" | "dim" | "green" | "red" | "yellow"

type Stream = typeof stdout | typeof stderr

/** Uses colours only on a terminal, and not with NO_COLOR or on a dumb terminal. */
export const hasColours = (stream: Stream = stdout): boolean => stream.isTTY && stream.hasColors()

export const applyStyle = (style: Style, text: string, stream?: Stream): string =>
  hasColours(stream) ? styleText(style, text, { validateStream: false }) : text

/** Why output was lost, such as ENOSPC. */
let lost: string | undefined

/** Neither a reader that closes the pipe, as `head` does, nor a full disk may stop the work, which continues to its end. */
export const outliveReaders = (): void => {
  stderr.on("error", () => {})
  stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") lost = code
  })
}

/** Our own text, in which texts of others went through `Printable.from`: what one of them forgot is masked here. */
const ours = (text: string): string => Printable.output(Hint.makePasteable(text))

const write = (line: string): void => {
  stdout.write(`${ours(line)}\n`)
}

export const heading = (text: string): void => {
  write(`\n${applyStyle("bold", Hint.makePasteable(text))}\n`)
}

/** One step of a story: what happened, and the important facts. */
export const step = (number: number, text: string, facts: ReadonlyArray<string> = []): void => {
  write(`${applyStyle("cyan", number.toString().padStart(2))}  ${text}`)
  for (const fact of facts) write(`      ${applyStyle("dim", fact)}`)
}

/** One of many lines, each of which is right or wrong. */
export const line = (text: string, isRight: boolean): void => {
  write(`${isRight ? applyStyle("green", "✓") : applyStyle("red", "✗")} ${text}`)
}

export const plain = (text: string): void => write(`  ${text}`)

/** A fact with its name, if there is one. */
export const fact = (name: string, text: string | null | undefined): void => {
  if (typeof text === "string") write(`  ${applyStyle("dim", name.padEnd(10))} ${text}`)
}

/** A fact whose text others wrote and may be long. */
export const writeWrapped = (name: string, text: string): void => {
  const wrapped = rows(Printable.from(text), width() - 13)
  for (const [index, row] of wrapped.entries()) fact(index === 0 ? name : "", row)
}

/** Sentences, which a terminal gets in rows: those after the first begin below its text. */
const folded = (stream: Stream, text: string, hanging = 0): string => {
  const shown = ours(text)
  if (!stream.isTTY) return shown
  const lines = shown.split("\n").map((each) => {
    const own = each.search(/\S|$/u)
    const indent = " ".repeat(Math.max(own, hanging))
    return " ".repeat(own) + rows(each, width(stream) - indent.length).join(`\n${indent}`)
  })
  return lines.join("\n")
}

const writeMark = (stream: Stream, style: keyof typeof marks, text: string): void => {
  stream.write(`\n${applyStyle(style, marks[style], stream)} ${folded(stream, text, 2)}\n`)
}

/** What was done. */
export const writeSuccess = (text: string): void => writeMark(stdout, "green", text)

export const writeFailure = (text: string): void => writeMark(stderr, "red", text)

/** The exit code of a command that ended with this one: without its output, such as a new key, it has failed. */
export const finish = async (code: number): Promise<number> => {
  await new Promise((resolve) => stdout.write("", resolve))
  if (code !== 0 || lost === undefined) return code
  writeFailure(`the work is done, but its output is lost (${lost}): check it before you repeat it`)
  return 1
}

const indented = "    "

/** The maximum width of text for a person. */
export const width = ({ columns }: Stream = stdout): number => (columns > 0 ? columns : 80)

/** Rows of whole words, at most this wide unless a word is wider. A command or a quoted text counts as one word. */
export const rows = (text: string, within: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let row = ""
  for (const [word] of text.matchAll(
    /(?<=: )(?:npx |\S*\/)?florin .*$|(?:`[^`]*`|"[^"]*"|\S)+/gu,
  )) {
    if (row !== "" && row.length + 1 + word.length > within) {
      found.push(row)
      row = word
    } else row = row === "" ? word : `${row} ${word}`
  }
  return [...found, row]
}

/** Sentences under a line. */
export const paragraph = (text: string): void => {
  for (const row of rows(Hint.makePasteable(text), width() - indented.length))
    write(`${indented}${row}`)
}

const marks = { red: "✗", yellow: "!", green: "✓", dim: "·" } as const

/** A sentence with a mark before it: needs action, note, all right, or not checked. */
export const writeMarked = (style: keyof typeof marks, text: string): void => {
  for (const [index, row] of rows(Hint.makePasteable(text), width() - 2).entries()) {
    write(`${index === 0 ? applyStyle(style, marks[style]) : " "} ${row}`)
  }
}

/** A command to copy, which is not wrapped. */
export const command = (text: string): void =>
  write(`${indented}${applyStyle("cyan", Hint.pasteable(text))}`)

/** Clears the screen for repeated output. Output for programs is not affected. */
export const clear = (): void => {
  if (stdout.isTTY && env["TERM"] !== "dumb") stdout.write("\u001b[2J\u001b[H")
}

/** A result that a script reads: nothing else goes to standard output with it, and it is made printable before. */
export const result = (text: string): void => {
  stdout.write(`${text}\n`)
}

/** A note for a person next to a result, outside the output that a program reads. */
export const aside = (text: string): void => {
  stderr.write(`${applyStyle("dim", folded(stderr, text), stderr)}\n`)
}

export const note = (text: string): void => {
  write(applyStyle("yellow", folded(stdout, `  ${text}`)))
}

/** Output for a program: every text in it is unchanged, once it is read as JSON. */
export const json = (value: object): void => result(Printable.json(value, 2))
