/**
 * Keeps personal data unreadable to whoever holds the storage.
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

/** The data cannot be opened: it was changed, belongs somewhere else, or its key is gone. */
export class VaultRefused extends Schema.TaggedError<VaultRefused>()("VaultRefused", {
  message: Schema.String,
}) {}

/**
 * The vault port. What was sealed for one place (a payment and a field) opens for no other: data that was moved in the
 * storage is refused like data that was changed. A key id travels with the data, so keys can be rotated. Callers may
 * wipe what they gave and what they got.
 */
export class Vault extends Context.Service<
  Vault,
  {
    readonly seal: (place: string, plain: Uint8Array) => Effect.Effect<Uint8Array>
    readonly open: (place: string, sealed: Uint8Array) => Effect.Effect<Uint8Array, VaultRefused>
  }
>()("@florin/core/ports/Vault") {
  /**
   * Keeps the data itself, in the memory of one process, and gives the storage a random handle for it. What is sealed
   * is gone with the process, as everything else in memory is.
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
