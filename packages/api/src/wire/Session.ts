/**
 * A session of the console on the wire: who is signed in, and what they may do.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Version from "@florin/core/domain/ground/Version"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Role from "@florin/core/domain/partner/Role"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

export interface Session extends Schema.Schema.Type<typeof Session> {}
export const Session = Schema.Struct({
  id: Text.keyId.annotate({ description: "The session's key" }),
  face: Schema.Literals(["partner", "operator"]).annotate({ description: "Which API it calls" }),
  mode: Schema.NullOr(Mode.Mode).annotate({
    description: "Null for the operator",
  }),
  scopes: Schema.Array(ApiKey.Scope),
  role: Schema.NullOr(Role.Role).annotate({
    description: "Null if these scopes are no role",
  }),
  person: Schema.String.annotate({ description: "Who is signed in" }),
  partner: Schema.NullOr(
    Schema.Struct({
      id: Text.partnerId,
      name: Schema.String.annotate({ description: "Its name" }),
    }),
  ).annotate({ description: "Null for the operator" }),
  csrfToken: Schema.String.annotate({ description: "To be sent as Csrf-Token with every write" }),
  validUntil: Text.dateTime.annotate({ description: "When the session ends" }),
  apiVersion: Version.Version.annotate({ description: "That of its responses" }),
}).annotate({ identifier: "Session" })

export interface SignedOut extends Schema.Schema.Type<typeof SignedOut> {}
export const SignedOut = Schema.Struct({})
