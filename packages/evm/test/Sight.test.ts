import { assert } from "@effect/vitest"
import * as Payment from "@florin/core/domain/Payment"
import type { Order, Sought } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Queries from "../src/Queries.ts"
import * as Sight from "../src/Sight.ts"
import * as Signing from "../src/Signing.ts"
import * as Payers from "./payers.ts"

const { on, payTo, price } = Payers

on(1)("Sight.look asks in few requests, as it is asked again and again", (it) => {
  const lookOf = Effect.fnUntraced(function* (chain: Payers.Ground, sought: Sought) {
    const { requests, result } = yield* chain.watch(Sight.look(chain.link, sought))
    return { requests, tag: (yield* Effect.fromResult(result))._tag }
  })

  const sightings = Effect.fnUntraced(function* (
    chain: Payers.Ground,
    order: Order,
    sought: Omit<Sought, "relayed">,
  ) {
    const { link, local } = chain
    // A chain without a final block is asked less, and we mean to count what a grown one costs.
    yield* local.mine(100)
    yield* local.fundGas(payTo.address, 10n ** 18n)
    const lane = { chainId: chain.chainId, sender: payTo.address }
    const nonce = yield* link.rpc.ask(Queries.nonce(payTo.address, "latest"))
    const relayed = yield* Signing.sign(link, lane, nonce, order)
    const whole = { ...sought, relayed }
    const before = yield* lookOf(chain, whole)
    yield* Signing.broadcast(link, relayed.raw)
    yield* local.mine(1)
    const mined = yield* lookOf(chain, whole)
    yield* local.mine(100)
    return [before, mined, yield* lookOf(chain, whole)]
  })

  const expected = [
    { requests: 3, tag: "Unseen" },
    { requests: 2, tag: "Included" },
    { requests: 2, tag: "Final" },
  ]

  for (const symbol of ["USDC", "USDT"]) {
    it.effect(`for a payment in ${symbol} that we collect`, () =>
      Effect.gen(function* () {
        const chain = yield* Payers.Chain
        const { attempt } = yield* Payers.signed(chain, symbol)
        const sought = { attempt, movement: Payment.movement(attempt) }
        assert.deepStrictEqual(
          yield* sightings(chain, { _tag: "Collect", attempt }, sought),
          expected,
        )
      }),
    )
  }

  it.effect("for money that we send", () =>
    Effect.gen(function* () {
      const chain = yield* Payers.Chain
      const payer = chain.unused()
      const { token } = yield* chain.optionFor("USDC", payer.address)
      yield* chain.local.fund(token.address, payTo.address, price)
      const movement = { token, from: payTo.address, to: payer.address, quantity: price }
      assert.deepStrictEqual(
        yield* sightings(chain, { _tag: "Send", movement }, { attempt: null, movement }),
        expected,
      )
    }),
  )
})
