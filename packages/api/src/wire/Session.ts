/**
 * A session of the console on the wire: who is signed in, and what they may do.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Version from "@florin/core/domain/ground/Version"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Role from "@florin/core/domain/partner/Role"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
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
  person: Text.plain("Who is signed in"),
  partner: Schema.NullOr(
    Schema.Struct({
      id: Text.partnerId,
      name: Text.plain("Its name"),
    }),
  ).annotate({ description: "Null for the operator" }),
  csrfToken: Text.plain("To be sent as Csrf-Token with every write"),
  validUntil: Text.dateTime.annotate({ description: "When the session ends" }),
  apiVersion: Version.Version.annotate({ description: "That of its responses" }),
}).annotate({ identifier: "Session" })

/** What a call returns that only ends something. */
const Nothing = Schema.Struct({})

export interface Passkey extends Schema.Schema.Type<typeof Passkey> {}
export const Passkey = Schema.Struct({
  id: Text.keyId.annotate({ description: "The passkey's key" }),
  name: Text.plain("What its person calls it"),
  isShared: Schema.Boolean.annotate({
    description: "Whether other devices of the person may have it, too",
  }),
  createdAt: Text.dateTime,
  lastUsedAt: Schema.NullOr(Text.dateTime),
}).annotate({ identifier: "Passkey" })

export interface Passkeys extends Schema.Schema.Type<typeof Passkeys> {}
export const Passkeys = Schema.Struct({
  passkeys: Schema.Array(Passkey),
  next: Schema.NullOr(
    Schema.Struct({
      challenge: Text.plain("For `navigator.credentials.create`, within 5 minutes"),
      userHandle: Text.plain("The person, as text of a `user.id`"),
    }),
  ).annotate({
    description: "For another passkey. Null if the console has no address with a host name",
  }),
}).annotate({ identifier: "Passkeys" })

const bytes = (description: string) =>
  Schema.String.annotate({
    pattern: "^[0-9A-Za-z_-]+$",
    description: `${description}, in base64url`,
  })

export interface AddPasskeyRequest extends Schema.Schema.Type<typeof AddPasskeyRequest> {}
export const AddPasskeyRequest = Schema.Struct({
  name: Text.plain("What its person calls it"),
  credentialId: bytes("The `rawId` of the credential"),
  clientData: bytes("`clientDataJSON`"),
  authenticatorData: bytes("`getAuthenticatorData()`"),
  publicKey: bytes("`getPublicKey()`"),
  algorithm: Schema.Int.annotate({ description: "`getPublicKeyAlgorithm()`: -7, -8 or -257" }),
}).annotate({ identifier: "AddPasskeyRequest" })

/** What each call is for a person of a partner, and of the operator. */
export const calls = {
  signIn: {
    summary: "Sign in to the console",
    description:
      "Needs a key with the use `sign_in`, which ends with this call, or a `Passkey-Response`. Without either, the response is 401 with the header `Passkey-Challenge`, for the passkey to sign. On success the response sets the cookie of the session, which only a browser on this origin sends.",
    success: Session.pipe(HttpApiSchema.status(201)),
  },
  get: {
    summary: "Get your session",
    description: "Needs the cookie of a session.",
    success: Session,
  },
  signOut: {
    summary: "Sign out",
    description:
      "Ends the session immediately, and clears its cookie. Keys that were created in the session stay. Needs the cookie of a session.",
    success: Nothing,
  },
  passkeys: {
    summary: "List your passkeys",
    description:
      "Needs the cookie of a session. Returns also what the browser needs to make another passkey.",
    success: Passkeys,
  },
  addPasskey: {
    summary: "Add a passkey",
    description:
      "Needs the cookie of a session that started within 15 minutes by a link, or was confirmed with a passkey within 5 minutes. The passkey gets the rights of the session.",
    payload: AddPasskeyRequest,
    success: Passkey.pipe(HttpApiSchema.status(201)),
  },
  removePasskey: {
    summary: "Remove a passkey",
    description:
      "Ends the passkey and the sessions that it started. Keys that were created in these stay. Needs the cookie of a session, confirmed as for adding one.",
    params: { id: Text.keyId },
    success: Nothing,
    refusals: ["not_found"],
  },
} as const
