/**
 * Decides which URLs from third parties the page follows or shows: never a script, no unexpected scheme, and no picture
 * from another host.
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
 * A URL over https, or on the page's own origin (which is http on a developer's machine). A URL with a user name is
 * refused, as it may look like another host's.
 */
export const web = (text: string | undefined, ownOrigin: string): string | undefined => {
  const url = text === undefined ? undefined : parse(text)
  if (url === undefined || url.username !== "" || url.password !== "") return undefined
  return url.protocol === "https:" || url.origin === ownOrigin ? url.href : undefined
}

/**
 * The merchant's URL to which the payer returns. After a test payment it may be on the payer's own machine, as
 * developers run their shops there.
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

/** A link that writes an email about something. Only a plain address is taken. */
export const email = (address: string | undefined, subject: string): string | undefined =>
  address !== undefined && /^[^\s@?&#%,;:<>"]+@[^\s@?&#%,;:<>"]+$/u.test(address)
    ? `mailto:${address}?subject=${encodeURIComponent(subject)}`
    : undefined

/** One of the service's own icons, always on the page's own origin, whatever host the service named. */
export const iconPath = (text: string | undefined): string | undefined =>
  /\/icons\/[^/]+\.svg$/u.exec(parse(text ?? "")?.pathname ?? "")?.[0]

/** A wallet's icon, which EIP-6963 requires to be inside the announcement itself. */
export const walletIcon = (text: unknown): string | undefined =>
  typeof text === "string" && /^data:image\/(?:png|svg\+xml|webp|jpeg|gif)[;,]/iu.test(text)
    ? text
    : undefined

/** The data form's URL on the page's own origin, whatever host the service named. */
export const ownForm = (url: string, ownOrigin: string): string | undefined => {
  const { pathname, search } = parse(url) ?? {}
  return pathname === "/collect/" ? `${ownOrigin}${pathname}${search ?? ""}` : undefined
}

/** A transaction's URL in an explorer. */
export const transaction = (
  explorer: string | undefined,
  hash: string,
  ownOrigin: string,
): string | undefined =>
  explorer === undefined || !/^0x[0-9a-fA-F]+$/u.test(hash)
    ? undefined
    : web(`${explorer}${hash}`, ownOrigin)

/** The URI with which a phone opens its wallet app: a pairing URI that contains the payment link. */
export const walletApp = (link: string): string => `wc:?pay=${encodeURIComponent(link)}`
