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
  "USDC on 42161 walletRpc eth_signTypedData_v4 e31a7c6a5b01508e",
  "USDC on 8453 walletRpc eth_signTypedData_v4 1c5e9f7dd5acfe4c",
  "USDC on 137 walletRpc eth_signTypedData_v4 158406dc737205dc",
  "USDC on 1 walletRpc eth_signTypedData_v4 957c513d1d7173da",
  "USDC on 10 walletRpc eth_signTypedData_v4 9ba5f8c8fd8562ee",
  "USDC on 143 walletRpc eth_signTypedData_v4 5bef05481ab4b514",
  "USDC on 42220 walletRpc eth_signTypedData_v4 71a34b7839282deb",
  "USDC on 56 build eth_sendTransaction eth_signTypedData_v4 6a2686b8efc84a69",
  "EURC on 1 walletRpc eth_signTypedData_v4 0722ef6f084c239c",
  "EURC on 8453 walletRpc eth_signTypedData_v4 fbf1d3c57442fddc",
  "USDT0 on 42161 walletRpc eth_signTypedData_v4 cd136120e18a64ed",
  "PYUSD on 1 walletRpc eth_signTypedData_v4 780cffdce298f09f",
  "PYUSD on 42161 walletRpc eth_signTypedData_v4 89963a26fb1adb0d",
  "USDG on 1 walletRpc eth_signTypedData_v4 284bffacb84b08d9",
  "USDT on 1 build eth_sendTransaction eth_signTypedData_v4 25d2e8d249f76992",
  "USDT on 137 build eth_sendTransaction eth_signTypedData_v4 4b53912f2b530585",
  "USDT on 56 build eth_sendTransaction eth_signTypedData_v4 b52ccfcd066ae547",
]

describe("POST /v1/gateway/payment/{id}/options and fetch, by default", () => {
  it.effect(
    "return one option for each of the interface's tokens, with the recorded ids and steps",
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
