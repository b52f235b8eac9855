/**
 * Searches the inputs of one parser for one that breaks a rule: mutates the inputs that are known, keeps those that reach
 * new code, and makes what it finds as short as possible.
 *
 * @module
 */
import { cpuUsage } from "node:process"
import { isDeepStrictEqual } from "node:util"
import * as HostileText from "@florin/testing/HostileText"
import * as Drawing from "../../test-support/drawing.ts"
import type * as Coverage from "./Coverage.ts"

/** What reads the texts of strangers. */
export interface Parser {
  readonly name: string
  /** Texts that it reads, or nearly. */
  readonly examples: readonly [string, ...ReadonlyArray<string>]
  /** How many characters a stranger can send. */
  readonly most: number
  /** Returns what it read, whether accepted or refused. Throws, or rejects, if a rule is broken. */
  readonly read: (text: string) => unknown
}

interface Found {
  readonly parser: string
  readonly input: string
  readonly why: string
}

const whyOf = (thrown: unknown): string =>
  thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)

/** What is wrong with how a parser reads this text; null if nothing is. */
export const judge = async ({ read }: Parser, text: string): Promise<string | null> => {
  try {
    const [first, second] = [await read(text), await read(text)]
    return isDeepStrictEqual(first, second) ? null : "reads the same text in two ways"
  } catch (thrown) {
    return whyOf(thrown)
  }
}

/** A list without the items that a rule does not need in order to fail. */
export const shorten = async <A>(
  items: ReadonlyArray<A>,
  fails: (shorter: ReadonlyArray<A>) => Promise<boolean>,
  triesMax = 2000,
): Promise<ReadonlyArray<A>> => {
  let found = items
  let tries = 0
  for (let size = Math.ceil(items.length / 2); size >= 1 && tries < triesMax;) {
    let isShorter = false
    for (let from = 0; from < found.length && tries < triesMax;) {
      tries++
      const shorter = found.toSpliced(from, size)
      // oxlint-disable-next-line no-await-in-loop -- Each try depends on the one before.
      if (await fails(shorter)) {
        found = shorter
        isShorter = true
      } else from += size
    }
    if (!isShorter) size = size === 1 ? 0 : Math.ceil(size / 2)
  }
  return found
}

const shortenText = async (parser: Parser, text: string): Promise<string> =>
  (
    await shorten(text.split(""), async (units) => (await judge(parser, units.join(""))) !== null)
  ).join("")

/** A text that repeats a piece of itself, as long as a stranger can send it. */
export interface Pump {
  readonly before: string
  readonly piece: string
  readonly after: string
}

const pumped = ({ after, before, piece }: Pump, length: number): string =>
  before + piece.repeat(Math.max(1, Math.floor(length / piece.length))) + after

/** The least processor time of a few runs: what else runs on the machine only adds to it. */
export const costInMicroseconds = async (parser: Parser, text: string): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < 2; run++) {
    const before = cpuUsage()
    // oxlint-disable-next-line no-await-in-loop -- One run after the other.
    await judge(parser, text)
    const { system, user } = cpuUsage(before)
    least = Math.min(least, system + user)
  }
  return least
}

/** Less is not worth a look, and is measured badly. */
const notedInMicroseconds = 20_000
const shortest = 1024
/** A text that is 4 times as long takes 4 times as long, or 16 times if each part is compared with each other. */
const growth = 4
const tolerated = 2.2 * growth
const confirmations = 3

/**
 * Whether the time for a text grows faster than the text, at the first length that takes noticeable time. Compares two
 * lengths in one run, and never with a clock. A busy machine can hide a slow parser from it, but hardly makes it blame a
 * fast one.
 */
export const isSlow = async (
  parser: Parser,
  pump: Pump,
  costOf = costInMicroseconds,
): Promise<boolean> => {
  const cost = (length: number) => costOf(parser, pumped(pump, length))
  let length = Math.min(shortest, parser.most)
  // oxlint-disable-next-line no-await-in-loop -- One measurement after the other.
  while ((await cost(length)) < notedInMicroseconds) {
    if (length === parser.most) return false
    length = Math.min(length * growth, parser.most)
  }
  for (let round = 0; round < confirmations; round++) {
    // oxlint-disable-next-line no-await-in-loop -- One measurement after the other.
    if ((await cost(length)) < tolerated * (await cost(length / growth))) return false
  }
  return true
}

const pumpOf = (draw: Drawing.Draw, text: string): Pump => {
  const from = draw(text.length + 1)
  const to = Math.min(text.length, from + 1 + draw(4))
  const piece = text.slice(from, to)
  return {
    before: text.slice(0, from),
    piece: piece === "" ? "a" : piece,
    after: draw(2) === 0 ? text.slice(to) : "\u0001",
  }
}

const mutated = (draw: Drawing.Draw, corpus: ReadonlyArray<string>): string => {
  const text = HostileText.mutate(corpus, draw(2 ** 32))
  if (draw(4) > 0) return text
  // The start of one, and the end of another.
  const other = corpus[draw(corpus.length)] ?? ""
  return text.slice(0, draw(text.length + 1)) + other.slice(draw(other.length + 1))
}

const batchSize = 32
/** One in so many batches also measures how time grows. */
const pumpEvery = 16
const corpusTextMax = 2000
const knownMax = 400

export interface Searched {
  readonly inputs: number
  /** Inputs that reach code that the earlier ones do not. */
  readonly known: ReadonlyArray<string>
  readonly found: Found | undefined
}

/** Searches until the time is over, or until something is found. */
export const search = async (
  parser: Parser,
  corpus: ReadonlyArray<string>,
  coverage: Coverage.Coverage,
  options: { readonly seed: number; readonly isOver: () => boolean },
): Promise<Searched> => {
  const draw = Drawing.make(options.seed)
  const known: Array<string> = []
  let inputs = 0
  const fail = (input: string, why: string): Searched => ({
    inputs,
    known,
    found: { parser: parser.name, input, why },
  })
  /** The first of these that breaks a rule. */
  const firstBroken = async (texts: ReadonlyArray<string>): Promise<Searched | undefined> => {
    for (const text of texts) {
      inputs++
      // oxlint-disable-next-line no-await-in-loop -- In order, so that the coverage is that of one text.
      if ((await judge(parser, text)) === null) continue
      // oxlint-disable-next-line no-await-in-loop -- Ends the loop.
      const shorter = await shortenText(parser, text)
      // oxlint-disable-next-line no-await-in-loop -- Ends the loop.
      return fail(shorter, (await judge(parser, shorter)) ?? "")
    }
    return undefined
  }
  const learn = async (texts: ReadonlyArray<string>): Promise<Searched | undefined> => {
    for (const text of texts) {
      // oxlint-disable-next-line no-await-in-loop -- In order, so that the coverage is that of one text.
      const broken = await firstBroken([text])
      if (broken !== undefined) return broken
      if (coverage.isNew() && text.length <= corpusTextMax && known.length < knownMax) {
        known.push(text)
      }
    }
    return undefined
  }
  coverage.forget()
  const started = await learn([...parser.examples, ...corpus])
  if (started !== undefined) return started
  while (!options.isOver()) {
    const from = [...parser.examples, ...known]
    const texts = Array.from({ length: batchSize }, () => mutated(draw, from).slice(0, parser.most))
    // oxlint-disable-next-line no-await-in-loop -- The next batch depends on what this one finds.
    const broken = await firstBroken(texts)
    if (broken !== undefined) return broken
    if (coverage.hasNew()) {
      // oxlint-disable-next-line no-await-in-loop -- The next batch depends on what this one finds.
      const found = await learn(texts)
      if (found !== undefined) return found
    }
    if (draw(pumpEvery) === 0) {
      const pump = pumpOf(draw, from[draw(from.length)] ?? "")
      // oxlint-disable-next-line no-await-in-loop -- One measurement after the other.
      if (await isSlow(parser, pump)) {
        return fail(JSON.stringify(pump), "takes more than linear time for this text, repeated")
      }
      coverage.hasNew()
    }
  }
  return { inputs, known, found: undefined }
}
