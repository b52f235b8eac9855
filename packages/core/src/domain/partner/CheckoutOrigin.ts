/**
 * The origins whose pages may show a merchant's checkout in a frame.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Malformed from "../ground/Malformed.ts"
import type * as Mode from "../ground/Mode.ts"
import * as WebUrl from "../ground/WebUrl.ts"

/**
 * Reads an origin, as browsers print it and content security policies take it. That of a test merchant may be on its
 * developer's machine.
 *
 * @example
 * CheckoutOrigin.parse("https://Shop.example:443", "live") // "https://shop.example"
 */
export const parse = (text: string, mode: Mode.Mode): Result.Result<string, Malformed.Malformed> =>
  Result.flatMap(WebUrl.parseIn[mode](text), ({ host, port, scheme }) => {
    if (!/^https?:\/\/[^/?#]+$/u.test(text)) {
      return Malformed.fail("an origin has no path and no query: https://shop.example")
    }
    // A policy does not match IP addresses, and no host with an underscore has a certificate.
    if (host._tag === "Address" || host.name.includes("_")) {
      return Malformed.fail("the host of an origin must be a domain name")
    }
    const isUsual = port === (scheme === "https" ? 443 : 80)
    return Result.succeed(`${scheme}://${host.name}${isUsual ? "" : `:${port}`}`)
  })
