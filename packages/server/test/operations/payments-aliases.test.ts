import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Payments from "./payments.ts"

const { play } = Payments

const example = { referenceId: "ORDER-7", amount: { unit: "iso4217/USD", value: "1234" } }

/** A response without the headers that an old path adds. */
const wire = ({ headers, status, text }: Scene.Reply) => ({
  status,
  headers: [...headers].filter(([name]) => name !== "deprecation" && name !== "link").toSorted(),
  text,
})

const { Deprecation } = OpenApiDocument.make("2026-02-18").components.headers
const documented = new RegExp(`${Deprecation.schema.pattern}`, "u")

const isDeprecated = ({ headers }: Scene.Reply, successor: string) => {
  assert.match(headers.get("deprecation") ?? "", documented)
  assert.strictEqual(headers.get("link"), `<${successor}>; rel="successor-version"`)
}

const isCurrent = ({ headers }: Scene.Reply) => {
  assert.isNull(headers.get("deprecation"))
  assert.isNull(headers.get("link"))
}

type Asked = (scene: Scene.Scene, path: string) => Scene.Sent

const nowInS = Scene.now / 1000
const preview = { "Svc-Version": "2026-02-19.preview" }

const create =
  (body: Scene.Json = example, headers: Readonly<Record<string, string>> = {}): Asked =>
  ({ own }, path) => ({
    path,
    key: own.key,
    headers: { "Merchant-Id": own.merchantId, ...headers },
    body,
  })

const withRaw =
  (raw: string, headers: Readonly<Record<string, string>> = {}): Asked =>
  ({ own }, path) => ({ path, key: own.key, headers, raw })

/** Calls that succeed, replay, conflict or fail. */
const creations: ReadonlyArray<Asked> = [
  create(),
  create({ ...example, expiresAt: nowInS + 60, unknown: 1 }),
  create(example, { "Idempotency-Key": "once" }),
  create(example, { "Idempotency-Key": "once" }),
  create({ ...example, referenceId: "other" }, { "Idempotency-Key": "once" }),
  create({ ...example, checkout: {} }, preview),
  create({ referenceId: "", amount: { unit: "x", value: 1 }, expiresAt: null }),
  withRaw("{"),
]

/** The responses in a new scene. Ids come from a seed, so that two scenes with the same calls have the same ids. */
const inTurn = (path: string) =>
  Effect.gen(function* () {
    const scene = yield* Scene.make
    const answers: Array<Scene.Reply> = []
    for (const asked of creations) {
      answers.push(yield* Scene.send(asked(scene, path)))
      yield* TestClock.adjust("1 second")
    }
    return answers
  }).pipe(Effect.provide(Scene.layer()))

describe("POST /v1/merchant/payment", () => {
  it.effect("returns the same bytes as POST /v1/payments", () =>
    Effect.gen(function* () {
      const answers = yield* inTurn("/v1/payments")
      const aliased = yield* inTurn("/v1/merchant/payment")
      assert.deepStrictEqual(aliased.map(wire), answers.map(wire))
      const statuses = new Set(answers.map(({ status }) => status))
      assert.deepStrictEqual(statuses, new Set([201, 400, 409]))
      for (const answer of answers) isCurrent(answer)
      for (const answer of aliased) {
        if (answer.status === 201) isDeprecated(answer, "/v1/payments")
      }
    }),
  )

  play("shares its Idempotency-Keys with POST /v1/payments", (world) =>
    Effect.gen(function* () {
      const paths = ["/v1/payments", "/v1/merchant/payment"]
      for (const [index, order] of [paths, paths.toReversed()].entries()) {
        const keyed = create(example, { "Idempotency-Key": `once ${index}` })
        const [first, second] = yield* Effect.forEach(order, (path) =>
          Scene.send(keyed(world, path)),
        )
        assert.strictEqual(first?.status, 201)
        assert.strictEqual(second?.text, first?.text)
        assert.isNull(first?.headers.get("idempotency-replayed"))
        assert.strictEqual(second?.headers.get("idempotency-replayed"), "true")
      }
    }),
  )
})

describe("the link of a deprecated path", () => {
  it.effect("leads below the path of publicUrl", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      isDeprecated(yield* Scene.send(create()(scene, "/v1/merchant/payment")), "/pay/v1/payments")
    }).pipe(Effect.provide(Scene.layer({ edge: { publicUrl: "https://shop.example.com/pay" } }))),
  )
})
