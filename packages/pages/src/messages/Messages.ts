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

type Template = string | number | { readonly [key: string]: Template }
type Text = string | ((...args: never) => unknown) | { readonly [key: string]: Text }

const map = <A, B>(values: { readonly [key: string]: A }, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value, key)]))

const fill = (
  template: Template | undefined,
  rules: Intl.PluralRules,
  args: ReadonlyArray<unknown>,
): unknown => {
  if (typeof template !== "object") {
    return `${template}`.replace(/\{(\d)\}/gu, (_, at) => `${args[at]}`)
  }
  const { plural } = template
  return typeof plural === "number"
    ? fill(template[rules.select(Number(args[plural]))], rules, args)
    : map(template, (each) => fill(each, rules, args))
}

/** Makes the texts of a language from its templates: functions where the English texts are functions. */
export function textsOf<Texts>(
  english: Texts,
  templates: Templates<Texts>,
  rules: Intl.PluralRules,
): Texts
export function textsOf(
  english: Text | undefined,
  templates: Template | undefined,
  rules: Intl.PluralRules,
): unknown {
  return typeof english === "function"
    ? (...args: ReadonlyArray<unknown>) => fill(templates, rules, args)
    : typeof templates === "object"
      ? map(templates, (each, key) => textsOf(Object(english)[key], each, rules))
      : templates
}
