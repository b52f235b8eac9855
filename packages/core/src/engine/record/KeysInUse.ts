/**
 * Refuses to start on a storage that was used with another seal key or vault key: what they sealed cannot be read.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as KeyProofs from "../../domain/ground/KeyProofs.ts"
import * as Seal from "../../domain/ground/Seal.ts"
import { Settings } from "../../ports/Settings.ts"
import { StateStore } from "../../ports/StateStore.ts"
import { Vault } from "../../ports/Vault.ts"

/** A process has another key than those before it. */
export class KeysDiffer extends Schema.TaggedError<KeysDiffer>()("KeysDiffer", {
  message: Schema.String,
}) {}

const place = "keys/proof"
const text = "florin"

const prove = Effect.fnUntraced(function* (sealKey: Seal.SealKeys, vault: Vault["Service"]) {
  const proofs: KeyProofs.KeyProofs = {
    seal: Seal.seal(sealKey, "proof", utf8ToBytes(text)),
    vault: Base64Url.encode(yield* vault.seal(place, utf8ToBytes(text))),
  }
  return proofs
})

/** Names each key that is not the one of the proofs, and what cannot be read without that one. */
export const compare = Effect.fnUntraced(function* (
  { seal, vault: sealed }: KeyProofs.KeyProofs,
  sealKey: Seal.SealKeys,
  vault: Vault["Service"],
) {
  const differing: Array<string> = []
  if (seal !== null && Result.isFailure(Seal.open(sealKey, "proof", seal))) {
    differing.push(
      "sealKey is not the key that this database was used with: open options, cursors, checkout pages and sessions would be refused",
    )
  }
  if (sealed !== null) {
    const opened = Effect.flatMap(Effect.fromResult(Base64Url.decode(sealed)), (bytes) =>
      vault.open(place, bytes),
    )
    const refusal = yield* Effect.match(opened, {
      onFailure: ({ message }) => message,
      onSuccess: () => null,
    })
    if (refusal !== null) {
      differing.push(
        `the vault key is not the key that this database was used with (${refusal}): webhook secrets and payers' data could not be decrypted`,
      )
    }
  }
  return differing
})

/**
 * Fails if a key differs, unless `newKeys` accepts that. Otherwise the current keys are the ones to compare with from
 * now on, so that a rotated key can be taken out.
 */
export const require = Effect.fnUntraced(function* (newKeys: boolean) {
  const { sealKey } = yield* Settings
  const [states, vault] = [yield* StateStore, yield* Vault]
  const proofs = yield* prove(sealKey, vault)
  // Of several first processes, one writes, and the others compare.
  const before = yield* states.modify("keys", (stored) => ({
    result: stored,
    next: stored.vault === null ? proofs : null,
  }))
  const differing = yield* compare(before, sealKey, vault)
  if (differing.length > 0 && !newKeys) {
    return yield* new KeysDiffer({
      message: `${differing.join("\n  ")}\n  Give this process the keys of the others, or list the old key after the new one to rotate it. If the old key is lost or must not be used any more, accept that for one start with newKeys (FLORIN_NEW_KEYS=true); docs/operations.md, section 8, says more`,
    })
  }
  if (differing.length > 0) {
    yield* Effect.logWarning(`${differing.join("; ")}. newKeys accepts this: remove it now`)
  }
  return yield* states.modify("keys", () => ({ result: undefined, next: proofs }))
})
