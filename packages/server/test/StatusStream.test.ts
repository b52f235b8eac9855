/** The stream of a payment's status that its checkout page watches. */
import { memoryUsage, stderr } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as HostedPage from "@florin/api/wire/HostedPage"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Handler } from "../src/Handler.ts"
import * as Laws from "./operations/laws.ts"
import * as Hosted from "./pages.ts"
import * as Scene from "./scene.ts"
import * as Streams from "./streams.ts"
import * as Wire from "./wire.ts"
import { pass, World } from "./world.ts"

const edge = { pages: Hosted.settings }

const play = (rule: string, body: Laws.Play<void>, options: Scene.Options = { edge }) =>
  Laws.play(rule, body, options)

const pathOf = (id: string): string =>
  HostedPage.callsPath + HostedPage.watchPath.replace(":paymentId", id)

/** The token of a payment's page. */
const tokenOf = (path: string) =>
  Effect.map(Scene.send({ path }), ({ text }) => Scene.text(Hosted.dataOf(text), "pageToken"))

const ask = (id: string, headers: Readonly<Record<string, string>>) =>
  Scene.send({ path: pathOf(id), headers })

const open = Effect.fnUntraced(function* (id: string, token: string) {
  const { respond } = yield* World
  const request = Scene.requestOf({ path: pathOf(id), headers: { "Page-Token": token } })
  return Streams.read(yield* respond(request))
})

const begin = Effect.fnUntraced(function* ({ own }: Scene.Scene, overrides = {}) {
  const id = yield* Scene.createPayment(own.key, own.merchantId, overrides)
  return { id, token: yield* tokenOf(`/${id}`) }
})

const watching = (id: string) =>
  Effect.map(Signals, (signals) => signals.watching(PaymentId.PaymentId.make(id)).here)

const told = (events: ReadonlyArray<Streams.Sent>): ReadonlyArray<Scene.Json> =>
  events.map(({ data }) => {
    const body: Scene.Json = JSON.parse(data)
    return body
  })

/** The status that a page gets without a stream. */
const polled = (id: string, token: string) =>
  Effect.map(
    Scene.send({
      path: `/pages/v1/gateway/payment/${id}/status`,
      headers: { "Page-Token": token },
    }),
    ({ body }) => body,
  )

const second = TestClock.adjust("1 second")
const base = Scene.chains.eip3009

describe("the stream of a payment's status", () => {
  play(
    "sends every state of a payment, with its transaction's confirmations in order",
    (scene) =>
      Effect.gen(function* () {
        const chain = yield* SimulatedChain
        const { id, token } = yield* begin(scene)
        const stream = yield* open(id, token)
        const first = { status: yield* polled(id, token), progress: null }
        assert.deepStrictEqual(told(yield* stream.events(1)), [first])
        yield* Scene.confirm(scene.walletKey, id)
        assert.strictEqual((yield* stream.events(2)).length, 2)
        yield* Scene.work
        for (let block = 0; block < 3; block += 1) {
          yield* Streams.whilePassing(stream.events(3 + block), second)
          yield* chain.mine(base)
        }
        yield* TestClock.adjust("1 minute")
        yield* Scene.work
        const { events, retry } = yield* Streams.whilePassing(stream.ended, second)
        assert.isTrue(retry)
        const last = yield* polled(id, token)
        const hash = Scene.text(last, "info", "txId")
        const at = (confirmed: number) => ({
          chain: "eip155:8453",
          hash,
          blocks: { confirmed, needed: 2 },
        })
        const seen = told(events)
        assert.deepStrictEqual(
          seen.map((each) => Scene.at(each, "progress")),
          [null, null, { chain: "eip155:8453", hash, blocks: null }, at(0), at(1), at(2), null],
        )
        assert.deepStrictEqual(
          seen.map((each) => Scene.at(each, "status", "status")),
          ["requires_action", ...Array.from({ length: 5 }, () => "processing"), "succeeded"],
        )
        assert.deepStrictEqual(Scene.at(seen.at(-1), "status"), last)
      }),
    { edge, chain: { blocks: "manual", finalityDepth: 2 } },
  )

  play("A13: requires the token of the payment's own checkout", (scene) =>
    Effect.gen(function* () {
      const { own, walletKey } = scene
      const { id, token } = yield* begin(scene)
      const other = yield* begin(scene)
      const form = Hosted.collectPath(id, [Scene.accountOf(Scene.payer, base)])
      Scene.isProblem(yield* ask(id, {}), 401, "invalid_api_key")
      for (const key of [own.key, walletKey]) {
        Scene.isProblem(yield* ask(id, { "Api-Key": key }), 401, "invalid_api_key")
        Scene.isProblem(yield* ask(id, { "Page-Token": key }), 401, "invalid_api_key")
        const path = HostedPage.watchPath.replace(":paymentId", id)
        Scene.isProblem(yield* Scene.send({ path, key }), 404, "not_found")
      }
      const ofForm = { "Page-Token": yield* tokenOf(form) }
      Scene.isProblem(yield* ask(id, ofForm), 403, "forbidden")
      for (const stranger of [other.id, "pay_nobody"]) {
        const answer = yield* ask(stranger, { "Page-Token": token })
        Scene.isProblem(answer, 404, "payment_not_found")
      }
      assert.strictEqual((yield* ask(id, { "Page-Token": token })).status, 200)
    }),
  )

  play("ends with its token, which then opens no other stream", (scene) =>
    Effect.gen(function* () {
      const { id, token } = yield* begin(scene)
      yield* Scene.confirm(scene.walletKey, id)
      const leftInMs = 20_000
      yield* pass(Limits.paymentLifeDefaultInS * 1000 + Limits.checkoutOutlivesInMs - leftInMs)
      const stream = yield* open(id, token)
      assert.strictEqual((yield* stream.events(1)).length, 1)
      const { events } = yield* Streams.whilePassing(stream.ended, second)
      assert.strictEqual(events.length, 1)
      Scene.isProblem(yield* ask(id, { "Page-Token": token }), 401, "invalid_api_key")
    }),
  )

  play("sends only heartbeats while nothing changes, and frees its place on disconnect", (scene) =>
    Effect.gen(function* () {
      const { id, token } = yield* begin(scene, { expiresAt: Scene.now / 1000 + 3600 })
      const stream = yield* open(id, token)
      yield* stream.events(1)
      const before = stream.text()
      yield* Streams.whilePassing(
        Effect.asVoid(stream.events(2)).pipe(Effect.raceFirst(Effect.sleep("40 seconds"))),
        second,
      )
      assert.match(stream.text().slice(before.length), /^(?::\n\n)+$/u)
      assert.strictEqual(yield* watching(id), 1)
      yield* stream.leave
      yield* Streams.whilePassing(
        Effect.repeat(watching(id), { until: (count) => count === 0 }),
        second,
      )
    }),
  )

  play("ends when the process stops", (scene) =>
    Effect.gen(function* () {
      const { id, token } = yield* begin(scene)
      const stream = yield* open(id, token)
      yield* stream.events(1)
      yield* (yield* Handler).close
      yield* stream.ended
    }),
  )

  it.live("needs about as much memory as a held call, and one change reaches all of them", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const signals = yield* Signals
      const each = Limits.statusStreamsPerPaymentMax
      const ids = yield* Effect.forEach([1, 2], () => Scene.createPayment(key, merchantId))
      const tokens = yield* Effect.forEach(ids, (id) => tokenOf(`/${id}`))
      const before = memoryUsage().rss
      const wires = yield* Effect.forEach(Array.from({ length: 2 * each }), () => Wire.open(port))
      const heard = wires.map(() => "")
      const all = (text: string) => Wire.eventually(() => heard.every((one) => one.includes(text)))
      for (const [index, wire] of wires.entries()) {
        wire.socket.on("data", (chunk) => {
          heard[index] += String(chunk)
        })
        const token = tokens[index % 2] ?? ""
        const request = Wire.request("GET", pathOf(ids[index % 2] ?? ""), { "Page-Token": token })
        wire.say(request)
      }
      yield* all("requires_action")
      const any = PaymentId.PaymentId.make(ids[0] ?? "")
      assert.strictEqual(signals.watching(any).all, 2)
      const bytes = (memoryUsage().rss - before) / wires.length
      for (const id of ids) {
        yield* Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key })
      }
      yield* all("cancelled")
      yield* Effect.sync(() =>
        stderr.write(
          `${wires.length} streams on 2 payments: ${(bytes / 1024).toFixed(1)} KiB each, with its caller in the same process\n`,
        ),
      )
    }).pipe(Effect.provide(Wire.layer({}, { edge }))),
  )
})
