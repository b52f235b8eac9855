/**
 * How a partner manages its keys with one of its keys. Such a key cannot create, replace or end a key that may do more
 * than itself.
 *
 * @module
 */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as Rfc3339 from "../../domain/ground/Rfc3339.ts"
import * as ApiKey from "../../domain/partner/ApiKey.ts"
import type * as AuditLog from "../../domain/partner/AuditLog.ts"
import { AccountStore, type Tenant } from "../../ports/AccountStore.ts"
import { Acting } from "../../ports/AuditStore.ts"
import type { Once } from "../../ports/ResponseStore.ts"
import { NotFound } from "../../ports/StorageError.ts"
import { Vault } from "../../ports/Vault.ts"
import * as StoredResponse from "../record/StoredResponse.ts"
import * as Keys from "./Keys.ts"

/** Only a valid key can have a successor. */
export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", {
  message: Schema.String,
}) {}

/** Without a key that may manage keys, only the operator could create one. */
export class LastKey extends Schema.TaggedError<LastKey>()("LastKey", {
  message: Schema.String,
}) {}

const ended = new KeyEnded({ message: "the key was already rotated or revoked: use a valid one" })

const last = new LastKey({
  message:
    "this would revoke the last key with the scope keys: create another one first, or ask the operator",
})

/** Whether a key belongs to the tenant; a wallet's key never does. A request that waits is no key of theirs. */
const isOf = (tenant: Tenant, { approval, mode, owner }: ApiKey.ApiKey): boolean =>
  owner._tag === "Partner" &&
  owner.partnerId === tenant.partnerId &&
  mode === tenant.mode &&
  approval === undefined

/** Whether a key can create keys for as long as it lasts. A session ends within hours, so it does not count. */
const managesKeys = (key: ApiKey.ApiKey): boolean =>
  key.use === undefined && ApiKey.scopesOf(key).includes("keys")

/** The key that acts. Only keys create keys here. */
const actingKeyId = Effect.gen(function* () {
  const { actor } = yield* Acting
  return actor._tag === "Key" ? actor.keyId : yield* NotFound.of("key")
})

/**
 * A request of the acting key. What it leaves out is copied from that key, and its response holds a secret, so the same
 * request of another key is another one.
 */
const onceOf = Effect.fnUntraced(function* (
  idempotencyKey: string | undefined,
  request: StoredResponse.Request,
) {
  const body = { by: yield* actingKeyId, asked: request.body }
  return yield* Effect.fromResult(StoredResponse.requireOnce(idempotencyKey, { ...request, body }))
})

/** Runs a decision of the acting key, and writes keys if the key is still valid. */
const byActor = Effect.fnUntraced(function* <A, E>(
  decide: (
    actor: ApiKey.ApiKey,
    now: number,
  ) => Result.Result<{ readonly result: A; readonly keys: ReadonlyArray<ApiKey.ApiKey> }, E>,
) {
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* AccountStore).modifyKey(yield* actingKeyId, (actor) =>
    Result.flatMap(ApiKey.check(actor, now), () => decide(actor, now)),
  )
})

/** The acting key, if it is still valid; nobody changes it until the transaction ends. */
const lockActor = byActor((actor) => Result.succeed({ result: actor, keys: [] }))

/** The tenant's valid keys, newest first. */
export const list = Effect.fn("PartnerKeys.list")(function* (tenant: Tenant) {
  const now = yield* Clock.currentTimeMillis
  const good = yield* (yield* AccountStore).keys(tenant.partnerId, now)
  return good.filter((key) => isOf(tenant, key))
})

/** When a key expires: as requested, or null if nothing was requested. */
const readEnd = (
  text: string | null,
  now: number,
): Result.Result<number | null, Invalid.InvalidInput> => {
  if (text === null) return Result.succeed(null)
  const at = Rfc3339.read(text)
  if (at === undefined) return Invalid.fail("validUntil", Rfc3339.rule)
  return at > now ? Result.succeed(at) : Invalid.fail("validUntil", "must be in the future")
}

const freshKey = Effect.fnUntraced(function* (validUntil: string | null) {
  const now = yield* Clock.currentTimeMillis
  return yield* Keys.freshKey(yield* Effect.fromResult(readEnd(validUntil, now)))
})

const stored = StoredResponse.codec(Schema.Struct({ key: ApiKey.ApiKey, sealed: Schema.String }))

const placeOf = ({ id }: ApiKey.ApiKey): string => `${id}/text`

/**
 * Writes a new key once for each request, and shows its text. The remembered response is sealed, because otherwise only
 * a hash of a key is stored.
 */
const unveiling = Effect.fnUntraced(function* <E, R>(
  once: Once,
  write: Effect.Effect<ApiKey.Issued, E, R>,
  deed: (key: ApiKey.ApiKey) => AuditLog.Deed | null,
) {
  const vault = yield* Vault
  const sealing = Effect.flatMap(write, ({ record: key, text }) =>
    Effect.map(vault.seal(placeOf(key), utf8ToBytes(text)), (bytes) => ({
      key,
      sealed: Base64.encode(bytes),
    })),
  )
  const { replayed, written } = yield* StoredResponse.respond(once, stored, sealing, (made) =>
    deed(made.key),
  )
  const { key, sealed } = written
  const bytes = yield* Effect.orDie(Effect.fromResult(Base64.decode(sealed)))
  const text = String.fromCharCode(...(yield* vault.open(placeOf(key), bytes)))
  return { key, text, replayed }
})

export interface NewKey {
  readonly name: string
  /** Default: the scopes of the creating key, without `keys`. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope> | undefined
  /** Default: those of the creating key. */
  readonly from?: ReadonlyArray<string> | undefined
  /** Default: the expiry of the creating key. */
  readonly validUntil?: string | null | undefined
  /** What it is for, if not for a program. */
  readonly use?: ApiKey.Use | undefined
}

/** Creates a key that may do no more than the acting key. */
export const create = Effect.fn("PartnerKeys.create")(function* (
  tenant: Tenant,
  { from, name, scopes, use, validUntil = null }: NewKey,
  idempotencyKey: string | undefined,
) {
  const asIs = { name, scopes: scopes ?? null, from: from ?? null, validUntil }
  const body = use === undefined ? asIs : { ...asIs, use }
  const once = yield* onceOf(idempotencyKey, { tenant, endpoint: "POST /v1/keys", body })
  const fresh = yield* freshKey(validUntil)
  const asked = {
    ...fresh,
    name,
    ...(scopes !== undefined && { scopes }),
    ...(from !== undefined && { from }),
    ...(use !== undefined && { use }),
  }
  const write = Effect.gen(function* () {
    if ((yield* list(tenant)).length >= Limits.keysMax) {
      return yield* Invalid.of(
        "body",
        `there are ${Limits.keysMax} valid keys already: revoke one first`,
      )
    }
    return yield* byActor((maker, now) =>
      Result.map(ApiKey.issueBy(maker, asked, now), (made) => ({
        result: made,
        keys: [made.record],
      })),
    )
  })
  return yield* unveiling(once, write, (key) => Keys.keyDeed("key.created", null, key))
})

/** A key of the tenant. */
const keyOf = Effect.fnUntraced(function* (tenant: Tenant, text: string) {
  const key = yield* Keys.get(text)
  return isOf(tenant, key) ? key : yield* NotFound.of("key")
})

/** Gives a key a successor; both are valid during the grace period. */
export const rotate = Effect.fn("PartnerKeys.rotate")(function* (
  tenant: Tenant,
  id: string,
  { validUntil = null }: Pick<NewKey, "validUntil">,
  idempotencyKey: string | undefined,
) {
  const endpoint = `POST /v1/keys/${id}/rotate`
  const once = yield* onceOf(idempotencyKey, { tenant, endpoint, body: { validUntil } })
  const { id: keyId } = yield* keyOf(tenant, id)
  const fresh = yield* freshKey(validUntil)
  const accounts = yield* AccountStore
  let replaced: readonly [ApiKey.ApiKey, ApiKey.ApiKey] | null = null
  const write = Effect.gen(function* () {
    const actor = yield* lockActor
    const now = yield* Clock.currentTimeMillis
    const { next } = yield* accounts.modifyKey(keyId, (current) =>
      ApiKey.check(current, now).pipe(
        Result.flatMap(() => ApiKey.rotateBy(actor, current, fresh, now)),
        Result.mapError((error) => (error._tag === "InvalidApiKey" ? ended : error)),
        Result.map((rotated) => {
          replaced = [current, rotated.previous]
          return { result: rotated, keys: [rotated.previous, rotated.next.record] }
        }),
      ),
    )
    return next
  })
  return yield* unveiling(once, write, () =>
    replaced === null ? null : Keys.keyDeed("key.rotated", ...replaced),
  )
})

/**
 * Ends a key immediately, together with the keys that it created; returns which these were. One key that may create
 * keys must always remain.
 */
export const revoke = Effect.fn("PartnerKeys.revoke")(function* (tenant: Tenant, id: string) {
  const key = yield* keyOf(tenant, id)
  const { ends, revoked } = yield* Keys.revoke(key.id, (ending) =>
    Effect.gen(function* () {
      const actor = yield* lockActor
      if (!ApiKey.isAsStrong(actor, ending.key)) {
        return yield* new ApiKey.KeyTooStrong({
          message: "this key cannot revoke a key that has more permissions",
        })
      }
      const isEnding = (each: ApiKey.ApiKey): boolean =>
        each.id === key.id || ending.ends.some((other) => other.id === each.id)
      const keepers = [...ending.good, ending.key].filter(
        (each) => isOf(tenant, each) && managesKeys(each),
      )
      if (keepers.some(isEnding) && keepers.every(isEnding)) return yield* last
    }),
  )
  return [revoked, ...ends]
})
