import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const patch = (key: string, id: string, body: Scene.Json) => ({
  method: "PATCH",
  path: `/v1/merchants/${id}`,
  key,
  body,
})

const icon = "https://shop.example/icon.png"

describe("PATCH /v1/merchants/{merchantId}", () => {
  const request = ({ own }: Scene.Scene) => Effect.succeed(patch(own.key, own.merchantId, {}))
  Laws.refusesBodies(request, [
    ["a change of nothing", () => ({}), ["body"]],
    ["only unknown members", () => ({ name: "x", status: "suspended" }), ["body"]],
    ["only nulls", () => ({ merchantName: null, merchantEmail: null }), ["body"]],
    [
      "a good field next to a wrong one",
      () => ({ merchantName: "Renamed", merchantEmail: "shop" }),
      ["merchantEmail"],
    ],
  ])

  play("changes only the members that are sent", ({ other, own }) =>
    Effect.gen(function* () {
      const expected: { [name: string]: Scene.Json } = {
        id: own.merchantId,
        name: "Corner Shop",
        email: "shop@example.com",
        iconUrl: null,
        ...Scene.faceless,
        status: "active",
        createdAt: "2026-09-21T14:13:20.000Z",
      }
      const steps = [
        [{ merchantName: "Renamed" }, { name: "Renamed" }],
        [{ merchantEmail: "new@example.com" }, { email: "new@example.com" }],
        [{ iconUrl: icon }, { iconUrl: icon }],
        [
          { merchantName: "Again", unknown: 1, status: "suspended", id: "mrch_1" },
          { name: "Again" },
        ],
        [{ iconUrl: null }, { iconUrl: null }],
        [{ brandColor: "#1F6FEB" }, { brandColor: "#1f6feb" }],
        [{ supportEmail: "help@shop.example" }, { supportEmail: "help@shop.example" }],
        [{ supportUrl: "https://shop.example" }, { supportUrl: "https://shop.example" }],
        [{ checkoutOrigins: ["https://A.b"] }, { checkoutOrigins: ["https://a.b"] }],
        [{ checkoutOrigins: ["https://c.d"] }, { checkoutOrigins: ["https://c.d"] }],
        [{ checkoutOrigins: [] }, { checkoutOrigins: [] }],
        [
          { supportEmail: null, supportUrl: null },
          { supportEmail: null, supportUrl: null },
        ],
        [{ brandColor: null, checkoutOrigins: null }, { brandColor: null }],
        [
          { merchantName: "All", merchantEmail: "all@example.com", iconUrl: icon },
          { name: "All", email: "all@example.com", iconUrl: icon },
        ],
      ] as const
      for (const [body, change] of steps) {
        yield* TestClock.adjust("1 second")
        Object.assign(expected, change)
        const answer = yield* Scene.send(patch(own.key, own.merchantId, body))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(answer.body, { merchant: expected })
        const read = yield* Scene.send({ path: `/v1/merchants/${own.merchantId}`, key: own.key })
        assert.deepStrictEqual(read.body, {
          merchant: { ...expected, settlements: { crypto: [], fiat: [] } },
        })
      }
      const theirs = yield* Scene.send({
        path: `/v1/merchants/${other.merchantId}`,
        key: other.key,
      })
      assert.strictEqual(Scene.text(theirs.body, "merchant", "name"), "Other Shop")
    }),
  )

  play("S21: shows payers the color and where to get help, but not the origins", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const shown = {
        brandColor: "#1f6feb",
        supportEmail: "help@shop.example",
        supportUrl: "https://shop.example/help",
      }
      const body = { ...shown, checkoutOrigins: ["https://shop.example"] }
      yield* Scene.send(patch(own.key, own.merchantId, body))
      const info = yield* Scene.send({ path: `/v1/gateway/payment/${id}`, key: walletKey })
      assert.deepStrictEqual(Scene.at(info.body, "merchant"), { name: "Corner Shop", ...shown })
    }),
  )
})
