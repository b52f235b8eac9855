import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const member = (name: string, value: Scene.Json) => (body: Scene.Json) => ({
  ...Object.fromEntries(Object.entries(body ?? {})),
  [name]: value,
})

const without = (name: string) => (body: Scene.Json) =>
  Object.fromEntries(Object.entries(body ?? {}).filter(([each]) => each !== name))

const sent = (key: string, body: Scene.Json) => ({
  path: "/v1/merchants",
  key,
  headers: { "Idempotency-Key": Scene.fresh("create") },
  body,
})

const example = { merchantName: "Bakery", merchantEmail: "bread@example.com" }

const subject: Laws.Subject = {
  good: ({ own }) => Effect.succeed(sent(own.key, example)),
  status: 201,
  needsIdempotencyKey: true,
}

const wrongTypes: ReadonlyArray<Scene.Json> = [1, true, [], {}, ["text"], { text: "text" }]

describe("POST /v1/merchants", () => {
  Laws.ofPartners(subject)
  Laws.ofBodies(subject)
  Laws.ofIdempotency(subject, {
    body: member("merchantName", "Another bakery"),
    wrong: { merchantName: "", merchantEmail: "none" },
    elsewhere: ({ other, own }) =>
      Effect.succeed([sent(other.key, example), sent(own.liveKey, example)]),
  })
  Laws.ofFields(subject, [
    ["a body without a name", without("merchantName"), ["merchantName"]],
    ["a body without an address", without("merchantEmail"), ["merchantEmail"]],
    ["an empty object", () => ({}), ["merchantName", "merchantEmail"]],
    [
      "every field that has a wrong type at once",
      () => ({
        merchantName: 1,
        merchantEmail: null,
        iconUrl: [],
        brandColor: 1,
        supportEmail: {},
        supportUrl: true,
        checkoutOrigins: "https://shop.example",
      }),
      [
        "merchantName",
        "merchantEmail",
        "iconUrl",
        "brandColor",
        "supportEmail",
        "supportUrl",
        "checkoutOrigins",
      ],
    ],
    [
      "every field that breaks a rule at once",
      () => ({
        merchantName: " ",
        merchantEmail: "shop",
        iconUrl: "http://shop.example",
        brandColor: "red",
        supportEmail: "help",
        supportUrl: "javascript:alert(1)",
        checkoutOrigins: ["https://shop.example", "https://shop.example/"],
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
      "names that differ by their case",
      () => ({ merchantname: "Bakery", MerchantEmail: "bread@example.com" }),
      ["merchantName", "merchantEmail"],
    ],
    ...[...wrongTypes, null].flatMap(
      (value) =>
        [
          [`${JSON.stringify(value)} for a name`, member("merchantName", value), ["merchantName"]],
          [
            `${JSON.stringify(value)} for an address`,
            member("merchantEmail", value),
            ["merchantEmail"],
          ],
        ] as const,
    ),
    ...wrongTypes.map(
      (value) =>
        [`${JSON.stringify(value)} for an icon`, member("iconUrl", value), ["iconUrl"]] as const,
    ),
  ])

  play("answers the new merchant, and nothing else", ({ own }) =>
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

  play("keeps what its pages show, and reads null as nothing", ({ own }) =>
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

  play("takes no origin on a developer's machine for a live merchant", (scene) =>
    Laws.invalid(
      scene,
      sent(scene.own.liveKey, { ...example, checkoutOrigins: ["http://localhost:3000"] }),
      ["checkoutOrigins[0]"],
    ),
  )

  for (const iconUrl of [undefined, null]) {
    play(`shows null where the icon is ${iconUrl === null ? "null" : "left out"}`, ({ own }) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(
          sent(own.key, iconUrl === undefined ? example : { ...example, iconUrl }),
        )
        assert.strictEqual(answer.status, 201)
        assert.isNull(Scene.at(answer.body, "merchant", "iconUrl"))
      }),
    )
  }

  // The longest are counted in characters, not in the halves of surrogate pairs.
  for (const name of ["x", "x".repeat(256), "😀".repeat(256), " Café №1 — 小店 ", "a%b_c\\d"]) {
    play(`takes the name ${name.slice(0, 16)} of ${[...name].length} characters`, ({ own }) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(sent(own.key, { ...example, merchantName: name }))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.text(answer.body, "merchant", "name"), name)
      }),
    )
  }

  for (const name of ["", "x".repeat(257), "😀".repeat(257), " ", "a\u0000b", "a\nb", "a\ud800b"]) {
    play(`refuses the name ${JSON.stringify(name.slice(0, 16))}`, (scene) =>
      Laws.invalid(scene, sent(scene.own.key, { ...example, merchantName: name }), [
        "merchantName",
      ]),
    )
  }

  const local = "l".repeat(64)
  const domain = `${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(59)}.x`
  for (const email of [
    "a@b.co",
    "first.last+tag@shop.example.com",
    "o'neil@example.com",
    "UPPER@EXAMPLE.COM",
    "x@1.co",
    `${local}@${domain}`,
  ]) {
    play(`takes the address ${email.slice(0, 40)}`, ({ own }) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(sent(own.key, { ...example, merchantEmail: email }))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.text(answer.body, "merchant", "email"), email)
      }),
    )
  }

  for (const email of [
    "",
    "shop",
    "@example.com",
    "shop@",
    "shop@example",
    "shop@@example.com",
    "shop@example..com",
    ".shop@example.com",
    "shop.@example.com",
    "shop@-example.com",
    " shop@example.com",
    "shop@example.com ",
    "shop @example.com",
    "shop@exam\nple.com",
    "Shop <shop@example.com>",
    "shop@example.com,other@example.com",
    "boutique@café.example",
    `${"l".repeat(65)}@example.com`,
    `${local}@${domain}y`,
  ]) {
    play(`refuses the address ${JSON.stringify(email.slice(0, 70))}`, (scene) =>
      Laws.invalid(scene, sent(scene.own.key, { ...example, merchantEmail: email }), [
        "merchantEmail",
      ]),
    )
  }

  const path = (length: number) => `https://a.example/${"p".repeat(length - 18)}`
  for (const iconUrl of [
    "https://shop.example/icon.png",
    "https://shop.example",
    "https://SHOP.example:8443/a%20b?c=d#e",
    path(2048),
  ]) {
    play(`takes the icon ${iconUrl.slice(0, 40)}`, ({ own }) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(sent(own.key, { ...example, iconUrl }))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.text(answer.body, "merchant", "iconUrl"), iconUrl)
      }),
    )
  }

  for (const iconUrl of [
    "",
    "icon.png",
    "/icon.png",
    "//shop.example/icon.png",
    "http://shop.example/icon.png",
    "javascript:alert(1)",
    "javascript://shop.example/%0aalert(1)",
    "data:image/png;base64,AA==",
    "ftp://shop.example/icon.png",
    "https:shop.example/icon.png",
    "https:\\\\shop.example",
    "https://",
    "https://user@shop.example/icon.png",
    "https://user:word@shop.example/",
    "https://shop.example/a b",
    "https://shop.example/\n",
    " https://shop.example/",
    "https://shop.exämple/",
    'https://shop.example/"onerror=',
    "https://shop.example/<script>",
    path(2049),
  ]) {
    play(`refuses the icon ${JSON.stringify(iconUrl.slice(0, 40))}`, (scene) =>
      Laws.invalid(scene, sent(scene.own.key, { ...example, iconUrl }), ["iconUrl"]),
    )
  }

  play(
    "answers a repeated call as the first one, even if the merchant changed or went",
    ({ own }) =>
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
