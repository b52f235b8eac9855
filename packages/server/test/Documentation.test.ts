import { assert, describe, it } from "@effect/vitest"
import * as Amount from "@florin/core/domain/Amount"
import * as Asset from "@florin/core/domain/Asset"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

const get = (path: string) => Scene.send({ path })

const under = <A, E>(effect: Effect.Effect<A, E, Scene.Ports>) =>
  effect.pipe(Effect.provide(Scene.layer()))

describe("GET /openapi.json", () => {
  for (const [query, version] of [
    ["", "2026-02-18"],
    ["?version=2026-02-18", "2026-02-18"],
    ["?version=2026-02-19.preview", "2026-02-19.preview"],
  ] as const) {
    it.effect(`answers the document of ${version} to ${query || "no version"}`, () =>
      under(
        Effect.gen(function* () {
          const answer = yield* get(`/openapi.json${query}`)
          assert.strictEqual(answer.status, 200)
          assert.strictEqual(answer.headers.get("content-type"), "application/json")
          assert.strictEqual(Scene.at(answer.body, "info", "version"), version)
        }),
      ),
    )
  }

  for (const [version, code] of [
    ["2026-01-01", "unknown_api_version"],
    ["newest", "invalid_api_version"],
    ["", "invalid_api_version"],
  ] as const) {
    it.effect(`refuses the version ${JSON.stringify(version)}`, () =>
      under(
        Effect.gen(function* () {
          Scene.isProblem(yield* get(`/openapi.json?version=${version}`), 400, code)
        }),
      ),
    )
  }
})

describe("GET /docs", () => {
  it.effect("is a page that may load nothing but our stylesheet", () =>
    under(
      Effect.gen(function* () {
        const { headers, status, text } = yield* get("/docs")
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
        assert.include(text, "/v1/gateway/payment/{id}/options")
        const style = yield* get("/docs/style.css")
        assert.strictEqual(style.status, 200)
        assert.strictEqual(style.headers.get("content-type"), "text/css; charset=utf-8")
      }),
    ),
  )

  it.effect("takes no key, and answers the preview where it is asked for", () =>
    under(
      Effect.gen(function* () {
        assert.include((yield* get("/docs?version=2026-02-19.preview")).text, "successUrl")
        assert.notInclude((yield* get("/docs")).text, "successUrl")
      }),
    ),
  )
})

describe("GET /icons", () => {
  it.effect("serves every icon that an amount can name", () =>
    under(
      Effect.gen(function* () {
        const units = [
          ...Object.keys(Amount.currencies).map((currency) => `iso4217/${currency}`),
          ...Asset.all.map(({ token }) => Amount.formatUnit(Amount.token(token))),
        ]
        for (const text of units) {
          const unit = yield* Effect.fromResult(Amount.parseUnit(text))
          const { icon, network } = Amount.display(unit)
          for (const name of network === undefined ? [icon] : [icon, network.icon]) {
            const answer = yield* get(`/icons/${name}.svg`)
            assert.strictEqual(answer.status, 200, name)
            assert.strictEqual(answer.headers.get("content-type"), "image/svg+xml")
            assert.isTrue(answer.text.startsWith("<svg"), name)
          }
        }
      }),
    ),
  )

  for (const name of ["nothing.svg", "usdc", "usdc.png", ".svg", "..%2Fusdc.svg"]) {
    it.effect(`has no ${name}`, () =>
      under(
        Effect.gen(function* () {
          Scene.isProblem(yield* get(`/icons/${name}`), 404, "not_found")
        }),
      ),
    )
  }
})
