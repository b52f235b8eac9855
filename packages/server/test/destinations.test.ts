import { assert, describe, it } from "@effect/vitest"
import * as Settlements from "@florin/core/engine/books/Settlements"
import * as Keys from "@florin/core/engine/partner/Keys"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Gateway from "./operations/gateway.ts"
import { assets, destinationOn, gained, register } from "./operations/settlements.ts"
import * as Scene from "./scene.ts"

const asset = assets.usdcOnBase
const old = destinationOn(8453)
const next = Scene.accountOf(Scene.stranger, 8453)
const takesEffectAt = new Date(Scene.now + 60 * 60_000).toISOString()
const settings = { destinationDelayInMs: { live: 24 * 60 * 60_000, test: 60 * 60_000 } }

const put = (key: string, merchantId: string, id: string, destination: string) =>
  Scene.send({
    method: "PUT",
    path: `/v1/merchants/${merchantId}/settlements/crypto/${id}`,
    key,
    body: { destination },
  })

const eventsOf = (key: string) =>
  Effect.map(Scene.send({ path: "/v1/events?limit=200", key }), ({ body }) =>
    Scene.list(body, "data").filter(
      (each) => Scene.text(each, "type") === "settlement_destination.changed",
    ),
  )

const play = <A, E>(
  name: string,
  body: (scene: Gateway.World) => Effect.Effect<A, E, Scene.Ports>,
  options: Scene.Options = { settings },
) => it.effect(name, Gateway.play(body, options))

describe("a change of a destination", () => {
  play("S11: shows when it takes effect, until it has", ({ own }) =>
    Effect.gen(function* () {
      const [id = ""] = yield* register(own.key, own.merchantId, [asset])
      const changed = yield* put(own.key, own.merchantId, id, next)
      const waiting = { id, asset, destination: next, takesEffectAt }
      assert.deepStrictEqual(changed.body, waiting)
      const shown = Effect.all([
        Effect.map(
          Scene.send({ path: `/v1/merchants/${own.merchantId}/settlements`, key: own.key }),
          ({ body }) => Scene.list(body, "crypto"),
        ),
        Effect.map(
          Scene.send({ path: `/v1/merchants/${own.merchantId}`, key: own.key }),
          ({ body }) => Scene.list(body, "merchant", "settlements", "crypto"),
        ),
      ])
      assert.deepStrictEqual<unknown>(yield* shown, [[waiting], [waiting]])
      yield* TestClock.adjust(60 * 60_000)
      const inEffect = { id, asset, destination: next }
      assert.deepStrictEqual<unknown>(yield* shown, [[inEffect], [inEffect]])
    }),
  )

  play("S11: causes an event with both accounts, the key and the request", ({ own }) =>
    Effect.gen(function* () {
      const [id = ""] = yield* register(own.key, own.merchantId, [asset])
      assert.deepStrictEqual(yield* eventsOf(own.key), [])
      const changed = yield* put(own.key, own.merchantId, id, next)
      const back = yield* put(own.key, own.merchantId, id, old)
      const [first, second, ...others] = yield* eventsOf(own.key)
      assert.deepStrictEqual(others, [])
      const about = { settlementId: id, merchantId: own.merchantId, asset }
      for (const [event, answer, expected] of [
        [first, changed, { ...about, from: old, to: next, takesEffectAt }],
        [second, back, { ...about, from: next, to: old, takesEffectAt: null }],
      ] as const) {
        assert.deepInclude(Scene.at(event ?? null, "data"), {
          ...expected,
          keyId: own.keyId,
          requestId: answer.headers.get("request-id") ?? "",
        })
      }
      assert.deepStrictEqual(back.body, { id, asset, destination: old })
    }),
  )

  play(
    "S11: of less than its delay holds payouts, and the payment shows why",
    ({ own, walletKey }) =>
      Effect.gen(function* () {
        const [id = ""] = yield* register(own.key, own.merchantId, [asset])
        yield* put(own.key, own.merchantId, id, next)
        const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
        yield* Scene.confirm(walletKey, paymentId)
        yield* Gateway.finish(8453)
        const read = Scene.send({
          path: `/v1/payments/${paymentId}`,
          key: own.key,
          headers: { "Merchant-Id": own.merchantId },
        })
        const details = yield* read
        assert.strictEqual(
          Scene.text(details.body, "settlementHeld", "reason"),
          "destination",
          details.text,
        )
        assert.strictEqual(yield* gained(asset, Scene.stranger), 0n)
        yield* put(own.key, own.merchantId, id, old)
        yield* TestClock.adjust(10 * 60_000)
        yield* Gateway.finish(8453)
        assert.strictEqual(yield* gained(asset, Scene.stranger), 0n)
        assert.isAbove(Number(yield* gained(asset, Scene.treasury)), 0)
        assert.notInclude((yield* read).text, "settlementHeld")
      }),
  )

  play("S11: by the operator has no key in its event", ({ own }) =>
    Effect.gen(function* () {
      const [id = ""] = yield* register(own.key, own.merchantId, [asset])
      yield* put(own.key, own.merchantId, id, next)
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      yield* Settlements.confirm(tenant, own.merchantId, id, next)
      const last = (yield* eventsOf(own.key)).at(-1) ?? null
      assert.deepInclude(Scene.at(last, "data"), { keyId: null, requestId: null })
    }),
  )
})

describe("a key with a list of addresses", () => {
  const edge = { proxyHeader: "X-Real-Ip" }

  const issue = (scene: Scene.Scene, from: ReadonlyArray<string>) =>
    Keys.issue({
      mode: "test",
      owner: { _tag: "Partner", partnerId: scene.own.partner.id },
      name: "Shop",
      expiresAt: null,
      from,
    })

  const call = (key: string, address: string | null, path = "/v1/merchants") =>
    Scene.send({ path, key, headers: address === null ? {} : { "X-Real-Ip": address } })

  play(
    "S11: is refused from another address, and the problem names that address",
    (scene) =>
      Effect.gen(function* () {
        const { text } = yield* issue(scene, ["203.0.113.0/24", "2001:db8::/32"])
        for (const address of ["203.0.113.9", "2001:db8:1:2::9"]) {
          assert.strictEqual((yield* call(text, address)).status, 200)
          const gateway = yield* call(text, address, "/v1/gateway/payment/pay_0")
          assert.strictEqual(gateway.status, 404)
        }
        for (const [address, seen] of [
          ["203.0.114.9", "not from 203.0.114.9"],
          ["2001:db9::1", "not from 2001:db9:0:0"],
          ["6.6.6.6, 198.51.100.7", "not from 198.51.100.7"],
          ["203.0.113.9, 198.51.100.7", "not from 198.51.100.7"],
          [null, "the caller's address is not known"],
          ["unknown", "the caller's address is not known"],
        ] as const) {
          for (const path of ["/v1/merchants", "/v1/gateway/payment/pay_0"]) {
            const answer = yield* call(text, address, path)
            Scene.isProblem(answer, 403, "forbidden")
            assert.include(answer.text, seen)
          }
        }
        assert.strictEqual((yield* call(scene.own.key, "203.0.114.9")).status, 200)
      }),
    { edge },
  )

  it.effect(
    "S11: is refused if the caller's address is unknown",
    Gateway.play((scene) =>
      Effect.gen(function* () {
        const { text } = yield* issue(scene, ["0.0.0.0/0"])
        const answer = yield* call(text, "203.0.113.9")
        Scene.isProblem(answer, 403, "forbidden")
        assert.include(answer.text, "the caller's address is not known")
      }),
    ),
  )
})

describe("a destination whose account is to sign", () => {
  play(
    "S15: shows the statement, and accepts the signature in a change to the same account",
    ({ own }) =>
      Effect.gen(function* () {
        const [id = ""] = yield* register(own.key, own.merchantId, [asset])
        const path = `/v1/merchants/${own.merchantId}/settlements`
        const shown = Effect.map(Scene.send({ path, key: own.key }), ({ body }) =>
          Scene.at(body, "crypto", 0),
        )
        const statement = Scene.text(yield* shown, "statement")
        assert.include(statement, own.merchantId)
        const prove = (proof: string) =>
          Scene.send({
            method: "PUT",
            path: `${path}/crypto/${id}`,
            key: own.key,
            body: { destination: old, proof },
          })
        const refused = yield* prove(Scene.stranger.signMessage(statement))
        assert.strictEqual(refused.status, 400, refused.text)
        assert.notInclude(refused.text, "0x")
        const proven = yield* prove(Scene.treasury.signMessage(statement))
        assert.deepStrictEqual(proven.body, { id, asset, destination: old })
        assert.deepStrictEqual<unknown>(yield* shown, proven.body)
      }),
    { settings: { proveDestinations: true } },
  )
})
