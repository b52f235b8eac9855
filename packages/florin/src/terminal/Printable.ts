/**
 * Makes text from outside safe for a terminal: names and references may contain characters that move the cursor, hide
 * earlier text, or reverse the line.
 *
 * @module
 */

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * @example
 * Printable.from("Caf\u00e9\u001b[2J") // "Café�[2J"
 */
export const from = (text: string): string => text.replaceAll(unseen, "\uFFFD")

const inJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("")

/** The same for JSON, in which the original text stays readable. */
export const escapeJson = (json: string): string => json.replaceAll(unseen, inJson)
