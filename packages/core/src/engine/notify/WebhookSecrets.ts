/**
 * The secrets of webhooks as they are stored: sealed by the vault for their endpoint, and opened only to sign.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Webhook from "../../domain/notify/Webhook.ts"
import { Vault } from "../../ports/Vault.ts"

const placeOf = (id: Webhook.EndpointId): string => `${id}/secret`

export const seal = Effect.fnUntraced(function* (id: Webhook.EndpointId, secret: Webhook.Secret) {
  return Webhook.sealedOf(yield* (yield* Vault).seal(placeOf(id), utf8ToBytes(secret)))
})

export const open = Effect.fnUntraced(function* (
  id: Webhook.EndpointId,
  stored: Webhook.SealedSecret,
) {
  const sealed = yield* Effect.fromResult(Webhook.sealedBytes(stored))
  const plain = yield* (yield* Vault).open(placeOf(id), sealed)
  return yield* Effect.fromResult(Webhook.parseSecret(String.fromCharCode(...plain)))
})

/** Seals an endpoint's stored secrets again, with the vault's current key. */
export const reseal = Effect.fnUntraced(function* ({ id, secrets }: Webhook.Endpoint) {
  const again = (stored: Webhook.SealedSecret) =>
    Effect.flatMap(open(id, stored), (secret) => seal(id, secret))
  const { current, previous } = secrets
  return {
    current: yield* again(current),
    previous: previous && { ...previous, secret: yield* again(previous.secret) },
  }
})
