/**
 * Names for what is made once.
 *
 * @module
 */

const byteCount = 16

/** A key that nobody has used: 128 random bits as hex. */
export const make = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(byteCount)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")
