/**
 * Texts in the language of the payer. A further language is a catalogue for each page, and its place in the list that
 * the page chooses from.
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

const languageOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? ""

/** The first language of the payer that there is: the very one, or another of its regions; otherwise the first. */
export const choose = <Texts>(
  catalogues: readonly [Catalogue<Texts>, ...ReadonlyArray<Catalogue<Texts>>],
  languages: ReadonlyArray<string>,
): Catalogue<Texts> => {
  for (const wanted of languages) {
    const found =
      catalogues.find(({ language }) => language.toLowerCase() === wanted.toLowerCase()) ??
      catalogues.find(({ language }) => languageOf(language) === languageOf(wanted))
    if (found !== undefined) return found
  }
  return catalogues[0]
}

/** Text of unknown direction inside a sentence, so that it cannot turn the sentence around. */
export const isolate = (text: string): string => `\u2068${text}\u2069`
