/**
 * The destinations of a merchant's money, on the wire.
 *
 * @module
 */
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Schema from "effect/Schema"
import * as Members from "./Members.ts"
import * as Text from "./Text.ts"

const asset = Text.asset.annotate({
  description: "A CAIP-19 asset id without `caip19/`",
  examples: ["eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
})
const destination = Text.account.annotate({
  description: "A CAIP-10 account on the chain of the asset",
  examples: ["eip155:8453:0x2222222222222222222222222222222222222222"],
})

export interface CryptoSettlement extends Schema.Schema.Type<typeof CryptoSettlement> {}
export const CryptoSettlement = Schema.Struct({
  id: Text.settlementId,
  asset,
  destination,
  ...Members.optional({
    takesEffectAt: Text.time(
      "The earliest time of a payout to the destination. Payouts in the asset wait until then. Absent once the destination is in effect",
    ),
    statement: Text.plain(
      "The text that the destination still has to sign with `personal_sign`. Payouts in the asset wait until the signature is sent as `proof`. Absent if no signature is required",
    ),
  }),
}).annotate({ identifier: "CryptoSettlement" })

/** Fiat settlements do not exist yet: their list is always empty. */
export interface Settlements extends Schema.Schema.Type<typeof Settlements> {}
export const Settlements = Schema.Struct({
  crypto: Schema.Array(CryptoSettlement),
  fiat: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
}).annotate({ identifier: "Settlements" })

export interface CreateRequest extends Schema.Schema.Type<typeof CreateRequest> {}
export const CreateRequest = Schema.Struct({
  settlements: Schema.Array(Schema.Struct({ asset, destination })).check(
    Schema.isMinLength(1, { message: "must hold at least one entry" }),
    Schema.isMaxLength(Limits.settlementsPerCallMax, {
      message: `must hold at most ${Limits.settlementsPerCallMax} entries`,
    }),
  ),
}).annotate({ identifier: "CreateSettlementsRequest" })

export interface Created extends Schema.Schema.Type<typeof Created> {}
export const Created = Schema.Struct({
  settlements: Schema.Array(CryptoSettlement),
}).annotate({ identifier: "CreatedSettlements" })

export interface ChangeRequest extends Schema.Schema.Type<typeof ChangeRequest> {}
export const ChangeRequest = Schema.Struct({
  destination,
  proof: Schema.optionalKey(
    Text.plain(
      "The signature of the settlement's `statement` by the destination. If you send it, send the registered destination; nothing else changes",
    ),
  ),
}).annotate({ identifier: "ChangeSettlementRequest" })

/** The response after something was deleted. */
export interface Deleted extends Schema.Schema.Type<typeof Deleted> {}
export const Deleted = Schema.Struct({
  id: Schema.String,
  deleted: Schema.Literal(true),
}).annotate({ identifier: "Deleted" })

export const ConfirmRequest = Schema.Struct({
  destination: Text.account.annotate({ description: "The new account" }),
}).annotate({
  identifier: "ConfirmSettlementRequest",
})

/** The changes of a merchant's destinations. */
export interface History extends Schema.Schema.Type<typeof History> {}
export const History = Schema.Struct({
  changes: Schema.Array(
    Schema.Struct({
      createdAt: Text.dateTime,
      settlementId: Text.settlementId,
      asset,
      from: Schema.NullOr(destination).annotate({ description: "Null if there was none" }),
      to: Schema.NullOr(destination).annotate({ description: "Null if it was deleted" }),
      takesEffectAt: Schema.NullOr(Text.dateTime).annotate({ description: "Null: immediately" }),
      keyId: Schema.NullOr(Text.keyId).annotate({
        description: "The partner's key that made the change. Null for the operator",
      }),
      requestId: Schema.NullOr(Schema.String),
    }).annotate({ identifier: "SettlementChange" }),
  ),
}).annotate({ identifier: "SettlementHistory" })
