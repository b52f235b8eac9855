/**
 * Outflows as they are listed: the partner's payouts, which carry shares of payments, and all of them for the operator.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Mode from "../../domain/ground/Mode.ts"
import * as OutflowId from "../../domain/ground/OutflowId.ts"
import * as Page from "../../domain/list/Page.ts"
import * as Payout from "../../domain/list/Payout.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { Assets } from "../../ports/Assets.ts"
import { OutflowStore } from "../../ports/OutflowStore.ts"
import { Settings } from "../../ports/Settings.ts"
import { idReader, NotFound } from "../../ports/StorageError.ts"

/** A page of the payouts of a partner, or of all outflows, newest first. */
export const list = Effect.fn("Payouts.list")(function* (owner: Payout.Owner, raw: Payout.Raw) {
  const { sealKey: key } = yield* Settings
  const { after, filter, limit } = yield* Effect.fromResult(
    Payout.parse(raw, { key, scope: owner, catalog: yield* Assets }),
  )
  if (filter === null) return { items: [], nextCursor: null }
  const store = yield* OutflowStore
  const modes = owner.mode === null ? Mode.Mode.literals : [owner.mode]
  const pages = yield* Effect.forEach(modes, (mode) =>
    store.outflows({ partnerId: owner.partnerId, mode }, filter, { after, limit }),
  )
  const found = pages
    .flatMap(({ items }) => items)
    .toSorted((left, right) => Payout.compare(left.payout, right.payout))
  const { hasMore, items } = Page.cut(found, limit)
  const page = { items, hasMore: hasMore || pages.some((each) => each.hasMore) }
  return {
    items,
    nextCursor: Page.nextCursor(page, ({ payout }) => Payout.encodeCursor(key, owner, raw, payout)),
  }
})

const readId = idReader("payout", OutflowId.OutflowId)

/** A payout of the tenant. Other outflows are not payouts, and look as if they did not exist. */
export const get = Effect.fn("Payouts.get")(function* (tenant: Tenant, id: string) {
  const outflowId = yield* Effect.fromResult(readId(id))
  const [outflow] = yield* (yield* OutflowStore).outflowsById([outflowId])
  return outflow !== undefined && Payout.isPayout(outflow) && Payout.passes(outflow, tenant, {})
    ? outflow
    : yield* NotFound.of("payout")
})
