import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Handler, operations } from "../src/Handler.ts"
import type * as Exchange from "../src/http/Exchange.ts"
import * as Routing from "../src/http/Routing.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const find = Routing.make([
  { method: "GET", path: "/a/:id" },
  { method: "POST", path: "/a/:id" },
  { method: "GET", path: "/a/fixed" },
  { method: "GET", path: "/a/:id/b" },
  { method: "DELETE", path: "/a/fixed/c" },
  { method: "PUT", path: "/a/:id/b/:second" },
])

describe("Routing", () => {
  const routes: ReadonlyArray<
    readonly [method: string, path: string, route: string, params: Record<string, string>]
  > = [
    ["GET", "/a/1", "/a/:id", { id: "1" }],
    ["POST", "/a/1", "/a/:id", { id: "1" }],
    ["HEAD", "/a/1", "/a/:id", { id: "1" }],
    ["GET", "/a/fixed", "/a/fixed", {}],
    ["GET", "/a/Fixed", "/a/:id", { id: "Fixed" }],
    ["GET", "/a/%66ixed", "/a/:id", { id: "fixed" }],
    // The fixed way leads nowhere: the way of the parameter is taken.
    ["GET", "/a/fixed/b", "/a/:id/b", { id: "fixed" }],
    ["DELETE", "/a/fixed/c", "/a/fixed/c", {}],
    ["PUT", "/a/1/b/2", "/a/:id/b/:second", { id: "1", second: "2" }],
    ["PUT", "/a/%2F/b/%3F%23", "/a/:id/b/:second", { id: "/", second: "?#" }],
    ["GET", "/a/:id", "/a/:id", { id: ":id" }],
    ["GET", "/a/..", "/a/:id", { id: ".." }],
    ["GET", "/a/%F0%9F%98%80", "/a/:id", { id: "😀" }],
    ...["%", "%zz", "%ff", "%C0%AF", "%ED%A0%80"].map(
      (id) => ["GET", `/a/${id}`, "/a/:id", { id }] as const,
    ),
    ["GET", "/a/__proto__", "/a/:id", { id: "__proto__" }],
  ]
  for (const [method, path, route, params] of routes) {
    it(`finds ${route} for ${method} ${path}`, () => {
      const found = find(method, path)
      assert.deepStrictEqual(
        found._tag === "Route" && { route: found.route.path, params: found.params },
        { route, params },
      )
    })
  }

  it("returns the methods of a path, in order, with HEAD if there is GET", () => {
    for (const [method, path, allowed] of [
      ["PUT", "/a/1", ["GET", "HEAD", "POST"]],
      ["get", "/a/1", ["GET", "HEAD", "POST"]],
      ["HEAD", "/a/fixed/c", ["DELETE"]],
      ["GET", "/a/fixed/c", ["DELETE"]],
      // The fixed path hides the one with a parameter, for every method.
      ["POST", "/a/fixed", ["GET", "HEAD"]],
      ["__proto__", "/a/1/b", ["GET", "HEAD"]],
      ["", "/a/1/b/2", ["PUT"]],
    ] as const) {
      assert.deepStrictEqual(find(method, path), { _tag: "OtherMethod", allowed: [...allowed] })
    }
  })

  for (const path of [
    "",
    "/",
    "//",
    "a/1",
    "/a",
    "/a/",
    "//a/1",
    "/a//1",
    "/a//b",
    "/a/1/",
    "/a/1/b/",
    "/A/1",
    "/%61/1",
    "/a/1/B",
    "/a/1/c",
    "/a/fixed/b/c/d",
    "/__proto__",
    "/constructor/1",
    "/".repeat(100_000),
    `/a${"/b".repeat(100_000)}`,
  ]) {
    it(`finds nothing for ${path.slice(0, 40)}`, () => {
      assert.deepStrictEqual(find("GET", path), { _tag: "Nowhere" })
    })
  }

  it("accepts a segment of any length", () => {
    const id = "x".repeat(1_000_000)
    const found = find("GET", `/a/${id}`)
    assert.strictEqual(found._tag === "Route" && found.params["id"], id)
  })
})

describe("a route that accepts some parameters only", () => {
  const takes = ({ id = "" }: Routing.Params) => id.startsWith("a_")
  const picky = Routing.make([
    { method: "GET", path: "/:id", takes },
    { method: "PUT", path: "/:id/both", takes },
    { method: "POST", path: "/:id/both" },
  ])

  it("is found for those", () => {
    const found = picky("HEAD", "/a_1")
    assert.strictEqual(found._tag === "Route" && found.route.path, "/:id")
    assert.deepStrictEqual(picky("POST", "/a_1"), {
      _tag: "OtherMethod",
      allowed: ["GET", "HEAD"],
    })
  })

  it("is not found for others, with any method", () => {
    for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
      assert.deepStrictEqual(picky(method, "/b_1"), { _tag: "Nowhere" })
    }
  })

  it("does not hide another route's methods", () => {
    assert.deepStrictEqual(picky("GET", "/b_1/both"), { _tag: "OtherMethod", allowed: ["POST"] })
    assert.deepStrictEqual(picky("GET", "/a_1/both"), {
      _tag: "OtherMethod",
      allowed: ["POST", "PUT"],
    })
    assert.strictEqual(picky("POST", "/b_1/both")._tag, "Route")
    assert.deepStrictEqual(picky("PUT", "/b_1/both"), { _tag: "OtherMethod", allowed: ["POST"] })
  })
})

/** Every path of the interface, with the methods of its operations. */
const paths: ReadonlyArray<readonly [path: string, allow: string]> = [
  ...Map.groupBy(operations, ({ path }) => path),
].map(([path, all]) => {
  const supported = all.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))
  return [path.replaceAll(/:(\w+)/gu, "x_1"), supported.toSorted().join(", ")] as const
})

const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "BREW",
]

/** Methods that the web's `Request` refuses to carry come over other hosts. */
const sendAny = Effect.fnUntraced(function* (method: string, path: string, key: string | null) {
  const handler = yield* Handler
  return yield* handler.respond({
    method,
    path,
    query: "",
    header: (name) => (name === "api-key" ? (key ?? undefined) : undefined),
    body: Effect.succeed(new Uint8Array()),
  } satisfies Exchange.Incoming)
})

describe("the paths of the service", () => {
  for (const [path, allow] of [
    ...paths,
    ["/healthz", "GET, HEAD"],
    ["/readyz", "GET, HEAD"],
  ] as const) {
    const allowed = allow.split(", ")
    play(`${path} supports ${allow}, and responds to others with 405 and Allow`, (scene) =>
      Effect.gen(function* () {
        const before = yield* Laws.world(scene)
        for (const method of methods) {
          for (const key of [scene.own.key, scene.walletKey, null]) {
            const { body, headers, status } = yield* sendAny(method, path, key)
            if (allowed.includes(method)) {
              assert.notStrictEqual(status, 405, method)
              assert.isUndefined(headers["allow"])
            } else {
              assert.strictEqual(status, 405, method)
              assert.strictEqual(headers["allow"], allow)
              assert.match(headers["request-id"] ?? "", /^req_\w+$/u)
              assert.deepStrictEqual(JSON.parse(String(body)), {
                code: "method_not_allowed",
                message: `this path supports ${allow}`,
                requestId: headers["request-id"],
              })
            }
          }
        }
        assert.deepStrictEqual(yield* Laws.world(scene), before)
      }),
    )
  }

  play("respond to HEAD like GET, without the body", ({ own, walletKey }) =>
    Effect.gen(function* () {
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const headers = { "Merchant-Id": own.merchantId }
      for (const [path, key] of [
        ["/v1/merchants", own.key],
        [`/v1/merchants/${own.merchantId}`, own.key],
        [`/v1/payments/${id}`, own.key],
        [`/v1/gateway/payment/${id}/status?maxPollMs=0`, walletKey],
        ["/v1/merchants/mrch_0", own.key],
        ["/v1/merchants", null],
        ["/healthz", null],
        ["/nowhere", null],
      ] as const) {
        const get = yield* Scene.send({ path, key, headers })
        const head = yield* Scene.send({ method: "HEAD", path, key, headers })
        assert.strictEqual(head.status, get.status, path)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers.get("content-type"), get.headers.get("content-type"))
      }
    }),
  )

  for (const path of [
    "/",
    "/v2/merchants",
    "/v1/nothing",
    "/v1/merchants/",
    "/V1/merchants",
    "/v1/%6derchants",
    "/v1%2Fmerchants",
    "/v1/merchants;a=1",
    "/v1/gateway/payment//status",
    "/v1/payments/pay_1/refund",
    "/v1/merchants/mrch_1/settlements/fiat",
    "/v1/merchants/mrch_1/settlements/crypto/crypto_1/x",
    "/HEALTHZ",
    "/.env",
    "/*",
    `/${"x".repeat(100_000)}`,
    `/v1${"/x".repeat(10_000)}`,
  ]) {
    play(`do not include ${path.slice(0, 60)}, with and without a key`, ({ own }) =>
      Effect.gen(function* () {
        for (const method of ["GET", "POST", "DELETE"]) {
          for (const key of [own.key, null]) {
            const answer = yield* sendAny(method, path, key)
            assert.strictEqual(answer.status, 404)
            assert.deepStrictEqual(JSON.parse(String(answer.body)), {
              code: "not_found",
              message: "there is nothing at this path",
              requestId: answer.headers["request-id"],
            })
            assert.strictEqual(answer.headers["content-type"], "application/json")
          }
        }
      }),
    )
  }

  play("do not depend on the query", ({ own }) =>
    Effect.gen(function* () {
      for (const tail of ["?", "?/", "?a=/v1/nowhere", "?#", "#/x"]) {
        const answer = yield* Scene.send({ path: `/v1/merchants${tail}`, key: own.key })
        assert.strictEqual(answer.status, 200, tail)
      }
      const nowhere = yield* Scene.send({ path: "/nowhere?/v1/merchants", key: own.key })
      Scene.isProblem(nowhere, 404, "not_found")
    }),
  )
})
