/**
 * The session of a person in the console.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Session from "../wire/Session.ts"
import * as Text from "../wire/Text.ts"

const passkeysPath = "/v1/session/passkeys"

export const group = Endpoint.group(
  "session",
  "The session of a person in the console",
  Endpoint.post("signIn", "/v1/session", {
    summary: "Sign in to the console",
    description:
      "Needs a key with the use `sign_in`, which ends with this call, or a `Passkey-Response`. Without either, the response is 401 with the header `Passkey-Challenge`, for the passkey to sign. On success the response sets the cookie of the session, which only a browser on this origin sends.",
    headers: Headers.signIn,
    success: Session.Session.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.get("get", "/v1/session", {
    summary: "Get your session",
    description: "Needs the cookie of a session.",
    headers: Headers.common,
    success: Session.Session,
  }),
  Endpoint.delete("signOut", "/v1/session", {
    summary: "Sign out",
    description:
      "Ends the session immediately, and clears its cookie. Keys that were created in the session stay. Needs the cookie of a session.",
    headers: Headers.session,
    success: Session.SignedOut,
  }),
  Endpoint.get("passkeys", passkeysPath, {
    summary: "List your passkeys",
    description:
      "Needs the cookie of a session. Returns also what the browser needs to make another passkey.",
    headers: Headers.common,
    success: Session.Passkeys,
  }),
  Endpoint.post("addPasskey", passkeysPath, {
    summary: "Add a passkey",
    description:
      "Needs the cookie of a session that started within 15 minutes by a link, or was confirmed with a passkey within 5 minutes. The passkey gets the rights of the session.",
    headers: Headers.session,
    payload: Session.AddPasskeyRequest,
    success: Session.Passkey.pipe(HttpApiSchema.status(201)),
  }),
  Endpoint.delete("removePasskey", `${passkeysPath}/:id`, {
    summary: "Remove a passkey",
    description:
      "Ends the passkey and the sessions that it started. Keys that were created in these stay. Needs the cookie of a session, confirmed as for adding one.",
    params: { id: Text.keyId },
    headers: Headers.session,
    success: Session.RemovedPasskey,
    refusals: ["not_found"],
  }),
)
