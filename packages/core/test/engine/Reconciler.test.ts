import { assert, describe, it } from "@effect/vitest"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import { Chains, ChainUnavailable } from "@florin/core/ports/Chain"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect } from "effect"
import * as Scene from "../workers/scene.ts"

const { failsWith, play, stranger, tokens, traces } = Scene

describe("Reconciler.check", () => {
  it.effect(
    "returns a line for each token on each of our accounts, and no difference if everything is right",
    play((world) =>
      Effect.gen(function* () {
        const empty = yield* Reconciler.check("test")
        assert.deepStrictEqual(empty, {
          lines: [],
          differences: [],
          unserved: [],
          unsound: [],
        })
        const paid = yield* Effect.forEach(Scene.flows, (flow) => world.pay(tokens[flow]))
        yield* world.finish
        const report = yield* Reconciler.check("test")
        assert.deepStrictEqual(report.differences, [])
        assert.deepStrictEqual(report.unsound, [])
        for (const { id, option } of paid) {
          const { charge } = yield* world.succeeded(id)
          assert.deepInclude(report.lines, {
            token: option.token,
            address: option.payTo,
            ledger: charge.total + 0n,
            chain: charge.total,
          })
        }
        assert.strictEqual(report.lines.length, paid.length)
        // Test money is not live money.
        assert.deepStrictEqual((yield* Reconciler.check("live")).lines, [])
      }),
    ),
  )

  it.effect(
    "M22: finds a missing unit and an extra unit, and changes nothing",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const { id, option } = yield* world.pay(tokens.eip3009)
        yield* world.finish
        const { charge } = yield* world.succeeded(id)
        const before = yield* traces(id)
        const { payTo, token } = option
        const differs = (chainHolds: bigint) => ({
          token,
          address: payTo,
          ledger: charge.total + 0n,
          chain: chainHolds,
        })
        yield* chain.transfer(payTo, token, stranger.address, Fixtures.quantity(1n))
        yield* chain.settle(token.chainId)
        const short = yield* Reconciler.check("test")
        assert.deepEqual(short.differences, [differs(charge.total - 1n)])
        yield* chain.mint(token, payTo, 2n)
        const long = yield* Reconciler.check("test")
        assert.deepEqual(long.differences, [differs(charge.total + 1n)])
        yield* world.ledger.post(
          "test",
          Fixtures.key("found"),
          Ledger.funding({ token, collecting: payTo, quantity: Fixtures.quantity(1n) }),
        )
        assert.deepStrictEqual((yield* Reconciler.check("test")).differences, [])
        assert.deepStrictEqual(yield* traces(id), before)
      }),
    ),
  )

  it.effect(
    "reports ledger accounts on the wrong side of zero",
    play((world) =>
      Effect.gen(function* () {
        const { option } = yield* world.pay(tokens.eip3009)
        yield* world.finish
        const balances = yield* world.ledger.balances("test", null)
        const wrong: Ledger.Balance = {
          account: { _tag: "Suspense", address: option.payTo },
          token: option.token,
          balance: 1n,
        }
        const ledger = LedgerStore.of({
          ...world.ledger,
          balances: () => Effect.succeed(new Map([...balances, ["suspense", wrong]])),
        })
        const report = yield* Reconciler.check("test").pipe(
          Effect.provideService(LedgerStore, ledger),
        )
        assert.deepStrictEqual(report.unsound, [wrong])
        assert.deepStrictEqual(report.differences, [])
      }),
    ),
  )

  it.effect(
    "names money on chains that are not served any more, and compares the others",
    play((world) =>
      Effect.gen(function* () {
        const paid = yield* Effect.forEach(Scene.flows, (flow) => world.pay(tokens[flow]))
        yield* world.finish
        const before = yield* Reconciler.check("test")
        const port = (yield* Chains).of("test")
        const gone = paid[0]?.option.token.chainId ?? assert.fail("nothing was paid")
        const report = yield* Reconciler.check("test").pipe(
          Effect.provideService(Chains, {
            of: () => ({
              ...port,
              chainIds: port.chainIds.filter((chainId) => chainId !== gone),
              balance: (token, address) =>
                token.chainId === gone
                  ? Effect.fail(new ChainUnavailable({ chainId: gone, message: "not served" }))
                  : port.balance(token, address),
            }),
          }),
        )
        const isGone = ({ token }: Pick<Reconciler.Line, "token">) => token.chainId === gone
        assert.isAbove(report.unserved.length, 0)
        assert.deepStrictEqual(
          report.unserved,
          before.lines
            .filter(isGone)
            .map(({ address, ledger, token }) => ({ token, address, ledger })),
        )
        assert.deepStrictEqual(
          report.lines,
          before.lines.filter((line) => !isGone(line)),
        )
      }),
    ),
  )

  it.effect(
    "reports no difference for a chain that does not respond",
    play((world) =>
      Effect.gen(function* () {
        yield* world.pay(tokens.eip3009)
        yield* world.finish
        yield* world.chain.fail({ calls: 1, kinds: ["balance"] })
        yield* failsWith("ChainUnavailable", Reconciler.check("test"))
      }),
    ),
  )
})
