import { memoryUsage, stderr } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { Signals } from "@florin/core/ports/Signals"
import * as Counts from "@florin/testing/Counts"
import { Effect, Fiber } from "effect"
import * as Scene from "./scene.ts"
import * as Wire from "./wire.ts"

const statusPath = (id: string, maxPollMs: number | bigint): string =>
  `/v1/gateway/payment/${id}/status?maxPollMs=${maxPollMs}`

const cancel = (id: string, key: string) =>
  Scene.send({ method: "POST", path: `/v1/gateway/payment/${id}/cancel`, key })

const print = (text: string) => Effect.sync(() => stderr.write(`${text}\n`))

const parkedMany = Counts.of({ usual: 500, full: 2000 })

/**
 * Holds a call, and asks again if its time ends first, as a client does: a busy machine takes longer than that to hold
 * all of them. Returns the response that has another status.
 */
const held = (wire: Wire.Wire, request: string, asked = 1): Effect.Effect<string> =>
  Effect.gen(function* () {
    wire.say(request)
    const answer = (yield* wire.answers(asked))[asked - 1]
    const body: Scene.Json = JSON.parse(answer?.body ?? "null")
    const status = Scene.text(body, "status")
    return status === "requires_action"
      ? yield* held(wire, request, asked + 1)
      : `${answer?.status} ${status}`
  })

/** Holds calls, evenly for some payments, changes each payment once, and returns the statuses. */
const storm = Effect.fnUntraced(function* (payments: number) {
  const { key, merchantId, port } = yield* Wire.make
  const signals = yield* Signals
  const ids = yield* Effect.forEach(Array.from({ length: payments }), () =>
    Scene.createPayment(key, merchantId),
  )
  const before = memoryUsage().rss
  const wires = yield* Effect.forEach(Array.from({ length: parkedMany }), () => Wire.open(port))
  const any = PaymentId.PaymentId.make(ids[0] ?? "")
  const calls = yield* Effect.forEach(wires, (wire, index) => {
    const id = ids[index % ids.length] ?? ""
    const request = Wire.request("GET", statusPath(id, 25_000), { "Api-Key": key })
    return Effect.forkChild(held(wire, request))
  })
  yield* Wire.eventually(() => signals.watching(any).all === parkedMany)
  const bytes = (memoryUsage().rss - before) / parkedMany
  yield* Effect.forEach(ids, (id) => cancel(id, key))
  const storedAt = performance.now()
  const statuses = yield* Effect.forEach(calls, Fiber.join)
  yield* print(
    `${parkedMany} polls on ${payments} payments: ${(bytes / 1024).toFixed(1)} KiB each, with its caller in the same process; all answered ${(performance.now() - storedAt).toFixed(0)} ms after the change`,
  )
  assert.strictEqual(signals.watching(any).all, 0)
  return statuses
})

describe("calls held over HTTP", () => {
  for (const payments of [1, 100]) {
    it.live(`all complete with one change: ${parkedMany} on ${payments}`, () =>
      Effect.gen(function* () {
        assert.deepEqual([...new Set(yield* storm(payments))], ["200 cancelled"])
      }).pipe(Effect.provide(Wire.layer())),
    )
  }

  it.live("complete when the change is stored, before their time is up", () =>
    Effect.gen(function* () {
      const { key, merchantId, port } = yield* Wire.make
      const maxPollMs = 20_000
      const rounds = Counts.of({ usual: 20, full: 500 })
      const waits: Array<number> = []
      const wire = yield* Wire.open(port)
      for (let round = 0; round < rounds; round += 1) {
        const id = yield* Scene.createPayment(key, merchantId)
        wire.say(Wire.request("GET", statusPath(id, maxPollMs), { "Api-Key": key }))
        const answered = yield* Effect.forkChild(
          Effect.raceFirst(
            Effect.map(wire.answers(round + 1), (answers) => answers[round]?.body ?? ""),
            Effect.as(Effect.sleep(maxPollMs), "the poll's own end came first"),
          ),
        )
        yield* Wire.parked(id, 1)
        yield* cancel(id, key)
        const storedAt = performance.now()
        assert.include(yield* Fiber.join(answered), '"cancelled"')
        waits.push(performance.now() - storedAt)
      }
      const sorted = waits.toSorted((left, right) => left - right)
      const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]?.toFixed(2)
      yield* print(`stored to answered: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, of ${rounds}`)
    }).pipe(Effect.provide(Wire.layer())),
  )
})
