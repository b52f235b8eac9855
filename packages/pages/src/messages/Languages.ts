/**
 * The languages of the pages. A further language is a file in `languages/` and a row here. English comes with the page,
 * any other one is loaded if the payer reads it.
 *
 * @module
 */
import type { CheckoutMessages } from "./CheckoutMessages.ts"
import type { CollectMessages } from "./CollectMessages.ts"
import { isolate, type Catalogue, type Isolate } from "./Messages.ts"

/** What a language says on each page. */
export interface Texts {
  readonly checkout: CheckoutMessages
  readonly collect: CollectMessages
}

/** A file of `languages/`. It imports no code, so that a page needs one script until a language is asked for. */
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

/** An address may say anything, and some browsers name locales of the system, such as `en-US@posix`. */
const isTag = (text: string): boolean => {
  try {
    Intl.getCanonicalLocales(text)
    return true
  } catch {
    return false
  }
}

/** What the payer reads, best first: what the address asks for with `?lang=`, then what the browser prefers. */
export const wanted = (search: string, preferred: ReadonlyArray<string>): ReadonlyArray<string> => {
  const asked = new URLSearchParams(search).get("lang")
  return [...(asked === null ? [] : [asked]), ...preferred].filter(isTag)
}

/** The first tag that there is: the very one, or another of its regions. */
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

/** How amounts and times are written: as in the payer's own region, if the page is in that language. */
export const localeOf = (language: string, wishes: ReadonlyArray<string>): string =>
  wishes.find((wish) => languageOf(wish) === languageOf(language)) ?? language

/** The texts of a page in the payer's language. Without a connection the page is in English rather than not there. */
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
