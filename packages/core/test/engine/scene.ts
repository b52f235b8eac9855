/**
 * The ground of the engine's tests: a service in memory, and a partner with one merchant whose time is the fixtures'.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import type * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import * as Payments from "@florin/core/engine/payment/Payments"
import { AccountStore, type Tenant } from "@florin/core/ports/AccountStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import * as Scene from "@florin/testing/storage/Scene"
import * as Stores from "@florin/testing/Stores"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

export const now = Fixtures.now
export const { reportChange, failsWith } = Scene

/** The first of several: a test that needs it fails without it. */
export const first = <A>(items: ReadonlyArray<A>): A => {
  const [item] = items
  if (item === undefined) throw new Error("there is none")
  return item
}

type Ports = Layer.Success<ReturnType<typeof Service.layer>>

/** One of several calls that end alike. */
export type Call = Effect.Effect<
  unknown,
  { readonly _tag: string; readonly message: string },
  Ports
>

/** The fields that a call is refused for; the tag of any other refusal. */
export const issuesOf = <A, R>(
  call: Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>,
) =>
  Effect.map(Effect.flip(call), (error) =>
    error instanceof Invalid.InvalidInput ? error.issues.map((each) => each.field) : [error._tag],
  )

/** A test in a service of its own. */
export const alone =
  <A, E>(body: Effect.Effect<A, E, Ports>) =>
  () =>
    body.pipe(Effect.provide(Service.layer()))

export const request: PaymentRequest.Request = {
  referenceId: "order 1",
  amount: { unit: "iso4217/USD", value: "1000" },
}

export const begin = Effect.gen(function* () {
  yield* TestClock.setTime(now)
  const scene = yield* Scene.begin
  const { accounts, work, outbox, world } = scene
  const { tenant } = world
  const partner = world.partner()

  const addMerchant = Effect.fnUntraced(function* (overrides: Partial<Merchant.Merchant> = {}) {
    const merchant = world.merchant(overrides)
    yield* accounts.addMerchant(merchant)
    return merchant
  })
  const shop = yield* addMerchant({ id: world.merchantId, name: "Shop" })

  const pay = (input: Partial<Payments.Create> = {}) =>
    Payments.create({ partner, mode: tenant.mode, merchantId: shop.id, request, ...input })

  /** Everything that a refused call could have left behind, of every tenant. */
  const traces = Effect.gen(function* () {
    const tenants = [world.tenant, world.live, world.other, world.otherLive]
    const events = yield* Effect.forEach(tenants, (each) => outbox.events(each, 0, 10_000))
    const merchants = yield* Effect.forEach(tenants, (each) =>
      accounts.merchants(each, {}, { after: null, limit: 200 }),
    )
    return {
      events: events.flat().map((each) => each.event),
      merchants: merchants.flatMap((each) => each.items),
      destinations: yield* Stores.destinationsOf(accounts, shop.id),
      expireAt: yield* work.nextDueAt("expire"),
      refundAt: yield* work.nextDueAt("send"),
    }
  })

  return { ...scene, tenant, partner, shop, addMerchant, pay, traces }
})

export type Begun = Effect.Success<typeof begin>

/** Everybody who must not see an object of the scene's tenant and shop. */
export const strangers = Effect.fnUntraced(function* (scene: Begun) {
  const { addMerchant, world } = scene
  const sibling = yield* addMerchant({ name: "Sibling" })
  const asMerchant = (who: string, tenant: Tenant, merchantId: string | undefined) => ({
    who,
    tenant,
    merchantId,
  })
  return [
    asMerchant("another merchant", world.tenant, sibling.id),
    asMerchant("a malformed merchant", world.tenant, "mrch_"),
    asMerchant("an unknown merchant", world.tenant, "mrch_nobody"),
    asMerchant("the other mode", world.live, undefined),
    asMerchant("the other mode, with the merchant", world.live, scene.shop.id),
    asMerchant("another partner", world.other, undefined),
    asMerchant("another partner, with the merchant", world.other, scene.shop.id),
    asMerchant("another partner's other mode", world.otherLive, undefined),
  ]
})

/** What a call needs of the storage, counted. */
export const counting = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const counts = { findMerchants: 0 }
  const counted = AccountStore.of({
    ...accounts,
    findMerchants: (...args) => {
      counts.findMerchants += 1
      return accounts.findMerchants(...args)
    },
  })
  return { accounts: counted, counts }
})

/** USDC on Base and on Arbitrum, and EURC on Base, as partners write them. */
export const assets = {
  base: "eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  arbitrum: "eip155:42161/erc20:0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
} as const

export const accountOn = (chainId: number, address: Caip.Address | string): string =>
  `eip155:${chainId}:${address}`
