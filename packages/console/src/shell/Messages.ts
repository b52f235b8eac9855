/**
 * The texts of a part of the console, made from its JSON files. A text with names or numbers in it has their names in
 * its key, as in `"refundOf(amount)": "Refund of {amount}"`, and is a function of them. One whose form depends on its
 * first number has a text for each plural form.
 *
 * @module
 */
/** The parameters of a key. A text with plural forms chooses by the first one. */
type Values<Names extends string, First> = Names extends `${string}, ${infer Rest}`
  ? readonly [First, ...Values<Rest, string | number>]
  : readonly [First]

/** What a file has, with a function for each text that has parameters. */
export type Texts<File> = {
  readonly [
    Key in keyof File as Key extends `${infer Name}(${string}` ? Name : Key
  ]: Key extends `${string}(${infer Names})`
    ? (...values: Values<Names, File[Key] extends string ? string | number : number>) => string
    : File[Key] extends string
      ? string
      : Texts<File[Key]>
}

interface Entries {
  readonly [key: string]: string | Entries
}

/** Makes the texts of a file in a language. */
export function textsOf<File>(file: File, language: string): Texts<File>
export function textsOf(file: Entries, language: string): unknown {
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return Object.fromEntries(
    Object.entries(file).map(([key, entry]) => {
      const [, name, list = ""] = /^([^(]+)\((.+)\)$/u.exec(key) ?? []
      if (name === undefined) {
        return [key, typeof entry === "string" ? entry : textsOf(entry, language)]
      }
      const names = list.split(", ")
      const text = (...values: ReadonlyArray<unknown>) => {
        const chosen = typeof entry === "string" ? entry : entry[rules.select(Number(values[0]))]
        const shown = values.map((each) =>
          typeof each === "number" ? numbers.format(each) : `${each}`,
        )
        return `${chosen}`.replaceAll(/\{(\w+)\}/gu, (_, each) => `${shown[names.indexOf(each)]}`)
      }
      return [name, text]
    }),
  )
}

/** The text of a name that the service may know and this release of the console may not. */
export const named = (texts: { readonly [name: string]: string }, name: string): string =>
  texts[name] ?? name
