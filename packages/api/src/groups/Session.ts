/**
 * The session of a person in the console.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Session from "../wire/Session.ts"

export const group = Endpoint.group(
  "session",
  "The session of a person in the console",
  Endpoint.post("signIn", "/v1/session", { ...Session.calls.signIn, headers: Headers.signIn }),
  Endpoint.get("get", "/v1/session", { ...Session.calls.get, headers: Headers.common }),
  Endpoint.delete("signOut", "/v1/session", { ...Session.calls.signOut, headers: Headers.session }),
  Endpoint.get("passkeys", "/v1/session/passkeys", {
    ...Session.calls.passkeys,
    headers: Headers.common,
  }),
  Endpoint.post("addPasskey", "/v1/session/passkeys", {
    ...Session.calls.addPasskey,
    headers: Headers.session,
  }),
  Endpoint.delete("removePasskey", "/v1/session/passkeys/:id", {
    ...Session.calls.removePasskey,
    headers: Headers.session,
  }),
)
