/**
 * Nodes in front of a local chain that refuse some methods, as providers' plans do.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import { Chains } from "@florin/core/ports/Chain"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ByHand from "../../test-support/byHand.ts"
import * as Lies from "../../test-support/lies.ts"
import * as Locals from "../../test-support/locals.ts"
import * as Node from "../../test-support/node.ts"
import * as Payers from "../../test-support/payers.ts"
import * as Service from "../../test-support/service.ts"
import * as Shop from "../../test-support/shop.ts"
import * as Scene from "./scene.ts"

const timeout = 240_000
const attempts = Counts.of({ usual: 6, full: 30 })
/** More than it takes until a block is final; fewer than until an authorization ends. */
const roundsMax = 20

const words = "your plan does not include it"

/** How a provider refuses a method: with an error for its call, or with a status for the request that contains it. */
const refusals = {
  "-32005": { error: { code: -32005, message: "limit exceeded" } },
  "-32601": { error: { code: -32601, message: "the method does not exist" } },
  "HTTP 429": { status: 429, body: "" },
  "HTTP 403": { status: 403, body: JSON.stringify({ message: words }) },
} as const
type How = keyof typeof refusals
const hows = Object.keys(refusals).filter((how): how is How => how in refusals)

const truthsOf = async (local: LocalChain.LocalChain, calls: ReadonlyArray<Node.Call>) => {
  if (calls.length === 0) return new Map<number, object>()
  const body = JSON.stringify(calls.map((call) => ({ jsonrpc: "2.0", ...call })))
  const answers = Lies.readAnswers(await Locals.passOn(local, body))
  return new Map<number, object>(answers.map((each) => [each.id, each]))
}

/** The address of a node that refuses some methods in this way. */
const refusing = (local: LocalChain.LocalChain, how: How, ...methods: ReadonlyArray<string>) =>
  Effect.map(
    Node.make(async (calls, body) => {
      const refusal = refusals[how]
      const isRefused = ({ method }: Node.Call): boolean => methods.includes(method)
      if ("status" in refusal && calls.some(isRefused)) return refusal
      const truths = await truthsOf(
        local,
        calls.filter((call) => !isRefused(call)),
      )
      const answers = calls.map((call) => {
        const { id } = call
        return { jsonrpc: "2.0", ...(isRefused(call) ? refusal : truths.get(id)), id }
      })
      return Node.json(body.startsWith("[") ? answers : answers[0])
    }),
    ({ url }) => Redacted.value(url),
  )

const sealKey = Result.getOrThrow(Seal.makeKeys([Service.sealKey]))
const readOptions = Schema.decodeUnknownSync(
  Schema.Struct({ options: Schema.Array(Schema.Struct({ id: Schema.String })) }),
)

/** Asks the chain what arrived, which nodes search their logs for. */
const scan = ({ florin }: Pick<Scene.Scene, "florin">) =>
  Effect.promise(() =>
    florin.run(
      Effect.flatMap(Chains, (chains) =>
        Effect.ignore(chains.of("live").arrivals(Shop.chainId, { fromBlock: 1, toBlock: 3 })),
      ),
    ),
  )

/** What a payer gets whose wallet tries nothing again, while the service searches for what arrived. */
const pay = Effect.fnUntraced(function* (
  scene: Scene.Scene,
  accepted: Array<PaymentId.PaymentId> = [],
) {
  const payer = Scene.unused()
  yield* scene.local.fund(Scene.tokens.eip3009.address, payer.address, Scene.price)
  const paymentId = yield* scene.create(Scene.tokens.eip3009)
  const accounts = [Eip155.formatAccount({ chainId: Shop.chainId, address: payer.address })]
  const request = new Request(`${scene.call.baseUrl}/v1/gateway/payment/${paymentId}/options`, {
    method: "POST",
    headers: { "Api-Key": scene.walletKey, "Content-Type": "application/json" },
    body: JSON.stringify({ accounts }),
  })
  yield* scan(scene)
  const response = yield* Effect.promise(() => scene.florin.handler(request))
  if (response.status !== 200) return `options ${response.status}`
  const { options } = readOptions(yield* Effect.promise(() => response.json()))
  const [{ id: optionId } = assert.fail("there is no option")] = options
  const option = Result.getOrThrow(PaymentOption.read(optionId, paymentId, sealKey))
  yield* scan(scene)
  const signature = Payers.sign(option, payer)
  const { status } = yield* scene.attempt({ optionId, paymentId }, [[signature]])
  if (status === 200) accepted.push(paymentId)
  return `confirm ${status}`
})

describe("a node that refuses eth_getLogs", () => {
  for (const how of hows) {
    it.live(
      `S36: with ${how}, as the only node of its chain, still lets payers get options and confirm`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const scene = yield* Scene.alone({
              finality: Shop.finality,
              urlOf: (local) => refusing(local, how, "eth_getLogs"),
            })
            const found: Array<string> = []
            for (let round = 0; round < attempts; round++) found.push(yield* pay(scene))
            assert.deepStrictEqual(new Set(found), new Set(["confirm 200"]), found.join(", "))
          }),
        ),
      timeout,
    )
  }

  /** What a payer does with an authorization after the confirm. */
  const deeds = {
    "cancelled it": (shop: Shop.Shop, made: Shop.Confirmed) => shop.revoke(made),
    "used it for another account": (shop: Shop.Shop, { option, payer }: Shop.Confirmed) =>
      shop.sendAs(
        payer,
        option.token.address,
        Payers.call.transferElsewhere(option, payer, Scene.unused().address),
      ),
  }
  for (const [deed, act] of Object.entries(deeds)) {
    for (const which of ["one", "both"] as const) {
      for (const how of hows) {
        it.live(
          `S36: with ${how}, as ${which} of two, keeps no payment in processing whose payer ${deed}`,
          () =>
            Effect.scoped(
              Effect.gen(function* () {
                let others: ReadonlyArray<string> = []
                const shop = yield* Shop.make({
                  finality: Shop.finality,
                  urlOf: Effect.fnUntraced(function* (local) {
                    const second =
                      which === "one"
                        ? local.rpcUrl
                        : yield* refusing(local, "-32601", "eth_getLogs")
                    others = [yield* refusing(local, how, "eth_getLogs"), second]
                    return second
                  }),
                  evm: () => ({ rpcUrls: others.map((url) => Redacted.make(url)) }),
                })
                const hand = ByHand.make(shop.florin)
                const made = yield* shop.confirmed("eip3009")
                yield* act(shop, made)
                yield* shop.local.mine(1)
                for (let round = 0; round < roundsMax; round++) {
                  yield* hand.round
                  yield* shop.local.mine(1)
                }
                assert.strictEqual(yield* shop.statusOf(made.id), "failed")
              }),
            ),
          timeout,
        )
      }
    }
  }
})

/** What a service with two nodes asks the second one for, if the first one refuses it. */
const replaceable = [
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_getBalance",
  "eth_getCode",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_maxPriorityFeePerGas",
  "eth_sendRawTransaction",
]

describe("the first of two nodes", () => {
  for (const method of replaceable) {
    it.live(
      `S36: refuses ${method}: the second one is asked, and payments succeed`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            let urls: ReadonlyArray<string> = []
            const scene = yield* Scene.alone({
              finality: Shop.finality,
              urlOf: Effect.fnUntraced(function* (local) {
                urls = [yield* refusing(local, "-32601", method), local.rpcUrl]
                return local.rpcUrl
              }),
              evm: () => ({ rpcUrls: urls.map((url) => Redacted.make(url)) }),
            })
            const accepted: Array<PaymentId.PaymentId> = []
            assert.strictEqual(yield* pay(scene, accepted), "confirm 200")
            yield* scene.finish
            assert.deepStrictEqual(yield* Effect.forEach(accepted, scene.tagOf), ["Succeeded"])
            yield* scene.audit
          }),
        ),
      timeout,
    )
  }
})
