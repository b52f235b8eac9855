/**
 * The languages of the pages. To add a language, add a file in `languages/` and a row here. English is part of the
 * page. Any other language is loaded if the payer reads it.
 *
 * @module
 */
import type { CheckoutMessages } from "./CheckoutMessages.ts"
import type { CollectMessages } from "./CollectMessages.ts"
import { isolate, type Catalogue, type Isolate } from "./Messages.ts"
import type { PlainMessages } from "./PlainMessages.ts"

/** The texts of a language for each page. */
export interface Texts {
  readonly checkout: CheckoutMessages
  readonly collect: CollectMessages
  readonly plain: PlainMessages
}

/**
 * A file of `languages/`. It imports no code, so that a page needs only one script until another language is needed.
 */
type File = { readonly [Page in keyof Texts]: (isolate: Isolate) => Texts[Page] }

interface Language {
  readonly direction: Catalogue<unknown>["direction"]
  readonly load: () => Promise<File>
}

/** By BCP 47 tag. */
export const languages: ReadonlyMap<string, Language> = new Map([
  ["ar", { direction: "rtl", load: () => import("./languages/ar.ts") }],
  ["de", { direction: "ltr", load: () => import("./languages/de.ts") }],
  ["es", { direction: "ltr", load: () => import("./languages/es.ts") }],
  ["fr", { direction: "ltr", load: () => import("./languages/fr.ts") }],
  ["he", { direction: "rtl", load: () => import("./languages/he.ts") }],
  ["it", { direction: "ltr", load: () => import("./languages/it.ts") }],
  ["ja", { direction: "ltr", load: () => import("./languages/ja.ts") }],
  ["nl", { direction: "ltr", load: () => import("./languages/nl.ts") }],
  ["pl", { direction: "ltr", load: () => import("./languages/pl.ts") }],
  ["pt-BR", { direction: "ltr", load: () => import("./languages/pt-BR.ts") }],
  ["tr", { direction: "ltr", load: () => import("./languages/tr.ts") }],
  ["zh", { direction: "ltr", load: () => import("./languages/zh.ts") }],
])

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

/** The texts of a page in the payer's language. If they cannot be loaded, the page is in English. */
export const load = async <Page extends keyof Texts>(
  page: Page,
  english: Catalogue<Texts[Page]>,
  wishes: ReadonlyArray<string>,
): Promise<Catalogue<Texts[Page]>> => {
  const language = choose([english.language, ...languages.keys()], wishes)
  const found = language === undefined ? undefined : languages.get(language)
  if (language === undefined || found === undefined) return english
  try {
    const file = await found.load()
    return { language, direction: found.direction, texts: file[page](isolate) }
  } catch {
    return english
  }
}
