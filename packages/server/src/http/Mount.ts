/**
 * Where Florin is in an app that has pages of its own: the API below the path of `publicUrl`, and the checkout at the
 * root, because payment links have no path.
 *
 * @module
 */
import * as Exchange from "./Exchange.ts"

/** The path of a service's address, such as `/pay`; empty at the root. */
export const pathOf = (publicUrl: string): string =>
  Exchange.locate(publicUrl).path.replace(/\/+$/u, "")

/** A payment link, the form for data, or what these load. The front page of the app has no `pid` in its query. */
const isCheckout = ({ path, query }: Pick<Exchange.Incoming, "path" | "query">): boolean =>
  /^\/(?:pay_[^/]+|pages\/.+)$/u.test(path) ||
  (/^\/(?:collect\/?)?$/u.test(path) && new URLSearchParams(query).has("pid"))

/**
 * The path and query of a request as Florin reads them; null if the request is the app's own.
 *
 * @example
 * Mount.locate("https://shop.example/pay", "/pay/v1/payments?limit=2") // "/v1/payments?limit=2"
 * Mount.locate("https://shop.example/pay", "/?pid=pay_1") // "/?pid=pay_1"
 * Mount.locate("https://shop.example/pay", "/menu") // null
 */
export const locate = (publicUrl: string, target: string): string | null => {
  const below = pathOf(publicUrl)
  const { path, query } = Exchange.locate(target)
  const asked = query === "" ? "" : `?${query}`
  if (path === below || path.startsWith(`${below}/`)) {
    return `${path.slice(below.length) || "/"}${asked}`
  }
  return isCheckout({ path, query }) ? `${path}${asked}` : null
}
