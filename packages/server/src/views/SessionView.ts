/**
 * A session as the wire shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Session"
import type * as Seal from "@florin/core/domain/ground/Seal"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as CsrfToken from "@florin/core/domain/partner/CsrfToken"
import * as Role from "@florin/core/domain/partner/Role"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as TimeView from "./TimeView.ts"

/** A caller that can have a session. */
export type Person = Keys.Operator | Extract<Keys.KeyHolder, { readonly _tag: "Partner" }>

export const session = (
  key: ApiKey.ApiKey,
  caller: Person,
  sealKey: Seal.SealKeys,
): Wire.Session => {
  const { expiresAt, id, mode } = key
  const face = caller._tag === "Partner" ? "partner" : "operator"
  const scopes = ApiKey.scopesOf(key)
  return {
    id,
    face,
    mode,
    scopes,
    role: Role.of(scopes, face),
    person: ApiKey.nameOf(key),
    partner:
      caller._tag === "Partner" ? { id: caller.partner.id, name: caller.partner.name } : null,
    csrfToken: CsrfToken.issue(id, sealKey),
    validUntil: TimeView.iso(expiresAt ?? 0),
    apiVersion: Keys.versionPin(caller),
  }
}

export const passkey = (key: ApiKey.ApiKey): Wire.Passkey => ({
  id: key.id,
  name: key.passkey?.label ?? key.name,
  isShared: key.passkey?.isShared ?? false,
  createdAt: TimeView.iso(key.createdAt),
  lastUsedAt: TimeView.isoOrNull(key.lastUsedAt),
})
