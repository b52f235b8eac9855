/**
 * The languages of the pages. To add a language, add a file in `languages/` and a row here. English is part of the
 * page. Any other language is loaded if the payer reads it.
 *
 * @module
 */
import type { CheckoutMessages } from "./CheckoutMessages.ts"
import type { CollectMessages } from "./CollectMessages.ts"
import type { Catalogue, Templates } from "./Messages.ts"
import type { PlainMessages } from "./PlainMessages.ts"

/** The texts of a language for each page. */
export interface Texts {
  readonly checkout: CheckoutMessages
  readonly collect: CollectMessages
  readonly plain: PlainMessages
}

/** A file of `languages/`. It is data, so that a page needs only one script until another language is needed. */
type File = { readonly [Page in keyof Texts]: Templates<Texts[Page]> }

interface Language {
  readonly direction: Catalogue<unknown>["direction"]
  readonly load: () => Promise<{ readonly default: File }>
}

/** By BCP 47 tag. */
export const languages: ReadonlyMap<string, Language> = new Map([
  [
    "ar",
    { direction: "rtl", load: () => import("./languages/ar.json", { with: { type: "json" } }) },
  ],
  [
    "de",
    { direction: "ltr", load: () => import("./languages/de.json", { with: { type: "json" } }) },
  ],
  [
    "es",
    { direction: "ltr", load: () => import("./languages/es.json", { with: { type: "json" } }) },
  ],
  [
    "fr",
    { direction: "ltr", load: () => import("./languages/fr.json", { with: { type: "json" } }) },
  ],
  [
    "he",
    { direction: "rtl", load: () => import("./languages/he.json", { with: { type: "json" } }) },
  ],
  [
    "it",
    { direction: "ltr", load: () => import("./languages/it.json", { with: { type: "json" } }) },
  ],
  [
    "ja",
    { direction: "ltr", load: () => import("./languages/ja.json", { with: { type: "json" } }) },
  ],
  [
    "nl",
    { direction: "ltr", load: () => import("./languages/nl.json", { with: { type: "json" } }) },
  ],
  [
    "pl",
    { direction: "ltr", load: () => import("./languages/pl.json", { with: { type: "json" } }) },
  ],
  [
    "pt-BR",
    { direction: "ltr", load: () => import("./languages/pt-BR.json", { with: { type: "json" } }) },
  ],
  [
    "tr",
    { direction: "ltr", load: () => import("./languages/tr.json", { with: { type: "json" } }) },
  ],
  [
    "zh",
    { direction: "ltr", load: () => import("./languages/zh.json", { with: { type: "json" } }) },
  ],
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
    const [{ default: file }, { textsOf }] = await Promise.all([
      found.load(),
      import("./Templates.ts"),
    ])
    const texts = textsOf(english.texts, file[page], new Intl.PluralRules(language))
    return { language, direction: found.direction, texts }
  } catch {
    return english
  }
}
