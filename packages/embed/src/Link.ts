/**
 * The payment link that a shop's page shows. Its origin is the only one that the page trusts.
 *
 * @module
 */

const isLocal = (host: string): boolean =>
  /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/u.test(host)

const read = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * Reads a payment link; undefined if it is none. It must use https, except on the developer's own machine, and contain
 * no user name, which could make it look like another host's.
 */
export const parse = (payment: string): URL | undefined => {
  const url = read(payment)
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal(url.hostname))
  return isSafe && url.username === "" && url.password === "" ? url : undefined
}

/** How the checkout is shown: above the page, or in it. */
export type Mode = "modal" | "inline"

/** The address of the checkout in a frame. */
export const frameUrl = (link: URL, mode: Mode, language: string): string => {
  const url = new URL(link)
  url.searchParams.set("embed", mode)
  if (language !== "") url.searchParams.set("lang", language)
  return url.href
}
