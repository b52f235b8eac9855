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
    ],
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
})
