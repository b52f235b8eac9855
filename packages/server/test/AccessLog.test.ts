import { assert, describe, it } from "@effect/vitest"
import { api as open } from "@florin/api/Api"
import { api as operator } from "@florin/api/operator/Api"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Screening } from "@florin/core/ports/Screening"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Fiber, Layer, Logger, type Schema, SchemaAST } from "effect"
import { TestClock } from "effect/testing"
import * as AccessLog from "../src/edge/AccessLog.ts"
import { Handler } from "../src/Handler.ts"
import type { Play } from "./operations/laws.ts"
import * as Scene from "./scene.ts"

type Lines = ReadonlyArray<AccessLog.Line>

/** A test that reads what is written down of its requests: those of the scene itself are left out. */
const logged = (
  rule: string,
  body: (lines: () => Lines) => Play<void>,
  options: Scene.Options = {},
): void => {
  it.effect(rule, () => {
    const lines: Array<AccessLog.Line> = []
    const edge = { ...options.edge, log: (line: AccessLog.Line) => void lines.push(line) }
    return Effect.gen(function* () {
      const scene = yield* Scene.make
      lines.length = 0
      yield* body(() => lines)(scene)
    }).pipe(Effect.provide(Scene.layer({ ...options, edge })))
  })
}

const only = (lines: Lines): AccessLog.Line => {
  const [line, ...more] = lines
  return line !== undefined && more.length === 0
    ? line
    : assert.fail(`${lines.length} lines instead of one`)
}

const apiShape = { version: "2026-02-18", profile: "interface" } as const

describe("a line of the access log", () => {
  logged(
    "has the caller, the path and the outcome of a call",
    (lines) =>
      ({ own }) =>
        Effect.gen(function* () {
          const answer = yield* Scene.send({
            path: `/v1/merchants/${own.merchantId}?a=1`,
            key: own.key,
            headers: { "Sdk-Name": "wallet-kit", "Sdk-Version": "1.2.3", "Sdk-Platform": "ios" },
          })
          assert.deepStrictEqual(only(lines()), {
            at: Scene.now,
            requestId: answer.headers.get("request-id") ?? "",
            method: "GET",
            route: "/v1/merchants/:merchantId",
            params: { merchantId: own.merchantId },
            status: 200,
            code: null,
            durationInMs: 0,
            keyId: own.keyId,
            partnerId: own.partner.id,
            apiShape,
            sdk: { name: "wallet-kit", version: "1.2.3", platform: "ios" },
            defect: null,
          })
        }),
  )

  logged(
    "has what was known of a call when it was refused",
    (lines) =>
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          const nobody = { keyId: null, partnerId: null, apiShape: null }
          const known = { keyId: own.keyId, partnerId: own.partner.id }
          const route = "/v1/merchants"
          const cases: ReadonlyArray<readonly [sent: Scene.Sent, line: Partial<AccessLog.Line>]> = [
            [{ path: "/nowhere" }, { route: null, status: 404, code: "not_found", ...nobody }],
            [
              { path: route, method: "PUT", key: own.key },
              { route: null, method: "PUT", status: 405, code: "method_not_allowed", ...nobody },
            ],
            [{ path: route }, { route, status: 401, code: "missing_api_key", ...nobody }],
            [
              { path: route, key: walletKey },
              { route, status: 403, code: "forbidden", partnerId: null, apiShape: null },
            ],
            [
              { path: route, key: own.key, headers: { "Svc-Version": "soon" } },
              { route, status: 400, code: "invalid_api_version", ...known, apiShape: null },
            ],
            [
              { path: route, key: own.key, raw: "{", headers: { "Idempotency-Key": "k" } },
              { route, method: "POST", status: 400, code: "invalid_params", ...known, apiShape },
            ],
            [{ path: "/healthz" }, { route: "/healthz", status: 200, code: null, ...nobody }],
          ]
          for (const [index, [sent, expected]] of cases.entries()) {
            yield* Scene.send(sent)
            assert.lengthOf(lines(), index + 1)
            assert.deepInclude(lines()[index], expected)
          }
        }),
  )

  logged(
    "identifies a wallet by its key, with the API version and profile of the response",
    (lines) => (scene) =>
      Effect.gen(function* () {
        const headers = { "X-Old-Version": "2026-02-19.preview" }
        yield* Scene.send({ path: "/v1/gateway/payment/pay_0", key: scene.walletKey, headers })
        const line = only(lines())
        assert.match(line.keyId ?? "", /^key_\w+$/u)
        assert.notStrictEqual(line.keyId, scene.own.keyId)
        assert.isNull(line.partnerId)
        assert.deepStrictEqual(line.params, { id: "pay_0" })
        assert.deepStrictEqual(line.apiShape, { version: "2026-02-19.preview", profile: "field" })
      }),
    { edge: { fieldVersionHeaders: ["X-Old-Version"] } },
  )

  logged(
    "has the duration of the call",
    (lines) =>
      ({ own, walletKey }) =>
        Effect.gen(function* () {
          const id = yield* Scene.createPayment(own.key, own.merchantId)
          const path = `/v1/gateway/payment/${id}/status?maxPollMs=5000`
          const polling = yield* Effect.forkChild(Scene.send({ path, key: walletKey }))
          yield* TestClock.adjust(5000)
          assert.strictEqual((yield* Fiber.join(polling)).status, 200)
          const [, poll] = lines()
          assert.deepInclude(poll, { at: Scene.now, durationInMs: 5000, status: 200 })
        }),
  )

  const said: ReadonlyArray<readonly [sent: string, written: string]> = [
    ["wallet-kit/2.0 (iOS; 17)", "wallet-kit/2.0 (iOS; 17)"],
    ["", ""],
    ["a\tb", "ab"],
    ["caf\u00e9", "caf"],
    ["\u009b31mred", "31mred"],
    ["x".repeat(65), "x".repeat(64)],
    ["x".repeat(10_000), "x".repeat(64)],
  ]
  for (const [sent, written] of said) {
    logged(
      `writes "${sent.slice(0, 30)}" of an SDK as "${written.slice(0, 30)}"`,
      (lines) => () =>
        Effect.gen(function* () {
          const names = ["Sdk-Name", "Sdk-Version", "Sdk-Platform"]
          const headers = Object.fromEntries(names.map((name) => [name, sent]))
          yield* Scene.send({ path: "/healthz", headers })
          assert.deepStrictEqual(only(lines()).sdk, {
            name: written,
            version: written,
            platform: written,
          })
        }),
    )
  }

  it("has no control characters from the SDK's name, in any encoding", () => {
    for (let code = 0; code < 0x250; code += 1) {
      const written = AccessLog.sdk(() => `a${String.fromCharCode(code)}b`).name ?? ""
      const isPlain = code >= 0x20 && code < 0x7f
      assert.strictEqual(written, isPlain ? `a${String.fromCharCode(code)}b` : "ab", String(code))
    }
  })

  logged(
    "has the ids of a path, and no other part of it",
    (lines) =>
      ({ own }) =>
        Effect.gen(function* () {
          for (const [id, written] of [
            ["mrch_0", { merchantId: "mrch_0" }],
            [own.merchantId, { merchantId: own.merchantId }],
            ["canary", {}],
            [own.key, {}],
            ["bread@example.com", {}],
            ["ada_Lovelace", {}],
            // A webhook's secret without the = at its end, as a double click selects it.
            [`whsec_${"0".repeat(43)}`, {}],
            ["mrch_%0a", {}],
            ["mrch_%E2%80%AE", {}],
            [`mrch_${"0".repeat(65)}`, {}],
          ] as const) {
            yield* Scene.send({ path: `/v1/merchants/${id}`, key: own.key })
            assert.deepStrictEqual(lines().at(-1)?.params, { ...written }, id)
          }
        }),
  )

  it("has an id of every kind that a path of the contract names", () => {
    const groups = [...Object.values(open.groups), ...Object.values(operator.groups)]
    const kinds = groups
      .flatMap(({ endpoints }) =>
        Object.values<{ readonly params: Schema.Top | undefined }>(endpoints),
      )
      .flatMap(({ params }) =>
        params !== undefined && SchemaAST.isObjects(params.ast)
          ? params.ast.propertySignatures
          : [],
      )
      .flatMap(({ type }) => /^\^(\w+)_\[/u.exec(String(type.annotations?.["pattern"]))?.[1] ?? [])
    assert.isAbove(new Set(kinds).size, 8)
    for (const kind of kinds) {
      const params = { id: `${kind}_0` }
      assert.deepStrictEqual(AccessLog.params(params), params, kind)
    }
  })

  it.effect("names no method that HTTP does not have", () => {
    const lines: Array<AccessLog.Line> = []
    return Effect.gen(function* () {
      const handler = yield* Handler
      for (const method of ["GET", "OPTIONS", "TRACE", "CANARY", "get", "\u001b[31m"]) {
        yield* handler.respond({
          method,
          path: "/nowhere",
          query: "",
          header: () => undefined,
          body: Effect.succeed(new Uint8Array()),
        })
      }
      assert.deepStrictEqual(
        lines.map(({ method }) => method),
        ["GET", "OPTIONS", "TRACE", "other", "other", "other"],
      )
    }).pipe(Effect.provide(Scene.layer({ edge: { log: (line) => void lines.push(line) } })))
  })
})

const canary = "CANARY"
const secret = `${canary}: select * from keys\n    at ${canary} (/${canary}.ts:1:1)\n    at x`

describe("a defect in the log", () => {
  const bugs: ReadonlyArray<readonly [what: string, bug: () => unknown]> = [
    ["an error", () => new Error(secret)],
    ["a kind of error", () => new RangeError(secret)],
    ["a cause in an error", () => new Error("wrapped", { cause: new Error(secret) })],
    ["a text", () => secret],
    ["an object", () => ({ secret })],
    ["nothing", () => undefined],
  ]
  for (const [what, bug] of bugs) {
    const screening = Layer.succeed(Screening, { refused: () => Effect.die(bug()) })
    logged(
      `is logged by its type and place, without its message: ${what}`,
      (lines) =>
        ({ own, walletKey }) =>
          Effect.gen(function* () {
            const id = yield* Scene.createPayment(own.key, own.merchantId)
            const answer = yield* Scene.send({
              path: `/v1/gateway/payment/${id}/options`,
              key: walletKey,
              body: { accounts: [Scene.accountOf(Scene.payer, 8453)] },
            })
            Scene.isProblem(answer, 500, "internal_error")
            const line = lines().at(-1)
            assert.deepInclude(line, { status: 500, code: "internal_error" })
            assert.isAbove(line?.defect?.length ?? 0, 0)
            assert.notInclude(JSON.stringify(lines()), canary)
          }),
      { screening },
    )
  }

  it("logs the error and where it was thrown", () => {
    const [kind, place, ...more] = AccessLog.defect(new RangeError(secret))
    assert.strictEqual(kind, "RangeError")
    assert.match(place ?? "", /^at .*AccessLog\.test\.ts:\d+:\d+\)?$/u)
    assert.isAtMost(more.length, 7)
    for (const thrown of ["text", 1, null, undefined, {}]) {
      assert.deepStrictEqual(AccessLog.defect(thrown), [typeof thrown])
    }
    const stackless = new Error("x")
    delete stackless.stack
    assert.deepStrictEqual(AccessLog.defect(stackless), ["Error"])
  })
})

describe("input from callers", () => {
  const log: Array<string> = []
  const everywhere = Logger.layer([
    Logger.make(({ cause, message }) => void log.push(JSON.stringify({ cause, message }))),
  ])

  it.effect(
    "A4, A5, A16: never reaches a log: no key, signature, query, body or personal data",
    () => {
      const lines: Array<AccessLog.Line> = []
      const edge = {
        log: (line: AccessLog.Line) => void lines.push(line),
        fieldVersionHeaders: ["X-Old-Version"],
      }
      const keys: Array<string> = []
      return Effect.gen(function* () {
        const scene = yield* Scene.make
        const { other, own, walletKey } = scene
        keys.push(own.key, own.liveKey, other.key, walletKey, scene.liveWalletKey)
        const chain = yield* SimulatedChain
        const headers = Object.fromEntries(
          [
            "Idempotency-Key",
            "Merchant-Id",
            "App-Id",
            "Client-Id",
            "Origin",
            "Referer",
            "User-Agent",
            "Cookie",
            "Authorization",
            "X-Forwarded-For",
            "X-Other",
            "Accept",
          ].map((name) => [name, `${canary}-${name}`]),
        )
        const query = `?${canary}=${canary}&search=${canary}&prefill=${canary}&maxPollMs=${canary}`
        const paths = [
          "/v1/merchants",
          `/v1/merchants/${canary}`,
          `/v1/merchants/${own.merchantId}/settlements/crypto`,
          `/v1/merchants/${canary}/settlements/crypto/${canary}`,
          "/v1/payments",
          `/v1/payments/${canary}`,
          `/v1/payments/${canary}/status`,
          `/v1/payments/${canary}/cancel`,
          "/v1/refunds",
          `/v1/refunds/${canary}`,
          `/v1/gateway/payment/${canary}`,
          `/v1/gateway/payment/${canary}/options`,
          `/v1/gateway/payment/${canary}/fetch`,
          `/v1/gateway/payment/${canary}/confirm`,
          `/${canary}`,
          `/healthz/${canary}`,
        ]
        const bodies: ReadonlyArray<Pick<Scene.Sent, "body" | "raw">> = [
          {},
          { raw: canary },
          { raw: `{"${canary}"` },
          { body: canary },
          { body: { [canary]: canary, merchantName: `${canary}\n`, paymentId: canary } },
          { body: { optionId: canary, data: canary, results: [{ type: canary, data: [canary] }] } },
          { body: { accounts: [canary, `eip155:1:${canary}`] } },
          { body: { referenceId: `${canary}\n`, amount: { unit: canary, value: canary } } },
          { body: { settlements: [{ asset: canary, destination: canary }] } },
        ]
        for (const path of paths) {
          for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", canary]) {
            for (const key of [own.key, walletKey, canary, null]) {
              for (const body of method === "GET" ? [{}] : bodies) {
                yield* Scene.send({ ...body, path: path + query, method, key, headers })
              }
            }
          }
          for (const version of ["Svc-Version", "X-Old-Version"]) {
            yield* Scene.send({ path, key: own.key, headers: { [version]: canary } })
          }
        }

        // The same where all goes well.
        const made = yield* Scene.send({
          path: "/v1/merchants",
          key: own.key,
          headers: { "Idempotency-Key": canary },
          body: {
            merchantName: canary,
            merchantEmail: `${canary}@example.com`,
            iconUrl: `https://${canary}.example`,
          },
        })
        assert.strictEqual(made.status, 201)
        const merchantId = Scene.text(made.body, "merchant", "id")
        const id = yield* Scene.createPayment(own.key, merchantId, { referenceId: canary })
        const option = yield* Scene.firstOption(walletKey, id)
        const body = yield* Scene.confirmBody(walletKey, id, option)
        const person = {
          fullName: canary,
          dob: "1990-12-31",
          pobCountry: "DE",
          pobAddress: `${canary} Street 1`,
          tosConfirmed: "true",
        }
        const fields = Object.entries(person).map(([name, value]) => ({ id: name, value }))
        const confirm = { path: `/v1/gateway/payment/${id}/confirm`, key: walletKey }
        yield* Scene.send({
          ...confirm,
          body: { ...body, collectedData: { fields: [fields[0] ?? 0] } },
        })
        const collectedData = { fields }
        const answer = yield* Scene.send({ ...confirm, body: { ...body, collectedData } })
        assert.strictEqual(answer.status, 200, answer.text)
        keys.push(body.optionId, ...body.results.flatMap(({ data }) => data))
        for (let round = 0; round < 4; round += 1) {
          yield* Scene.work
          yield* chain.settle(8453)
          yield* TestClock.adjust("5 seconds")
        }
        const refund = { path: "/v1/refunds", key: own.key, body: { paymentId: id } }
        assert.strictEqual((yield* Scene.send(refund)).status, 200)
        yield* Scene.work

        yield* Effect.logInfo("heard")
        assert.include(log.join("\n"), "heard")
        assert.isAbove(lines.length, 1000)
        const text = JSON.stringify(lines) + log.join("\n")
        assert.notInclude(text, canary)
        assert.notInclude(text, "1990-12-31")
        for (const key of keys) assert.notInclude(text, key.slice(12))
      }).pipe(
        Effect.provide(
          Layer.merge(
            Scene.layer({ edge, collectData: CollectDataPolicy.layerAlways }),
            everywhere,
          ),
        ),
      )
    },
  )
})
