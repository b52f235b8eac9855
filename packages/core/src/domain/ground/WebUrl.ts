/**
 * Reads web addresses strictly: an accepted address means the same to every other URL parser.
 *
 * Only ASCII, no user information, no percent or backslash in the host, no trailing dot. A host that browsers would
 * read as a number (`0x7f.1`, `2130706433`) is read as that IPv4 address.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Invalid from "./Invalid.ts"
import * as Limits from "./Limits.ts"
import * as Malformed from "./Malformed.ts"
import type * as Mode from "./Mode.ts"

export interface WebUrl {
  readonly scheme: "http" | "https"
  readonly host: Host
  /** The port that was written, or else the scheme's own. */
  readonly port: number
}

export type Host =
  | { readonly _tag: "Name"; readonly name: string }
  | { readonly _tag: "Address"; readonly address: IpAddress }

/** An IP address as the numbers it is made of: four bytes, or eight groups of 16 bits. */
export type IpAddress =
  | { readonly _tag: "V4"; readonly bytes: ReadonlyArray<number> }
  | { readonly _tag: "V6"; readonly groups: ReadonlyArray<number> }

const authorityPattern = /^(https?):\/\/([^/?#]*)(.*)$/su
const tailPattern =
  /^(?:\/(?:[-A-Za-z0-9._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*)?(?:\?(?:[-A-Za-z0-9._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?(?:#(?:[-A-Za-z0-9._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*)?$/u
const hostPattern = /^(\[[0-9A-Fa-f:.]*\]|[-_.A-Za-z0-9]+)(?::([0-9]{1,5}))?$/u
const labelPattern = /^[-_a-z0-9]{1,63}$/u
/** The last label of a host that is read as an IPv4 number, no matter what comes before it. */
const numericLabelPattern = /^(?:[0-9]+|0x[0-9a-f]*)$/u
const hostNameMaxLength = 253

/** A part of an IPv4 number: decimal, or octal behind 0, or hexadecimal behind 0x. */
const numberPart = (text: string): number | undefined => {
  if (text === "0x") return 0
  if (/^0x[0-9a-f]+$/u.test(text)) return Number(text)
  if (/^0[0-7]+$/u.test(text)) return Number(`0o${text}`)
  return /^(?:0|[1-9][0-9]*)$/u.test(text) ? Number(text) : undefined
}

/** Reads an IPv4 address as browsers do: one to four parts, of which the last fills the rest. */
const looseV4 = (host: string): IpAddress | undefined => {
  const parts: Array<number> = []
  for (const text of host.split(".")) {
    const part = numberPart(text)
    if (part === undefined) return undefined
    parts.push(part)
  }
  const last = parts.pop() ?? 0
  const left = 4 - parts.length
  if (left < 1 || last >= 256 ** left || parts.some((part) => part > 255)) return undefined
  const bytes = [...parts]
  for (let index = left - 1; index >= 0; index--) {
    bytes.push(Math.floor(last / 256 ** index) % 256)
  }
  return { _tag: "V4", bytes }
}

const strictV4Pattern = /^(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})$/u

const strictV4 = (text: string): ReadonlyArray<number> | undefined => {
  if (!strictV4Pattern.test(text)) return undefined
  const bytes = text.split(".").map(Number)
  return bytes.some((byte) => byte > 255) ? undefined : bytes
}

/** The groups of one side of `::`; an IPv4 address may stand for the last two. */
const groups = (text: string, mayEndInV4: boolean): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const parts = text.split(":")
  const read: Array<number> = []
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/u.test(part)) {
      read.push(Number(`0x${part}`))
      continue
    }
    const [a, b, c, d] = (mayEndInV4 && index === parts.length - 1 && strictV4(part)) || []
    if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined
    read.push(a * 256 + b, c * 256 + d)
  }
  return read
}

const v6 = (text: string): IpAddress | undefined => {
  const [head = "", tail, ...rest] = text.toLowerCase().split("::")
  const before = groups(head, tail === undefined)
  const after = groups(tail ?? "", true)
  if (before === undefined || after === undefined || rest.length > 0) return undefined
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return { _tag: "V6", groups: [...before, ...Array.from({ length: missing }, () => 0), ...after] }
}

/** Reads an IP address as a resolver prints it: dotted decimal, or IPv6 without a zone. */
export const parseAddress = (text: string): IpAddress | undefined => {
  const bytes = strictV4(text)
  return bytes === undefined ? v6(text) : { _tag: "V4", bytes }
}

const parseHost = (text: string): Host | undefined => {
  const name = text.toLowerCase()
  if (name.startsWith("[")) {
    const address = v6(name.slice(1, -1))
    return address && { _tag: "Address", address }
  }
  const labels = name.split(".")
  if (name.length > hostNameMaxLength || !labels.every((label) => labelPattern.test(label))) {
    return undefined
  }
  if (numericLabelPattern.test(labels.at(-1) ?? "")) {
    const address = looseV4(name)
    return address && { _tag: "Address", address }
  }
  return { _tag: "Name", name }
}

/**
 * Reads a web address.
 *
 * @example
 * WebUrl.parse("https://example.com/hook") // { scheme: "https", host: { _tag: "Name", … }, port: 443 }
 * WebUrl.parse("https://user@example.com") // Malformed
 */
export const parse = (text: string): Result.Result<WebUrl, Malformed.Malformed> => {
  if (text.length > Limits.urlMaxLength) {
    return Malformed.fail(`a URL has at most ${Limits.urlMaxLength} characters`)
  }
  const [, scheme, authority = "", tail = ""] = authorityPattern.exec(text) ?? []
  if (scheme === undefined) return Malformed.fail("a URL begins with https:// in lower case")
  if (authority.includes("@"))
    return Malformed.fail("a URL must not contain a user name or password")
  const [, hostText, portText] = hostPattern.exec(authority) ?? []
  const host = hostText === undefined ? undefined : parseHost(hostText)
  if (host === undefined) {
    return Malformed.fail(
      "the host must be a domain name in ASCII or an IP address, without a trailing dot",
    )
  }
  const port = portText === undefined ? (scheme === "https" ? 443 : 80) : Number(portText)
  if (port < 1 || port > 65_535) return Malformed.fail("the port must be 1 to 65535")
  if (!tailPattern.test(tail)) {
    return Malformed.fail("the path and query must be ASCII, with everything else percent-encoded")
  }
  return Result.succeed({ scheme: scheme === "https" ? "https" : "http", host, port })
}

/** Reads a web address that must be encrypted on its way. */
export const parseHttps = (text: string): Result.Result<WebUrl, Malformed.Malformed> =>
  Result.flatMap(parse(text), (url) =>
    url.scheme === "https" ? Result.succeed(url) : Malformed.fail("a URL must begin with https://"),
  )

/** Whether a host is the machine that asks for it: what goes there never leaves it. */
const isThisMachine = (host: Host): boolean =>
  host._tag === "Name"
    ? /(?:^|\.)localhost$/u.test(host.name)
    : isWithin(host.address, "127.0.0.0", 8) || isWithin(host.address, "::1", 128)

/** Reads a web address that must be encrypted on its way, unless it is on the machine that opens it. */
export const parseHttpsOrLocal = (text: string): Result.Result<WebUrl, Malformed.Malformed> =>
  Result.flatMap(parse(text), (url) =>
    url.scheme === "https" || isThisMachine(url.host)
      ? Result.succeed(url)
      : Malformed.fail("a URL must begin with https://, or with http://localhost"),
  )

/** Reads the address of a shop: that of a test shop may be on its developer's machine. */
export const parseIn: { readonly [M in Mode.Mode]: typeof parseHttps } = {
  live: parseHttps,
  test: parseHttpsOrLocal,
}

/** The issues of a field that holds an https address or nothing. */
export const httpsIssues = (field: string, text: string | null): ReadonlyArray<Invalid.Issue> =>
  text === null ? [] : Invalid.issueOf(field, parseHttps(text))

/** Blocks of IPv4 that are not the public internet, as first byte onwards and prefix length. */
const reservedV4: ReadonlyArray<readonly [block: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  // A cloud's host agent responds at this otherwise public address.
  ["168.63.129.16", 32],
  // Link-local, where cloud metadata services return credentials.
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Multicast, reserved and broadcast.
  ["224.0.0.0", 3],
]

/** Blocks inside 2000::/3 that are not the public internet, or that tunnel to an address we would not see. */
const reservedV6: ReadonlyArray<readonly [block: string, prefix: number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]

const toBigInt = (address: IpAddress): bigint =>
  address._tag === "V4"
    ? address.bytes.reduce((total, byte) => total * 256n + BigInt(byte), 0n)
    : address.groups.reduce((total, group) => total * 65_536n + BigInt(group), 0n)

/** Whether an address is in a block, named by its first address and the length of its prefix. */
export const isWithin = (address: IpAddress, block: string, prefix: number): boolean => {
  const base = parseAddress(block)
  if (base?._tag !== address._tag) return false
  const shift = BigInt((address._tag === "V4" ? 32 : 128) - prefix)
  return toBigInt(address) >> shift === toBigInt(base) >> shift
}

const lastBytes = (groupsOfV6: ReadonlyArray<number>): IpAddress => ({
  _tag: "V4",
  bytes: groupsOfV6.slice(6).flatMap((group) => [Math.floor(group / 256), group % 256]),
})

/** Whether an address belongs to the public internet: not private, loopback, link-local, metadata or reserved. */
export const isPublic = (address: IpAddress): boolean => {
  if (address._tag === "V4") {
    return !reservedV4.some(([block, prefix]) => isWithin(address, block, prefix))
  }
  // IPv4 written as IPv6, and IPv4 behind NAT64, reach what the IPv4 address reaches.
  if (isWithin(address, "::ffff:0:0", 96) || isWithin(address, "64:ff9b::", 96)) {
    return isPublic(lastBytes(address.groups))
  }
  return (
    isWithin(address, "2000::", 3) &&
    !reservedV6.some(([block, prefix]) => isWithin(address, block, prefix))
  )
}

/** Names that never leave the machine or its network. */
const localNamePattern = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/u

/** Whether a host can be on the public internet. A name must still be resolved and its addresses checked. */
export const mayBePublic = (host: Host): boolean =>
  host._tag === "Address"
    ? isPublic(host.address)
    : host.name.includes(".") && !localNamePattern.test(host.name)
