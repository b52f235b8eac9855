import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Gateway from "./gateway.ts"

const get = (id: string, key: string) => Scene.send({ path: Gateway.pathOf(id), key })

const merchantIcon = "https://shop.example/icon.png"
const setIcon = Effect.fnUntraced(function* (
  { own }: Gateway.World,
  iconUrl: string | null,
  merchantName = "Corner Shop",
) {
  const answer = yield* Scene.send({
    method: "PATCH",
    path: `/v1/merchants/${own.merchantId}`,
    key: own.key,
    body: { iconUrl, merchantName },
  })
  assert.strictEqual(answer.status, 200, answer.text)
})

describe("GET /v1/gateway/payment/{id}", () => {
  it.effect(
    "shows a token amount with its network, and the merchant's icon",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { own, walletKey } = world
        const id = yield* Scene.createPayment(own.key, own.merchantId, {
          amount: {
            unit: "caip19/eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
            value: "1",
          },
          expiresAt: Scene.now / 1000 + 60,
        })
        yield* setIcon(world, merchantIcon, "Ünïcode & <Söhne>")
        assert.deepStrictEqual((yield* get(id, walletKey)).body, {
          amount: Gateway.usdcOnBase("1"),
          buyer: null,
          expiresAt: Scene.now / 1000 + 60,
          merchant: { name: "Ünïcode & <Söhne>", iconUrl: merchantIcon },
          status: "requires_action",
        })
        yield* setIcon(world, null)
        assert.deepStrictEqual(Scene.at((yield* get(id, walletKey)).body, "merchant"), {
          name: "Corner Shop",
        })
      }),
    ),
  )

  for (const state of Gateway.stateNames) {
    it.effect(
      `returns the status of a payment that is ${state}`,
      Gateway.play((world) =>
        Effect.gen(function* () {
          const { id } = yield* Gateway.reach(world, state)
          const answer = yield* Gateway.writesNothing(id, get(id, world.walletKey))
          assert.strictEqual(answer.status, 200)
          const confirmed = ["processing", "succeeded", "failed", "declined"].includes(state)
          assert.deepStrictEqual(answer.body, {
            amount: Gateway.usd("1234"),
            buyer: confirmed
              ? {
                  accountCaip10: Gateway.payerOn(Scene.chains.eip3009),
                  accountProviderName: "A wallet",
                  accountProviderIcon: "https://wallet.example/icon.png",
                }
              : null,
            expiresAt: Gateway.paymentEnd / 1000,
            merchant: { name: "Corner Shop" },
            status: Gateway.states[state],
          })
        }),
      ),
    )
  }

  it.effect(
    "returns the account as the wallet spelled it, and no provider if a partner's key paid",
    Gateway.play((world) =>
      Effect.gen(function* () {
        const { own, walletKey } = world
        const id = yield* Scene.createPayment(own.key, own.merchantId)
        const account = Gateway.payerOn(Scene.chains.eip3009).toLowerCase()
        const option = yield* Scene.firstOption(own.key, id, account)
        const body = yield* Scene.confirmBody(own.key, id, option)
        const confirmed = yield* Scene.send({
          path: Gateway.pathOf(id, "/confirm"),
          key: own.key,
          body,
        })
        assert.strictEqual(confirmed.status, 200, confirmed.text)
        assert.deepStrictEqual(Scene.at((yield* get(id, walletKey)).body, "buyer"), {
          accountCaip10: account,
          accountProviderName: "",
          accountProviderIcon: "https://pay.example.com/icons/wallet.svg",
        })
      }),
    ),
  )
})
