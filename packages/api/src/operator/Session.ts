/**
 * The session of a person of the operator in the console.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Headers from "../Headers.ts"
import * as Session from "../wire/Session.ts"
import * as Text from "../wire/Text.ts"
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
    scope: "read",
    action: "session.started",
    summary: "Sign in to the console",
    description:
      "Needs a key with the use `sign_in`, which ends with this call, or a `Passkey-Response`. Without either, the response is 401 with the header `Passkey-Challenge`, for the passkey to sign. On success the response sets the cookie of the session, which only a browser on this origin sends.",
    headers: { "passkey-response": Headers.signIn["passkey-response"] },
    success: Session.Session.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.get("get", path, {
    scope: "read",
    summary: "Get your session",
    description: "Needs the cookie of a session.",
    success: Session.Session,
  }),
  Endpoint.delete("signOut", path, {
    scope: "read",
    action: "session.ended",
    summary: "Sign out",
    description:
      "Ends the session immediately, and clears its cookie. Keys that were created in the session stay. Needs the cookie of a session.",
    headers,
    success: Session.SignedOut,
  }),
  Endpoint.get("passkeys", `${path}/passkeys`, {
    scope: "read",
    summary: "List your passkeys",
    description:
      "Needs the cookie of a session. Returns also what the browser needs to make another passkey.",
    success: Session.Passkeys,
  }),
  Endpoint.post("addPasskey", `${path}/passkeys`, {
    scope: "read",
    action: "key.created",
    summary: "Add a passkey",
    description:
      "Needs the cookie of a session that started within 15 minutes by a link, or was confirmed with a passkey within 5 minutes. The passkey gets the rights of the session.",
    headers,
    payload: Session.AddPasskeyRequest,
    success: Session.Passkey.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.delete("removePasskey", `${path}/passkeys/:id`, {
    scope: "read",
    action: "key.revoked",
    summary: "Remove a passkey",
    description:
      "Ends the passkey and the sessions that it started. Keys that were created in these stay. Needs the cookie of a session, confirmed as for adding one.",
    params: { id: Text.keyId },
    headers,
    success: Session.RemovedPasskey,
    refusals: ["not_found"],
  }),
)
