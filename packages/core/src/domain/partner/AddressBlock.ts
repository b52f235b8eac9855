/**
 * Blocks of network addresses that a key may be used from, as CIDR: `203.0.113.0/24`, `2001:db8::/32`, or one address.
 *
 * @module
 */
import * as WebUrl from "../ground/WebUrl.ts"

/** Only the 64-bit network of an IPv6 caller is known. A provider gives each customer one such network. */
const prefixMax = { V4: 32, V6: 64 } as const

interface Block {
  readonly base: string
  readonly prefix: number
}

const pattern = /^(?<base>[^/]+)(?:\/(?<length>0|[1-9][0-9]{0,2}))?$/u

const read = (text: string): Block | undefined => {
  const { base = "", length } = pattern.exec(text)?.groups ?? {}
  const address = WebUrl.parseAddress(base)
  if (address === undefined) return undefined
  const most = prefixMax[address._tag]
  const prefix = length === undefined ? most : Number(length)
  // A single IPv6 address would be compared by its network, and so would match more than it names.
  const isWhole = length !== undefined || address._tag === "V4"
  return isWhole && prefix <= most ? { base, prefix } : undefined
}

export const expected = "an IPv4 address, or a block such as 203.0.113.0/24 or 2001:db8::/64"

/** Whether a text names a block. */
export const isBlock = (text: string): boolean => read(text) !== undefined

/** Whether one block contains all of another. */
export const contains = (outer: string, inner: string): boolean => {
  const [wide, narrow] = [read(outer), read(inner)]
  const address = WebUrl.parseAddress(narrow?.base ?? "")
  return (
    wide !== undefined &&
    narrow !== undefined &&
    address !== undefined &&
    wide.prefix <= narrow.prefix &&
    WebUrl.isWithin(address, wide.base, wide.prefix)
  )
}

/** Whether a caller's address is in a block. The address of an IPv6 caller is its network, such as `2001:db8:0:1`. */
export const covers = (text: string, caller: string): boolean => {
  const block = read(text)
  const address = WebUrl.parseAddress(caller) ?? WebUrl.parseAddress(`${caller}::`)
  return (
    block !== undefined &&
    address !== undefined &&
    WebUrl.isWithin(address, block.base, block.prefix)
  )
}
