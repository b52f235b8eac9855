/**
 * The session of a person of the operator in the console.
 *
 * @module
 */
import * as Headers from "../Headers.ts"
import * as Session from "../wire/Session.ts"
import * as Endpoint from "./Endpoint.ts"

const path = "/operator/v1/session"
const headers = {
  "csrf-token": Headers.session["csrf-token"],
  "passkey-response": Headers.session["passkey-response"],
} as const

export const group = Endpoint.group(
  "session",
  "The session of a person in the console",
  Endpoint.post("signIn", path, {
    ...Session.calls.signIn,
    scope: "read",
    action: "session.started",
    headers: { "passkey-response": Headers.signIn["passkey-response"] },
  }),
  Endpoint.get("get", path, { ...Session.calls.get, scope: "read" }),
  Endpoint.delete("signOut", path, {
    ...Session.calls.signOut,
    scope: "read",
    action: "session.ended",
    headers,
  }),
  Endpoint.get("passkeys", `${path}/passkeys`, { ...Session.calls.passkeys, scope: "read" }),
  Endpoint.post("addPasskey", `${path}/passkeys`, {
    ...Session.calls.addPasskey,
    scope: "read",
    action: "key.created",
    headers,
  }),
  Endpoint.delete("removePasskey", `${path}/passkeys/:id`, {
    ...Session.calls.removePasskey,
    scope: "read",
    action: "key.revoked",
    headers,
  }),
)
