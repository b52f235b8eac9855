/**
 * The languages of the pages. To add a language, add a file in `languages/` and a row here, and to
 * `directionOf` if it is written from right to left. English is part of the
 * page. Any other language is loaded if the payer reads it.
 *
 * @module
 */
import type { CheckoutMessages } from "./CheckoutMessages.ts"
import type { CollectMessages } from "./CollectMessages.ts"
import type { Catalogue, Templates } from "./Messages.ts"
import type { PlainMessages } from "./PlainMessages.ts"
import * as Translation from "./Translation.ts"

/** The texts of a language for each page. */
export interface Texts {
  readonly checkout: CheckoutMessages
  readonly collect: CollectMessages
  readonly plain: PlainMessages
}

/** A file of `languages/`. It is data, so that a page needs only one script until another language is needed. */
type File = { readonly [Page in keyof Texts]: Templates<Texts[Page]> }

type Load = () => Promise<{ readonly default: File }>

/** By BCP 47 tag. */
export const languages: ReadonlyMap<string, Load> = new Map<string, Load>([
  ["ar", () => import("./languages/ar.json", { with: { type: "json" } })],
  ["de", () => import("./languages/de.json", { with: { type: "json" } })],
  ["es", () => import("./languages/es.json", { with: { type: "json" } })],
  ["fr", () => import("./languages/fr.json", { with: { type: "json" } })],
  ["he", () => import("./languages/he.json", { with: { type: "json" } })],
  ["it", () => import("./languages/it.json", { with: { type: "json" } })],
  ["ja", () => import("./languages/ja.json", { with: { type: "json" } })],
  ["nl", () => import("./languages/nl.json", { with: { type: "json" } })],
  ["pl", () => import("./languages/pl.json", { with: { type: "json" } })],
  ["pt-BR", () => import("./languages/pt-BR.json", { with: { type: "json" } })],
  ["tr", () => import("./languages/tr.json", { with: { type: "json" } })],
  ["zh", () => import("./languages/zh.json", { with: { type: "json" } })],
])

/** The texts of a page in the payer's language. If they cannot be loaded, the page is in English. */
export const load = async <Page extends keyof Texts>(
  page: Page,
  english: Catalogue<Texts[Page]>,
  wishes: ReadonlyArray<string>,
): Promise<Catalogue<Texts[Page]>> => {
  const language = Translation.choose([english.language, ...languages.keys()], wishes) ?? "en"
  const read = languages.get(language)
  if (read === undefined) return english
  try {
    const [{ default: file }, { textsOf }] = await Promise.all([read(), import("./Templates.ts")])
    const templates: File[Page] = file[page]
    const texts = textsOf<Texts[Page]>(english.texts, templates, new Intl.PluralRules(language))
    return { language, texts }
  } catch {
    return english
  }
}
