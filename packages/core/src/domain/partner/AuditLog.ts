/**
 * The audit log: every write of a partner or of the operator, with its author, its request, and the values that it
 * replaced.
 *
 * An entry never holds a secret or personal data. If the log must not keep the value of a field, it keeps only the
 * field's name.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as ApiKey from "./ApiKey.ts"

/** Every kind of write of partners and operators, in the words of a list. */
export const actions = {
  "partner.created": "created a partner",
  "partner.changed": "changed a partner",
  "key.created": "created an API key",
  "key.changed": "changed a wallet's name or icon",
  "key.rotated": "rotated an API key",
  "key.revoked": "revoked an API key",
  "session.started": "signed in to the console",
  "session.confirmed": "confirmed with a passkey who uses a session",
  "session.ended": "signed out of the console",
  "session.refused": "used a session, a passkey or a sign-in link without the right to",
  "approval.asked": "asked a second person to approve a request",
  "approval.approved": "approved a request of another person",
  "approval.declined": "declined a request that waited for approval",
  "approval.used": "carried out a request that another person approved",
  "approval.refused": "tried to approve or decline a request without the right to",
  "merchant.created": "created a merchant",
  "merchant.changed": "changed a merchant",
  "merchant.deleted": "deleted a merchant",
  "merchant.approved": "approved a merchant",
  "name.flagged": "set a name that looks like another partner's",
  "destination.registered": "registered a settlement destination",
  "destination.changed": "changed a settlement destination",
  "destination.confirmed": "confirmed a change of a settlement destination",
  "destination.proven": "proved the control of a settlement destination",
  "destination.deleted": "deleted a settlement destination",
  "payment.created": "created a payment",
  "payment.cancelled": "cancelled a payment",
  "refund.requested": "requested a refund",
  "collected.shown": "viewed a payer's personal data",
  "collected.exported": "exported a payer's personal data",
  "collected.erased": "erased a payer's personal data",
  "payout.retried": "retried a held payout, refund or return",
  "settlement.retried": "retried a settlement that is owed",
  "late_transfer.returned": "returned late money",
  "unclaimed_transfer.returned": "returned unclaimed money",
  "payout.recorded": "recorded a payout or a refund by its transaction",
  "webhook.created": "created a webhook endpoint",
  "webhook.changed": "changed a webhook endpoint",
  "webhook.disabled": "disabled a webhook endpoint",
  "webhook.secret_rotated": "rotated the secret of a webhook endpoint",
  "webhook.secret_sealed": "encrypted the secret of a webhook endpoint again",
  "webhook.tested": "sent a test to a webhook endpoint",
  "webhook.replayed": "sent events to a webhook endpoint again",
  "float.put": "recorded money put on a collecting account",
  "float.taken": "recorded money taken from a collecting account",
  "float.moved": "moved float to another account of the service",
  "float.withdrawn": "withdrew float or fees to an account of the operator",
  "float.cancelled": "cancelled a move or withdrawal of the operator's money",
  "payout.accepted": "accepted what a payout, refund or return moved",
  "payout.released": "released a payout, refund or return that moved something else",
  "chain.resumed": "resumed a chain",
  "asset.resumed": "resumed an asset",
  "denyList.confirmed": "confirmed a deny list",
  "operator.refused": "called the operator's API without the right to",
} as const
export type Action = keyof typeof actions
export const Action = Schema.Literals(Struct.keys(actions))

/**
 * The author of a write: a partner, by its key, or the operator, by the name of a system user or the name that an
 * embedder passes.
 */
export type Actor = typeof Actor.Type
export const Actor = Schema.TaggedUnion({
  Key: { keyId: ApiKey.ApiKeyId },
  Operator: {
    name: Schema.NullOr(Schema.String),
    processId: Schema.NullOr(Schema.Int),
    /** The key of the operator's API, if one was used. */
    keyId: Schema.optionalKey(ApiKey.ApiKeyId),
  },
})

/** The author of a write, and its request. */
export interface Acting {
  readonly actor: Actor
  /** Null outside of a request. */
  readonly requestId: string | null
  /** Why, in the operator's words. */
  readonly reason?: string
}

/** The operator, if no name was given. */
export const unnamedOperator: Acting = {
  actor: { _tag: "Operator", name: null, processId: null },
  requestId: null,
}

export type Value = typeof Value.Type
export const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

/** The change of a field. Both values are absent if the log must not keep them. */
export interface Change extends Schema.Schema.Type<typeof Change> {}
export const Change = Schema.Struct({
  field: Schema.String,
  from: Schema.optionalKey(Value),
  to: Schema.optionalKey(Value),
})

/** The owner of the written data. Both are null for data of the operator alone; a partner itself has no mode. */
export interface Whose {
  readonly partnerId: PartnerId.PartnerId | null
  readonly mode: Mode.Mode | null
}

/** What was done. */
export interface Deed extends Whose {
  readonly action: Action
  /** The id of what was written. */
  readonly subject: string
  readonly changes: ReadonlyArray<Change>
}

export interface Entry extends Schema.Schema.Type<typeof Entry> {}
export const Entry = Schema.Struct({
  id: Schema.String,
  at: Schema.Int,
  action: Action,
  partnerId: Schema.NullOr(PartnerId.PartnerId),
  mode: Schema.NullOr(Mode.Mode),
  subject: Schema.String,
  actor: Actor,
  requestId: Schema.NullOr(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  changes: Schema.Array(Change),
})

export const entry = (
  deed: Deed,
  acting: Acting,
  as: { readonly id: string; readonly at: number },
): Entry => ({
  ...as,
  ...Struct.pick(deed, ["action", "partnerId", "mode", "subject"]),
  ...Struct.pick(acting, ["actor", "requestId", "reason"]),
  changes: deed.changes,
})

/** A field with its new value; null means none. */
export const became = (field: string, to: Value, from: Value = null): Change => ({
  field,
  from,
  to,
})

/** How the log shows fields, and which fields it only names as changed. */
interface Fields<A> {
  readonly kept: { readonly [field: string]: (value: A) => Value }
  readonly hidden?: { readonly [field: string]: (value: A) => Value }
}

/**
 * The fields in which two values differ. `before` is null for a new record, whose fields with the value false are left
 * out.
 */
export const differences =
  <A>({ hidden = {}, kept }: Fields<A>) =>
  (before: A | null, after: A): ReadonlyArray<Change> => {
    const changeOf = (field: string, of: (value: A) => Value) =>
      became(field, of(after), before === null ? null : of(before))
    const isChange = ({ from, to }: Change) => from !== to && (before !== null || to !== false)
    return [
      ...Object.entries(kept)
        .map(([field, of]) => changeOf(field, of))
        .filter(isChange),
      ...Object.entries(hidden)
        .filter(([field, of]) => isChange(changeOf(field, of)))
        .map(([field]) => ({ field })),
    ]
  }

/** The deeds on records of one kind; null if nothing of the record changed. */
export const deeds =
  <A>(fields: Fields<A>, about: (value: A) => Whose & Pick<Deed, "subject">) =>
  (action: Action, before: A | null, after: A): Deed | null => {
    const changes = differences(fields)(before, after)
    return changes.length === 0 ? null : { action, ...about(after), changes }
  }

/** Which entries a list shows. */
export interface Filter {
  readonly partnerId?: PartnerId.PartnerId
  /** Entries of this mode, and those that have none. */
  readonly mode?: Mode.Mode
  readonly action?: Action
  /** From this time on, in epoch milliseconds. */
  readonly since?: number
  /** Entries about one of these. */
  readonly subjects?: ReadonlyArray<string>
}

export const isListed = (
  listed: Entry,
  { action, mode, partnerId, since, subjects }: Filter,
): boolean =>
  (subjects === undefined || subjects.includes(listed.subject)) &&
  (partnerId === undefined || listed.partnerId === partnerId) &&
  (mode === undefined || listed.mode === null || listed.mode === mode) &&
  (action === undefined || listed.action === action) &&
  (since === undefined || listed.at >= since)
