/**
 * The network address of a caller, if it can be trusted: that of the connection if it comes from the internet, or the
 * one that a trusted proxy wrote into a header.
 *
 * @module
 */
import * as Remembered from "@florin/core/domain/ground/Remembered"
import * as WebUrl from "@florin/core/domain/ground/WebUrl"
import type * as Exchange from "./Exchange.ts"

/** Proxies write an address alone, with a port, or an IPv6 address in brackets. */
const written = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>[\d.]+):\d+)$/u

const parse = (text: string): WebUrl.IpAddress | undefined => {
  const { v4, v6 } = written.exec(text)?.groups ?? {}
  return WebUrl.parseAddress(v6 ?? v4 ?? text)
}

/** An IPv4 address, or the /64 network of an IPv6 address: a provider usually assigns one to each customer. */
const nameOf = (address: WebUrl.IpAddress): string => {
  if (address._tag === "V4") return address.bytes.join(".")
  const [first, ...others] = address.groups
  const isV4 = first === 0 && others.slice(0, 4).every((each) => each === 0) && others[4] === 0xffff
  return isV4
    ? address.groups
        .slice(6)
        .flatMap((each) => [Math.floor(each / 256), each % 256])
        .join(".")
    : address.groups
        .slice(0, 4)
        .map((each) => each.toString(16))
        .join(":")
}

const rememberedMost = 10_000

/**
 * Makes the function that returns the address of a caller, or null if it is not known. A connection from a private
 * network comes from a proxy, so its own address says nothing. Of several addresses in a header only the last counts:
 * the nearest proxy added it, and the caller may have written the others.
 */
export const reader = (
  proxyHeader: string | null,
): ((incoming: Pick<Exchange.Incoming, "address" | "header">) => string | null) => {
  const name = proxyHeader?.toLowerCase()
  // A caller sends many requests, and parsing costs more than a look-up.
  const read = Remembered.texts((text) => {
    const address = parse(text)
    if (address === undefined) return null
    return name !== undefined || WebUrl.isPublic(address) ? nameOf(address) : null
  }, rememberedMost)
  return ({ address, header }) => {
    const text = name === undefined ? address : header(name)?.split(",").at(-1)?.trim()
    return text === undefined ? null : read(text)
  }
}
