/**
 * The partner's payouts: listed, or read with the payment shares that they carry.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as OutflowId from "../domain/ground/OutflowId.ts"
import * as Payout from "../domain/list/Payout.ts"
import type { Tenant } from "../ports/AccountStore.ts"
import { Assets } from "../ports/Assets.ts"
import { OutflowStore } from "../ports/OutflowStore.ts"
import { Settings } from "../ports/Settings.ts"
import { NotFound } from "../ports/StorageError.ts"

/** A page of payouts, newest first. */
export const list = Effect.fn("Payouts.list")(function* (tenant: Tenant, raw: Payout.Raw) {
  const { sealKey: key } = yield* Settings
  const { after, filter, limit } = yield* Effect.fromResult(
    Payout.parse(raw, { key, scope: tenant, catalog: yield* Assets }),
  )
  if (filter === null) return { items: [], nextCursor: null }
  const { hasMore, items } = yield* (yield* OutflowStore).payouts(tenant, filter, { after, limit })
  const last = items.at(-1)
  return {
    items,
    nextCursor:
      hasMore && last !== undefined ? Payout.encodeCursor(key, tenant, raw, last.payout) : null,
  }
})

const isOutflowId = Schema.is(OutflowId.OutflowId)

/** A payout of the tenant. Other outflows are not payouts, and look as if they did not exist. */
export const get = Effect.fn("Payouts.get")(function* (tenant: Tenant, id: string) {
  if (!isOutflowId(id)) return yield* NotFound.of("payout")
  const outflow = yield* (yield* OutflowStore)
    .outflow(id)
    .pipe(Effect.catchTag("NotFound", () => Effect.fail(NotFound.of("payout"))))
  return Payout.isPayout(outflow) && Payout.passes(outflow, tenant, {})
    ? outflow
    : yield* NotFound.of("payout")
})
