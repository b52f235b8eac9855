/**
 * API keys on the wire: their permissions, but not their text, which is returned only when a key is created.
 *
 * @module
 */
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Version from "@florin/core/domain/ground/Version"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as PartnerRole from "@florin/core/domain/partner/Role"
import * as Schema from "effect/Schema"
import * as Members from "./Members.ts"
import * as Text from "./Text.ts"

const Scope = ApiKey.PartnerScope.annotate({ identifier: "KeyScope" })

const name = Text.plain("What the key is for")
const validUntil = Schema.NullOr(Text.time("RFC 3339")).annotate({
  description: "When the new key expires. Null: together with the key that creates it",
})

const use = Schema.Literals(["sign_in", "session", "passkey"]).annotate({
  description: "`sign_in` signs a person in to the console once, `session` is what that starts",
})
/** The only use that can be asked for: a session is made by signing in. */
const askedUse = Schema.Literal("sign_in").annotate({
  description:
    "Signs a person in to the console, once, within 15 minutes or until `validUntil`, at most 24 hours",
})
const role = PartnerRole.Role.annotate({
  description: "Instead of `scopes`: a name for a set of them",
})

export interface Key extends Schema.Schema.Type<typeof Key> {}
export const Key = Schema.Struct({
  id: Text.keyId,
  hint: Text.plain("The beginning of the key"),
  name,
  scopes: Schema.Array(Scope),
  from: Schema.NullOr(Schema.Array(Schema.String)).annotate({
    description: "The address blocks from which the key may be used; null: any address",
  }),
  createdAt: Text.dateTime,
  lastUsedAt: Schema.NullOr(Text.dateTime),
  validUntil: Schema.NullOr(Text.dateTime).annotate({ description: "Null if it does not expire" }),
  successor: Schema.NullOr(Text.keyId).annotate({
    description: "The id of the key that replaces it",
  }),
  madeBy: Schema.NullOr(Text.keyId).annotate({
    description:
      "The key that created it. If that key is revoked, so is this one. Null for the operator",
  }),
  use: Schema.NullOr(use).annotate({ description: "Null for a key that a program sends" }),
}).annotate({ identifier: "Key" })

export interface List extends Schema.Schema.Type<typeof List> {}
export const List = Schema.Struct({ keys: Schema.Array(Key) }).annotate({ identifier: "KeyList" })

export interface WithSecret extends Schema.Schema.Type<typeof WithSecret> {}
export const WithSecret = Schema.Struct({
  key: Key,
  secret: Text.plain("The key itself, to be sent as Api-Key. It is not shown again"),
  link: Schema.optionalKey(Text.plain("For a person to open. Only with `sign_in`")),
}).annotate({ identifier: "KeyWithSecret" })

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  name,
  ...Members.optional({
    scopes: Schema.Array(Scope).annotate({
      description:
        "A subset of the scopes of the key that creates it. Default: all of these except `keys`",
    }),
    from: Schema.Array(Schema.String).annotate({
      description:
        "The address blocks from which the key may be used, such as 203.0.113.0/24, within those of the key that creates it. Default: the same",
    }),
    validUntil,
    use: askedUse,
    role,
  }),
}).annotate({ identifier: "CreateKeyRequest" })

const owner = {
  partnerId: Text.partnerId.annotate({ description: "The partner that owns the key" }),
  wallet: Text.plain("The name of the wallet that owns the key. Merchants see it"),
  operator: Text.plain(
    "The name of your person or system that owns the key. The audit log records it",
  ),
  iconUrl: Text.plain("The HTTPS URL of the wallet's icon. Merchants see it"),
  versionPin: Version.Version.annotate({
    description: "The oldest API version in which the service responds to the wallet's calls",
  }),
  profile: ApiKey.Profile.annotate({
    description: "The profile of the responses to the wallet, whatever header names the version",
  }),
}
const mode = Schema.NullOr(Mode.Mode).annotate({
  description: "Null for an operator's key, which is for both modes",
})
const AnyScope = ApiKey.Scope.annotate({
  identifier: "AnyKeyScope",
  message: `must be one of ${ApiKey.Scope.literals.join(", ")}`,
})

/** A key of any kind, as the operator sees it. */
export interface OwnedKey extends Schema.Schema.Type<typeof OwnedKey> {}
export const OwnedKey = Schema.Struct({
  ...Key.fields,
  scopes: Schema.Array(AnyScope),
  mode,
  owner: Schema.Struct({
    partnerId: Schema.NullOr(owner.partnerId),
    wallet: Schema.NullOr(owner.wallet),
    operator: Schema.NullOr(owner.operator),
    iconUrl: Schema.NullOr(owner.iconUrl),
    versionPin: Schema.NullOr(owner.versionPin),
    profile: Schema.NullOr(owner.profile),
  }).annotate({ description: "A partner, a wallet or an operator" }),
  revokedAt: Schema.NullOr(Text.dateTime),
}).annotate({ identifier: "OwnedKey" })

export const OwnedList = Schema.Struct({ keys: Schema.Array(OwnedKey) }).annotate({
  identifier: "OwnedKeyList",
})

export interface OwnedWithSecret extends Schema.Schema.Type<typeof OwnedWithSecret> {}
export const OwnedWithSecret = Schema.Struct({ ...WithSecret.fields, key: OwnedKey }).annotate({
  identifier: "OwnedKeyWithSecret",
})

const validUntilOrNever = Schema.NullOr(Text.time("RFC 3339")).annotate({
  description: "When the key expires. Null: never",
})

export interface IssueRequest extends Schema.Schema.Type<typeof IssueRequest> {}
export const IssueRequest = Schema.Struct(
  Members.optional({
    partnerId: owner.partnerId,
    wallet: owner.wallet,
    operator: owner.operator,
    mode,
    name: Text.plain("The purpose of the key. Default: the name of its owner"),
    scopes: Schema.Array(AnyScope).annotate({
      description:
        "The permissions of the key. Default: everything that its kind may, except `keys`. An operator's key has no default",
    }),
    from: Schema.Array(Schema.String).annotate({
      description:
        "The address blocks from which the key may be used, such as 203.0.113.0/24. Default: any address",
    }),
    validUntil: validUntilOrNever,
    use: askedUse,
    role,
    iconUrl: owner.iconUrl,
    versionPin: owner.versionPin,
    profile: owner.profile,
  }),
).annotate({
  identifier: "IssueKeyRequest",
  description: "A key for exactly one of `partnerId`, `wallet` and `operator`",
})

export const ChangeRequest = Schema.Struct({
  wallet: Schema.optionalKey(owner.wallet),
  iconUrl: Schema.optionalKey(
    Schema.NullOr(owner.iconUrl).annotate({ description: "Null removes the icon" }),
  ),
}).annotate({ identifier: "ChangeKeyRequest" })

export const RenewRequest = Schema.Struct({
  validUntil: Schema.optionalKey(validUntilOrNever),
}).annotate({ identifier: "RenewKeyRequest" })

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
