/**
 * Idempotency keys.
 *
 * @module
 */

const byteCount = 16

/** Generates a unique key: 128 random bits as hex. */
export const make = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(byteCount)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("")
