import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Ledger from "@florin/core/domain/money/Ledger"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import * as SimulatedChain from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Shortfalls from "../../src/serve/Shortfalls.ts"

const hourInMs = 3_600_000
const accounts = SimulatedChain.collectingWallets
const [first = Wallet.make(1), second = Wallet.make(2)] = accounts
const { token } =
  BuiltIn.catalog.assets.find(
    ({ symbol, token: { chainId } }) => symbol === "USDC" && chainId === Eip155.chainId(8453),
  ) ?? assert.fail("there is no USDC on Base")

/** A service that has 5 USDC on each of two accounts, and what is told of it. */
const scene = Effect.gen(function* () {
  const chain = yield* SimulatedChain.SimulatedChain
  const quantity = Fixtures.quantity(5_000_000n)
  for (const { address } of accounts) {
    yield* chain.mint(token, address, quantity)
    yield* (yield* LedgerStore).post(
      "test",
      Fixtures.key(`funded ${address}`),
      Ledger.funding({ token, collecting: address, quantity }),
    )
  }
  const told: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    told.push(`${logLevel} ${String(Array.isArray(message) ? message[0] : message)}`)
  })
  const scope = yield* Scope.make()
  const looks = Effect.map(chain.calls("balance"), (calls) => calls / accounts.length)
  return {
    chain,
    looks,
    told,
    take: (from: Wallet.Wallet, units: bigint) =>
      chain
        .transfer(from.address, token, Wallet.make(3).address, Fixtures.quantity(units))
        .pipe(Effect.andThen(chain.settle(token.chainId))),
    begin: Layer.buildWithScope(Shortfalls.layer(hourInMs), scope).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.andThen(TestClock.adjust(1)),
    ),
    end: Scope.close(scope, Exit.void),
  }
})

const play = <A, E>(test: Effect.Effect<A, E, Layer.Success<ReturnType<typeof Service.layer>>>) =>
  Effect.provide(test, Service.layer())

const told = `Error money is missing (Base, ${Eip155.formatAddress(first.address)}: ledger 5.00 USDC, chain 4.00 USDC): if you withdrew it, record it with \`florin float take <asset> <account> <amount> --mode <mode> --transaction <hash>\`; if not, stop the workers and check whether the keys were stolen`

describe("the search for shortfalls", () => {
  it.effect("runs immediately and after each pause, and reports no surplus", () =>
    play(
      Effect.gen(function* () {
        const on = yield* scene
        yield* on.chain.mint(token, first.address, Fixtures.quantity(1n))
        yield* on.begin
        assert.strictEqual(yield* on.looks, 1)
        yield* TestClock.adjust(hourInMs)
        assert.strictEqual(yield* on.looks, 2)
        yield* on.end
        yield* TestClock.adjust(3 * hourInMs)
        assert.strictEqual(yield* on.looks, 2)
        assert.deepStrictEqual(on.told, [])
      }),
    ),
  )

  it.effect("reports a shortfall once it was seen twice", () =>
    play(
      Effect.gen(function* () {
        const on = yield* scene
        yield* on.take(first, 1_000_000n)
        yield* on.begin
        assert.deepStrictEqual(on.told, [])
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(on.told, [told])
        assert.strictEqual(yield* on.looks, 2)
        yield* TestClock.adjust(hourInMs + 60_000)
        assert.deepStrictEqual(on.told, [told, told])
      }),
    ),
  )

  it.effect("does not report a shortfall that was seen only once", () =>
    play(
      Effect.gen(function* () {
        const on = yield* scene
        yield* on.take(first, 1n)
        yield* on.begin
        yield* on.chain.mint(token, first.address, Fixtures.quantity(1n))
        yield* on.take(second, 1n)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* on.looks, 2)
        assert.deepStrictEqual(on.told, [])
      }),
    ),
  )

  it.effect("reports where it could not look, and looks again", () =>
    play(
      Effect.gen(function* () {
        const on = yield* scene
        yield* on.chain.fail({ calls: 1, kinds: ["balance"] })
        yield* on.begin
        assert.strictEqual(on.told.length, 1)
        assert.match(on.told[0] ?? "", /^Warn the ledger could not be compared with the chains: /u)
        yield* on.take(first, 1_000_000n)
        yield* TestClock.adjust(hourInMs + 60_000)
        assert.deepStrictEqual(on.told.slice(1), [told])
      }),
    ),
  )

  it.effect("reports an overdrawn ledger", () =>
    play(
      Effect.gen(function* () {
        const on = yield* scene
        const ledger = yield* LedgerStore
        const wrong: Ledger.Balance = {
          account: { _tag: "Suspense", address: Fixtures.address("ours") },
          token,
          balance: 1n,
        }
        yield* on.begin.pipe(
          Effect.provideService(LedgerStore, {
            ...ledger,
            balances: (...asked) =>
              Effect.map(
                ledger.balances(...asked),
                (balances) => new Map([...balances, ["suspense", wrong]]),
              ),
          }),
        )
        assert.include(
          on.told,
          "Error ledger accounts are overdrawn: `florin reconcile` shows them",
        )
      }),
    ),
  )
})
