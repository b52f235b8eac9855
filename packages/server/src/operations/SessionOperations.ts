/**
 * The session of a person in the console over HTTP, the same for partners and for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Session"
import * as OfOperator from "@florin/api/operator/Session"
import type * as Wire from "@florin/api/wire/Session"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Passkeys from "@florin/core/engine/partner/Passkeys"
import * as Sessions from "@florin/core/engine/partner/Sessions"
import { Settings } from "@florin/core/ports/Settings"
import * as Effect from "effect/Effect"
import * as Authentication from "../edge/Authentication.ts"
import * as SessionView from "../views/SessionView.ts"
import * as Operation from "./Operation.ts"

interface Call extends Pick<Operation.AnyCall, "doors" | "keyId" | "param"> {
  readonly caller: SessionView.Person
}

const noKey = Authentication.forbid(
  "only a person with a sign-in link has a session: this call comes without a key",
)

const noSite = Authentication.forbid(
  "passkeys need a console whose address has a host name: set publicUrl, or for the operator operatorUrl",
)

const keyOf = ({ keyId }: Call) => (keyId === null ? Effect.fail(noKey) : Effect.succeed(keyId))

const current = (call: Call) => Effect.flatMap(keyOf(call), Keys.get)

const doorOf = ({ caller, doors }: Call) =>
  doors[caller._tag === "Partner" ? "partner" : "operator"]

const setting = <A extends object>(body: A, cookie: string) =>
  new Operation.Reply(body, { headers: { "set-cookie": cookie } })

const calls = {
  signIn: Effect.fnUntraced(function* (call: Call) {
    const { record, text } = yield* Sessions.start(yield* keyOf(call))
    const { sealKey } = yield* Settings
    const { createdAt, expiresAt } = record
    const lastsInS = Math.floor(((expiresAt ?? createdAt) - createdAt) / 1000)
    return setting(
      SessionView.session(record, call.caller, sealKey),
      doorOf(call).cookie().set(text, lastsInS),
    )
  }),

  get: Effect.fnUntraced(function* (call: Call) {
    const key = yield* current(call)
    const { sealKey } = yield* Settings
    return SessionView.session(key, call.caller, sealKey)
  }),

  signOut: Effect.fnUntraced(function* (call: Call) {
    yield* Sessions.end(yield* keyOf(call))
    return setting({}, doorOf(call).cookie().clear)
  }),

  passkeys: Effect.fnUntraced(function* (call: Call) {
    const session = yield* current(call)
    const asked = { use: "register", session: session.id } as const
    const next =
      doorOf(call).site() === null
        ? null
        : { challenge: yield* Passkeys.challenge(asked), userHandle: ApiKey.personOf(session) }
    return { passkeys: (yield* Passkeys.list(session)).map(SessionView.passkey), next }
  }),

  addPasskey: Effect.fnUntraced(function* (call: Call, made: Wire.AddPasskeyRequest) {
    const site = doorOf(call).site()
    if (site === null) return yield* noSite
    return SessionView.passkey(yield* Passkeys.add(yield* keyOf(call), site, made))
  }),

  removePasskey: Effect.fnUntraced(function* (call: Call) {
    yield* Passkeys.remove(yield* current(call), call.param("id"))
    return {}
  }),
}

export const partner = Operation.partner(OfPartner.group, calls)
export const operator = Operation.operator(OfOperator.group, calls)
