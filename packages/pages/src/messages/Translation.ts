/**
 * Chooses a reader's language, and makes the texts of a page in it.
 *
 * @module
 */
import { directionOf, type Catalogue, type Templates } from "./Messages.ts"

/** Loads a language when somebody reads it. */
export type Load<File> = () => Promise<{ readonly default: File }>

const languageOf = (tag: string): string => tag.toLowerCase().split("-")[0] ?? ""

/** A URL may contain any text, and some browsers report locales of the system, such as `en-US@posix`. */
const isTag = (text: string): boolean => {
  try {
    Intl.getCanonicalLocales(text)
    return true
  } catch {
    return false
  }
}

/** The payer's languages, best first: from `?lang=` in the URL, then from the browser's preferences. */
export const preferredTags = (
  search: string,
  preferred: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const asked = new URLSearchParams(search).get("lang")
  return [...(asked === null ? [] : [asked]), ...preferred].filter(isTag)
}

/** The first tag that is available: exactly, or as another region of the same language. */
export const choose = (
  tags: ReadonlyArray<string>,
  wishes: ReadonlyArray<string>,
): string | undefined => {
  for (const wish of wishes) {
    const found =
      tags.find((tag) => tag.toLowerCase() === wish.toLowerCase()) ??
      tags.find((tag) => languageOf(tag) === languageOf(wish))
    if (found !== undefined) return found
  }
  return undefined
}

/** The locale for amounts and times: the payer's own region, if the page is in that language. */
export const localeOf = (language: string, wishes: ReadonlyArray<string>): string =>
  wishes.find((wish) => languageOf(wish) === languageOf(language)) ?? language

/** The texts in the first language of the wishes that there is. If they cannot be loaded, they are in English. */
export const load = async <Texts, File>(
  english: Catalogue<Texts>,
  languages: ReadonlyMap<string, Load<File>>,
  templatesOf: (file: File) => Templates<Texts>,
  wishes: ReadonlyArray<string>,
): Promise<Catalogue<Texts>> => {
  const language = choose([english.language, ...languages.keys()], wishes)
  const read = language === undefined ? undefined : languages.get(language)
  if (language === undefined || read === undefined) return english
  try {
    const [{ default: file }, { textsOf }] = await Promise.all([read(), import("./Templates.ts")])
    const texts = textsOf(english.texts, templatesOf(file), new Intl.PluralRules(language))
    return { language, direction: directionOf(language), texts }
  } catch {
    return english
  }
}
