/**
 * Numbers in the bytes of sealed text, most significant byte first.
 *
 * @module
 */
import { bytesToHex } from "@noble/hashes/utils.js"
import type * as Caip from "./Caip.ts"

/** Set in the length of a text that is stored as hex. */
const isHex = 0x8000
const hexPattern = /^0x(?:[0-9a-f]{2})+$/u

/** The value of a hex digit. */
const digit = (code: number): number => (code & 0xf) + (code > 0x39 ? 9 : 0)

/** Writes values one after the other into one buffer. */
export class Writer {
  #bytes = new Uint8Array(256)
  #length = 0

  #room(length: number): Uint8Array {
    const needed = this.#length + length
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(needed * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    return this.#bytes
  }

  /** A whole number in a fixed number of bytes. */
  number(value: number, bytes: number): this {
    const into = this.#room(bytes)
    let rest = value
    for (let at = this.#length + bytes - 1; at >= this.#length; at--) {
      into[at] = rest % 256
      rest = Math.floor(rest / 256)
    }
    this.#length += bytes
    return this
  }

  /** The bytes of hex digits, without a length. An odd first digit is a byte. */
  hex(digits: string, from = 0): this {
    const into = this.#room(digits.length)
    let at = from
    if ((digits.length - from) % 2 === 1) into[this.#length++] = digit(digits.charCodeAt(at++))
    for (; at < digits.length; at += 2) {
      into[this.#length++] = (digit(digits.charCodeAt(at)) << 4) | digit(digits.charCodeAt(at + 1))
    }
    return this
  }

  /** An ASCII text after its length. Hex, as most addresses are, takes half the bytes. */
  text(value: string): this {
    if (hexPattern.test(value)) return this.number((value.length / 2 - 1) | isHex, 2).hex(value, 2)
    this.number(value.length, 2)
    const into = this.#room(value.length)
    for (let at = 0; at < value.length; at++) into[this.#length++] = value.charCodeAt(at)
    return this
  }

  /** A chain, and an address on it. */
  account({ address, chainId }: Caip.Account): this {
    return this.text(chainId).text(address)
  }

  /** One length byte, then that many bytes, most significant first. */
  quantity(value: bigint): this {
    const digits = value.toString(16)
    return this.number(Math.ceil(digits.length / 2), 1).hex(digits)
  }

  bytes(value: Uint8Array): this {
    this.#room(value.length).set(value, this.#length)
    this.#length += value.length
    return this
  }

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Reads bytes from the front. Past the end it returns zeros, and `ended` is true. */
export const reader = (bytes: Uint8Array) => {
  let position = 0
  const take = (length: number): Uint8Array => {
    const taken = bytes.subarray(position, position + length)
    position += length
    return taken
  }
  const int = (length: number): number => {
    let value = 0
    for (const byte of take(length)) value = value * 256 + byte
    return value
  }
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
