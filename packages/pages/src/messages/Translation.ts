/**
 * Chooses a reader's language.
 *
 * @module
 */
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
