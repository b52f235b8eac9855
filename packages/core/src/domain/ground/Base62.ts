/**
 * Letters and digits for ids and keys, in ASCII order so that text sorts like the numbers behind it.
 *
 * @module
 */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const ofBigInt = (value: bigint, length: number): string => {
  let rest = value
  let text = ""
  for (let index = 0; index < length; index++) {
    text = alphabet.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

/** The lowest `length` base-62 digits of a number. */
export const ofNumber = (value: number, length: number): string => ofBigInt(BigInt(value), length)

/**
 * The lowest `length` base-62 digits of bytes read as one number. If the bytes hold 64 bits more than the digits, the
 * digits of random bytes favour none by more than 2^-64.
 */
export const ofBytes = (bytes: Uint8Array, length: number): string =>
  ofBigInt(
    bytes.reduce((total, byte) => total * 256n + BigInt(byte), 0n),
    length,
  )
