import { assert, describe } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Version from "@florin/core/domain/ground/Version"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import { Outbox } from "@florin/core/ports/Outbox"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import * as SignedCall from "@florin/testing/SignedCall"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"
import * as Webhooks from "./webhooks.ts"

const { play } = Laws
const { create, url } = Webhooks

const member = (name: string, value: Scene.Json) => (body: Scene.Json) => ({
  ...Object.fromEntries(Object.entries(body ?? {})),
  [name]: value,
})

describe("POST /v1/webhooks", () => {
  Laws.refusesBodies(
    ({ own }) => Effect.succeed(create(own.key)),
    [
      // A6: a partner cannot reach anything behind the operator's firewall.
      ...["localhost", "169.254.169.254", "[fd00::1]", "2130706433"].map(
        (host) => [`A6: ${host}`, member("url", `https://${host}/`), ["url"]] as const,
      ),
      ["no types", member("types", []), ["types"]],
      ["an unknown type", member("types", ["payment.created", "x"]), ["types[1]"]],
      ["the type of tests", member("types", ["webhook.test"]), ["types[0]", "types"]],
      ["a preview", member("version", "2026-02-19.preview"), ["version"]],
    ],
  )

  play("returns the webhook and the secret that signs its calls", ({ own }) =>
    Effect.gen(function* () {
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.pass("2 seconds")
      const version = Version.newestStable
      const types = ["payment.failed", "payment.created"]
      const answer = yield* Scene.send(create(own.key, { url, types, version }))
      assert.strictEqual(answer.status, 201, answer.text)
      const id = Scene.text(answer.body, "webhook", "id")
      const secret = Scene.text(answer.body, "secret")
      assert.deepStrictEqual(answer.body, {
        webhook: {
          id,
          url,
          types: ["payment.created", "payment.failed"],
          version,
          createdAt: "2026-09-21T14:13:22.000Z",
          disabledAt: null,
        },
        secret,
      })
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      const [call, ...rest] = yield* Webhooks.deliver()
      assert.deepStrictEqual(rest, [])
      assert.include(call?.body, paymentId)
      const now = Scene.now + 2000
      assert.isTrue(
        call !== undefined && SignedCall.isValid(Webhook.Secret.make(secret), call, now),
      )
    }),
  )

  play("sends all types of events in the partner's version by default", ({ own }) =>
    Effect.gen(function* () {
      for (const body of [{ url }, { url, types: null, version: null }]) {
        const { webhook } = yield* Webhooks.make(own.key, body)
        assert.isNull(Scene.at(webhook, "types"))
        assert.isNull(Scene.at(webhook, "version"))
      }
    }),
  )

  play("S30: shows the secret in no later response, and stores it sealed", ({ own }) =>
    Effect.gen(function* () {
      const sent = create(own.key)
      const first = yield* Scene.send(sent)
      const id = Scene.text(first.body, "webhook", "id")
      const secret = Scene.text(first.body, "secret")
      for (const path of ["/v1/webhooks", Webhooks.at(id), "/v1/audit-log", "/v1/events"]) {
        const answer = yield* Scene.send({ path, key: own.key })
        assert.strictEqual(answer.status, 200)
        assert.notInclude(answer.text, secret.slice(6))
      }
      const stored: Array<unknown> = []
      const tenant = { partnerId: own.partner.id, mode: "test" } as const
      stored.push(yield* Effect.orDie((yield* Outbox).endpoints(tenant)))
      // The one that repeats the request is shown it again: what is remembered for that is sealed, too.
      const answers = yield* ResponseStore
      const spied = ResponseStore.of({
        ...answers,
        respondOnce: (...asked) =>
          Effect.tap(answers.respondOnce(...asked), (created) =>
            Effect.sync(() => stored.push(created)),
          ),
      })
      const again = yield* Scene.send(sent).pipe(Effect.provideService(ResponseStore, spied))
      assert.strictEqual(Scene.text(again.body, "secret"), secret)
      assert.notInclude(JSON.stringify(stored), secret.slice(6))
    }),
  )

  play("leaves the URL's path out of the audit log, as it may contain a token", ({ own }) =>
    Effect.gen(function* () {
      const { id } = yield* Webhooks.make(own.key)
      const { body, text } = yield* Scene.send({ path: "/v1/audit-log?limit=1", key: own.key })
      assert.notInclude(text, "t0p-s3cret")
      assert.deepStrictEqual(Scene.at(body, "data", 0, "changes"), [
        { field: "url", from: null, to: "https://hooks.example.com" },
      ])
      assert.strictEqual(Scene.at(body, "data", 0, "subject"), id)
      assert.strictEqual(Scene.at(body, "data", 0, "actor", "keyId"), own.keyId)
    }),
  )

  play("S10: allows 20 webhooks per partner and mode, also if 30 calls race", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      const max = Limits.webhookEndpointsMax
      const answers = yield* Effect.all(
        Array.from({ length: max + 10 }, () => Scene.send(create(own.key))),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        max,
      )
      yield* Laws.invalid(scene, create(own.key), ["url"])
      yield* Webhooks.make(own.liveKey)
      yield* Webhooks.make(other.key)
      const first = answers.find(({ status }) => status === 201)
      const id = Scene.text(first?.body, "webhook", "id")
      yield* Scene.send({ method: "DELETE", path: Webhooks.at(id), key: own.key })
      yield* Webhooks.make(own.key)
    }),
  )
})
