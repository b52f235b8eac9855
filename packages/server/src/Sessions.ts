/**
 * The session of a person in the console, the same for partners and for the operator.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Passkeys from "@florin/core/engine/Passkeys"
import * as SessionsUseCase from "@florin/core/engine/Sessions"
import { Settings } from "@florin/core/ports/Settings"
import * as Effect from "effect/Effect"
import * as Authentication from "./Authentication.ts"
import type * as Operation from "./Operation.ts"
import * as SessionView from "./views/SessionView.ts"

interface Call extends Pick<Operation.AnyCall, "doors" | "keyId" | "param"> {
  readonly caller: SessionView.Person
}

const noKey = new Authentication.Forbidden({
  message: "only a person with a sign-in link has a session: this call comes without a key",
})

const keyOf = ({ keyId }: Call) => (keyId === null ? Effect.fail(noKey) : Effect.succeed(keyId))

const faceOf = ({ caller }: Call) => (caller._tag === "Partner" ? "partner" : "operator")

export const signIn = Effect.fnUntraced(function* (call: Call) {
  const { record, text } = yield* SessionsUseCase.start(yield* keyOf(call))
  const { sealKey } = yield* Settings
  const cookie = call.doors[faceOf(call)].cookie()
  const lastsInS = Math.floor(((record.expiresAt ?? record.createdAt) - record.createdAt) / 1000)
  return {
    status: 201 as const,
    body: SessionView.session(record, call.caller, sealKey),
    headers: { "set-cookie": cookie.set(text, lastsInS) },
  }
})

const current = (call: Call) => Effect.flatMap(keyOf(call), SessionsUseCase.current)

export const get = Effect.fnUntraced(function* (call: Call) {
  const key = yield* current(call)
  const { sealKey } = yield* Settings
  return { status: 200 as const, body: SessionView.session(key, call.caller, sealKey) }
})

export const signOut = Effect.fnUntraced(function* (call: Call) {
  yield* SessionsUseCase.end(yield* keyOf(call))
  const cookie = call.doors[faceOf(call)].cookie()
  return { status: 200 as const, body: {}, headers: { "set-cookie": cookie.clear } }
})

const noSite = new Authentication.Forbidden({
  message:
    "passkeys need a console whose address has a host name: set publicUrl, or for the operator operatorUrl",
})

const siteOf = (call: Call) => call.doors[faceOf(call)].site()

export const passkeys = Effect.fnUntraced(function* (call: Call) {
  const session = yield* current(call)
  const asked = { use: "register", session: session.id } as const
  const next =
    siteOf(call) === null
      ? null
      : { challenge: yield* Passkeys.challenge(asked), userHandle: ApiKey.personOf(session) }
  const all = (yield* Passkeys.list(session)).map(SessionView.passkey)
  return { status: 200 as const, body: { passkeys: all, next } }
})

export const addPasskey = Effect.fnUntraced(function* (call: Call, made: Wire.AddPasskeyRequest) {
  const site = siteOf(call)
  if (site === null) return yield* noSite
  const added = yield* Passkeys.add(yield* keyOf(call), site, made)
  return { status: 201 as const, body: SessionView.passkey(added) }
})

export const removePasskey = Effect.fnUntraced(function* (call: Call) {
  yield* Passkeys.remove(yield* current(call), call.param("id"))
  return { status: 200 as const, body: {} }
})
