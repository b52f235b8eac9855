// oxlint-disable-next-line typescript/triple-slash-reference -- Whoever compiles this source needs these types, too.
/// <reference path="./Secp256k1.d.ts" />
/**
 * Whose key signed a digest, found as fast as this machine can: by libsecp256k1 as an addon where the host brings one
 * that fits, else by the same in WebAssembly.
 *
 * To load it takes longer than most of what a process starts with, so it is imported with the first signature; and by its
 * public name, as what it loads stands beside its own package.
 *
 * @module
 */

/**
 * Answers a public key in 65 bytes; undefined where there is none. The signature is r and s in 64 bytes, its s low or
 * high, and `oddness` that of the point that r is the x of.
 */
export type Recover = (
  digest: Uint8Array,
  signature: Uint8Array,
  oddness: 0 | 1,
) => Uint8Array | undefined

/** What throws has found nothing: a signature that no key can have made. */
const tried =
  (recover: (...args: Parameters<Recover>) => Uint8Array | null): Recover =>
  (...args) => {
    try {
      return recover(...args) ?? undefined
    } catch {
      return undefined
    }
  }

/** Fails where `secp256k1` is not installed, or has no addon for this platform. */
export const loadAddon = async (): Promise<Recover> => {
  const { default: addon } = await import("secp256k1/bindings.js")
  return tried((digest, signature, oddness) =>
    addon.ecdsaRecover(signature, oddness, digest, false),
  )
}

/** Runs everywhere, at a fifth of the speed. */
export const loadWasm = async (): Promise<Recover> => {
  const wasm = await import("tiny-secp256k1")
  return tried((digest, signature, oddness) => wasm.recover(digest, signature, oddness, false))
}

/** By what keys are found in this process. */
export const { means, recover } = await loadAddon().then(
  (found) => ({ means: "addon", recover: found }) as const,
  async () => ({ means: "wasm", recover: await loadWasm() }) as const,
)
