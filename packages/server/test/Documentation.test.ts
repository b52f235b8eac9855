import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Amount from "@florin/core/domain/money/Amount"
import { Effect } from "effect"
import * as Scene from "./scene.ts"

/** A token that is not built in, and a catalog that has no other. */
const added: Asset.Asset = {
  token: { chainId: Eip155.chainId(8453), address: Caip.Address.make(`0x${"a1".repeat(20)}`) },
  symbol: "XAUx",
  name: "Gold",
  decimals: 9,
  peg: null,
  flow: "permit2",
  details: Details.encode({ issuer: { switches: [], blocklist: null } }),
}
const catalog = Catalog.make({
  families: [Eip155.family],
  networks: BuiltIn.catalog.networks.filter(({ chainId }) => chainId === added.token.chainId),
  assets: [added],
})

const get = (path: string) => Scene.send({ path })

const under = <A, E>(effect: Effect.Effect<A, E, Scene.Ports>) =>
  effect.pipe(Effect.provide(Scene.layer()))

describe("GET /llms.txt", () => {
  it.effect("lists each call, and where it is described", () =>
    under(
      Effect.gen(function* () {
        const { headers, text } = yield* get("/llms.txt")
        assert.include(headers.get("content-type"), "text/plain", text)
        const links = [
          ...text.matchAll(
            /^- \[.+\]\(https:\/\/[^/]+(\/docs\/[^#]+)#(.+)\): `[A-Z]+ \/v1\/.+`$/gmu,
          ),
        ]
        assert.isAbove(links.length, 40)
        for (const [, path = "", anchor = ""] of links.slice(0, 5)) {
          assert.include((yield* get(path)).text, `id="${anchor}"`)
        }
      }),
    ),
  )
})

describe("GET /openapi.json", () => {
  for (const [query, version] of [
    ["", "2026-02-18"],
    ["?version=2026-02-18", "2026-02-18"],
    ["?version=2026-02-19.preview", "2026-02-19.preview"],
  ] as const) {
    it.effect(`returns the document of ${version} for ${query || "no version"}`, () =>
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
  it.effect("returns a page that may only load our stylesheet", () =>
    under(
      Effect.gen(function* () {
        const { headers, status, text } = yield* get("/docs")
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.include(headers.get("content-security-policy") ?? "", "default-src 'none'")
        assert.include((yield* get("/docs/gateway")).text, "/v1/gateway/payment/{id}/options")
        assert.include(text, `href="/docs/gateway"`)
        const style = yield* get("/docs/style.css")
        assert.strictEqual(style.status, 200)
        assert.strictEqual(style.headers.get("content-type"), "text/css; charset=utf-8")
      }),
    ),
  )

  it.effect("requires no key, and returns the preview if it is requested", () =>
    under(
      Effect.gen(function* () {
        const preview = "2026-02-19.preview"
        assert.include((yield* get(`/docs?version=${preview}`)).text, `version=${preview}`)
        assert.include((yield* get("/docs/payments")).text, "successUrl")
        const page = yield* get(`/docs/payments?version=${preview}`)
        assert.include(page.text, `href="/docs/refunds?version=${preview}"`)
      }),
    ),
  )
})

describe("GET /docs/:page", () => {
  it.effect("is cached like the first page, and is 404 under an unknown name", () =>
    under(
      Effect.gen(function* () {
        const { headers } = yield* get("/docs")
        const first = yield* get("/docs/refunds")
        const again = yield* get("/docs/refunds?search=ignored")
        assert.strictEqual(first.text, again.text)
        for (const name of ["cache-control", "content-security-policy", "content-type"]) {
          assert.strictEqual(first.headers.get(name), headers.get(name))
        }
        for (const path of ["/docs/", "/docs/Refunds", "/docs/none", "/docs/refunds/"]) {
          Scene.isProblem(yield* get(path), 404, "not_found")
        }
      }),
    ),
  )
})

describe("the documentation of a service on this machine", () => {
  const keys = { partnerKey: "flr_test_pk_own", walletKey: "flr_test_wk_own", merchantId: "mrch_1" }
  const local = Scene.layer({ edge: { exampleKeys: () => keys } })

  it.effect("contains its keys only if the host is a name of this machine", () =>
    Effect.gen(function* () {
      for (const host of ["localhost:3000", "127.0.0.1", "[::1]:3000"]) {
        const { headers, text } = yield* Scene.send({ path: "/docs/payments", headers: { host } })
        assert.include(text, keys.partnerKey, host)
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }
      for (const host of ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"]) {
        const { text } = yield* Scene.send({ path: "/docs/payments", headers: { host } })
        assert.notInclude(text, keys.partnerKey, host)
      }
      const headers = { host: "localhost:3000", "x-forwarded-for": "192.0.2.1" }
      const { text } = yield* Scene.send({ path: "/docs/payments", headers })
      assert.notInclude(text, keys.partnerKey, "a tunnel")
    }).pipe(Effect.provide(local)),
  )

  it.effect("finds what is searched for, and accepts a search that is far too long", () =>
    Effect.gen(function* () {
      assert.include((yield* get("/docs?search=refund")).text, "/docs/refunds#refunds.create")
      assert.strictEqual((yield* get(`/docs?search=${"x".repeat(5000)}`)).status, 200)
      assert.notInclude((yield* get("/docs?search=%20")).text, "results for")
      Scene.isProblem(yield* get("/docs?search=a&search=b"), 400, "params_validation")
    }).pipe(Effect.provide(local)),
  )
})

describe("GET /icons", () => {
  it.effect("serves every icon that an amount can refer to", () =>
    under(
      Effect.gen(function* () {
        const units = [
          ...Object.keys(Amount.currencies).map((currency) => `iso4217/${currency}`),
          ...BuiltIn.catalog.assets.map(({ token }) =>
            Amount.formatUnit(Amount.token(token), BuiltIn.catalog),
          ),
        ]
        for (const text of units) {
          const unit = yield* Effect.fromResult(Amount.parseUnit(text, BuiltIn.catalog))
          const { icon, network } = Amount.display(unit, BuiltIn.catalog)
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

  it.effect("serves the drawing of a token in the service's own catalog, and of no other", () =>
    Effect.gen(function* () {
      const { key, merchantId } = (yield* Scene.make).own
      const paymentId = yield* Scene.createPayment(key, merchantId, {
        amount: { unit: Amount.formatUnit(Amount.token(added.token), catalog), value: "1234" },
      })
      const { body } = yield* Scene.send({ path: "/v1/payments", key })
      assert.strictEqual(Scene.at(body, "data", 0, "paymentId"), paymentId)
      const display = ["data", 0, "tokenAmount", "display"] as const
      assert.strictEqual(Scene.at(body, ...display, "assetSymbol"), "XAUx")
      const icon = new URL(Scene.text(body, ...display, "iconUrl"))
      assert.strictEqual(icon.pathname, "/icons/xaux.svg")
      const drawn = yield* get(icon.pathname)
      assert.strictEqual(drawn.status, 200)
      assert.strictEqual(drawn.headers.get("content-type"), "image/svg+xml")
      assert.match(drawn.text, /^<svg .*>XAUx<\/text><\/svg>$/u)
      for (const name of ["usdc", "XAUx", "ethereum"]) {
        Scene.isProblem(yield* get(`/icons/${name}.svg`), 404, "not_found")
      }
      for (const name of ["base", "usd"]) {
        assert.strictEqual((yield* get(`/icons/${name}.svg`)).status, 200)
      }
    }).pipe(Effect.provide(Scene.layer({ chain: { catalog } }))),
  )

  for (const name of ["xaux.svg", "nothing.svg", "usdc", "usdc.png", ".svg", "..%2Fusdc.svg"]) {
    it.effect(`has no ${name}`, () =>
      under(
        Effect.gen(function* () {
          Scene.isProblem(yield* get(`/icons/${name}`), 404, "not_found")
        }),
      ),
    )
  }
})
