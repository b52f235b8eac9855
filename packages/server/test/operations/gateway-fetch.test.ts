import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

type Json = Scene.Json

const permit2 = "0x000000000022d473030f116ddee9f6b43ac78ba3"
const usdtOnEthereum = {
  chainId: Eip155.chainId(1),
  address: Caip.Address.make("0xdac17f958d2ee523a2206206994597c13d831ec7"),
}

const send = (id: string, key: string, body: Json) =>
  Scene.send({ path: Gateway.pathOf(id, "/fetch"), key, body })

/** A payment with an option, and a function that fetches its steps. */
const opened = Effect.fnUntraced(function* (
  world: Gateway.World,
  chainId: number = Scene.chains.eip3009,
  overrides: Gateway.Body = {},
) {
  const { own, walletKey } = world
  const id = yield* Scene.createPayment(own.key, own.merchantId, overrides)
  const option = yield* Scene.firstOption(walletKey, id, Gateway.payerOn(chainId))
  const optionId = Scene.text(option, "id")
  const fetch = (body: Json) => Gateway.writesNothing(id, send(id, walletKey, body))
  return { id, option, optionId, fetch }
})

const approval = (token: string, quantity: bigint): Json => ({
  from: Scene.payer.address,
  to: token,
  data: `0x095ea7b3${permit2.slice(2).padStart(64, "0")}${quantity.toString(16).padStart(64, "0")}`,
  value: "0x0",
})

/** The method of each step in a response, or the transaction that it sends. */
const stepsOf = (answer: Scene.Reply): ReadonlyArray<Json> =>
  Scene.list(answer.body, "actions").map((action) => {
    const method = Scene.text(action, "data", "method")
    const first = Scene.text(action, "data", "params", 0)
    const parsed: Json = method === "eth_sendTransaction" ? JSON.parse(first) : null
    return method === "eth_sendTransaction" ? parsed : method
  })

describe("POST /v1/gateway/payment/{id}/fetch, the steps", () => {
  it.effect(
    "of an EIP-3009 option are the signature that was offered",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { fetch, option, optionId } = yield* opened(world)
        const answer = yield* fetch({ optionId, data: "" })
        assert.strictEqual(answer.status, 200)
        assert.deepStrictEqual(answer.body, { actions: Scene.at(option, "actions") ?? null })
        assert.deepStrictEqual(stepsOf(answer), ["eth_signTypedData_v4"])
      }),
    ),
  )

  it.effect(
    "of a Permit2 option are an approval of the exact amount, and the signature that was offered",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { fetch, option, optionId } = yield* opened(world, Scene.chains.permit2)
        const data = Scene.text(option, "actions", 0, "data")
        const promised: Json = JSON.parse(Buffer.from(data, "hex").toString("utf8"))
        const token = "0x55d398326f99059ff775485246999027b3197955"
        const all = yield* fetch({ optionId, data: "" })
        const named = yield* fetch({ optionId, data })
        assert.deepStrictEqual(named.body, all.body)
        const transaction = Scene.text(all.body, "actions", 0, "data", "params", 0)
        assert.deepStrictEqual(all.body, {
          actions: [
            {
              type: "walletRpc",
              data: {
                chain_id: "eip155:56",
                method: "eth_sendTransaction",
                params: [transaction],
              },
            },
            { type: "walletRpc", data: promised },
          ],
        })
        assert.deepStrictEqual(stepsOf(all), [
          approval(token, 12_340_000_000_000_000_000n),
          "eth_signTypedData_v4",
        ])
      }),
    ),
  )

  it.effect(
    "of a Permit2 option have no approval if the allowance is enough",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { fetch, optionId } = yield* opened(world, 1, {
          amount: {
            unit: "caip19/eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7",
            value: "1000",
          },
        })
        const { setAllowance } = yield* SimulatedChain
        const token = usdtOnEthereum.address
        const steps = Effect.map(fetch({ optionId, data: "" }), stepsOf)
        assert.deepStrictEqual(yield* steps, [approval(token, 1000n), "eth_signTypedData_v4"])
        // This token takes no new allowance over an old one.
        yield* setAllowance(usdtOnEthereum, Scene.payer.address, 999n)
        assert.deepStrictEqual(yield* steps, [
          approval(token, 0n),
          approval(token, 1000n),
          "eth_signTypedData_v4",
        ])
        yield* setAllowance(usdtOnEthereum, Scene.payer.address, 1000n)
        assert.deepStrictEqual(yield* steps, ["eth_signTypedData_v4"])
      }),
    ),
  )

  it.effect(
    "of a transfer are the steps that were offered",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { fetch, option, optionId } = yield* opened(world)
          const answer = yield* fetch({ optionId, data: "" })
          assert.deepStrictEqual(answer.body, { actions: Scene.at(option, "actions") ?? null })
          assert.deepStrictEqual(
            Scene.list(answer.body, "actions").map((each) => Scene.text(each, "data", "method")),
            ["eth_sendTransaction", "personal_sign"],
          )
        }),
      { chain: { flow: () => "transfer" } },
    ),
  )

  it.effect(
    "are returned before the payer's data is collected: only confirm requires it",
    Gateway.play(
      (world) =>
        Effect.gen(function* () {
          const { fetch, optionId } = yield* opened(world)
          assert.strictEqual((yield* fetch({ optionId, data: "" })).status, 200)
        }),
      { collectData: CollectDataPolicy.layerAlways },
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/fetch, its body", () => {
  it.effect(
    "accepts only the data that was offered with the option, or none",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { fetch, id, option, optionId } = yield* opened(world, Scene.chains.permit2)
        const data = Scene.text(option, "actions", 0, "data")
        const inline = yield* Scene.firstOption(world.walletKey, id)
        yield* TestClock.adjust("1 second")
        const later = yield* Scene.firstOption(
          world.walletKey,
          id,
          Gateway.payerOn(Scene.chains.permit2),
        )
        const laterData = Scene.text(later, "actions", 0, "data")
        assert.notStrictEqual(laterData, data)
        // The nested form is read in the field's profile only.
        for (const bad of ["x", data.toUpperCase(), data.slice(0, -2), laterData, { data: "" }]) {
          assert.deepStrictEqual(Scene.fieldsOf(yield* fetch({ optionId, data: bad })), ["data"])
        }
        for (const bad of [data, "x"]) {
          const answer = yield* fetch({ optionId: Scene.text(inline, "id"), data: bad })
          assert.deepStrictEqual(Scene.fieldsOf(answer), ["data"])
        }
        assert.strictEqual((yield* fetch({ optionId, data })).status, 200)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/fetch, the option", () => {
  it.effect(
    "is 409 from the second in which it expires, before its data is checked",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { fetch, id, optionId } = yield* opened(world, Scene.chains.permit2, {
          expiresAt: Scene.now / 1000 + 3600,
        })
        yield* TestClock.setTime(Scene.now + 299_999)
        assert.strictEqual((yield* fetch({ optionId, data: "" })).status, 200)
        yield* TestClock.adjust(1)
        for (const data of ["", "bad"]) {
          Scene.isProblem(yield* fetch({ optionId, data }), 409, "quote_expired")
        }
        const another = yield* opened(world)
        const elsewhere = yield* send(another.id, world.walletKey, { optionId, data: "" })
        Gateway.isOptionNotFound(elsewhere)
        const fresh = yield* Scene.firstOption(world.walletKey, id)
        const answer = yield* fetch({ optionId: Scene.text(fresh, "id"), data: "" })
        assert.strictEqual(answer.status, 200)
      }),
    ),
  )
})

describe("POST /v1/gateway/payment/{id}/fetch, in every state", () => {
  for (const state of Gateway.stateNames.filter((each) => each !== "open")) {
    const isExpired = state.startsWith("expired")
    it.effect(
      `is ${isExpired ? "410" : "400"} for a payment that is ${state}, whatever the option`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id, other, own } = yield* Gateway.reach(world, state)
          for (const optionId of [
            Scene.text(own, "optionId"),
            Scene.text(other, "optionId"),
            "x",
          ]) {
            for (const data of ["", "bad"]) {
              const answer = yield* Gateway.writesNothing(
                id,
                send(id, world.walletKey, { optionId, data }),
              )
              if (isExpired) Scene.isProblem(answer, 410, "payment_expired")
              else Scene.isProblem(answer, 400, "invalid_state")
            }
          }
          const wrong = yield* send(id, world.walletKey, { optionId: 1 })
          assert.deepStrictEqual(Scene.fieldsOf(wrong), ["optionId", "data"])
        }),
      ),
    )
  }
})
