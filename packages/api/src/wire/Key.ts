/**
 * API keys on the wire: their permissions, but not their text, which is returned only when a key is created.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"

const dateTime = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601, with milliseconds, in UTC",
})

const Scope = ApiKey.Scope.annotate({ identifier: "KeyScope" })

const name = Schema.String.annotate({ description: "What the key is for" })
const validUntil = Schema.NullOr(
  Schema.String.annotate({ format: "date-time", description: "RFC 3339" }),
).annotate({ description: "When the new key expires. Null: together with the key that creates it" })

export interface Key extends Schema.Schema.Type<typeof Key> {}
export const Key = Schema.Struct({
  id: Text.keyId,
  hint: Schema.String.annotate({ description: "The beginning of the key" }),
  name,
  scopes: Schema.Array(Scope),
  from: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "The address blocks from which the key may be used; null: any address",
  }),
  createdAt: dateTime,
  lastUsedAt: Schema.NullOr(dateTime),
  validUntil: Schema.NullOr(dateTime).annotate({ description: "Null if it does not expire" }),
  successor: Schema.NullOr(Text.keyId).annotate({
    description: "The id of the key that replaces it",
  }),
  madeBy: Schema.NullOr(Text.keyId).annotate({
    description:
      "The key that created it. If that key is revoked, so is this one. Null for the operator",
  }),
}).annotate({ identifier: "Key" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ keys: Schema.Array(Key) }).annotate({ identifier: "KeyList" })

export interface WithSecret extends Schema.Schema.Type<typeof WithSecret> {}
export const WithSecret = Schema.Struct({
  key: Key,
  secret: Schema.String.annotate({
    description: "The key itself, to be sent as Api-Key. It is not shown again",
  }),
}).annotate({ identifier: "KeyWithSecret" })

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  name,
  scopes: Schema.optionalKey(
    Schema.Array(Scope).annotate({
      description:
        "A subset of the scopes of the key that creates it. Default: all of these except `keys`",
    }),
  ),
  from: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "The address blocks from which the key may be used, such as 203.0.113.0/24, within those of the key that creates it. Default: the same",
    }),
  ),
  validUntil: Schema.optionalKey(validUntil),
}).annotate({ identifier: "CreateKeyRequest" })

export interface RotateRequest extends Schema.Schema.Type<typeof RotateRequest> {}
export const RotateRequest = Schema.Struct({
  validUntil: Schema.optionalKey(
    validUntil.annotate({
      description: "When the new key expires. Null: together with the key that it replaces",
    }),
  ),
}).annotate({ identifier: "RotateKeyRequest" })

export interface Revoked extends Schema.Schema.Type<typeof Revoked> {}
export const Revoked = Schema.Struct({
  revoked: Schema.Array(Text.keyId).annotate({
    description: "The ids of the revoked keys: this one, and those that it created",
  }),
}).annotate({ identifier: "RevokedKeys" })
