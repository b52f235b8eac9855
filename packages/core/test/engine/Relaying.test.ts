import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as GasCost from "@florin/core/domain/money/GasCost"
import * as Spending from "@florin/core/domain/outflow/Spending"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as AcceptedAssets from "@florin/core/engine/chain/AcceptedAssets"
import * as Relaying from "@florin/core/engine/chain/Relaying"
import { type Chain, Chains } from "@florin/core/ports/Chain"
import { RateSource } from "@florin/core/ports/RateSource"
import * as Collector from "@florin/core/workers/Collector"
import * as Fixtures from "@florin/testing/Fixtures"
import { Clock, Effect } from "effect"
import { onChains } from "../../test-support/bidding.ts"
import * as Scene from "../workers/scene.ts"

const { payer, play, tokens } = Scene
const coin = 10n ** 18n
const accounts = [tokens.eip3009, tokens.transfer].map(({ chainId }) =>
  Eip155.formatAccount(payer.account(chainId)),
)

/** How a payment can be paid, by chain. */
const flowsOf = (world: Scene.World, id: PaymentId.PaymentId) =>
  Effect.map(world.options(id, accounts), ({ options }) =>
    (options ?? [])
      .map(({ option }) => `${Eip155.numberOf(option.token.chainId)} ${option.flow}`)
      .filter((each) => /^(?:8453|10) /u.test(each))
      .toSorted(),
  )

const cost: GasCost.GasCost = {
  coin: "ETH",
  unitsPerCoin: coin,
  ordinary: coin / 1_000n,
  byCode: coin / 1_000n,
  allowance: coin,
}

/** The payer's account has code. */
const withCode = (chain: Chain["Service"]): Pick<Chain["Service"], "holdings"> => ({
  holdings: (...asked) =>
    Effect.map(chain.holdings(...asked), (held) =>
      held.map((holding) => ({ ...holding, hasCode: true })),
    ),
})

/** One ETH costs so many units of any currency. */
const pricing =
  (units: bigint) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(RateSource, (rates) =>
      Effect.provideService(effect, RateSource, {
        ...rates,
        coinRate: (currency) =>
          Effect.succeed({ currency, numerator: 1n, denominator: units, observedAt: 0 }),
      }),
    )

describe("options that the service collects for payers", () => {
  it.effect(
    "S1: are not offered while a chain's gas budget is spent; plain transfers still are",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const both = ["10 transfer", "8453 eip3009"]
        assert.deepStrictEqual(yield* flowsOf(world, id), both)
        const spent = onChains(() => ({ spendPerHour: () => 0n }))
        assert.deepStrictEqual(yield* spent(flowsOf(world, id)), ["10 transfer"])
        const now = yield* Clock.currentTimeMillis
        const budgets = yield* spent(Relaying.gasBudgets("test", now))
        assert.isTrue(budgets.length > 0 && budgets.every(({ isSpent }) => isSpent))
        assert.deepStrictEqual(yield* Relaying.gasBudgets("test", now), [])
      }),
    ),
  )

  it.effect(
    "S1: are missing from the list of assets while a chain's gas budget is spent, with the reason",
    play(() =>
      Effect.gen(function* () {
        const show = Effect.map(AcceptedAssets.list("test"), (all) =>
          [tokens.eip3009, tokens.transfer].map((token) => {
            const found = all.find(({ asset }) => Caip.sameToken(asset.token, token))
            const { flows, minimum, reason } = found ?? assert.fail("it is not listed")
            return { flows, reason, isOffered: minimum !== null }
          }),
        )
        const spent = onChains(() => ({ spendPerHour: () => 0n }))
        const offered = { reason: null, isOffered: true }
        assert.deepStrictEqual(yield* show, [
          { ...offered, flows: ["eip3009"] },
          { ...offered, flows: ["transfer"] },
        ])
        assert.deepStrictEqual(yield* spent(show), [
          {
            flows: ["eip3009"],
            reason: "the gas that the service may spend on the network in this hour is spent",
            isOffered: false,
          },
          { ...offered, flows: ["transfer"] },
        ])
      }),
    ),
  )

  it.effect(
    "S1: are still offered to accounts without code if those with code have used up their part of the gas",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const feeMax = Fixtures.quantity(coin / 100n)
        const now = yield* Clock.currentTimeMillis
        for (const { address, chainId } of (yield* Chains).of("test").accounts) {
          const lane = { chainId, sender: address }
          const state = yield* world.lanes.laneState("test", lane)
          const transaction = {
            ...Fixtures.laneTransaction(lane, 0),
            signedAt: now,
            feeMax,
            byCode: true,
          } as const
          yield* world.lanes.placeInLane({ transaction, state }, null)
        }
        const limited = onChains(() => ({ gasCost: () => cost, spendPerHour: () => 4n * feeMax }))
        assert.include(yield* limited(flowsOf(world, id)), "8453 eip3009")
        const coded = onChains(withCode)
        assert.deepStrictEqual(yield* limited(coded(flowsOf(world, id))), [
          "10 transfer",
          "8453 transfer",
        ])
        assert.include(yield* coded(flowsOf(world, id)), "8453 eip3009")
      }),
    ),
  )

  it.effect(
    "S1: are offered to an account with code only if its gas costs at most the fee or the allowance",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        const at = (each: Partial<GasCost.GasCost>) =>
          onChains((chain) => ({ ...withCode(chain), gasCost: () => ({ ...cost, ...each }) }))
        const { byCode } = cost
        assert.include(yield* at({ allowance: byCode })(flowsOf(world, id)), "8453 eip3009")
        const dear = at({ allowance: byCode - 1n })
        assert.notInclude(yield* dear(flowsOf(world, id)), "8453 eip3009")
      }),
    ),
  )

  it.effect(
    "S1 A14: are not offered to an account whose collections failed at our cost, until its budget refills",
    play((world) =>
      Effect.gen(function* () {
        const { id } = yield* world.create()
        for (let failed = 0; failed < FailureBudget.defaults.account; failed++) {
          assert.include(yield* flowsOf(world, id), "8453 eip3009")
          const paid = yield* world.pay(tokens.eip3009)
          // The token bars the payer between our last look and the block.
          const racing = onChains((chain) => ({
            rehearse: () => Effect.void,
            broadcast: (relayed) =>
              Effect.andThen(
                world.chain.block(payer.account(tokens.eip3009.chainId).address),
                chain.broadcast(relayed),
              ),
          }))
          yield* racing(Collector.drain)
          yield* world.settleAll
          yield* racing(world.finishUntil(({ state }) => state._tag === "Failed", paid.id))
          yield* world.chain.unblock(payer.account(tokens.eip3009.chainId).address)
        }
        assert.notInclude(yield* flowsOf(world, id), "8453 eip3009")
      }),
    ),
  )

  it.effect(
    "S12: are not offered below the cost of collection and payout, if a rate for the chain's coin is known",
    play((world) =>
      Effect.gen(function* () {
        // It asks for 10 USD, and gas is a thousandth of a coin.
        const { id } = yield* world.create()
        const dear = onChains(() => ({ gasCost: () => cost }))
        assert.include(yield* dear(flowsOf(world, id)), "8453 eip3009")
        assert.include(yield* dear(pricing(10_000n)(flowsOf(world, id))), "8453 eip3009")
        assert.deepStrictEqual(yield* dear(pricing(10_001n)(flowsOf(world, id))), ["10 transfer"])
      }),
    ),
  )
})

describe("Spending.isWithin", () => {
  it("S1: allows accounts with code a quarter of the limit, and counts raised bids for all accounts", () => {
    const spending = { hour: 0, quantity: 100n, byCode: 25n }
    assert.isTrue(Spending.isWithin(100n, spending))
    assert.isFalse(Spending.isWithin(100n, { ...spending, byCode: 26n }))
    assert.isFalse(Spending.isWithin(99n, spending))
    const first = { signedAt: 0, feeMax: Fixtures.quantity(5n), byCode: true } as const
    const once = Spending.add(Spending.none, first)
    assert.deepStrictEqual(once, { hour: 0, quantity: 5n, byCode: 5n })
    const higher = { ...first, feeMax: Fixtures.quantity(9n) }
    assert.deepStrictEqual(Spending.place(once, higher, first), {
      hour: 0,
      quantity: 9n,
      byCode: 5n,
    })
  })
})
