/**
 * The session of a person of the operator in the console.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Session from "../wire/Session.ts"
import * as Endpoint from "./Endpoint.ts"

const path = "/operator/v1/session"

const signIn = HttpApiEndpoint.post("signIn", path, {
  success: Session.Session.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "read",
    action: "session.started",
    summary: "Sign in to the console",
    description:
      "Needs a key with the use `sign_in`, which ends with this call. The response sets the cookie of the session, which only a browser on this origin sends.",
  }),
)

const get = HttpApiEndpoint.get("get", path, {
  success: Session.Session,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Get your session",
    description: "Needs the cookie of a session.",
  }),
)

const signOut = HttpApiEndpoint.delete("signOut", path, {
  headers: { "csrf-token": Headers.session["csrf-token"] },
  success: Session.SignedOut,
  error: Problem.errors(),
}).pipe(
  Endpoint.write({
    scope: "read",
    action: "session.ended",
    summary: "Sign out",
    description:
      "Ends the session immediately, and clears its cookie. Keys that were created in the session stay. Needs the cookie of a session.",
  }),
)

export const group = Endpoint.group(
  "session",
  "The session of a person in the console",
  signIn,
  get,
  signOut,
)
