/**
 * Names that resemble each other, and merchants that wait for the operator.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import { findMerchant } from "@florin/core/ports/AccountStore"
import { AuditStore } from "@florin/core/ports/AuditStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Fixtures from "../Fixtures.ts"
import * as Stores from "../Stores.ts"
import { atOnce, begin, type It, range, type Scene, timeout } from "./Scene.ts"

const { now } = Fixtures

/** Any function will do: a storage only stores the likenesses that it is given. */
const likenessesOf = (name: string): ReadonlyArray<string> => [
  name.toLowerCase(),
  name.replaceAll("I", "l"),
]

const add = ({ accounts }: Scene, merchants: ReadonlyArray<Merchant.Merchant>) =>
  Effect.forEach(merchants, accounts.addMerchant, { discard: true })

const most = 1000

/** Names that no other test uses, even if it shares the storage. */
const naming = ({ accounts, world }: Scene) => {
  const own = world.tenant.partnerId
  return {
    named: (name: string): string => `${name} ${own.slice(-20)}`,
    find: (partnerId: PartnerId.PartnerId, likenesses: ReadonlyArray<string>, limit = most) =>
      accounts.namesakes({ partnerId, likenesses }, limit),
  }
}

const of = ({ id, name, partnerId }: Merchant.Merchant) => ({ partnerId, merchantId: id, name })

export const namesakeRules = (it: It): void => {
  it.effect(
    "S21: finds names of other partners and their live merchants that share a likeness",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { accounts, world } = scene
        const { find, named } = naming(scene)
        const [paypal, capital] = [named("paypal"), named("PayPal")]
        const likenesses = likenessesOf(capital)
        const partner = world.partner({
          id: world.other.partnerId,
          name: named("PayPaI"),
          likenesses: likenessesOf(named("PayPaI")),
        })
        yield* Stores.putPartner(accounts, partner)
        const at = (createdAt: number, overrides: Partial<Merchant.Merchant>) =>
          world.merchant({ ...world.otherLive, createdAt: now + createdAt, ...overrides })
        const [second, first] = [
          at(2, { name: paypal, likenesses: likenessesOf(paypal) }),
          at(1, { name: capital, likenesses }),
        ]
        const others = [
          at(3, { name: named("PayPals"), likenesses: likenessesOf(named("PayPals")) }),
          at(3, { ...world.other, name: capital, likenesses }),
          at(3, { name: capital, likenesses, deletedAt: now }),
          at(3, { ...world.live, name: capital, likenesses }),
        ]
        yield* add(scene, [second, first, ...others])
        const ofPartner = { partnerId: partner.id, merchantId: null, name: partner.name }
        const all = [ofPartner, of(first), of(second)]
        const found = yield* find(world.tenant.partnerId, likenesses)
        assert.deepStrictEqual(new Set(found), new Set(all))
        assert.deepStrictEqual(found[0], ofPartner)
        assert.deepStrictEqual(yield* find(world.tenant.partnerId, likenesses), found)
        assert.lengthOf(yield* find(world.tenant.partnerId, likenesses, 2), 2)
        assert.deepStrictEqual(yield* find(partner.id, likenesses), others.slice(3).map(of))
        assert.deepStrictEqual(yield* find(world.tenant.partnerId, [named("nothing")]), [])
      }),
  )

  it.effect("S21: compares a merchant by its newest name", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const { find, named } = naming(scene)
      const merchant = world.merchant({
        ...world.otherLive,
        name: named("old"),
        likenesses: [named("old")],
      })
      yield* add(scene, [merchant])
      const { partnerId } = world.tenant
      assert.deepStrictEqual(yield* find(partnerId, [named("old")]), [of(merchant)])
      const renamed = { ...merchant, name: named("new"), likenesses: [named("new")] }
      yield* accounts.modifyMerchant(world.otherLive, merchant.id, () => Result.succeed(renamed))
      assert.deepStrictEqual(yield* find(partnerId, [named("old")]), [])
      assert.deepStrictEqual(yield* find(partnerId, [named("new")]), [of(renamed)])
    }),
  )

  it.effect(
    "S21: lets the second of two concurrent writers of one name find the first",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { accounts, world } = scene
        const audit = yield* AuditStore
        const { find, named } = naming(scene)
        for (const round of range(10)) {
          const name = named(`round ${round}`)
          const likenesses = [name]
          const found = yield* atOnce([world.live, world.otherLive], (tenant) => {
            const merchant = world.merchant({ ...tenant, name, likenesses })
            const give = Effect.gen(function* () {
              const namesakes = yield* find(tenant.partnerId, likenesses)
              yield* accounts.addMerchant(merchant)
              return namesakes.length
            })
            return audit.record(give, () => null)
          })
          assert.deepStrictEqual([...found].toSorted(), [0, 1])
        }
      }),
    timeout,
  )

  it.effect("S21: lists the merchants that wait, oldest first, of all partners", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { accounts, world } = scene
      const waiting: Merchant.Waiting = {
        since: now,
        isAlike: true,
        approved: { name: "Before", iconUrl: null },
      }
      const at = (createdAt: number, overrides: Partial<Merchant.Merchant>) =>
        world.merchant({ createdAt: now + createdAt, waiting, ...overrides })
      const [third, first, second, approved] = [
        at(3, world.live),
        at(1, world.otherLive),
        at(2, { ...world.live, waiting: { ...waiting, approved: null } }),
        at(2, world.live),
      ]
      const { waiting: _, ...free } = at(1, world.live)
      yield* add(scene, [
        third,
        first,
        second,
        approved,
        at(1, { ...world.live, deletedAt: now }),
        free,
      ])
      yield* accounts.modifyMerchant(world.live, approved.id, (current) =>
        Merchant.approve(current, approved),
      )
      const own = new Set([world.live.partnerId, world.otherLive.partnerId])
      const items = yield* accounts.findMerchants({ _tag: "Waiting", limit: most })
      assert.deepStrictEqual(
        items.filter(({ partnerId }) => own.has(partnerId)),
        [first, second, third],
      )
      const some = yield* accounts.findMerchants({ _tag: "Waiting", limit: 2 })
      assert.deepStrictEqual(some, items.slice(0, 2))
      const [, after = null] = some
      const rest = yield* accounts.findMerchants({ _tag: "Waiting", limit: most, after })
      assert.deepStrictEqual(rest, items.slice(2))
      assert.deepStrictEqual(yield* findMerchant(accounts, world.live, second.id), second)
    }),
  )
}
