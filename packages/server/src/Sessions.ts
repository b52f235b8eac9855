/**
 * The session of a person in the console, the same for partners and for the operator.
 *
 * @module
 */
import * as SessionsUseCase from "@florin/core/engine/Sessions"
import { Settings } from "@florin/core/ports/Settings"
import * as Effect from "effect/Effect"
import * as Authentication from "./Authentication.ts"
import type * as Operation from "./Operation.ts"
import * as SessionView from "./views/SessionView.ts"

interface Call extends Pick<Operation.AnyCall, "doors" | "keyId"> {
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

export const get = Effect.fnUntraced(function* (call: Call) {
  const key = yield* SessionsUseCase.current(yield* keyOf(call))
  const { sealKey } = yield* Settings
  return { status: 200 as const, body: SessionView.session(key, call.caller, sealKey) }
})

export const signOut = Effect.fnUntraced(function* (call: Call) {
  yield* SessionsUseCase.end(yield* keyOf(call))
  const cookie = call.doors[faceOf(call)].cookie()
  return { status: 200 as const, body: {}, headers: { "set-cookie": cookie.clear } }
})
