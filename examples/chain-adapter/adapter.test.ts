import { assert, describe, it, vi } from "@effect/vitest"
import { makePartner, makeWallet } from "@florin/client"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import { Chain, Chains } from "@florin/core/ports/Chain"
import { createFlorin } from "@florin/server/Florin"
import * as ChainSuite from "@florin/testing/ChainSuite"
import * as NonceSuite from "@florin/testing/NonceSuite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Adapter from "./adapter.ts"
import { catalog, chainId, finalityDepth, token } from "./family.ts"
import * as Harness from "./harness.ts"
import { kit, secretKey } from "./kit.ts"
import * as Node from "./node.ts"

/** A new chain with the adapter on it. */
const begin = () => {
  const world = Node.make("beach", Date.now)
  return { world, layer: Adapter.layer({ node: world.node, secretKey: secretKey(1) }) }
}

for (const { suite } of [ChainSuite, NonceSuite]) {
  const { layer, world } = begin()
  suite("pebble", Layer.merge(layer, Harness.layer(world)), kit)
}

const collecting = kit.wallet(1).address
const merchant = kit.wallet(2).address
const payer = kit.wallet(3)
const price = 5_000_000n
const formatted = (address: Caip.Address) => Family.formatAccount(catalog, { chainId, address })

describe("one of our transfers that no block took in time", () => {
  const alone = begin()
  it.effect("is signed again, but only once final blocks are past its end", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const quantity = Money.Quantity.make(price)
      const movement: Transfer.Movement = { token, from: collecting, to: merchant, quantity }
      alone.world.fund(token.address, collecting, price)
      const lane = { chainId, sender: collecting }
      const relayed = yield* chain.sign(lane, 0, { _tag: "Send", movement })
      const look = chain.look({ movement, relayed, attempt: null })
      // The world goes by the real clock too, from when it was made: half of the time is left for a slow machine.
      alone.world.pass(Adapter.sendingLastsInS / 2)
      alone.world.mine(1 + finalityDepth)
      assert.strictEqual((yield* look)._tag, "Unseen")
      alone.world.pass(Adapter.sendingLastsInS / 2 + 1)
      alone.world.mine(finalityDepth)
      assert.strictEqual((yield* look)._tag, "Unseen")
      alone.world.mine()
      assert.strictEqual((yield* look)._tag, "Replaced")
      yield* chain.broadcast(relayed)
      alone.world.mine(1 + finalityDepth)
      assert.strictEqual((yield* look)._tag, "Replaced")
      assert.strictEqual(yield* chain.balance(token, merchant), 0n)
    }).pipe(Effect.provide(alone.layer)),
  )
})

describe("a payment on pebble", () => {
  it("is pledged by the payer, collected and paid out, over HTTP", async () => {
    const { layer: chain, world: beach } = begin()
    beach.fund(token.address, payer.address, price)
    const florin = createFlorin({
      payLinkHost: "pay.example",
      pages: false,
      chains: Layer.provide(Chains.layerShared, chain),
    })
    await florin.workers.start()
    const service = {
      baseUrl: "https://api.example",
      fetch: (url: string, init: RequestInit) => florin.handler(new Request(url, init)),
    }
    const { id: partnerId } = await florin.operator.partners.create({ name: "Corner Payments" })
    const shopKey = await florin.operator.keys.issue({ mode: "test", name: "shop", partnerId })
    const walletKey = await florin.operator.keys.issue({ mode: "test", wallet: "Wallet" })
    const shop = makePartner({ ...service, apiKey: shopKey.secret })
    const wallet = makeWallet({ ...service, apiKey: walletKey.secret })

    const { merchant: door } = await shop.merchants.create({
      merchantName: "Blue Door",
      merchantEmail: "till@door.example",
    })
    await shop.settlements.create(door.id, {
      settlements: [
        {
          asset: Family.formatToken(catalog, token),
          destination: formatted(merchant),
        },
      ],
    })
    const { paymentId } = await shop.payments.create({
      merchantId: door.id,
      referenceId: "ORDER-7",
      amount: { unit: "iso4217/USD", value: "500" },
    })

    const { options } = await wallet.options(paymentId, { accounts: [formatted(payer.address)] })
    assert.lengthOf(options ?? [], 1)
    const optionId = options?.[0]?.id ?? ""
    const { actions } = await wallet.fetch(paymentId, { optionId, data: "" })
    const steps = actions.map(({ data: { method, params } }) => ({
      _tag: "WalletRpc" as const,
      chainId,
      method,
      params,
    }))
    const data = await Effect.runPromise(payer.execute(steps))
    const confirmed = await wallet.confirm(paymentId, {
      optionId,
      results: [{ type: "walletRpc", data }],
    })
    assert.strictEqual(confirmed.status, "processing")

    const mining = setInterval(() => beach.mine(), 20)
    await vi.waitFor(
      async () => assert.strictEqual(await beach.node.balance(token.address, merchant), price),
      { timeout: 30_000, interval: 50 },
    )
    clearInterval(mining)
    assert.strictEqual((await wallet.status(paymentId)).status, "succeeded")
    assert.strictEqual(await beach.node.balance(token.address, payer.address), 0n)
    assert.strictEqual(await beach.node.balance(token.address, collecting), 0n)
    await florin.dispose()
  })
})
