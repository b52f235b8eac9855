/**
 * API keys as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Key"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Schema from "effect/Schema"
import * as TimeView from "./TimeView.ts"

const isoOrNull = (at: number | null): string | null => (at === null ? null : TimeView.iso(at))

const isOfPartners = Schema.is(ApiKey.PartnerScope)

const shown = <S extends ApiKey.Scope>(record: ApiKey.ApiKey, scopes: ReadonlyArray<S>) => ({
  id: record.id,
  hint: record.hint,
  name: record.name,
  scopes,
  from: record.from ?? null,
  createdAt: TimeView.iso(record.createdAt),
  lastUsedAt: isoOrNull(record.lastUsedAt),
  validUntil: isoOrNull(ApiKey.endOf(record)),
  successor: record.rotation?.to ?? null,
  madeBy: record.madeBy?.at(-1) ?? null,
})

export const key = (record: ApiKey.ApiKey): Wire.Key => ({
  ...shown(record, ApiKey.scopesOf(record).filter(isOfPartners)),
})

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
    revokedAt: isoOrNull(revokedAt),
  }
}
