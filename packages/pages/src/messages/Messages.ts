/**
 * What the texts of a page are, whatever their language.
 *
 * @module
 */

/** The texts of one page in one language. */
export interface Catalogue<Texts> {
  /** A BCP 47 tag, such as `en` or `pt-BR`. */
  readonly language: string
  readonly texts: Texts
}

/** The direction in which the pages' languages are written. */
export const directionOf = (language: string): "ltr" | "rtl" =>
  /^(?:ar|he)(?:-|$)/iu.test(language) ? "rtl" : "ltr"

/** Isolates text of unknown direction, so that it cannot turn the sentence around. */
export const isolate = (text: string): string => `\u2068${text}\u2069`

/** One text for each plural form of the argument at a position, by the names of `Intl.PluralRules`. */
type Plural = { readonly plural: number } & { readonly [Form in Intl.LDMLPluralRule]?: string }

/** Texts as data: `{0}` stands for the first argument. */
export type Templates<Texts> = Texts extends string
  ? string
  : Texts extends (...args: never) => infer Said
    ? Said extends string
      ? string | Plural
      : Templates<Said>
    : { readonly [Key in keyof Texts]: Templates<Texts[Key]> }
