// oxlint-disable-next-line typescript/triple-slash-reference -- Whoever compiles this source needs these types, too.
/// <reference path="./Secp256k1.d.ts" />
/**
 * Recovers the public key behind a signature as fast as this machine can: by libsecp256k1 as a native addon if the host
 * has a fitting one, else by the same library in WebAssembly.
 *
 * Loading it takes longer than most of a process start, so it is imported with the first signature. It is imported by
 * its public name, because the files that it loads are next to its own package.
 *
 * @module
 */

/**
 * Returns a public key in 65 bytes; undefined if there is none. The signature is r and s in 64 bytes, with a low or
 * high s. `oddness` is that of the point whose x coordinate is r.
 */
export type Recover = (
  digest: Uint8Array,
  signature: Uint8Array,
  oddness: 0 | 1,
) => Uint8Array | undefined

/** If the library throws, there is no key: no key can have made the signature. */
const tried =
  (recover: (...args: Parameters<Recover>) => Uint8Array | null): Recover =>
  (...args) => {
    try {
      return recover(...args) ?? undefined
    } catch {
      return undefined
    }
  }

/** Fails if `secp256k1` is not installed, or has no addon for this platform. */
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

/** The implementation that this process uses. */
export const { means, recover } = await loadAddon().then(
  (found) => ({ means: "addon", recover: found }) as const,
  async () => ({ means: "wasm", recover: await loadWasm() }) as const,
)
