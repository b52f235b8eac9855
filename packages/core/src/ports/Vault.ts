/**
 * Seals personal data, so that somebody who can read the storage cannot read it.
 *
 * @module
 */
import { bytesToHex } from "@noble/hashes/utils.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Identifiers } from "./Identifiers.ts"

const handleLength = 32

/** The data cannot be opened: it was changed, it belongs somewhere else, or its key is gone. */
export class VaultRefused extends Schema.TaggedError<VaultRefused>()("VaultRefused", {
  message: Schema.String,
}) {}

/**
 * The vault port. Data that was sealed for one place (a payment and a field) opens for no other: data that was moved in
 * the storage is refused like data that was changed. A key id is stored with the data, so that keys can be rotated.
 * Callers may wipe the bytes that they passed and received.
 */
export class Vault extends Context.Service<
  Vault,
  {
    readonly seal: (place: string, plain: Uint8Array) => Effect.Effect<Uint8Array>
    readonly open: (place: string, sealed: Uint8Array) => Effect.Effect<Uint8Array, VaultRefused>
  }
>()("@florin/core/ports/Vault") {
  /**
   * Keeps the data itself in the memory of one process, and gives the storage a random handle for it. Sealed data is
   * lost when the process ends, like everything else in memory.
   */
  static readonly layerMemory = Layer.effect(
    Vault,
    Effect.gen(function* () {
      const identifiers = yield* Identifiers
      const kept = new Map<string, { readonly place: string; readonly plain: Uint8Array }>()
      return Vault.of({
        seal: (place, plain) =>
          Effect.map(identifiers.randomBytes(handleLength), (handle) => {
            kept.set(bytesToHex(handle), { place, plain: plain.slice() })
            return handle
          }),
        open: (place, sealed) =>
          Effect.suspend(() => {
            const found = kept.get(bytesToHex(sealed))
            return found?.place === place
              ? Effect.succeed(found.plain.slice())
              : Effect.fail(new VaultRefused({ message: "nothing was sealed here by this vault" }))
          }),
      })
    }),
  )
}
