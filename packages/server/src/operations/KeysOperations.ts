/**
 * Keys over HTTP: of a partner, and of any kind for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Keys"
import * as OfOperator from "@florin/api/operator/Keys"
import type * as Wire from "@florin/api/wire/Key"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Version from "@florin/core/domain/ground/Version"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as PartnerKeys from "@florin/core/engine/partner/PartnerKeys"
import { AccountStore, findPartner } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as KeyView from "../views/KeyView.ts"
import * as Members from "./Members.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

const shownOnce =
  ({ doors }: Operation.PartnerCall) =>
  ({ key, replayed, text }: Effect.Success<ReturnType<typeof PartnerKeys.create>>) =>
    Operation.once({ key: KeyView.key(key), ...KeyView.secret(key, text, doors) }, replayed)

export const partner = Operation.partner(OfPartner.group, {
  create: (call, body) =>
    Effect.fromResult(KeyView.scopesAsked(body, "partner")).pipe(
      Effect.flatMap((scopes) =>
        PartnerKeys.create(call.tenant, { ...body, scopes }, call.idempotencyKey),
      ),
      Effect.map(shownOnce(call)),
    ),

  list: ({ tenant }) =>
    Effect.map(PartnerKeys.list(tenant), (keys) => ({ keys: keys.map(KeyView.key) })),

  rotate: (call, body) =>
    Effect.map(
      PartnerKeys.rotate(call.tenant, call.param("id"), body, call.idempotencyKey),
      shownOnce(call),
    ),

  revoke: ({ param, tenant }) =>
    Effect.map(PartnerKeys.revoke(tenant, param("id")), (ended) => ({
      revoked: ended.map(({ id }) => id),
    })),
})

/** The owner of a new key. */
const ownerOf = ({
  iconUrl,
  operator,
  partnerId,
  profile,
  versionPin,
  wallet,
}: Wire.IssueRequest): Result.Result<ApiKey.Owner, Invalid.InvalidInput> => {
  const owners = [partnerId, wallet, operator].filter((each) => each !== undefined)
  if (owners.length !== 1) {
    return Invalid.fail("body", "a key has one owner: name a partner, a wallet or an operator")
  }
  if (wallet !== undefined) {
    return Result.succeed({
      _tag: "Wallet",
      name: wallet,
      iconUrl: iconUrl ?? null,
      versionPin: versionPin ?? Version.newestStable,
      ...(profile !== undefined && { profile }),
    })
  }
  const ofWallets = Object.entries({ iconUrl, profile, versionPin }).find(
    ([, value]) => value !== undefined,
  )
  if (ofWallets !== undefined) return Invalid.fail(ofWallets[0], "is for a wallet's key only")
  if (operator !== undefined) return Result.succeed({ _tag: "Operator", name: operator })
  return Result.map(Read.partnerId(partnerId ?? ""), (id) => ({ _tag: "Partner", partnerId: id }))
}

/** When a key expires, in epoch milliseconds; null if never. */
const endOf = (text: string | null): Result.Result<number | null, Invalid.InvalidInput> =>
  text === null ? Result.succeed(null) : Read.time("validUntil", text)

/** The key in the path. */
const keyOf = ({ param }: Operation.OperatorCall) => Keys.get(param("keyId"))

/** An operator's key cannot make or replace one that may do more than itself. */
const requireAsStrong = (
  { caller }: Operation.OperatorCall,
  owner: ApiKey.Owner,
  scopes: ReadonlyArray<ApiKey.Scope>,
) =>
  owner._tag !== "Operator" || scopes.every((each) => caller.scopes.includes(each))
    ? Effect.void
    : Effect.fail(
        new ApiKey.KeyTooStrong({
          message: `a key cannot create one that may do more: yours has the scopes ${caller.scopes.join(", ")}`,
        }),
      )

/** Whether a key is for the operator's or a partner's people. Programs of others outlive who let them in. */
const isOfPeople = ({ _tag }: ApiKey.Owner, use: ApiKey.Use | undefined): boolean =>
  use !== undefined || _tag === "Operator"

const unveiled = ({ doors }: Operation.OperatorCall, { record, text }: ApiKey.Issued) => ({
  key: KeyView.owned(record),
  ...KeyView.secret(record, text, doors),
})

export const operator = Operation.operator(OfOperator.group, {
  issue: Effect.fnUntraced(function* (call, body) {
    const { from, mode = null, use, validUntil = null } = body
    const owner = yield* Effect.fromResult(ownerOf(body))
    const expiresAt = yield* Effect.fromResult(endOf(validUntil))
    const scopes = yield* Effect.fromResult(KeyView.scopesAsked(body, ApiKey.kindOf(owner)))
    if (owner._tag === "Partner") yield* findPartner(yield* AccountStore, owner.partnerId)
    yield* requireAsStrong(call, owner, scopes ?? [])
    const issued = yield* Keys.issue({
      mode,
      owner,
      name: body.name ?? (owner._tag === "Partner" ? owner.partnerId : owner.name),
      expiresAt,
      ...Members.given({ scopes, from, use }),
      // Whoever revokes a person's session also ends what came of it, and what a person makes counts as that person.
      ...(isOfPeople(owner, use) && call.keyId !== null && { madeBy: [call.keyId] }),
    })
    return unveiled(call, issued)
  }),

  list: Effect.fnUntraced(function* ({ query: { partnerId } }) {
    const accounts = yield* AccountStore
    const owners =
      partnerId === undefined
        ? [...(yield* accounts.partners(null)).map(({ id }) => id), null]
        : [yield* Effect.fromResult(Read.partnerId(partnerId))]
    const keys = yield* Effect.forEach(owners, (id) => Keys.list(id))
    return { keys: keys.flat().map(KeyView.owned) }
  }),

  change: Effect.fnUntraced(function* (call, { iconUrl, wallet: name }) {
    const { id } = yield* keyOf(call)
    return KeyView.owned(yield* Keys.changeWallet(id, { name, iconUrl }))
  }),

  rotate: Effect.fnUntraced(function* (call, { validUntil = null }) {
    const key = yield* keyOf(call)
    yield* requireAsStrong(call, key.owner, ApiKey.scopesOf(key))
    const expiresAt = yield* Effect.fromResult(endOf(validUntil))
    const by =
      isOfPeople(key.owner, key.use) && call.keyId !== null
        ? yield* Keys.get(call.keyId)
        : undefined
    const issued = yield* Keys.rotate(key.id, expiresAt, by).pipe(
      Effect.catchTag("InvalidApiKey", ({ reason }) =>
        Effect.fail(
          new PartnerKeys.KeyEnded({
            message: `the key is ${reason} already, and only a valid key can be rotated: create another one`,
          }),
        ),
      ),
    )
    return unveiled(call, issued)
  }),

  revoke: Effect.fnUntraced(function* (call) {
    const { id } = yield* keyOf(call)
    const { ends, revoked } = yield* Keys.revoke(id)
    return { revoked: [revoked, ...ends].map((each) => each.id) }
  }),
})
