/**
 * Passkeys of people in the console. A passkey is a key, so it is listed and revoked as one; it starts sessions, and
 * lets a session move money.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as ApiKey from "../../domain/partner/ApiKey.ts"
import * as Passkey from "../../domain/partner/Passkey.ts"
import * as Session from "../../domain/partner/Session.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { Settings } from "../../ports/Settings.ts"
import { NotFound } from "../../ports/StorageError.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Keys from "./Keys.ts"

/** A text for a passkey to sign. */
export const challenge = Effect.fnUntraced(function* (asked: Passkey.Asked) {
  const { sealKey } = yield* Settings
  const random = yield* (yield* Identifiers).randomBytes(16)
  return Passkey.challenge(asked, random, yield* Clock.currentTimeMillis, sealKey)
})

/**
 * Checks a use of a passkey and records it, so that it counts once. `noted` gets the passkey if it is known, also if its
 * use is refused.
 */
export const answer = Effect.fn("Passkeys.answer")(function* (
  header: string,
  site: Passkey.Site,
  asked: Passkey.Asked,
  /** The only person whose passkey counts; undefined for any. */
  person: ApiKey.ApiKeyId | undefined,
  noted: (passkey: ApiKey.ApiKey) => void = () => undefined,
) {
  const accounts = yield* AccountStore
  const { sealKey } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const assertion = yield* Effect.fromResult(Passkey.read(header))
  const { key } = yield* Effect.catchTag(
    accounts.keyByHash(Session.passkeyHash(assertion.credentialId)),
    "NotFound",
    () => Effect.fail(Passkey.refuse("unknown")),
  )
  noted(key)
  const { passkey } = key
  if (passkey === undefined || Result.isFailure(ApiKey.check(key, now))) {
    return yield* Passkey.refuse("unknown")
  }
  const own = ApiKey.personOf(key)
  if (own !== (person ?? own) || (assertion.person !== "" && assertion.person !== own)) {
    return yield* Passkey.refuse("person")
  }
  const said = yield* Effect.fromResult(
    Passkey.check(passkey, assertion, { ...asked, site, now, sealKey }),
  )
  return yield* Effect.mapError(
    Keys.modify(key.id, (current) => Session.usePasskey(current, said, now)),
    (error) =>
      error._tag === "InvalidApiKey" || error._tag === "NotFound"
        ? Passkey.refuse("unknown")
        : error,
  )
})

/** The passkeys of a session's person, newest first. */
export const list = Effect.fn("Passkeys.list")(function* (session: ApiKey.ApiKey) {
  const now = yield* Clock.currentTimeMillis
  const good = yield* (yield* AccountStore).keys(ApiKey.partnerIdOf(session), now)
  return good.filter(
    (key) => key.passkey !== undefined && ApiKey.personOf(key) === ApiKey.personOf(session),
  )
})

/** Adds a passkey to the person of a session. */
export const add = Effect.fn("Passkeys.add")(function* (
  id: ApiKey.ApiKeyId,
  site: Passkey.Site,
  made: Passkey.Made,
) {
  const accounts = yield* AccountStore
  const { sealKey } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const session = yield* Keys.get(id)
  const asking = { use: "register", session: id, site, now, sealKey } as const
  const checked = yield* Effect.fromResult(Passkey.make(made, asking))
  const isKnown = accounts.keyByHash(Session.passkeyHash(made.credentialId)).pipe(
    Effect.as(true),
    Effect.catchTag("NotFound", () => Effect.succeed(false)),
  )
  if (yield* isKnown) return yield* Passkey.refuse("unusable")
  if ((yield* list(session)).length >= Limits.passkeysMax) {
    return yield* Invalid.of(
      "name",
      `there are ${Limits.passkeysMax} passkeys already: remove one first`,
    )
  }
  const key = yield* (yield* Identifiers).key
  return yield* recordDeed(
    accounts.modifyKey(id, (current) =>
      Result.map(
        Session.addPasskey(current, { ...checked, id: key }, now),
        ({ added, session: used }) => ({ result: added, keys: [used, added] }),
      ),
    ),
    (added) => Keys.keyDeed("key.created", null, added),
  )
})

/**
 * Removes a passkey of a session's person, and ends the sessions that it started. What the person created in these
 * stays: only who revokes the passkey as a key ends that, too.
 */
export const remove = Effect.fn("Passkeys.remove")(function* (session: ApiKey.ApiKey, id: string) {
  const passkey = (yield* list(session)).find((key) => key.id === id) ?? (yield* NotFound.of("key"))
  const now = yield* Clock.currentTimeMillis
  const accounts = yield* AccountStore
  const write = Effect.gen(function* () {
    // First the passkey, so that it starts no session that is not seen here.
    yield* Keys.revokeOne(passkey.id, now)
    const started = (yield* accounts.keys(ApiKey.partnerIdOf(passkey), now)).filter(
      ({ madeBy, use }) => use === "session" && madeBy?.at(-1) === passkey.id,
    )
    yield* Effect.forEach(started, ({ id: each }) => Keys.revokeOne(each, now), { discard: true })
  })
  yield* recordDeed(write, () => null)
})

/** Lets a session move money if its person used a passkey. */
export const confirm = Effect.fn("Passkeys.confirm")(function* (
  session: ApiKey.ApiKey,
  site: Passkey.Site,
  header: string,
) {
  yield* answer(header, site, { use: "step_up", session: session.id }, ApiKey.personOf(session))
  const now = yield* Clock.currentTimeMillis
  yield* Keys.change(session.id, "session.confirmed", (current) =>
    Result.succeed(Session.confirm(current, now)),
  )
})
