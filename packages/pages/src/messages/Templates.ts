/**
 * Makes the texts of a language from its data. Pages load it with the first language that is not English.
 *
 * @module
 */
import type { Templates } from "./Messages.ts"

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
  // An older browser may know a form that the language no longer has.
  return typeof plural === "number"
    ? fill(template[rules.select(Number(args[plural]))] ?? template["other"], rules, args)
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
