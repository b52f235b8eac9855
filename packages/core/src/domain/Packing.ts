/**
 * Numbers in the bytes of sealed text, most significant byte first.
 *
 * @module
 */
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"

/** A whole number in so many bytes. */
export const number = (value: number, bytes: number): Uint8Array =>
  hexToBytes(value.toString(16).padStart(bytes * 2, "0"))

/** Takes bytes off the front; past the end it gives zeros, and `ended` tells. */
export const reader = (bytes: Uint8Array) => {
  let position = 0
  const take = (length: number): Uint8Array => {
    const taken = bytes.subarray(position, position + length)
    position += length
    return taken
  }
  const int = (length: number): number => Number(`0x0${bytesToHex(take(length))}`)
  return {
    take,
    int,
    quantity: (): bigint => BigInt(`0x0${bytesToHex(take(int(1)))}`),
    left: (): number => bytes.length - position,
    ended: (): boolean => position === bytes.length,
  }
}
