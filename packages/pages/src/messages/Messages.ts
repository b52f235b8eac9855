/**
 * What the texts of a page are, whatever their language.
 *
 * @module
 */

/** The texts of one page in one language. */
export interface Catalogue<Texts> {
  /** A BCP 47 tag, such as `en` or `pt-BR`. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  readonly texts: Texts
}

/** Separates a name from the direction of the sentence around it. */
export type Isolate = (text: string) => string

/** Isolates text of unknown direction, so that it cannot turn the sentence around. */
export const isolate: Isolate = (text) => `\u2068${text}\u2069`
