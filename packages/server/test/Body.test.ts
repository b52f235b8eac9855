import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as WebHandler from "../src/WebHandler.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const example = { merchantName: "Bakery", merchantEmail: "bread@example.com" }
const json = JSON.stringify(example)

/** A call that must have a body, with this one. */
const creating = (
  { own }: Scene.Scene,
  raw: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
) => ({
  path: "/v1/merchants",
  key: own.key,
  headers: { "Idempotency-Key": Scene.fresh("body"), ...headers },
  raw,
})

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "string" ? Array.from(new TextEncoder().encode(part)) : part,
    ),
  )

describe("the type of a body", () => {
  const taken = [
    "",
    "application/json",
    "APPLICATION/JSON",
    "application/json;charset=utf-8",
    'application/json; charset="UTF-8"',
    "application/json ; charset=utf-8 ",
    "application/json;",
    "application/json; version=1",
    "application/json; charset=utf-8; version=1",
    'application/json; profile="https://example.com/a;b"; charset=utf-8',
    "application/problem+json",
    "application/vnd.api+json; charset=utf-8",
  ]
  for (const type of taken) {
    play(`may be "${type}"`, (scene) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(creating(scene, json, { "Content-Type": type }))
        assert.strictEqual(answer.status, 201, answer.text)
      }),
    )
  }

  play("may be left out", (scene) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send(creating(scene, json))
      assert.strictEqual(answer.status, 201, answer.text)
    }),
  )

  const refused = [
    "text/plain",
    "text/plain; charset=utf-8",
    "text/html",
    "json",
    "application",
    "application/",
    "application/jsonp",
    "application/x-json",
    "application/json+xml",
    "application/javascript",
    "application/xml",
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
    "text/plain; application/json",
    "application/json, text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=utf-8; charset=utf-16",
    "application/json; charset=iso-8859-1",
    "application/problem+json; charset=latin1",
    "*/*",
  ]
  for (const type of refused) {
    play(`is not "${type}"`, (scene) =>
      Laws.refused(
        scene,
        creating(scene, json, { "Content-Type": type }),
        415,
        "unsupported_media_type",
      ),
    )
  }

  for (const coding of ["gzip", "br", "deflate", "zstd", "GZIP", "identity, gzip", "x"]) {
    play(`is refused if the Content-Encoding is ${coding}`, (scene) =>
      Laws.refused(
        scene,
        creating(scene, json, { "Content-Type": "application/json", "Content-Encoding": coding }),
        415,
        "unsupported_media_type",
      ),
    )
  }

  for (const coding of ["", "identity", "Identity"]) {
    play(`is accepted if the Content-Encoding is "${coding}"`, (scene) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(creating(scene, json, { "Content-Encoding": coding }))
        assert.strictEqual(answer.status, 201, answer.text)
      }),
    )
  }

  play("is not checked if there is no body, or none is read", (scene) =>
    Effect.gen(function* () {
      const headers = { "Content-Type": "text/plain", "Content-Encoding": "gzip" }
      const paymentId = yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
      for (const sent of [
        { method: "POST", path: `/v1/payments/${paymentId}/cancel`, raw: "" },
        { method: "DELETE", path: `/v1/merchants/${scene.own.merchantId}`, raw: "hello" },
      ]) {
        const answer = yield* Scene.send({ ...sent, key: scene.own.key, headers })
        assert.strictEqual(answer.status, 200, answer.text)
      }
      yield* Laws.refused(scene, creating(scene, "", headers), 400, "invalid_params")
    }),
  )
})

describe("the text of a body", () => {
  const refused = [
    ["a byte that is no UTF-8", bytes('{"a":"', [0xff], '"}')],
    ["a character that is cut off", bytes('{"a":"', [0xe2, 0x82], '"}')],
    ["a character that is longer than it must be", bytes('{"a":"', [0xc0, 0xaf], '"}')],
    ["half of a surrogate pair", bytes('{"a":"', [0xed, 0xa0, 0x80], '"}')],
    ["UTF-16", bytes([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
    ["UTF-16 without a mark", bytes([0x7b, 0, 0x7d, 0])],
    ["gzip", bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])],
    ["NUL", bytes([0])],
    ["a control character in a text", '{"merchantName":"a\tb"}'],
    ["a comment", `${json} // hello`],
    ["two values", `${json}${json}`],
    ["NaN", '{"a":NaN}'],
    ["a number with a zero before it", '{"a":01}'],
    ["a second mark of the order of bytes", bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], json)],
  ] as const
  for (const [what, raw] of refused) {
    play(`may not be ${what}`, (scene) =>
      Effect.gen(function* () {
        const answer = yield* Laws.refused(scene, creating(scene, raw), 400, "invalid_params")
        assert.isUndefined(Scene.at(answer.body, "issues"))
      }),
    )
  }

  const taken = [
    ["a mark of the order of bytes", bytes([0xef, 0xbb, 0xbf], json)],
    ["spaces around it", ` \r\n\t${json} \r\n\t`],
    ["an escaped character", json.replace("Bakery", "\\u0042akery")],
    ["a number that is too large for any", `{"a":1e999,${json.slice(1)}`],
    ["a member twice, of which the last counts", `{"merchantName":1,${json.slice(1)}`],
  ] as const
  for (const [what, raw] of taken) {
    play(`may have ${what}`, (scene) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(creating(scene, raw))
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(Scene.text(answer.body, "merchant", "name"), "Bakery")
      }),
    )
  }

  play("does not write to the prototype of objects", (scene) =>
    Effect.gen(function* () {
      const inherited = `{"__proto__":${json},"constructor":{"prototype":${json}}}`
      yield* Laws.invalid(scene, creating(scene, inherited), ["merchantName", "merchantEmail"])
      const plain: { readonly [name: string]: unknown } = {}
      assert.isUndefined(plain["merchantName"])
      const answer = yield* Scene.send(creating(scene, `{"__proto__":null,${json.slice(1)}`))
      assert.strictEqual(answer.status, 201, answer.text)
    }),
  )
})

describe("the depth of a body", () => {
  const levels = [
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ] as const
  for (const [what, open, close] of levels) {
    const nested = (depth: number) =>
      `{"a":${open.repeat(depth - 1)}1${close.repeat(depth - 1)},${json.slice(1)}`

    play(`is at most 32 levels of ${what}`, (scene) =>
      Effect.gen(function* () {
        const answer = yield* Scene.send(creating(scene, nested(32)))
        assert.strictEqual(answer.status, 201, answer.text)
        for (const depth of [33, 1000, 40_000]) {
          yield* Laws.refused(scene, creating(scene, nested(depth)), 400, "invalid_params")
        }
      }),
    )
  }

  play("is refused without harm if it is 100,000 levels, closed or not", (scene) =>
    Effect.gen(function* () {
      const open = "[".repeat(100_000)
      for (const raw of [open, open + "]".repeat(100_000), '{"a":'.repeat(40_000)]) {
        yield* Laws.refused(scene, creating(scene, raw), 400, "invalid_params")
      }
    }),
  )
})

describe("the length of a body", () => {
  const max = 256 * 1024
  const padded = (length: number) => json + " ".repeat(length - json.length)

  play("is at most 256 KiB", (scene) =>
    Effect.gen(function* () {
      const answer = yield* Scene.send(creating(scene, padded(max)))
      assert.strictEqual(answer.status, 201, answer.text)
      yield* Laws.refused(scene, creating(scene, padded(max + 1)), 413, "payload_too_large")
      // It is judged before it is read what it is.
      yield* Laws.refused(
        scene,
        creating(scene, padded(max + 1), { "Content-Type": "text/plain" }),
        413,
        "payload_too_large",
      )
    }),
  )

  const streamed = ({ own }: Scene.Scene, body: ReadableStream<Uint8Array>, headers = {}) =>
    Effect.gen(function* () {
      const request = new Request("https://api.example.com/v1/merchants", {
        method: "POST",
        headers: { "Api-Key": own.key, "Idempotency-Key": Scene.fresh("stream"), ...headers },
        body,
        duplex: "half",
      })
      const response = yield* WebHandler.respond(request)
      return { status: response.status, text: yield* Effect.promise(() => response.text()) }
    })

  play("limits how far an endless body is read", (scene) =>
    Effect.gen(function* () {
      let pulled = 0
      let isCancelled = false
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1
          controller.enqueue(new Uint8Array(64 * 1024))
        },
        cancel: () => {
          isCancelled = true
        },
      })
      const before = yield* Laws.world(scene)
      const answer = yield* streamed(scene, endless)
      assert.strictEqual(answer.status, 413, answer.text)
      assert.isAtMost(pulled, 7)
      assert.isTrue(isCancelled)
      assert.deepStrictEqual(yield* Laws.world(scene), before)
    }),
  )

  play("is refused by its Content-Length, before the body is read", (scene) =>
    Effect.gen(function* () {
      let pulled = 0
      const body = new ReadableStream<Uint8Array>(
        {
          pull: () => {
            pulled += 1
          },
        },
        { highWaterMark: 0 },
      )
      const answer = yield* streamed(scene, body, { "Content-Length": String(max + 1) })
      assert.strictEqual(answer.status, 413, answer.text)
      assert.strictEqual(pulled, 0)
    }),
  )

  play("may arrive in chunks that cut a character in two", (scene) =>
    Effect.gen(function* () {
      const whole = bytes(json.replace("Bakery", "B\u00e4ckerei 😀"))
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const byte of whole) controller.enqueue(Uint8Array.of(byte))
          controller.close()
        },
      })
      const answer = yield* streamed(scene, body)
      assert.strictEqual(answer.status, 201, answer.text)
      assert.include(answer.text, "Bäckerei 😀")
    }),
  )

  play("must be complete", (scene) =>
    Effect.gen(function* () {
      const before = yield* Laws.world(scene)
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.error(new Error("the caller went away: canary")),
      })
      const answer = yield* streamed(scene, body)
      assert.strictEqual(answer.status, 400, answer.text)
      assert.include(answer.text, '"invalid_params"')
      assert.notInclude(answer.text, "canary")
      assert.deepStrictEqual(yield* Laws.world(scene), before)
    }),
  )
})

describe("the problem of a wrong body", () => {
  play("names every field and what it must be, and repeats no value", (scene) =>
    Effect.gen(function* () {
      const wrong = { merchantName: { canary: "canary" }, merchantEmail: ["canary"], iconUrl: 7e77 }
      const answer = yield* Scene.send(creating(scene, JSON.stringify(wrong)))
      assert.notInclude(answer.text, "canary")
      assert.notInclude(answer.text, "7e")
      assert.deepStrictEqual(
        Scene.at(Scene.isProblem(answer, 400, "params_validation"), "issues"),
        [
          { field: "merchantName", message: "must be text" },
          { field: "merchantEmail", message: "must be text" },
          { field: "iconUrl", message: "Expected string | null" },
        ],
      )
      const missing = yield* Scene.send(creating(scene, "{}"))
      assert.deepStrictEqual(Scene.at(missing.body, "issues"), [
        { field: "merchantName", message: "is required" },
        { field: "merchantEmail", message: "is required" },
      ])
      const list = yield* Scene.send(creating(scene, "[]"))
      assert.deepStrictEqual(Scene.at(list.body, "issues"), [
        { field: "body", message: "must be an object" },
      ])
    }),
  )

  play("repeats no value of a body that breaks rules", (scene) =>
    Effect.gen(function* () {
      const canary = "canary-of-a-caller"
      const bodies: ReadonlyArray<readonly [path: string, body: Scene.Json]> = [
        [
          "/v1/merchants",
          { merchantName: `${canary}\n`, merchantEmail: canary, iconUrl: `http://${canary}` },
        ],
        [
          `/v1/merchants/${scene.own.merchantId}/settlements/crypto`,
          { settlements: [{ asset: canary, destination: canary }] },
        ],
        ["/v1/refunds", { paymentId: canary }],
        ["/v1/payments", { referenceId: `${canary}\n`, amount: { unit: canary, value: canary } }],
        ["/v1/payments", { referenceId: "x", amount: { unit: "iso4217/USD", value: canary } }],
      ]
      for (const [path, body] of bodies) {
        const headers = {
          "Idempotency-Key": Scene.fresh("canary"),
          "Merchant-Id": scene.own.merchantId,
        }
        const answer = yield* Scene.send({ path, key: scene.own.key, headers, body })
        assert.isAtLeast(answer.status, 400)
        assert.notInclude(answer.text, canary)
      }
    }),
  )

  play("names up to 50 wrong entries", (scene) =>
    Effect.gen(function* () {
      const path = `/v1/merchants/${scene.own.merchantId}/settlements/crypto`
      const headers = { "Idempotency-Key": "k" }
      const body = { settlements: Array.from({ length: 50 }, () => ({})) }
      const answer = yield* Scene.send({ path, key: scene.own.key, headers, body })
      assert.lengthOf(Scene.fieldsOf(answer), 50)
    }),
  )
})
