/**
 * Requests that wait for a second person, as subjects of calls.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Approvals from "@florin/core/engine/partner/Approvals"
import * as Keys from "@florin/core/engine/partner/Keys"
import type { Tenant } from "@florin/core/ports/AccountStore"
import { Acting } from "@florin/core/ports/AuditStore"
import { Effect } from "effect"

/** A request of Bob, who has a key of his own; returns its id. */
export const waiting = Effect.fnUntraced(function* (
  tenant: Tenant | null,
  scope: ApiKey.Scope,
  body: string,
) {
  const { record } = yield* Keys.issue({
    mode: tenant?.mode ?? null,
    owner:
      tenant === null
        ? { _tag: "Operator", name: "Bob" }
        : { _tag: "Partner", partnerId: tenant.partnerId },
    name: "Bob",
    scopes: [...new Set<ApiKey.Scope>(["read", scope])],
    expiresAt: null,
  })
  const asked = Approvals.require({
    operation: tenant === null ? "operator.float.withdraw" : "settlements.change",
    does: "Change something",
    method: "PUT",
    path: "/v1/something",
    tenant,
    scope,
    merchantId: undefined,
    body: { about: body },
    idempotencyKey: undefined,
  }).pipe(
    Effect.provideService(Acting, {
      actor: { _tag: "Key", keyId: record.id },
      requestId: null,
    }),
  )
  const refusal = yield* Effect.flip(asked)
  return refusal._tag === "ApprovalRequired" ? refusal.id : assert.fail(refusal.message)
}, Effect.orDie)
