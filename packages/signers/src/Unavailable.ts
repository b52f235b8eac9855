/**
 * Why a signer could not sign, in text that may be logged.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { SignerUnavailable } from "@florin/evm/Signer"
import * as PrivateFile from "./PrivateFile.ts"

export const because = (message: string) => new SignerUnavailable({ message })

const longest = 200

/** Text from other systems may quote keys, signatures and server addresses: these are removed, and the text is cut. */
export const scrub = (words: string): string =>
  words
    .replaceAll(/https?:\S+|[\w+/=-]{32,}/gu, "…")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    // In texts of ours they mark commands to paste.
    .replaceAll("`", "'")
    .trim()
    .slice(0, longest)

/** The text of a file with a secret, which only its owner may access. */
export const readSecret = (path: string): string => {
  if (PrivateFile.isOpen(path)) {
    throw because(`others than its owner may use ${path}: chmod 600 ${path}`)
  }
  return readText(path)
}

export const readText = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    throw because(`${path} cannot be read`)
  }
}
