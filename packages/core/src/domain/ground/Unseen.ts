/**
 * Characters that a reader does not see, and that may act on a terminal, turn a line around, or make two texts look
 * alike: controls (C0, C1), direction marks, joiners and other characters without width, and fillers. This table decides
 * for every output that a terminal or a spreadsheet may show.
 *
 * Joiners are in it, although Persian and emoji use them: a reader cannot tell a joiner that belongs from one that
 * hides something. Only U+FE0F is not, because keyboards add it to most emoji.
 *
 * @module
 */

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?!\uFE0F)\p{Default_Ignorable_Code_Point}/gu

/** Replaces each of them by one visible character, which keeps the width of columns. */
export const mask = (text: string): string => text.replaceAll(unseen, "\uFFFD")

/** The code of a character in JSON and JavaScript: `\u200b`. */
export const codes = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("")

/**
 * Writes the code of each of them, so that the text can be told from others.
 *
 * @example
 * Unseen.escape("a\u200Bb") // "a\\u200bb"
 */
export const escape = (text: string): string => text.replaceAll(unseen, codes)

/** The same for JSON, whose value stays the same: a line break in it is only layout. */
export const escapeJson = (json: string): string =>
  json.replaceAll(unseen, (character) => (character === "\n" ? character : codes(character)))
