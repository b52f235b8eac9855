/**
 * The session of a person in the console.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Session from "../wire/Session.ts"
import * as Text from "../wire/Text.ts"

export const signIn = HttpApiEndpoint.post("signIn", "/v1/session", {
  headers: Headers.signIn,
  success: Session.Session.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Sign in to the console")
  .annotate(
    OpenApi.Description,
    "Needs a key with the use `sign_in`, which ends with this call, or a `Passkey-Response`. Without either, the response is 401 with the header `Passkey-Challenge`, for the passkey to sign. On success the response sets the cookie of the session, which only a browser on this origin sends.",
  )

export const get = HttpApiEndpoint.get("get", "/v1/session", {
  headers: Headers.common,
  success: Session.Session,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Get your session")
  .annotate(OpenApi.Description, "Needs the cookie of a session.")

export const signOut = HttpApiEndpoint.delete("signOut", "/v1/session", {
  headers: Headers.session,
  success: Session.SignedOut,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Sign out")
  .annotate(
    OpenApi.Description,
    "Ends the session immediately, and clears its cookie. Keys that were created in the session stay. Needs the cookie of a session.",
  )

const passkeysPath = "/v1/session/passkeys"

export const passkeys = HttpApiEndpoint.get("passkeys", passkeysPath, {
  headers: Headers.common,
  success: Session.Passkeys,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List your passkeys")
  .annotate(
    OpenApi.Description,
    "Needs the cookie of a session. Returns also what the browser needs to make another passkey.",
  )

export const addPasskey = HttpApiEndpoint.post("addPasskey", passkeysPath, {
  headers: Headers.session,
  payload: Session.AddPasskeyRequest,
  success: Session.Passkey.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Add a passkey")
  .annotate(
    OpenApi.Description,
    "Needs the cookie of a session that started within 15 minutes by a link, or was confirmed with a passkey within 5 minutes. The passkey gets the rights of the session.",
  )

export const removePasskey = HttpApiEndpoint.delete("removePasskey", `${passkeysPath}/:id`, {
  params: { id: Text.keyId },
  headers: Headers.session,
  success: Session.RemovedPasskey,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "Remove a passkey")
  .annotate(
    OpenApi.Description,
    "Ends the passkey and the sessions that it started. Keys that were created in these stay. Needs the cookie of a session, confirmed as for adding one.",
  )

export const group = HttpApiGroup.make("session")
  .add(signIn, get, signOut, passkeys, addPasskey, removePasskey)
  .annotate(OpenApi.Description, "The session of a person in the console")
