/**
 * API keys as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Key"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Role from "@florin/core/domain/partner/Role"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Doors from "../edge/Doors.ts"
import * as TimeView from "./TimeView.ts"

const isOfPartners = Schema.is(ApiKey.PartnerScope)

const shown = <S extends ApiKey.Scope>(record: ApiKey.ApiKey, scopes: ReadonlyArray<S>) => ({
  id: record.id,
  hint: record.hint,
  name: record.name,
  scopes,
  from: record.from ?? null,
  createdAt: TimeView.iso(record.createdAt),
  lastUsedAt: TimeView.isoOrNull(record.lastUsedAt),
  validUntil: TimeView.isoOrNull(ApiKey.endOf(record)),
  successor: record.rotation?.to ?? null,
  madeBy: record.madeBy?.at(-1) ?? null,
  use: record.use === undefined || record.use === "approval" ? null : record.use,
})

export const key = (record: ApiKey.ApiKey): Wire.Key =>
  shown(record, ApiKey.scopesOf(record).filter(isOfPartners))

/** A key of any kind, for the operator. */
export const owned = (record: ApiKey.ApiKey): Wire.OwnedKey => {
  const { mode, owner, revokedAt } = record
  const wallet = owner._tag === "Wallet" ? owner : null
  return {
    ...shown(record, ApiKey.scopesOf(record)),
    mode,
    owner: {
      partnerId: owner._tag === "Partner" ? owner.partnerId : null,
      wallet: wallet?.name ?? null,
      operator: owner._tag === "Operator" ? owner.name : null,
      iconUrl: wallet?.iconUrl ?? null,
      versionPin: wallet?.versionPin ?? null,
      profile: wallet?.profile ?? null,
    },
    revokedAt: TimeView.isoOrNull(revokedAt),
  }
}

/** The text of a new key, and the link that signs a person in if that is what it is for. */
export const secret = (
  { owner, use }: ApiKey.ApiKey,
  text: string,
  doors: Doors.Doors,
): Pick<Wire.WithSecret, "link" | "secret"> => {
  const face = owner._tag === "Operator" ? "operator" : "partner"
  const link = use === "sign_in" ? doors[face].link(text) : null
  return { secret: text, ...(link !== null && { link }) }
}

/** The scopes that a request names, or those of the role that it names. */
export const scopesAsked = <S extends ApiKey.Scope>(
  { role, scopes }: { readonly role?: Role.Role; readonly scopes?: ReadonlyArray<S> },
  kind: ApiKey.Kind,
): Result.Result<ReadonlyArray<ApiKey.Scope> | undefined, Invalid.InvalidInput> => {
  if (role === undefined) return Result.succeed(scopes)
  if (scopes !== undefined) return Invalid.fail("role", "must be absent if scopes are named")
  return kind === "wallet"
    ? Invalid.fail("role", "must be absent: a wallet's key has no role")
    : Result.succeed(Role.scopesOf(role, kind))
}
