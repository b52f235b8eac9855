import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
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
  "USDC on 42161 walletRpc eth_signTypedData_v4 f462f55044d86e40",
  "USDC on 8453 walletRpc eth_signTypedData_v4 f233dbf6968961f0",
  "USDC on 137 walletRpc eth_signTypedData_v4 67822d9c01b7e251",
  "USDC on 1 walletRpc eth_signTypedData_v4 babbff6d9bd2ba0f",
  "USDC on 10 walletRpc eth_signTypedData_v4 3b3326a72bdc8ca5",
  "USDC on 143 walletRpc eth_signTypedData_v4 ebf162a96727cc7f",
  "USDC on 42220 walletRpc eth_signTypedData_v4 74f624a9c4766e72",
  "USDC on 56 build eth_sendTransaction eth_signTypedData_v4 b1971f58a43ff23e",
  "EURC on 1 walletRpc eth_signTypedData_v4 3db1f4d00da777b3",
  "EURC on 8453 walletRpc eth_signTypedData_v4 378d3345f3d02b47",
  "USDT0 on 42161 walletRpc eth_signTypedData_v4 3540591faab8bc31",
  "PYUSD on 1 walletRpc eth_signTypedData_v4 840a8b3b25da9e32",
  "PYUSD on 42161 walletRpc eth_signTypedData_v4 39a09cba70f02407",
  "USDG on 1 walletRpc eth_signTypedData_v4 1b1b2aaa4b54b529",
  "USDT on 1 build eth_sendTransaction eth_signTypedData_v4 5e8ae164f997ac0f",
  "USDT on 137 build eth_sendTransaction eth_signTypedData_v4 fa18c233baa8f551",
  "USDT on 56 build eth_sendTransaction eth_signTypedData_v4 1d1842c2602b63ed",
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
                unit: `caip19/${Caip.formatToken(token)}`,
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
              `${symbol} on ${token.chainId}`,
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
