/**
 * A key of the vault. Its name is derived from its value, so that nobody has to choose one.
 *
 * @module
 */
import { createHash } from "node:crypto"
import * as VaultAes from "@florin/core/node/VaultAes"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Failure from "../terminal/Failure.ts"

export const make = (bytes: Uint8Array): VaultAes.Key => ({
  id: createHash("sha256").update(bytes).digest("hex").slice(0, 16),
  key: Redacted.make(bytes),
})

const required = Failure.make(
  "FLORIN_VAULT_KEY is required: set it to the value that florin serve uses. It encrypts webhook secrets and payers' data",
)

/** The vault of a service: the first key encrypts, and all decrypt. Fails if there is none. */
export const layer = (keys: ReadonlyArray<VaultAes.Key>) => {
  const [current, ...previous] = new Map(keys.map((key) => [key.id, key])).values()
  return current === undefined
    ? Effect.fail(required)
    : Effect.succeed(VaultAes.layer({ current, previous }))
}
