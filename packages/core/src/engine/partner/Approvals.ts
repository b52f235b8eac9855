/**
 * A second person's approval. A request that needs one is kept, and refused, until somebody else approves it; the same
 * request of the same person then passes once.
 *
 * It is carried out by who asked, with the rights that this person has then. So nothing runs in the name of somebody
 * who is gone, and a secret in the response is seen by who asked only.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Invalid from "../../domain/ground/Invalid.ts"
import * as Limits from "../../domain/ground/Limits.ts"
import * as ApiKey from "../../domain/partner/ApiKey.ts"
import * as Approval from "../../domain/partner/Approval.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Idempotency from "../../domain/partner/Idempotency.ts"
import * as SecondPerson from "../../domain/partner/SecondPerson.ts"
import { AccountStore, type Tenant } from "../../ports/AccountStore.ts"
import { Acting } from "../../ports/AuditStore.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { NotFound, type StorageUnavailable } from "../../ports/StorageError.ts"
import { recordChange, recordDeed } from "../record/AuditLog.ts"
import * as Keys from "./Keys.ts"

/** The request waits for a second person. */
export class ApprovalRequired extends Schema.TaggedError<ApprovalRequired>()("ApprovalRequired", {
  id: ApiKey.ApiKeyId,
  message: Schema.String,
}) {}

const tooMany = Invalid.of(
  "body",
  `${Limits.approvalsMax} requests wait for approval already: approve or decline some first`,
)

/** The way out for an operator on the machine whom nobody can approve, because nobody has a key yet. */
const firstPeople =
  ". If nobody has a key yet, restart the service without secondPerson and let the first two people in (docs/console.md#a-second-person)"

/** Who calls. An operator on the machine of the service, or in its process, has a name but no key. */
const person = Effect.gen(function* () {
  const { actor } = yield* Acting
  const { keyId } = actor
  if (keyId !== undefined) {
    const key = yield* Keys.get(keyId)
    return { name: ApiKey.nameOf(key), key }
  }
  return { name: actor._tag === "Operator" ? (actor.name ?? "") : "", key: null }
})

/** Whose requests these are: a partner's in a mode, or the operator's for null. */
const whoseOf = (tenant: Tenant | null): AuditLog.Whose => ({
  partnerId: tenant?.partnerId ?? null,
  mode: tenant?.mode ?? null,
})

/** The requests of a partner in a mode, or of the operator for null, that have not ended, newest first. */
const open = Effect.fnUntraced(function* (tenant: Tenant | null) {
  const now = yield* Clock.currentTimeMillis
  const { mode, partnerId } = whoseOf(tenant)
  const good = yield* (yield* AccountStore).keys(partnerId, now)
  return good.flatMap((key) =>
    key.approval !== undefined && key.mode === mode ? [{ ...key, approval: key.approval }] : [],
  )
})
export type Open = Effect.Success<ReturnType<typeof open>>[number]

const isUnused = ({ approval }: Open): boolean => approval.used === undefined

const deed = (
  action: AuditLog.Action,
  tenant: Tenant | null,
  { approval, id }: Pick<Open, "approval" | "id">,
): AuditLog.Deed => ({
  action,
  ...whoseOf(tenant),
  subject: id,
  changes: [
    AuditLog.became("operation", approval.operation),
    AuditLog.became("request", `${approval.method} ${approval.path}`),
    AuditLog.became("digest", approval.digest),
    AuditLog.became("askedBy", approval.askedBy),
    ...(approval.approved === undefined
      ? []
      : [AuditLog.became("approvedBy", approval.approved.by)]),
  ],
})

/** A request that somebody else must approve. */
export interface Request extends Pick<Approval.Approval, "does" | "method" | "operation" | "path"> {
  /** Null for one of the operator. */
  readonly tenant: Tenant | null
  readonly scope: ApiKey.Scope
  readonly merchantId: string | undefined
  /** Null if there is none. */
  readonly body: Schema.Json
  readonly idempotencyKey: string | undefined
}

/** Lets a request pass if it is approved, once; else keeps it, and refuses it. */
export const require = Effect.fn("Approvals.require")(function* ({
  body,
  idempotencyKey,
  merchantId,
  scope,
  tenant,
  ...asked
}: Request) {
  const accounts = yield* AccountStore
  const { reason } = yield* Acting
  const { key: by, name } = yield* person
  const { does: _, ...about } = asked
  const digest = yield* Effect.fromResult(
    Idempotency.fingerprint({
      ...about,
      // A stated name never passes for a person's id.
      by: by === null ? { name } : ApiKey.personOf(by),
      ...whoseOf(tenant),
      merchantId: merchantId ?? null,
      body,
    }),
  )
  const id = yield* (yield* Identifiers).key
  const now = yield* Clock.currentTimeMillis
  const write = Effect.gen(function* () {
    // Locked first: of two equal requests at the same time, one asks.
    if (by !== null) {
      yield* Keys.lock(by.id)
    }
    const all = yield* open(tenant)
    const own = all.filter(({ approval }) => approval.digest === digest)
    const isRetry = own.some(
      ({ approval: { used } }) =>
        idempotencyKey !== undefined && used?.idempotencyKey === idempotencyKey,
    )
    if (isRetry) return null
    const unused = own.filter(isUnused)
    const approved = unused.find(({ approval }) => approval.approved !== undefined)
    if (approved !== undefined) {
      yield* Keys.modify(approved.id, (current) =>
        SecondPerson.use(current, idempotencyKey ?? null, now),
      )
      return { action: "approval.used" as const, of: approved }
    }
    const [waiting] = unused
    if (waiting !== undefined) return { action: null, of: waiting }
    if (all.filter(isUnused).length >= Limits.approvalsMax) {
      return yield* tooMany
    }
    const approval: Approval.Approval = {
      ...asked,
      body: body === null ? null : JSON.stringify(body),
      digest,
      askedBy: name,
      ...(reason !== undefined && { reason }),
    }
    const owner: ApiKey.Owner =
      tenant === null
        ? { _tag: "Operator", name }
        : { _tag: "Partner", partnerId: tenant.partnerId }
    const made = SecondPerson.ask(
      by,
      { id, mode: tenant?.mode ?? null, owner, scope, approval },
      now,
    )
    yield* accounts.putKeys([made])
    return { action: "approval.asked" as const, of: { ...made, approval } }
  })
  const done = yield* recordDeed(write, (written) =>
    written === null || written.action === null ? null : deed(written.action, tenant, written.of),
  )
  if (done === null || done.action === "approval.used") return
  const { id: waiting } = done.of
  return yield* new ApprovalRequired({
    id: waiting,
    message: `another person must approve this: it waits as ${waiting} for 24 hours. Repeat the same call once it is approved${tenant === null && by === null ? firstPeople : ""}`,
  })
})

/**
 * Whether somebody counts as the person who asked: by a key behind both, or by a name. A person's next session, and the
 * successor of a key, has the name of the earlier one and another id.
 */
const sameAs = Effect.fnUntraced(function* (by: ApiKey.ApiKey) {
  const accounts = yield* AccountStore
  // Null for a key that is gone.
  const known = new Map<ApiKey.ApiKeyId, ApiKey.ApiKey | null>([[by.id, by]])
  /** These keys, those that made them, and the makers of these. */
  const behind = Effect.fnUntraced(function* (first: ReadonlyArray<ApiKey.ApiKeyId>) {
    const found = new Map<ApiKey.ApiKeyId, ApiKey.ApiKey | null>()
    for (const waiting = [...first]; ;) {
      const id = waiting.pop()
      if (id === undefined) return found
      if (found.has(id)) continue
      const key = known.get(id) ?? (yield* accounts.keys({ id }, null))[0] ?? null
      known.set(id, key)
      found.set(id, key)
      waiting.push(...(key?.madeBy ?? []))
    }
  })
  const own = yield* behind([by.id])
  return Effect.fnUntraced(function* ({ approval, madeBy = [], owner }: Open) {
    const theirs = yield* behind(madeBy)
    // For partners the operator is a third, who may have let both in.
    const isPerson = (key: ApiKey.ApiKey | null) => key === null || key.owner._tag === owner._tag
    const names = new Set([approval.askedBy])
    for (const key of theirs.values()) {
      if (key !== null && isPerson(key)) names.add(ApiKey.nameOf(key))
    }
    return [...own].some(
      ([id, key]) =>
        isPerson(key) && (theirs.has(id) || (key !== null && names.has(ApiKey.nameOf(key)))),
    )
  })
})

/** Whether the scopes of a caller let it decide; without a key it has all of them. */
const mayDecide = (key: ApiKey.ApiKey, by: ApiKey.ApiKey | null): boolean =>
  by === null || ApiKey.scopesOf(key).every((scope) => ApiKey.scopesOf(by).includes(scope))

/** A request that waits or is approved, as somebody sees it who may decide on it or has asked for it. */
export interface Shown {
  readonly key: Open
  readonly isOwn: boolean
  readonly mayApprove: boolean
}

/** The requests that the caller may decide on, or has asked for. */
export const list = Effect.fn("Approvals.list")(function* (
  tenant: Tenant | null,
  keyId: ApiKey.ApiKeyId | null,
) {
  const { actor } = yield* Acting
  const by = keyId === null ? null : yield* Keys.get(keyId)
  const isOwn = ({ approval, person: asker }: Open) =>
    by === null
      ? asker === undefined && actor._tag === "Operator" && approval.askedBy === (actor.name ?? "")
      : asker === ApiKey.personOf(by)
  const unused = (yield* open(tenant)).filter(isUnused)
  const visible = unused.filter((key) => isOwn(key) || mayDecide(key, by))
  const isSame = by === null ? null : yield* sameAs(by)
  return yield* Effect.forEach(visible, (key) =>
    Effect.map(
      isSame === null || key.approval.approved !== undefined ? Effect.succeed(true) : isSame(key),
      (isRefused): Shown => ({ key, isOwn: isOwn(key), mayApprove: !isRefused }),
    ),
  )
})

type Decided = Result.Result<ApiKey.ApiKey, Approval.ApprovalRefused>

/** Decides on a request that the caller sees. Who tries it without the right to is recorded. */
const decide = Effect.fnUntraced(function* (
  tenant: Tenant | null,
  id: string,
  action: AuditLog.Action,
  requireMay: (
    key: Open,
  ) => Effect.Effect<void, Approval.ApprovalRefused | NotFound | StorageUnavailable, AccountStore>,
  change: (current: ApiKey.ApiKey, now: number) => Decided,
) {
  const found = yield* Effect.catchTag(Keys.get(id), "NotFound", () => NotFound.of("approval"))
  const { mode, partnerId } = whoseOf(tenant)
  const isOf = found.mode === mode && ApiKey.partnerIdOf(found) === partnerId
  if (!isOf || found.approval === undefined) return yield* NotFound.of("approval")
  const key = { ...found, approval: found.approval }
  const now = yield* Clock.currentTimeMillis
  return yield* recordChange(
    (decided: (current: ApiKey.ApiKey) => Decided) =>
      Effect.andThen(requireMay(key), Keys.modify(key.id, decided)),
    (current) => change(current, now),
    (before, after) =>
      before === after
        ? null
        : deed(action, tenant, { id: key.id, approval: after.approval ?? key.approval }),
  ).pipe(
    Effect.tapErrorTag("ApprovalRefused", () =>
      recordDeed(Effect.void, () => deed("approval.refused", tenant, key)),
    ),
  )
})

const requireScope = (key: Open, by: ApiKey.ApiKey | null) =>
  mayDecide(key, by) ? Effect.void : Effect.fail(Approval.refused.scope)

/** Lets a request of another person pass, once. */
export const approve = Effect.fn("Approvals.approve")(function* (
  tenant: Tenant | null,
  id: string,
) {
  const { key: by, name } = yield* person
  const requireOther = Effect.fnUntraced(function* (key: Open) {
    if (by === null) return yield* Approval.refused.nobody
    yield* requireScope(key, by)
    const isSame = yield* sameAs(by)
    if (yield* isSame(key)) return yield* Approval.refused.own
  })
  return yield* decide(tenant, id, "approval.approved", requireOther, (current, now) =>
    SecondPerson.approve(current, name, now),
  )
})

/** Ends a request, of another person or one's own. */
export const decline = Effect.fn("Approvals.decline")(function* (
  tenant: Tenant | null,
  id: string,
) {
  const { key: by } = yield* person
  const requireOwnOrScope = (key: Open) =>
    by !== null && key.person === ApiKey.personOf(by) ? Effect.void : requireScope(key, by)
  return yield* decide(tenant, id, "approval.declined", requireOwnOrScope, SecondPerson.decline)
})
