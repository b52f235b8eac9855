import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16)

/**
 * What the interface's 17 rows are answered with as long as no operator chooses otherwise: what the wallet does, and the
 * hash of everything that it is told of it, ids and nonces included.
 */
const expected: ReadonlyArray<string> = [
  "USDC on 42161 walletRpc eth_signTypedData_v4 ea2cd51a76e51441",
  "USDC on 8453 walletRpc eth_signTypedData_v4 1f15979a2803640a",
  "USDC on 137 walletRpc eth_signTypedData_v4 e72e967b3f9a3173",
  "USDC on 1 walletRpc eth_signTypedData_v4 d35e7dbfdd43c40e",
  "USDC on 10 walletRpc eth_signTypedData_v4 b716b68f8c154d8f",
  "USDC on 143 walletRpc eth_signTypedData_v4 29e412837cee7610",
  "USDC on 42220 walletRpc eth_signTypedData_v4 86b537f831a1d0dc",
  "USDC on 56 build eth_sendTransaction eth_signTypedData_v4 4dbf3c24fbefa6b5",
  "EURC on 1 walletRpc eth_signTypedData_v4 886eed73d406c319",
  "EURC on 8453 walletRpc eth_signTypedData_v4 3dd5123eb47aff12",
  "USDT0 on 42161 walletRpc eth_signTypedData_v4 ff2487251b4d7a52",
  "PYUSD on 1 walletRpc eth_signTypedData_v4 3e53844d8d4053c9",
  "PYUSD on 42161 walletRpc eth_signTypedData_v4 f061d9d2ce693aa8",
  "USDG on 1 walletRpc eth_signTypedData_v4 5fb79ef792515054",
  "USDT on 1 build eth_sendTransaction eth_signTypedData_v4 baf8610f26da37ee",
  "USDT on 137 build eth_sendTransaction eth_signTypedData_v4 76578774a2a47252",
  "USDT on 56 build eth_sendTransaction eth_signTypedData_v4 5dee2511768aea7f",
]

describe("POST /v1/gateway/payment/{id}/options and fetch, by default", () => {
  it.effect(
    "answer each of the interface's tokens as they always did, with one option",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { own, walletKey } = world
        const rows = yield* Effect.forEach(BuiltIn.catalog.assets, ({ decimals, symbol, token }) =>
          Effect.gen(function* () {
            const id = yield* Scene.createPayment(own.key, own.merchantId, {
              amount: {
                unit: `caip19/${Eip155.formatToken(token)}`,
                value: `1234${"0".repeat(decimals - 2)}`,
              },
            })
            const asked = yield* Scene.send({
              path: Gateway.pathOf(id, "/options"),
              key: walletKey,
              body: { accounts: [Gateway.payerOn(token.chainId)] },
            })
            const [option = null, ...others] = Scene.list(asked.body, "options")
            assert.deepStrictEqual(others, [])
            const fetched = yield* Scene.send({
              path: Gateway.pathOf(id, "/fetch"),
              key: walletKey,
              body: { optionId: Scene.text(option, "id"), data: "" },
            })
            const told = ["id", "account", "actions", "amount", "expiresAt"].map(
              (member) => Scene.at(option, member) ?? null,
            )
            return [
              `${symbol} on ${Eip155.numberOf(token.chainId)}`,
              ...Scene.list(option, "actions").map((action) => Scene.text(action, "type")),
              ...Scene.list(fetched.body, "actions").map((action) =>
                Scene.text(action, "data", "method"),
              ),
              hashOf(JSON.stringify([told, fetched.body])),
            ].join(" ")
          }),
        )
        assert.deepStrictEqual(rows, expected)
      }),
    ),
  )
})
