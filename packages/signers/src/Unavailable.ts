/**
 * Why a signer could not sign, in words that may be logged.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { SignerUnavailable } from "@florin/evm/Signer"
import * as PrivateFile from "./PrivateFile.ts"

export const because = (message: string) => new SignerUnavailable({ message })

const longest = 200

/** What others say may quote keys, signatures and addresses of servers: it is freed of them, and cut short. */
export const scrub = (words: string): string =>
  words
    .replaceAll(/https?:\S+|[\w+/=-]{32,}/gu, "…")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, longest)

/** The text of a file with a secret in it, which others than its owner may not use. */
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
