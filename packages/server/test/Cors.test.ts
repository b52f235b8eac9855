import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const origin = "https://wallet.example"

/** Every response also varies by the caller's credentials, which is not about origins. */
const corsOf = ({ headers }: Scene.Reply) =>
  Object.fromEntries([
    ...[...headers].filter(([name]) => name.startsWith("access-control-")),
    ...(headers.get("vary")?.split(", ") ?? []).flatMap((name) =>
      name === "Origin" ? [["vary", name] as const] : [],
    ),
  ])

const asking = (path: string, headers: Readonly<Record<string, string>> = {}) => ({
  method: "OPTIONS",
  path,
  headers: {
    Origin: origin,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "api-key, content-type, svc-version",
    ...headers,
  },
})

const exposed = { "access-control-expose-headers": "Request-Id, Retry-After, Svc-Version" }
const everywhere = { "access-control-allow-origin": "*", ...exposed }

const allowedHeaders = [
  "Api-Key",
  "App-Id",
  "Client-Id",
  "Content-Type",
  "Sdk-Name",
  "Sdk-Platform",
  "Sdk-Version",
  "Svc-Version",
]

const gatewayPaths = [
  ["", "GET, HEAD"],
  ["/options", "POST"],
  ["/fetch", "POST"],
  ["/confirm", "POST"],
  ["/status", "GET, HEAD"],
  ["/cancel", "POST"],
] as const

const partnerPaths = [
  "/v1/payments",
  "/v1/payments/pay_1",
  "/v1/payments/pay_1/status",
  "/v1/payments/pay_1/cancel",
  "/v1/merchants",
  "/v1/merchants/mrch_1",
  "/v1/merchants/mrch_1/settlements",
  "/v1/merchants/mrch_1/settlements/crypto",
  "/v1/merchants/mrch_1/settlements/crypto/crypto_1",
  "/v1/merchants/payments",
  "/v1/merchant/payment",
  "/v1/refunds",
  "/v1/refunds/rfnd_1",
]

describe("a browser's preflight", () => {
  for (const [tail, methods] of gatewayPaths) {
    play(`allows /v1/gateway/payment/{id}${tail}, without a key`, () =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(asking(`/v1/gateway/payment/pay_1${tail}`))
        assert.strictEqual(answer.status, 204)
        assert.strictEqual(answer.text, "")
        assert.isNull(answer.headers.get("content-type"))
        assert.match(answer.headers.get("request-id") ?? "", /^req_\w+$/u)
        assert.deepStrictEqual(corsOf(answer), {
          ...everywhere,
          "access-control-allow-methods": methods,
          "access-control-allow-headers": allowedHeaders.join(", "),
          "access-control-max-age": "86400",
        })
      }),
    )
  }

  play(
    "allows the operator's other version headers",
    () =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(asking("/v1/gateway/payment/pay_1/options"))
        assert.strictEqual(
          answer.headers.get("access-control-allow-headers"),
          [...allowedHeaders, "X-Old-Version", "Older-Version"].join(", "),
        )
      }),
    { edge: { fieldVersionHeaders: ["X-Old-Version", "Older-Version"] } },
  )

  for (const path of partnerPaths) {
    play(`does not allow ${path}`, () =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(asking(path))
        Scene.isProblem(answer, 405, "method_not_allowed")
        assert.deepStrictEqual(corsOf(answer), {})
      }),
    )
  }

  for (const path of [
    "/v1/gateway",
    "/v1/gateway/payment",
    "/v1/gateway/nowhere",
    "/v1/Gateway/payment/pay_1",
    "/v1/gateway/../merchants",
    "/v1/gateway/%2e%2e/merchants",
  ]) {
    play(`is 404 at ${path}, as any other method`, () =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(asking(path))
        assert.include([404, 405], answer.status)
        assert.isNull(answer.headers.get("access-control-allow-methods"))
      }),
    )
  }

  play("has an origin and a method; any other OPTIONS is 405", () =>
    Effect.gen(function* () {
      const path = "/v1/gateway/payment/pay_1/options"
      for (const headers of [{}, { Origin: origin }, { "Access-Control-Request-Method": "POST" }]) {
        const answer = yield* Scene.send({ method: "OPTIONS", path, headers: { ...headers } })
        Scene.isProblem(answer, 405, "method_not_allowed")
        assert.strictEqual(answer.headers.get("allow"), "POST")
      }
    }),
  )
})

describe("a browser's page", () => {
  play("may read every response of the gateway, also refusals", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const path = `/v1/gateway/payment/${id}`
      for (const [sent, status] of [
        [{ path, key: walletKey }, 200],
        [{ path: `${path}/options`, key: walletKey, body: { accounts: [] } }, 200],
        [{ path: `${path}/options`, key: walletKey, raw: "{" }, 400],
        [{ path, key: null }, 401],
        [{ path: "/v1/gateway/payment/pay_0", key: walletKey }, 404],
        [{ path: "/v1/gateway/nowhere", key: walletKey }, 404],
        [{ method: "PUT", path, key: walletKey }, 405],
      ] as const) {
        const answer = yield* Scene.send({ ...sent, headers: { Origin: origin } })
        assert.strictEqual(answer.status, status, answer.text)
        assert.deepStrictEqual(corsOf(answer), everywhere)
        assert.isNull(answer.headers.get("access-control-allow-credentials"))
      }
    }),
  )

  play("may read no response of the partner interface or of other paths", ({ own }) =>
    Effect.gen(function* () {
      const headers = { Origin: origin, "Merchant-Id": own.merchantId }
      for (const path of [...partnerPaths, "/healthz", "/readyz", "/v1/nowhere", "/"]) {
        for (const key of [own.key, null]) {
          const answer = yield* Scene.send({ path, key, headers })
          assert.deepStrictEqual(corsOf(answer), {}, path)
        }
      }
    }),
  )

  play("causes no CORS headers for a request without an origin", ({ own }) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send({ path: "/v1/gateway/payment/pay_0", key: own.key })
      assert.deepStrictEqual(corsOf(answer), {})
    }),
  )
})

describe("origins that the operator lists", () => {
  const edge = { allowedOrigins: [origin, "http://localhost:3000"] }
  const path = "/v1/gateway/payment/pay_1/status"

  for (const allowed of edge.allowedOrigins) {
    play(
      `include ${allowed}, whose pages may call`,
      ({ walletKey }) =>
        Effect.gen(function* () {
          const own = { "access-control-allow-origin": allowed, vary: "Origin", ...exposed }
          const asked = yield* Scene.send(asking(path, { Origin: allowed }))
          assert.strictEqual(asked.status, 204)
          assert.deepInclude(corsOf(asked), own)
          const headers = { Origin: allowed }
          assert.deepStrictEqual(corsOf(yield* Scene.send({ path, key: walletKey, headers })), own)
        }),
      { edge },
    )
  }

  for (const other of [
    "https://other.example",
    "https://wallet.example.evil.example",
    "https://evil-wallet.example",
    "http://wallet.example",
    "https://wallet.example:8443",
    "https://WALLET.example",
    "https://wallet.example/",
    "https://wallet.example, https://other.example",
    "null",
    "*",
    "",
  ]) {
    play(
      `do not include "${other}", whose pages may not call`,
      ({ walletKey }) =>
        Effect.gen(function* () {
          const asked = yield* Scene.send(asking(path, { Origin: other }))
          assert.isNull(asked.headers.get("access-control-allow-origin"))
          const headers = { Origin: other }
          const answer = yield* Scene.send({ path, key: walletKey, headers })
          assert.deepStrictEqual(corsOf(answer), { vary: "Origin" })
        }),
      { edge },
    )
  }

  play(
    "may be an empty list",
    () =>
      Effect.gen(function* () {
        const asked = yield* Scene.send(asking(path))
        assert.isNull(asked.headers.get("access-control-allow-origin"))
      }),
    { edge: { allowedOrigins: [] } },
  )
})
