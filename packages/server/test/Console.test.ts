import { assert, describe, it } from "@effect/vitest"
import type * as HostedPage from "@florin/api/wire/HostedPage"
import { Effect } from "effect"
import * as Site from "../src/pages/Site.ts"
import * as Calls from "./operator/calls.ts"
import * as Pages from "./pages.ts"
import * as Scene from "./scene.ts"

const file = "/console/assets/console-3f9ab2c1.js"
const bytes = new TextEncoder().encode("script")
const console: HostedPage.Console = {
  document: `<!doctype html><title>Console</title>${Site.place}<script src="${file}"></script>`,
  files: new Map([
    [file, { contentType: "text/javascript", body: bytes, brotli: bytes, gzip: bytes }],
  ]),
  version: "1.2.3",
}

const screens = ["", "/", "/payments", "/payments/pay_1", "/settings/team/key_1"]
const invite = { name: "Ada", use: "sign_in", role: "viewer" } as const
const once = { "Idempotency-Key": "1" }

for (const face of ["partner", "operator"] as const) {
  const send = face === "partner" ? Scene.send : Calls.send
  const layer = Scene.layer({ edge: { console, operatorUrl: () => "https://ops.example/florin" } })

  describe(`the console of the ${face}`, () => {
    it.effect("S40: is one document for every screen, which no page may frame", () =>
      Effect.gen(function* () {
        for (const screen of screens) {
          const reply = yield* send({ path: `/console${screen}` })
          assert.strictEqual(reply.status, 200, screen)
          assert.deepStrictEqual(Pages.dataOf(reply.text), {
            page: "console",
            face,
            basePath: face === "partner" ? "/console" : "/florin/console",
            version: "1.2.3",
          })
          const from = face === "partner" ? file : `/florin${file}`
          assert.include(reply.text, `<script src="${from}">`)
          const policy = reply.headers.get("content-security-policy") ?? ""
          for (const rule of [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "base-uri 'none'",
          ]) {
            assert.include(policy.split("; "), rule)
          }
          assert.strictEqual(reply.headers.get("x-frame-options"), "DENY")
          assert.strictEqual(reply.headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(reply.headers.get("referrer-policy"), "no-referrer")
          assert.strictEqual(reply.headers.get("cross-origin-opener-policy"), "same-origin")
          assert.include(reply.headers.get("permissions-policy") ?? "", "payment=()")
          assert.strictEqual(reply.headers.get("cache-control"), "no-store")
        }
        const script = yield* send({ path: file })
        assert.strictEqual(script.text, "script")
        assert.include(script.headers.get("cache-control") ?? "", "immutable")
      }).pipe(Effect.provide(layer)),
    )

    const local = Scene.layer({ edge: { console: { ...console, isLocal: true } } })
    const says = face === "partner" ? "says" : "never says"

    it.effect(`${says} that it is on a developer's machine`, () =>
      Effect.gen(function* () {
        const data = Pages.dataOf((yield* send({ path: "/console" })).text)
        assert.strictEqual(Scene.at(data, "isLocal"), face === "partner" ? true : undefined)
      }).pipe(Effect.provide(local)),
    )

    it.effect("does not exist if it is turned off", () =>
      Effect.gen(function* () {
        for (const path of ["/console", "/console/payments", file]) {
          Scene.isProblem(yield* send({ path }), 404, "not_found")
        }
      }).pipe(Effect.provide(Scene.layer())),
    )
  })
}

describe("an invitation", () => {
  it.effect("S40: comes with the link once, and names no more scopes than its maker has", () =>
    Effect.gen(function* () {
      const { own } = yield* Scene.make
      const path = "/v1/keys"
      const made = yield* Scene.send({ path, key: own.key, headers: once, body: invite })
      assert.strictEqual(made.status, 201, made.text)
      assert.strictEqual(
        Scene.text(made.body, "link"),
        `https://pay.example.com/console#sign-in=${Scene.text(made.body, "secret")}`,
      )
      assert.deepStrictEqual(Scene.at(made.body, "key", "scopes"), ["read"])
      const both = { ...invite, scopes: ["read"] }
      const fields = (headers: string, body: Scene.Json, key = own.key) =>
        Effect.map(
          Scene.send({ path, key, headers: { "Idempotency-Key": headers }, body }),
          Scene.fieldsOf,
        )
      assert.deepStrictEqual(yield* fields("2", both), ["role"])
      assert.deepStrictEqual(yield* fields("3", { ...invite, use: "session" }), ["use"])
      const less = yield* Scene.send({
        path,
        key: own.key,
        headers: { "Idempotency-Key": "4" },
        body: { name: "till", scopes: ["read", "keys"] },
      })
      const asAdmin = { ...invite, role: "admin" }
      assert.deepStrictEqual(yield* fields("5", asAdmin, Scene.text(less.body, "secret")), [
        "scopes",
      ])
    }).pipe(Effect.provide(Scene.layer({ edge: { console } }))),
  )

  it.effect("S40: of the operator leads to the operator's port, or to the partner's console", () =>
    Effect.gen(function* () {
      const { own } = yield* Scene.make
      const { text: key } = yield* Calls.operatorKey(["read", "admin"])
      const make = (name: string, body: Scene.Json) =>
        Calls.send({
          path: "/operator/v1/keys",
          key,
          headers: { "Idempotency-Key": name },
          body,
        })
      const viewer = yield* make("1", { operator: "Bob", use: "sign_in", role: "viewer" })
      assert.match(
        Scene.text(viewer.body, "link"),
        /^https:\/\/ops\.example\/console#sign-in=flr_op_\w+$/u,
      )
      const ofPartner = { partnerId: own.partner.id, mode: "live", ...invite }
      const partner = yield* make("2", ofPartner)
      assert.match(
        Scene.text(partner.body, "link"),
        /^https:\/\/pay\.example\.com\/console#sign-in=flr_live_pk_\w+$/u,
      )
      const admin = { operator: "Bob", use: "sign_in", role: "admin" }
      Scene.isProblem(yield* make("3", admin), 403, "forbidden")
    }).pipe(
      Effect.provide(Scene.layer({ edge: { console, operatorUrl: () => "https://ops.example" } })),
    ),
  )
})
