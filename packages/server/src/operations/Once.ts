/**
 * A call with an `Idempotency-Key` is carried out once, in one transaction with its response. A retry gets that response.
 *
 * @module
 */
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as StoredResponse from "@florin/core/engine/record/StoredResponse"
import { Acting } from "@florin/core/ports/AuditStore"
import { Vault } from "@florin/core/ports/Vault"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import * as Operation from "./Operation.ts"

/** The operator's responses are stored like a partner's. No partner has this id, as real ones are longer. */
const tenant = { partnerId: PartnerId.PartnerId.make("prtn_operator"), mode: "live" } as const

const stored = StoredResponse.codec(Schema.JsonObject)

/** Sealed before it is stored, and opened after it is read. */
const asIs = { decode: identity, encode: identity<string> }

const asJson = Schema.decodeUnknownSync(Schema.JsonObject)

/**
 * The same operation, carried out once for each key of a person. Its response may hold a secret, so it is sealed where it
 * is stored.
 */
export const make = (operation: Operation.Operation): Operation.Operation => {
  if (!operation.needsIdempotencyKey) return operation
  const respond: Operation.Operation["respond"] = Effect.fnUntraced(function* (call, json) {
    const { idempotencyKey } = call
    // In this process a call without a key is carried out each time.
    if (idempotencyKey === undefined) return yield* operation.respond(call, json)
    const { actor } = yield* Acting
    // A person's next key has the same name, and may repeat a call whose response was lost.
    const who = actor._tag === "Operator" ? actor.name : actor.keyId
    const path = Operation.pathOf(operation, call)
    const once = yield* Effect.fromResult(
      StoredResponse.once(idempotencyKey, {
        tenant,
        endpoint: `${operation.method} ${path} ${JSON.stringify(who)}`,
        body: { by: who, asked: json ?? null },
      }),
    )
    const vault = yield* Vault
    const place = `operator/${once.fingerprint}`
    const write = operation.respond(call, json).pipe(
      Effect.flatMap((made) => {
        const body = asJson(Operation.replyOf(made).body)
        return vault.seal(place, new TextEncoder().encode(stored.encode(body)))
      }),
      Effect.map(Base64.encode),
    )
    const { replayed, written } = yield* StoredResponse.respondOnce(once, asIs, write)
    const sealed = yield* Effect.orDie(Effect.fromResult(Base64.decode(written)))
    const opened = new TextDecoder().decode(yield* vault.open(place, sealed))
    return Operation.once(stored.decode(opened), replayed)
  })
  return { ...operation, respond }
}
