/**
 * Lists of payouts, by tenant, merchant and state, and page by page, as `Payout` defines them.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Payout from "@florin/core/domain/list/Payout"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import type { Page } from "@florin/core/ports/AccountStore"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import { begin, type It, range, type Scene } from "./Scene.ts"

const { now } = Fixtures

/** Payouts of every state, some created at the same time, for one, two or three merchants. */
const some = Effect.fnUntraced(function* (scene: Scene, partnerId: PartnerId.PartnerId) {
  const { put, world } = scene
  const merchants = range(3).map(() => MerchantId.MerchantId.make(`mrch_${world.next()}`))
  const made: Array<Payout.Payout> = []
  for (const index of range(24)) {
    const shares = merchants.slice(0, 1 + (index % 3)).map((merchantId) => ({
      paymentId: PaymentId.PaymentId.make(`pay_${world.next()}`),
      merchantId,
      quantity: Fixtures.quantity(1n),
      netted: Fixtures.quantity(0n),
    }))
    const waiting = Outflow.make(
      {
        id: world.outflowId(),
        partnerId,
        mode: index === 7 ? "live" : "test",
        movement: {
          token: world.token,
          from: world.payTo,
          to: world.destinationAccount.address,
          quantity: Fixtures.quantity(3n),
        },
        purpose: { _tag: "Settle", shares },
      },
      now + Math.floor(index / 2),
    )
    yield* put({
      payments: [],
      outflows: [{ outflow: waiting, ledger: [], claims: [], due: {} }],
    })
    const held = Outflow.hold(waiting, { reason: "blocked", code: "payee" }, now)
    const cancelled = Outflow.cancel(waiting, now)
    const outflow = [waiting, held, cancelled][index % 5] ?? waiting
    if (outflow !== waiting) {
      yield* put({ payments: [], outflows: [{ outflow, ledger: [], claims: [], due: {} }] })
    }
    if (Payout.isPayout(outflow)) made.push(outflow)
  }
  return { made, merchants }
})

export const payoutRules = (it: It): void => {
  it.effect("are listed as the domain defines, by every filter, complete and in pages", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, world } = scene
      const own = yield* some(scene, world.tenant.partnerId)
      const other = yield* some(scene, world.other.partnerId)
      const [merchant] = own.merchants
      const [foreign] = other.merchants
      if (merchant === undefined || foreign === undefined) return assert.fail("no merchants")
      const times = [{}, { createdFrom: now + 3 }, { createdFrom: now + 2, createdBefore: now + 9 }]
      const merchantIds = [undefined, ...own.merchants, foreign]
      const filters = merchantIds.flatMap((merchantId) =>
        [undefined, ...OutflowState.statuses].flatMap((status) =>
          times.map((time): Payout.Filter =>
            Object.assign(
              {},
              time,
              merchantId === undefined ? {} : { merchantId },
              status === undefined ? {} : { status },
            ),
          ),
        ),
      )
      for (const tenant of [world.tenant, { ...world.tenant, mode: "live" } as const]) {
        for (const filter of filters) {
          const expected = own.made
            .filter((each) => Payout.passes(each, tenant, filter))
            .toSorted(Payout.compare)
            .map(Payout.toListed)
          const all = yield* outflows.outflows(tenant, filter, { after: null, limit: 100 })
          assert.deepStrictEqual(all, { items: expected, hasMore: false })
        }
      }
      for (const filter of [{}, { merchantId: merchant }, { status: "waiting" } as const]) {
        const expected = yield* outflows.outflows(world.tenant, filter, { after: null, limit: 100 })
        const paged: Array<Payout.Listed> = []
        for (let after: Payout.Position | null = null; ;) {
          const page: Page<Payout.Listed> = yield* outflows.outflows(world.tenant, filter, {
            after,
            limit: 5,
          })
          paged.push(...page.items)
          after = page.items.at(-1)?.payout ?? null
          if (!page.hasMore) break
          assert.strictEqual(page.items.length, 5)
        }
        assert.deepStrictEqual(paged, expected.items)
      }
    }),
  )

  it.effect("are listed with all outgoing transfers for the operator, by every filter", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { outflows, walk, world } = scene
      const { made, merchants } = yield* some(scene, world.tenant.partnerId)
      const everything: Payout.Scope = { partnerId: null, mode: "test" }
      const statuses = [Payout.open, ...OutflowState.statuses]
      const filters = merchants.flatMap((merchantId) =>
        statuses.map((status): Payout.Filter => ({ merchantId, status })),
      )
      for (const filter of filters) {
        const expected = made
          .filter((each) => Payout.passes(each, everything, filter))
          .toSorted(Payout.compare)
          .map(Payout.toListed)
        const { items } = yield* outflows.outflows(everything, filter, { after: null, limit: 100 })
        assert.deepStrictEqual(items, expected)
      }
      const path = world.path("refunded")
      yield* walk(path)
      const { outflow } = Fixtures.statesAfter(path)
      if (outflow === null) return assert.fail("nothing was refunded")
      const { chainId } = world.token
      const of = { token: world.token, chainId, purpose: "refund" } as const
      const elsewhere = { ...of, chainId: Caip.ChainId.make("eip155:999999") }
      const none = yield* outflows.outflows(everything, elsewhere, { after: null, limit: 100 })
      assert.deepStrictEqual(none.items, [])
      const found: Array<Payout.Listed> = []
      for (let after: Payout.Position | null = null; ;) {
        const page: Page<Payout.Listed> = yield* outflows.outflows(everything, of, {
          after,
          limit: 100,
        })
        found.push(...page.items)
        after = page.items.at(-1)?.payout ?? null
        if (!page.hasMore) break
      }
      assert.isTrue(found.every((each) => Payout.passes(each.payout, everything, of)))
      assert.deepInclude(found, Payout.toListed(outflow))
    }),
  )

  it.effect("do not include other outgoing transfers for their partner", () =>
    Effect.gen(function* () {
      const { outflows, walk, world } = yield* begin
      yield* walk(world.path("refunded"))
      const path = world.path("settled")
      yield* walk(path)
      const { outflow } = Fixtures.statesAfter(path)
      const { items } = yield* outflows.outflows(world.tenant, {}, { after: null, limit: 100 })
      assert.deepStrictEqual(
        items.map(({ payout: { id }, shareCount }) => [id, shareCount]),
        [[outflow?.id, 1]],
      )
    }),
  )
}
