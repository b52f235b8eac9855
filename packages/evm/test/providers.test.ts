import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as ByHand from "../test-support/byHand.ts"
import * as Lies from "../test-support/lies.ts"
import * as Locals from "../test-support/locals.ts"
import * as Node from "../test-support/node.ts"
import * as Shop from "../test-support/shop.ts"

const callsAtMost = 3

/** What the plan of a cheap provider does not hold. */
const isRefused = ({ method, params: [message] }: Node.Call): boolean =>
  method === "eth_getLogs" || (method === "eth_call" && !JSON.stringify(message).includes('"to":'))

/** A shop whose only node is a provider's: few calls in a request, no logs, no calls without a recipient. */
class Provider extends Context.Service<Provider, Effect.Success<ReturnType<typeof Shop.make>>>()(
  "@florin/evm/test/Provider",
) {
  static readonly layer = Layer.effect(
    Provider,
    Shop.make({
      finality: Shop.finality,
      urlOf: (local) =>
        Effect.map(
          Node.make(async (calls) => {
            if (calls.length > callsAtMost) {
              return { status: 400, body: JSON.stringify({ error: { code: 1, message: "no" } }) }
            }
            const body = JSON.stringify(calls.map((call) => ({ jsonrpc: "2.0", ...call })))
            const truths = new Map(
              Lies.readAnswers(await Locals.passOn(local, body)).map((each) => [each.id, each]),
            )
            const error = { code: -32601, message: "not on your plan" }
            return Node.json(
              calls.map((call) => {
                const { id } = call
                return { jsonrpc: "2.0", ...(isRefused(call) ? { error } : truths.get(id)), id }
              }),
            )
          }),
          ({ url }) => Redacted.value(url),
        ),
    }),
  )
}

layer(Provider.layer, { excludeTestServices: true, timeout: 240_000 })(
  "a provider's cheapest plan",
  (it) => {
    it.effect("S26: is enough for every flow", () =>
      Effect.gen(function* () {
        const shop = yield* Provider
        const hand = ByHand.make(shop.florin)
        const made: Array<Shop.Order> = []
        for (const flow of Shop.flows) made.push(yield* shop.confirmed(flow))
        yield* shop.finish(hand, made)
        for (const { id } of made) assert.strictEqual(yield* shop.statusOf(id), "succeeded")
        yield* shop.agreed(made)
      }),
    )

    it.effect("S19: is enough to fail a payment whose authorization the payer cancelled", () =>
      Effect.gen(function* () {
        const shop = yield* Provider
        const hand = ByHand.make(shop.florin)
        const made = yield* shop.confirmed("eip3009")
        yield* shop.revoke(made)
        yield* shop.local.mine(1)
        yield* shop.finish(hand, [made])
        assert.strictEqual(yield* shop.statusOf(made.id), "failed")
      }),
    )
  },
)
