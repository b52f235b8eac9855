import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Settlements from "@florin/core/engine/books/Settlements"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const { play, tokens, treasury } = Scene
const token = tokens.eip3009
const had = 1_000_000_000_000n

/** A merchant that registered nothing yet. */
const shopOf = Effect.fnUntraced(function* ({ accounts, fixtures }: Scene.World) {
  const merchant = fixtures.merchant()
  yield* accounts.addMerchant(merchant)
  return merchant.id
})

const register = ({ tenant }: Scene.World, merchantId: string) =>
  Settlements.create({
    tenant,
    merchantId,
    settlements: [
      {
        asset: Eip155.formatToken(token),
        destination: Eip155.formatAccount(treasury.account(token.chainId)),
      },
    ],
    idempotencyKey: "once",
  })

const tagsOf = (world: Scene.World, ids: ReadonlyArray<PaymentId.PaymentId>) =>
  Effect.map(
    Effect.forEach(ids, world.succeeded),
    (all) => new Set(all.map(({ share }) => share.status)),
  )

describe("shares that are owed without a destination", () => {
  it.effect(
    "are paid once a destination is registered, and no worker looks at them before",
    play((world) =>
      Effect.gen(function* () {
        const shop = yield* shopOf(world)
        const paid = yield* Effect.forEach([1, 2, 3], () => world.pay(token, Scene.payer, {}, shop))
        const ids = paid.map(({ id }) => id)
        yield* world.finish
        assert.deepStrictEqual(yield* tagsOf(world, ids), new Set(["waiting"]))
        assert.isNull(yield* world.nextDueAt)
        yield* register(world, shop)
        yield* world.finish
        assert.deepStrictEqual(yield* tagsOf(world, ids), new Set(["paid"]))
        const nets = yield* Effect.forEach(ids, world.succeeded)
        assert.strictEqual(
          (yield* world.chain.balanceOf(token, treasury.address)) - had,
          nets.reduce((sum, { charge }) => sum + charge.net, 0n),
        )
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "are released in bounded parts, however many there are",
    play((world) =>
      Effect.gen(function* () {
        const shop = yield* shopOf(world)
        const count = 2 * Limits.sharesPerOutflowMax + 50
        const ids = yield* Effect.forEach(Array.from({ length: count }), () =>
          Effect.gen(function* () {
            const path = world.fixtures.path(
              "owed",
              { merchantId: shop },
              { token, account: Scene.payer.account(token.chainId) },
            )
            for (const write of path) {
              yield* Fixtures.store({ ...world.payments, ...world.outflows }, write)
            }
            return Fixtures.paymentAfter(path).id
          }),
        )
        yield* Payer.drain
        yield* register(world, shop)
        let most = 0
        const { outflows } = world
        const counting = OutflowStore.of({
          ...outflows,
          modify: (subjects, decide, lease) => {
            most = Math.max(most, subjects.payments.length)
            return outflows.modify(subjects, decide, lease)
          },
        })
        yield* Effect.provideService(Payer.drain, OutflowStore, counting)
        assert.deepStrictEqual(yield* tagsOf(world, ids), new Set(["processing"]))
        assert.isAtMost(most, Limits.sharesPerOutflowMax)
      }),
    ),
  )

  it.effect(
    "are paid if the destination was registered while the payment succeeded",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.pay(token)
        // What is read does not show yet what is being written.
        const accounts = AccountStore.of({
          ...world.accounts,
          destinations: () => Effect.succeed([]),
        })
        const isThere = Effect.map(
          Effect.orDie(world.get(id)),
          ({ state }) => state._tag === "Succeeded",
        )
        yield* world.live(Effect.provideService(Collector.drain, AccountStore, accounts), isThere)
        assert.deepStrictEqual(yield* tagsOf(world, [id]), new Set(["waiting"]))
        yield* world.finish
        assert.deepStrictEqual(yield* tagsOf(world, [id]), new Set(["paid"]))
        yield* world.audit
      }),
    ),
  )
})
