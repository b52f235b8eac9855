/**
 * Canaries: secret values that must not appear in any output, and the search for them in every encoding.
 *
 * @module
 */
import { Buffer } from "node:buffer"

/** Where something is written that others read. */
export const sinks = [
  "log",
  "trace",
  "metric",
  "collector's log",
  "health",
  "error",
  "response",
  "webhook",
  "alert",
  "event",
  "audit",
  "command",
] as const
export type Sink = (typeof sinks)[number]

/** A canary that came out, and how. */
export interface Find {
  readonly what: string
  readonly sink: Sink
  readonly spelling: string
  readonly around: string
}

/** Every canary that is text begins with it: one search finds all of them, and what was cut off. */
const beginning = "Canary7Q"
const digits = 4
const numbered = new RegExp(`${beginning}([0-9a-z]{${digits}})`, "iu")

const fromHex = (text: string): Buffer => Buffer.from(text, "hex")
const hexOf = (byte: number): string => byte.toString(16).padStart(2, "0")
const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

/** How many characters of base64 stand for so many bytes before ours, and are no letters of ours. */
const inFront = [0, 2, 3]

/** What base64 makes of bytes wherever they begin within it, as far as it follows from them alone. */
const inBase64 = (bytes: Buffer): ReadonlyArray<string> =>
  inFront.flatMap((front, before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes])
    const own = all.toString("base64").slice(front, Math.floor((all.length * 8) / 6))
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")]
  })

interface Spelling {
  readonly name: string
  readonly pattern: RegExp
}

const spelling = (name: string, patterns: ReadonlyArray<string>, flags: string): Spelling => ({
  name,
  pattern: new RegExp([...new Set(patterns)].join("|"), flags),
})

/** How bytes may be spelled. Base64 tells letters by their case, and nothing else does. */
const ofBytes = (bytes: Buffer): ReadonlyArray<Spelling> => {
  const each = (write: (byte: number) => string) => [Array.from(bytes, write).join("")]
  return [
    spelling("hex", each(hexOf), "giu"),
    spelling(
      "percent",
      each((byte) => `%${hexOf(byte)}`),
      "giu",
    ),
    spelling(
      "JSON escapes",
      each((byte) => `\\\\u00${hexOf(byte)}`),
      "giu",
    ),
    spelling("bytes", [`\\b${Array.from(bytes.subarray(0, 8)).join(",\\s*")}\\b`], "gu"),
    spelling("base64", inBase64(bytes).map(literally), "gu"),
  ]
}

const ofText = (text: string): ReadonlyArray<Spelling> => [
  spelling(
    "text",
    [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)].map(literally),
    "giu",
  ),
  ...ofBytes(Buffer.from(text)),
]

/** What follows a place, read back from its spelling. */
const readers: { readonly [name: string]: (text: string, at: number) => string } = {
  hex: (text, at) => fromHex(text.slice(at, at + 40)).toString("latin1"),
  percent: (text, at) => unescaped(text.slice(at, at + 80)),
  "JSON escapes": (text, at) => unescaped(text.slice(at, at + 120)),
  base64: (text, at) =>
    inFront
      .map((front) => Buffer.from(text.slice(at - front, at + 40), "base64").toString("latin1"))
      .join(" "),
}
const unescaped = (text: string): string =>
  text.replaceAll(/(?:%|\\u00)([0-9a-f]{2})/giu, (_, byte: string) =>
    fromHex(byte).toString("latin1"),
  )

export interface Plants {
  /** A text that stands for nothing, to be put somewhere. */
  readonly text: (what: string) => string
  /** A value that has a form of its own, such as a key: it is looked for as it is written, and as the bytes that it means. */
  readonly value: (what: string, text: string, bytes?: Uint8Array) => void
  /** Everything that came out. */
  readonly search: (sink: Sink, text: string) => ReadonlyArray<Find>
  readonly count: () => number
}

export const make = (): Plants => {
  const texts: Array<string> = []
  const values = new Map<
    string,
    { readonly what: string; readonly spellings: ReadonlyArray<Spelling> }
  >()
  const common = ofText(beginning)

  const whichAt = (name: string, text: string, at: number): string => {
    const read = readers[name]?.(text, at) ?? text.slice(at, at + 40)
    const [, number = ""] = numbered.exec(read) ?? []
    return texts[Number.parseInt(number, 36)] ?? "a canary that was cut off"
  }

  return {
    text: (what) => {
      const number = (texts.push(what) - 1).toString(36).padStart(digits, "0")
      return `${beginning}${number}z`
    },
    value: (what, text, bytes) => {
      const spellings = [
        ...ofText(text),
        ...(bytes === undefined ? [] : ofBytes(Buffer.from(bytes))),
      ]
      values.set(text, { what, spellings })
    },
    search: (sink, text) => {
      const found = (
        spellings: ReadonlyArray<Spelling>,
        which: (name: string, at: number) => string,
      ) =>
        spellings.flatMap(({ name, pattern }) =>
          Array.from(text.matchAll(pattern), ({ index }): Find => ({
            what: which(name, index),
            sink,
            spelling: name,
            around: text.slice(Math.max(0, index - 160), index + 80),
          })),
        )
      return [
        ...found(common, (name, at) => whichAt(name, text, at)),
        ...Array.from(values.values(), ({ spellings, what }) =>
          found(spellings, () => what),
        ).flat(),
      ]
    },
    count: () => texts.length + values.size,
  }
}
