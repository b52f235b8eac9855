/**
 * An account whose private key is in a file. The file is read for each signature, so the key stays in memory only for
 * that time, and a new key needs no restart.
 *
 * @example
 * const account = KeyFile.account({ address: "0x…", path: "/run/secrets/relayer-key" })
 *
 * @module
 */
import type { RelayerAccount } from "@florin/evm/Signer"
import * as Option from "effect/Option"
import * as PrivateKey from "./PrivateKey.ts"
import * as Unavailable from "./Unavailable.ts"

export interface Options extends Omit<RelayerAccount, "signTransaction"> {
  /** The file holds 0x and 64 hex digits, and only its owner may access it. */
  readonly path: string
}

/** Opens the key's account, which must have the given address; else it throws `SignerUnavailable`. */
export const open = ({ address, path }: Options): RelayerAccount => {
  const [, digits = ""] =
    /^(?:0x)?([0-9a-fA-F]{64})$/u.exec(Unavailable.readSecret(path).trim()) ?? []
  const found = Option.getOrUndefined(PrivateKey.account(digits))
  if (digits === "" || found === undefined) {
    throw Unavailable.because(`${path} holds no private key: 0x and 64 hex digits`)
  }
  if (found.address !== address.toLowerCase()) {
    throw Unavailable.because(`${path} holds the key of another account`)
  }
  return found
}

export const account = (options: Options): RelayerAccount => ({
  ...options,
  signTransaction: async (...asked) => open(options).signTransaction(...asked),
})
