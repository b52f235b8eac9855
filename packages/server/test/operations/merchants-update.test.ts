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

const subject: Laws.Subject = {
  good: ({ own }) => Effect.succeed(patch(own.key, own.merchantId, { merchantName: "Renamed" })),
  status: 200,
}

const icon = "https://shop.example/icon.png"

describe("PATCH /v1/merchants/{merchantId}", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)
  const strangeTypes: ReadonlyArray<Scene.Json> = [1, true, [], {}]
  Laws.ofFields(subject, [
    ["a change of nothing", () => ({}), ["body"]],
    ["a change of nothing that it knows", () => ({ name: "x", status: "suspended" }), ["body"]],
    ["a change of nulls", () => ({ merchantName: null, merchantEmail: null }), ["body"]],
    ["an empty name", () => ({ merchantName: "" }), ["merchantName"]],
    ["a name that is too long", () => ({ merchantName: "x".repeat(257) }), ["merchantName"]],
    ["a name that nobody sees", () => ({ merchantName: " " }), ["merchantName"]],
    ["an address that is none", () => ({ merchantEmail: "shop" }), ["merchantEmail"]],
    ["an icon without encryption", () => ({ iconUrl: "http://shop.example/" }), ["iconUrl"]],
    ["an icon that is a script", () => ({ iconUrl: "javascript:alert(1)" }), ["iconUrl"]],
    ["an empty icon", () => ({ iconUrl: "" }), ["iconUrl"]],
    ["a color that is a name", () => ({ brandColor: "red" }), ["brandColor"]],
    ["a color that is a style", () => ({ brandColor: "#000000;x:y" }), ["brandColor"]],
    ["an address for help that is none", () => ({ supportEmail: "help" }), ["supportEmail"]],
    ["a page for help without encryption", () => ({ supportUrl: "http://a.b" }), ["supportUrl"]],
    [
      "an origin that is a policy",
      () => ({ checkoutOrigins: ["https://a.example; script-src *"] }),
      ["checkoutOrigins[0]"],
    ],
    [
      "more origins than 10",
      () => ({ checkoutOrigins: Array.from({ length: 11 }, () => "https://a.example") }),
      ["checkoutOrigins"],
    ],
    ["an origin that is null", () => ({ checkoutOrigins: [null] }), ["checkoutOrigins[0]"]],
    [
      "an icon that is too long",
      () => ({ iconUrl: `https://a.example/${"p".repeat(2031)}` }),
      ["iconUrl"],
    ],
    [
      "a good field beside a wrong one",
      () => ({ merchantName: "Renamed", merchantEmail: "shop" }),
      ["merchantEmail"],
    ],
    ...strangeTypes.flatMap((value) =>
      ["merchantName", "merchantEmail", "iconUrl"].map(
        (name) =>
          [`${JSON.stringify(value)} for ${name}`, () => ({ [name]: value }), [name]] as const,
      ),
    ),
  ])

  play("changes what is named, and nothing else", ({ other, own }) =>
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

  play("takes the icon away by null, where there is none too", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const seen = Effect.gen(function* () {
        const info = yield* Scene.send({ path: `/v1/gateway/payment/${id}`, key: walletKey })
        return Scene.at(info.body, "merchant")
      })
      yield* Scene.send(patch(own.key, own.merchantId, { iconUrl: icon }))
      assert.deepStrictEqual(yield* seen, { iconUrl: icon, name: "Corner Shop" })
      for (let times = 0; times < 2; times += 1) {
        const answer = yield* Scene.send(patch(own.key, own.merchantId, { iconUrl: null }))
        assert.isNull(Scene.at(answer.body, "merchant", "iconUrl"))
        assert.deepStrictEqual(yield* seen, { name: "Corner Shop" })
      }
    }),
  )

  play("S21: shows payers the color and where they get help, and nothing of its own", (scene) =>
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

  play("tells no absent merchant from a deleted, another partner's or malformed one", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const deleted = yield* Scene.createMerchant(own.key)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted}`, key: own.key })
      for (const [key, id] of [
        [own.key, deleted],
        [own.key, other.merchantId],
        [own.liveKey, own.merchantId],
        [own.key, "mrch_0"],
        [own.key, "x"],
      ] as const) {
        yield* Laws.refused(scene, patch(key, id, { merchantName: "x" }), 404, "not_found")
        // The body is judged before it is known whom it is about.
        yield* Laws.invalid(scene, patch(key, id, { merchantName: "" }), ["merchantName"])
        yield* Laws.invalid(scene, patch(key, id, { merchantEmail: "x" }), ["merchantEmail"])
        yield* Laws.invalid(scene, patch(key, id, {}), ["body"])
      }
    }),
  )
})
