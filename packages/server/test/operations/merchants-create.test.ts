import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const sent = (key: string, body: Scene.Json) => ({
  path: "/v1/merchants",
  key,
  headers: { "Idempotency-Key": Scene.fresh("create") },
  body,
})

const example = { merchantName: "Bakery", merchantEmail: "bread@example.com" }

const pages = {
  brandColor: "red",
  supportEmail: "help",
  supportUrl: "javascript:alert(1)",
  checkoutOrigins: ["https://shop.example", "https://shop.example/"],
}

describe("POST /v1/merchants", () => {
  Laws.refusesBodies(
    ({ own }) => Effect.succeed(sent(own.key, example)),
    [
      [
        "every field",
        () => ({
          merchantName: " ",
          merchantEmail: "shop",
          iconUrl: "http://shop.example",
          ...pages,
        }),
        [
          "merchantName",
          "merchantEmail",
          "iconUrl",
          "brandColor",
          "supportEmail",
          "supportUrl",
          "checkoutOrigins[1]",
        ],
      ],
      [
        "a name and an icon that are too long",
        () => ({
          ...example,
          merchantName: "😀".repeat(257),
          iconUrl: `https://a.example/${"p".repeat(2031)}`,
        }),
        ["merchantName", "iconUrl"],
      ],
    ],
  )

  play("returns the new merchant, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send(
        sent(own.key, { ...example, iconUrl: "https://shop.example/icon.png" }),
      )
      assert.strictEqual(answer.status, 201)
      const id = Scene.text(answer.body, "merchant", "id")
      assert.match(id, /^mrch_[0-9A-Za-z]{1,64}$/u)
      assert.deepStrictEqual(answer.body, {
        merchant: {
          id,
          name: "Bakery",
          email: "bread@example.com",
          iconUrl: "https://shop.example/icon.png",
          ...Scene.faceless,
          status: "active",
          createdAt: "2026-09-21T14:13:20.000Z",
        },
      })
      const found = yield* Scene.send({ path: `/v1/merchants/${id}`, key: own.key })
      assert.strictEqual(Scene.text(found.body, "merchant", "id"), id)
    }),
  )

  play("stores the color, help and origins of its pages, and null for none of them", ({ own }) =>
    Effect.gen(function* () {
      const face = {
        brandColor: "#1F6FEB",
        supportEmail: "help@shop.example",
        supportUrl: "https://shop.example/help",
        checkoutOrigins: ["https://SHOP.example:443", "http://localhost:3000"],
      }
      const answer = yield* Scene.send(sent(own.key, { ...example, ...face }))
      assert.strictEqual(answer.status, 201, answer.text)
      const { body } = yield* Scene.send({
        path: `/v1/merchants/${Scene.text(answer.body, "merchant", "id")}`,
        key: own.key,
      })
      for (const each of [answer.body, body]) {
        assert.deepInclude(Scene.at(each, "merchant"), {
          ...face,
          brandColor: "#1f6feb",
          checkoutOrigins: ["https://shop.example", "http://localhost:3000"],
        })
      }
      const nulls = sent(own.key, {
        ...example,
        ...Object.fromEntries(Object.keys(face).map((name) => [name, null])),
      })
      const none = yield* Scene.send(nulls)
      assert.deepInclude(Scene.at(none.body, "merchant"), Scene.faceless)
      const again = yield* Scene.send({ ...nulls, body: example })
      assert.strictEqual(again.text, none.text)
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const other = { ...nulls, body: { ...example, brandColor: "#1f6feb" } }
      Scene.isProblem(yield* Scene.send(other), 409, "idempotency_conflict")
    }),
  )

  play("refuses an origin on localhost for a live merchant", (scene) =>
    Laws.invalid(
      scene,
      sent(scene.own.liveKey, { ...example, checkoutOrigins: ["http://localhost:3000"] }),
      ["checkoutOrigins[0]"],
    ),
  )

  play("takes the longest name and icon, and repeats them letter by letter", ({ own }) =>
    Effect.gen(function* () {
      const merchantName = ` Café №1 — a%b_c\\d ${"😀".repeat(236)} `
      const iconUrl = `https://SHOP.example:8443/a%20b?c=d#e${"p".repeat(2011)}`
      const answer = yield* Scene.send(sent(own.key, { ...example, merchantName, iconUrl }))
      assert.strictEqual(answer.status, 201, answer.text)
      assert.strictEqual(Scene.text(answer.body, "merchant", "name"), merchantName)
      assert.strictEqual(Scene.text(answer.body, "merchant", "iconUrl"), iconUrl)
    }),
  )

  play("repeats the first response, even if the merchant was changed or deleted since", ({ own }) =>
    Effect.gen(function* () {
      const request = sent(own.key, example)
      const first = yield* Scene.send(request)
      const merchant = {
        path: `/v1/merchants/${Scene.text(first.body, "merchant", "id")}`,
        key: own.key,
      }
      yield* Scene.send({ ...merchant, method: "PATCH", body: { merchantName: "Renamed" } })
      const renamed = yield* Scene.send(request)
      assert.strictEqual(renamed.text, first.text)
      yield* Scene.send({ ...merchant, method: "DELETE" })
      const deleted = yield* Scene.send(request)
      assert.strictEqual(deleted.status, 201)
      assert.strictEqual(deleted.text, first.text)
      assert.strictEqual(deleted.headers.get("idempotency-replayed"), "true")
      Scene.isProblem(yield* Scene.send(merchant), 404, "not_found")
    }),
  )
})
