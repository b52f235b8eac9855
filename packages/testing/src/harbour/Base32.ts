/**
 * Bytes as lower-case letters and digits (RFC 4648), without padding.
 *
 * @module
 */
const letters = "abcdefghijklmnopqrstuvwxyz234567"

export const encode = (bytes: Uint8Array): string => {
  let text = ""
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += letters.charAt(held >> bits)
      held &= (1 << bits) - 1
    }
  }
  return bits === 0 ? text : text + letters.charAt(held << (5 - bits))
}

/** The bytes of a text that {@link encode} wrote; undefined for any other text. */
export const decode = (text: string): Uint8Array | undefined => {
  const bytes: Array<number> = []
  let bits = 0
  let held = 0
  for (const letter of text) {
    const value = letters.indexOf(letter)
    if (value < 0) return undefined
    held = (held << 5) | value
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(held >> bits)
    held &= (1 << bits) - 1
  }
  const decoded = Uint8Array.from(bytes)
  return encode(decoded) === text ? decoded : undefined
}
