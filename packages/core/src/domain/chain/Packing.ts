/**
 * Numbers in the bytes of sealed text, most significant byte first.
 *
 * @module
 */
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type * as Caip from "./Caip.ts"

/** A whole number in a fixed number of bytes. */
export const number = (value: number, bytes: number): Uint8Array =>
  hexToBytes(value.toString(16).padStart(bytes * 2, "0"))

const hexPattern = /^0x(?:[0-9a-f]{2})+$/u
/** Set in the length of a text that is stored as hex. */
const isHex = 0x8000

/** Writes a text after its length. Hex, as most addresses are, takes half the bytes. */
export const text = (value: string): Uint8Array => {
  const bytes = hexPattern.test(value) ? hexToBytes(value.slice(2)) : utf8ToBytes(value)
  return concatBytes(number(bytes.length | (hexPattern.test(value) ? isHex : 0), 2), bytes)
}

/** A chain, and addresses on it. */
export const account = ({ address, chainId }: Caip.Account): Uint8Array =>
  concatBytes(text(chainId), text(address))

/** Reads bytes from the front. Past the end it returns zeros, and `ended` is true. */
export const reader = (bytes: Uint8Array) => {
  let position = 0
  const take = (length: number): Uint8Array => {
    const taken = bytes.subarray(position, position + length)
    position += length
    return taken
  }
  const int = (length: number): number => Number(`0x0${bytesToHex(take(length))}`)
  const readText = (): string => {
    const length = int(2)
    const taken = take(length & ~isHex)
    return length < isHex ? String.fromCharCode(...taken) : `0x${bytesToHex(taken)}`
  }
  return {
    take,
    int,
    text: readText,
    account: () => ({ chainId: readText(), address: readText() }),
    quantity: (): bigint => BigInt(`0x0${bytesToHex(take(int(1)))}`),
    left: (): number => bytes.length - position,
    ended: (): boolean => position === bytes.length,
  }
}
