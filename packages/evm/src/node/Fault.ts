/**
 * Why a node did not respond, in words that contain neither its address nor a caller's transaction.
 *
 * @module
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export interface Fault {
  readonly message: string
  /** The node is left alone for a while, even if no other does better. */
  readonly isLeftAlone?: true
  /** The request timed out. */
  readonly isSilent?: true
  /** The request was refused as a whole: a smaller one may be accepted. */
  readonly isOfRequest?: boolean
}

/** A message with the node's own words, if it gave any. */
export const saying = (message: string, words: string): string =>
  words === "" ? message : `${message}: ${words}`

export const busy = (words: string): Fault => ({
  message: saying("the node limits the request rate", words),
  isLeftAlone: true,
})
export const stranger: Fault = { message: "the node serves another chain", isLeftAlone: true }
export const unreachable: Fault = { message: "the node could not be reached" }
export const unreadable: Fault = { message: "the node's response is not valid" }

/** HTTP statuses with which nodes refuse a request because of its content, not because of its sender or its rate. */
export const requestStatuses = new Set([400, 413, 422])

const Worded = Schema.Struct({ message: Schema.String })
const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const decodeWords = Schema.decodeUnknownOption(
  Schema.Union([Schema.Struct({ error: Schema.Union([Worded, Schema.String]) }), Worded]),
)

/** The text in the body of a failed request: a JSON message or a line of text. The text of an HTML page is ignored. */
const wordsOf = (body: string): string => {
  const json = decodeJson(body)
  if (Option.isNone(json)) return body.trimStart().startsWith("<") ? "" : body
  const said = Option.getOrElse(decodeWords(json.value), () => ({ message: "" }))
  const words = "error" in said ? said.error : said
  return typeof words === "string" ? words : words.message
}

/** The fault for an HTTP status without a readable response. */
export const ofStatus = (
  status: number,
  body: string,
  scrub: (message: string) => string,
): Fault => {
  if (status < 300) return unreadable
  const words = scrub(wordsOf(body))
  if (status === 429 || status === 503) return busy(words)
  return {
    message: saying(`the node responded with HTTP ${status}`, words),
    isOfRequest: requestStatuses.has(status) || /batch/iu.test(words),
  }
}

/** A megabyte of words would stop the process for a second. A word that is cut may be half of a secret. */
const beginningOf = (message: string): string =>
  message.length <= wordsMaxLength ? message : message.slice(0, wordsMaxLength).replace(/\S+$/u, "")
const wordsMaxLength = 1000

/** Removes quoted requests, and the URL and key that they were sent to, from messages of nodes. */
export const scrubber = (url: string) => {
  const secrets = url.split(/[/?&=@:]+/u).filter(({ length }) => length > 5)
  return (message: string): string =>
    secrets
      .reduce((text, secret) => text.replaceAll(secret, "…"), beginningOf(message))
      .replaceAll(/https?:\S+|(?:0x)?[0-9a-fA-F]{32,}/gu, "…")
      .replaceAll(/[\s\p{C}]+/gu, " ")
      // In texts of ours they mark commands to paste.
      .replaceAll("`", "'")
      .trim()
      .slice(0, 200)
}
