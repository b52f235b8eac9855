/**
 * Decides whether two names look alike to a payer.
 *
 * @module
 */

/** Replaces each character by the one that Unicode's table of confusables has for it: "map" in TS #39. */
export type Confusables = (text: string) => string

/** The skeleton of Unicode TS #39, section 4. */
export const skeleton = (text: string, confusables: Confusables): string =>
  confusables(text.normalize("NFD").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")).normalize(
    "NFD",
  )

/** Converts through upper case, so that ß is ss, and every sigma is one. */
const folded = (text: string): string => text.toUpperCase().toLowerCase()

/** Accents of any script, except those that make another kana: these are letters to their readers. */
const accents = /(?![\u3099\u309A])\p{Script=Inherited}/gu
const beside = /[\p{P}\p{S}\p{Z}\p{C}]/gu

/**
 * The visible essence of a text. A skeleton has l for I and leaves i: regardless of case they are one letter, so i
 * becomes l, too. A text of signs alone keeps them.
 */
const essence = (text: string, confusables: Confusables): string => {
  const seen = skeleton(folded(skeleton(text, confusables)), confusables)
    .replaceAll(accents, "")
    .replaceAll("i", "l")
  const letters = seen.replaceAll(beside, "")
  return letters === "" ? seen : letters
}

/**
 * The keys by which names are compared: two look alike if they share one. The first key is of the name as it is drawn:
 * "PayPaI" with a capital I is drawn like "PayPal". The second ignores case and width, because Б and б are drawn
 * differently.
 */
export const of = (name: string, confusables: Confusables): ReadonlyArray<string> => [
  ...new Set([essence(name, confusables), essence(folded(name.normalize("NFKC")), confusables)]),
]

export const isAlike = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.some((each) => other.includes(each))
