/**
 * API keys as the wire shows them.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Key"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as TimeView from "./TimeView.ts"

const isoOrNull = (at: number | null): string | null => (at === null ? null : TimeView.iso(at))

export const key = (record: ApiKey.ApiKey): Wire.Key => ({
  id: record.id,
  hint: record.hint,
  name: record.name,
  scopes: ApiKey.scopesOf(record),
  from: record.from ?? null,
  createdAt: TimeView.iso(record.createdAt),
  lastUsedAt: isoOrNull(record.lastUsedAt),
  validUntil: isoOrNull(ApiKey.endOf(record)),
  successor: record.rotation?.to ?? null,
  madeBy: record.madeBy?.at(-1) ?? null,
})
