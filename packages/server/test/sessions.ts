/**
 * Sessions of the console, as a browser has them: a cookie, and the token that its page sends.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as CsrfToken from "@florin/core/domain/partner/CsrfToken"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Settings } from "@florin/core/ports/Settings"
import { Clock, Effect, Result } from "effect"
import type * as Scene from "./scene.ts"

/** The cookies of the two sides: `publicUrl` is HTTPS, and the address of the operator's port is not known. */
export const cookieOf = {
  partner: "__Host-florin-partner",
  operator: "florin-operator",
} as const

export interface Session {
  readonly id: ApiKey.ApiKeyId
  readonly text: string
  readonly csrfToken: string
}

/** Any key as if it were a session's, with a token that is sealed for it. */
export const ofKey = (id: ApiKey.ApiKeyId, text: string) =>
  Effect.map(Settings, ({ sealKey }): Session => ({
    id,
    text,
    csrfToken: CsrfToken.issue(id, sealKey),
  }))

/** Sets until when a session may move money. */
export const setFresh = Effect.fnUntraced(function* (id: ApiKey.ApiKeyId, freshUntil: number) {
  yield* (yield* AccountStore).modifyKey(id, (key) =>
    Result.succeed({ result: undefined, keys: [{ ...key, freshUntil }] }),
  )
}, Effect.orDie)

const issue = Effect.fnUntraced(function* (
  { isFresh = true, lastsInMs = 10 * 60_000, use = "session", ...asked }: Asked,
  owned: Pick<Parameters<typeof Keys.issue>[0], "mode" | "owner" | "scopes">,
) {
  const expiresAt = (yield* Clock.currentTimeMillis) + lastsInMs
  const { record, text } = yield* Effect.orDie(
    Keys.issue({ name: "Ada", ...owned, ...asked, use, expiresAt }),
  )
  if (use === "session" && isFresh) yield* setFresh(record.id, expiresAt)
  return yield* ofKey(record.id, text)
})

interface Asked {
  readonly scopes?: ReadonlyArray<ApiKey.Scope>
  readonly lastsInMs?: number
  readonly use?: ApiKey.Use
  /** Whether it may move money. */
  readonly isFresh?: boolean
}

/** A session of a partner's person. */
export const ofPartner = ({ partner }: Pick<Scene.Scene["own"], "partner">, asked: Asked = {}) =>
  issue(asked, {
    mode: "test",
    owner: { _tag: "Partner", partnerId: partner.id },
    scopes: ApiKey.PartnerScope.literals,
  })

/** A session of the operator's person. */
export const ofOperator = (asked: Asked = {}) =>
  issue(asked, {
    mode: null,
    owner: { _tag: "Operator", name: "Ada" },
    scopes: ApiKey.OperatorScope.literals,
  })

/** What a browser sends from the console's own page. */
export const headersOf = (
  face: keyof typeof cookieOf,
  { csrfToken, text }: Session,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  Cookie: `${cookieOf[face]}=${text}`,
  "Csrf-Token": csrfToken,
  "Sec-Fetch-Site": "same-origin",
  ...more,
})
