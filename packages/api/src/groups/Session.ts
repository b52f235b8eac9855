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

export const signIn = HttpApiEndpoint.post("signIn", "/v1/session", {
  headers: Headers.common,
  success: Session.Session.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "Sign in to the console")
  .annotate(
    OpenApi.Description,
    "Needs a key with the use `sign_in`, which ends with this call. The response sets the cookie of the session, which only a browser on this origin sends.",
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

export const group = HttpApiGroup.make("session")
  .add(signIn, get, signOut)
  .annotate(OpenApi.Description, "The session of a person in the console")
