/**
 * Which addresses given by others the page follows or shows: never a script, never another scheme, and no picture that
 * another host would be asked for.
 *
 * @module
 */
import type * as HostedPage from "@florin/api/wire/HostedPage"

const parse = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/**
 * An address over https, or on the page's own origin (which is http on a developer's machine). One with a user's name
 * may look like another host's.
 */
export const web = (text: string | undefined, ownOrigin: string): string | undefined => {
  const url = text === undefined ? undefined : parse(text)
  if (url === undefined || url.username !== "" || url.password !== "") return undefined
  return url.protocol === "https:" || url.origin === ownOrigin ? url.href : undefined
}

/**
 * Where a merchant takes its payer back. After a test payment that may be the payer's own machine, as shops are built
 * there.
 */
export const merchant = (
  text: string | undefined,
  { mode }: Pick<HostedPage.Checkout, "mode">,
  ownOrigin: string,
): string | undefined => {
  const url = parse(text ?? "")
  const isLocal =
    url?.protocol === "http:" && /^(?:(?:.+\.)?localhost|127\.[\d.]+|\[::1\])$/u.test(url.hostname)
  return web(text, mode === "test" && isLocal ? url.origin : ownOrigin)
}

/** One of the service's own drawings, on the page's own origin, whatever host the service named. */
export const drawing = (text: string | undefined): string | undefined =>
  /\/icons\/[^/]+\.svg$/u.exec(parse(text ?? "")?.pathname ?? "")?.[0]

/** A wallet's icon, which EIP-6963 wants inside the announcement itself. */
export const walletIcon = (text: unknown): string | undefined =>
  typeof text === "string" && /^data:image\/(?:png|svg\+xml|webp|jpeg|gif)[;,]/iu.test(text)
    ? text
    : undefined

/** The data form's address on the page's own origin, whatever host the service named. */
export const ownForm = (url: string, ownOrigin: string): string | undefined => {
  const { pathname, search } = parse(url) ?? {}
  return pathname === "/collect/" ? `${ownOrigin}${pathname}${search ?? ""}` : undefined
}

/** Where a transaction is seen in an explorer. */
export const transaction = (
  explorer: string | undefined,
  hash: string,
  ownOrigin: string,
): string | undefined =>
  explorer === undefined || !/^0x[0-9a-fA-F]+$/u.test(hash)
    ? undefined
    : web(`${explorer}${hash}`, ownOrigin)

/** What a phone opens its wallet app with: a pairing URI that carries the payment link. */
export const walletApp = (link: string): string => `wc:?pay=${encodeURIComponent(link)}`
