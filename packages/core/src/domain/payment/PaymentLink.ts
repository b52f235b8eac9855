/**
 * Classifies a scanned or pasted text for a wallet: a payment, a pairing, a pairing that carries a payment, or none of
 * these.
 *
 * A payment is accepted only from a plainly written text: it is compared as it is, never as a URL parser would correct
 * it, and the host is checked before the id. A second, lenient parse of the host can only refuse: a text that would
 * become our host after correction is a forgery, not another site. The caller trims pasted text.
 *
 * Wallets bundle this file, also on phones: it must not import Effect's Schema, which is many times its size.
 *
 * @module
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Limits from "../ground/Limits.ts"
import * as PaymentIdForm from "../ground/PaymentIdForm.ts"

/**
 * The kind of a text. `Other` includes links to hosts that are not trusted, and pages of our own host without a
 * payment; a pairing whose `pay` parameter leads to another service is a plain pairing.
 */
export type PaymentLink =
  | { readonly _tag: "PaymentLink"; readonly paymentId: PaymentIdForm.PaymentId }
  | {
      readonly _tag: "PairingWithPayment"
      readonly paymentId: PaymentIdForm.PaymentId
      readonly uri: string
    }
  | { readonly _tag: "PairingUri"; readonly uri: string }
  | { readonly _tag: "Other" }

/** The hosts to which payment links may lead. */
export interface Trust {
  /**
   * This host and its subdomains are trusted over https, without a port. `localhost:3000` is a service on this machine:
   * only that is trusted, over http.
   */
  readonly payLinkHost: string
  /** Further origins for development, as `new URL(…).origin` prints them: `http://localhost:3000`. */
  readonly localOrigins?: ReadonlyArray<string>
}

/**
 * A text that claims to be a payment link, and must not be used:
 * - `length`: longer than any of our links;
 * - `host`: it names the trusted host, but not as `https://host` in plain ASCII without user, port or final dot;
 * - `form`: the rest of the link is not plain ASCII, its percent-encoding is broken, or it encodes the name `pid`;
 * - `id`: the id is malformed, encoded, or not the whole path;
 * - `ambiguous`: it names more than one payment;
 * - `pairing`: a pairing URI that is not plain, or whose `pay` parameter is not one payment link encoded once.
 */
export class InvalidLink extends Data.TaggedError("InvalidLink")<{
  readonly reason: "length" | "host" | "form" | "id" | "ambiguous" | "pairing"
  readonly message: string
}> {}

type Read<A> = Result.Result<A, InvalidLink>

const invalid = (reason: InvalidLink["reason"], message: string) =>
  Result.fail(new InvalidLink({ reason, message }))

const other: PaymentLink = { _tag: "Other" }

/** Printable ASCII without the backslash, which URL parsers turn into a slash. */
const plain = /^[!-[\]-~]*$/u
/** The scheme and authority of a link, and everything after them. */
const absolute = /^([A-Za-z]+:\/\/[^/?#]*)([^]*)$/u
const label = "[0-9a-z](?:[0-9a-z-]{0,61}[0-9a-z])?"
const httpsHost = new RegExp(`^https://(${label}(?:\\.${label})*)$`, "u")

const decode = (text: string): Result.Result<string, unknown> =>
  Result.try(() => decodeURIComponent(text))

const within = (host: string, trusted: string): boolean =>
  host === trusted || host.endsWith(`.${trusted}`)

const localHost = /^localhost:[0-9]{1,5}$/u

/** Whether a host of payment links is a service on this machine, such as `localhost:3000`. */
export const isLocal = (payLinkHost: string): boolean => localHost.test(payLinkHost.toLowerCase())

/** The origin of a service's links. */
export const originOf = ({ payLinkHost }: Pick<Trust, "payLinkHost">): string =>
  `${isLocal(payLinkHost) ? "http" : "https"}://${payLinkHost.toLowerCase()}`

const isTrusted = (origin: string, trust: Trust): boolean => {
  // Converted to lower case only after the test for ASCII, because the lower case of the Kelvin sign is the letter k.
  if (!plain.test(origin)) return false
  const lower = origin.toLowerCase()
  const host = httpsHost.exec(lower)?.[1]
  return (
    (isLocal(trust.payLinkHost) && lower === originOf(trust)) ||
    (host !== undefined && within(host, trust.payLinkHost.toLowerCase())) ||
    (trust.localOrigins ?? []).some((local) => local.toLowerCase() === lower)
  )
}

/**
 * Characters that readers drop unseen: control characters, and Unicode's `Default_Ignorable_Code_Point`. Written out in
 * hex, because JavaScript engines of phones do not know such properties.
 */
const invisible = new RegExp(
  `[${[
    "0-1f 7f-9f ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164",
    "fe00-fe0f feff ffa0 fff0-fff8 1bca0-1bca3 1d173-1d17a e0000-e0fff",
  ]
    .join(" ")
    .replaceAll(/[0-9a-f]+/gu, "\\u{$&}")
    .replaceAll(" ", "")}]`,
  "gu",
)

/**
 * The host that a lenient reader would see: schemes with any number of slashes, user and port dropped, escapes and
 * compatibility forms folded, as browsers do it. Used to refuse, never to accept.
 */
const mendedHost = (text: string): string => {
  const mended = text.replaceAll(invisible, "").replaceAll("\\", "/").trim()
  const [, scheme, authority = ""] =
    /^(https?:\/*|[a-z][-+.0-9a-z]*:\/\/|\/*)([^/?#]*)/iu.exec(mended) ?? []
  const host = scheme === "" ? authority : authority.slice(authority.lastIndexOf("@") + 1)
  return Result.getOrElse(decode(host), () => host)
    .normalize("NFKC")
    .replaceAll(invisible, "")
    .toLowerCase()
    .replaceAll("\u3002", ".")
    .replace(/:[0-9]*$/u, "")
    .replace(/\.$/u, "")
}

const broken = "the link must be plain ASCII, with every other character percent-encoded"

/** The values a query gives one name; the name must be written plainly. */
const valuesOf = (
  query: string,
  wanted: string,
  reason: "form" | "pairing",
): Read<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const parameter of query.split("&")) {
    const [name = "", ...value] = parameter.split("=")
    const decoded = decode(name)
    if (Result.isFailure(decoded)) return invalid(reason, broken)
    if (decoded.success === wanted) {
      if (name !== wanted) return invalid(reason, `the link must write ${wanted} plainly`)
      found.push(value.join("="))
    }
  }
  return Result.succeed(found)
}

/** The path and the query of a link, without its fragment. */
const split = (link: string): readonly [path: string, query: string] => {
  const [address = ""] = link.split("#")
  const [path = "", ...query] = address.split("?")
  return [path, query.join("?")]
}

/** Reads what follows the host: a path that is an id, or a query with one `pid`. */
const readPayment = (rest: string): Read<PaymentIdForm.PaymentId | undefined> => {
  if (!plain.test(rest)) return invalid("form", broken)
  const [path, query] = split(rest)
  const decodedPath = decode(path)
  if (Result.isFailure(decodedPath)) return invalid("form", broken)
  const pids = valuesOf(query, "pid", "form")
  if (Result.isFailure(pids)) return Result.fail(pids.failure)

  const inPath = decodedPath.success.includes("/pay_") ? [path.slice(1)] : []
  const [id, ...more] = [...inPath, ...pids.success]
  if (id === undefined) return Result.succeed(undefined)
  return more.length > 0
    ? invalid("ambiguous", "the link names more than one payment: ask for a new one")
    : readId(id)
}

const readId = (id: string): Read<PaymentIdForm.PaymentId> =>
  PaymentIdForm.isPaymentId(id) ? Result.succeed(id) : invalid("id", PaymentIdForm.rule)

/** Reads a link of a trusted host; undefined if it is none, or names no payment. */
const readLink = (text: string, trust: Trust): Read<PaymentIdForm.PaymentId | undefined> => {
  const [, origin = "", rest = ""] = absolute.exec(text) ?? []
  if (isTrusted(origin, trust)) return readPayment(rest)
  const [name = ""] = trust.payLinkHost.toLowerCase().split(":")
  return within(mendedHost(text), name)
    ? invalid("host", `a payment link begins with ${originOf(trust)}, without user or port`)
    : Result.succeed(undefined)
}

const readPairing = (uri: string, trust: Trust): Read<PaymentLink> => {
  const pairing: PaymentLink = { _tag: "PairingUri", uri }
  if (!plain.test(uri)) return invalid("pairing", broken)
  const pays = valuesOf(split(uri)[1], "pay", "pairing")
  if (Result.isFailure(pays)) return Result.fail(pays.failure)

  const [pay, ...more] = pays.success
  if (pay === undefined) return Result.succeed(pairing)
  if (more.length > 0) {
    return invalid("ambiguous", "the pairing URI names more than one payment: ask for a new one")
  }
  const link = decode(pay)
  if (Result.isFailure(link)) return invalid("pairing", broken)
  if (!/^https?:\/\//iu.test(link.success)) {
    return invalid("pairing", "pay must hold one payment link, encoded once")
  }
  return Result.map(readLink(link.success, trust), (paymentId) =>
    paymentId === undefined ? pairing : { _tag: "PairingWithPayment", paymentId, uri },
  )
}

/**
 * Says what a text is.
 *
 * @example
 * const trust = { payLinkHost: "pay.example" }
 * PaymentLink.parse("https://pay.example/?pid=pay_1", trust) // PaymentLink
 * PaymentLink.parse("https://pay.example.evil/?pid=pay_1", trust) // Other
 * PaymentLink.parse("https://x@pay.example/?pid=pay_1", trust) // InvalidLink
 */
export const parse = (text: string, trust: Trust): Read<PaymentLink> => {
  if (text.length > Limits.linkMaxLength) {
    return invalid("length", `a link has at most ${Limits.linkMaxLength} characters`)
  }
  if (text.startsWith("pay_")) {
    return Result.map(readId(text), (paymentId) => ({ _tag: "PaymentLink", paymentId }))
  }
  const link = readLink(text, trust)
  if (Result.isFailure(link)) return Result.fail(link.failure)
  if (link.success !== undefined) {
    return Result.succeed({ _tag: "PaymentLink", paymentId: link.success })
  }
  return /^wc:/iu.test(text) ? readPairing(text, trust) : Result.succeed(other)
}

/** Prints the link that a payer opens or scans. */
export const format = (
  service: Pick<Trust, "payLinkHost">,
  paymentId: PaymentIdForm.PaymentId,
): string => `${originOf(service)}/?pid=${paymentId}`
