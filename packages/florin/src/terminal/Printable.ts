/**
 * Makes text from outside safe for a terminal: names and references may contain characters that move the cursor, hide
 * earlier text, reverse the line, or imitate a command of ours.
 *
 * @module
 */
import * as Unseen from "@florin/core/domain/ground/Unseen"

/**
 * A text that somebody else wrote. Only our own texts have backticks: they mark commands that are made pasteable.
 *
 * @example
 * Printable.from("Caf\u00e9\u001b[2J `florin`") // "Café�[2J 'florin'"
 */
export const from = (text: string): string => Unseen.mask(text).replaceAll("`", "'")

const colours = new RegExp(String.raw`(\n|\u001B\[\d+m)`, "u")

/** A whole output of ours, in which only our own line breaks and colours act. */
export const output = (text: string): string =>
  text
    .split(colours)
    .map((part, index) => (index % 2 === 0 ? Unseen.mask(part) : part))
    .join("")

/**
 * A number of things in words.
 *
 * @example
 * Printable.counted(2, "share") // "2 shares"
 */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** JSON for a program or a person, with the same value. */
export const json = (value: unknown, indent?: number): string =>
  Unseen.escapeJson(JSON.stringify(value, null, indent))
