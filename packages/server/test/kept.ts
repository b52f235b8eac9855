/**
 * What the service keeps, so that a test can show that nothing was written.
 *
 * @module
 */
import { AccountStore } from "@florin/core/ports/AccountStore"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import * as Stores from "@florin/testing/Stores"
import { Effect } from "effect"
import type * as Scene from "./scene.ts"

/** Everything stored about both partners, in both modes. */
export const of = Effect.fnUntraced(function* ({ other, own }: Scene.Scene) {
  const accounts = yield* AccountStore
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const audit = yield* AuditStore
  const tenants = [own, other].flatMap(({ partner }) => [
    { partnerId: partner.id, mode: "test" } as const,
    { partnerId: partner.id, mode: "live" } as const,
  ])
  return yield* Effect.forEach(tenants, (tenant) =>
    Effect.gen(function* () {
      const { items } = yield* accounts.merchants(tenant, {}, { after: null, limit: 1000 })
      return {
        merchants: items,
        destinations: yield* Effect.forEach(items, ({ id }) => Stores.destinationsOf(accounts, id)),
        events: yield* outbox.events(tenant, 0, 10_000),
        webhooks: yield* outbox.endpoints(tenant),
        keys: (yield* accounts.keys(tenant.partnerId, null)).map((key) =>
          Object.assign({}, key, { lastUsedAt: null }),
        ),
        audit: yield* audit.entries(tenant, { after: null, limit: 10_000 }),
        balances: yield* ledger.balances(tenant.mode, null),
      }
    }),
  )
})
