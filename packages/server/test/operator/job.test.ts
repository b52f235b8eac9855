import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Fixtures from "@florin/testing/Fixtures"
import { Cause, Deferred, Effect, Fiber, Stream } from "effect"
import * as Job from "../../src/operations/Job.ts"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

const path = "/operator/v1/reconciliation?depth=records&mode=test"

/** The events of a stream that came as text. */
const eventsOf = (text: string): ReadonlyArray<Scene.Json> =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice("data: ".length))] : []))

/** A job that runs until its reader leaves. */
const endless = (isStopped: Deferred.Deferred<void>, isRunning: Deferred.Deferred<void>) =>
  Effect.map(
    Job.run("reconciliation", () =>
      Deferred.succeed(isRunning, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(isStopped, undefined)),
      ),
    ),
    ({ events }) => Stream.runDrain(events),
  )

const start = Effect.gen(function* () {
  const [isStopped, isRunning] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* Effect.forkChild(yield* endless(isStopped, isRunning))
  yield* Deferred.await(isRunning)
  return { fiber, isStopped }
})

describe("a job of the operator's API", () => {
  it.effect("streams its progress, and at last its result, which a call in this process gets", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      yield* Scene.createPayment(scene.own.key, scene.own.merchantId)
      const { text: key } = yield* Calls.operatorKey(["read"])
      const { headers, text } = yield* Calls.send({ path, key })
      assert.strictEqual(headers.get("content-type"), "text/event-stream")
      const [first, ...rest] = eventsOf(text)
      const progress = { what: "records of test payments", done: 1, of: 1 }
      assert.deepStrictEqual(first, { progress })
      const result = {
        accounts: [],
        overdrawn: 0,
        records: { payments: 1, count: 0, contradictions: [] },
      }
      assert.deepStrictEqual(rest, [{ result }])

      const heard: Array<object> = []
      const operator = yield* Calls.inProcess
      const asked = yield* operator(({ reconciliation }) =>
        reconciliation.run(
          { depth: "records", mode: "test" },
          { onProgress: (each) => heard.push(each) },
        ),
      )
      assert.deepStrictEqual([asked, heard], [result, [progress]])
    }).pipe(Effect.provide(Scene.layer())),
  )

  it.effect("ends with its reader, and frees its place", () =>
    Effect.gen(function* () {
      for (let round = 0; round <= Limits.operatorJobsMax; round++) {
        const { fiber, isStopped } = yield* start
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(isStopped)
      }
    }).pipe(Effect.provide(Scene.layer())),
  )

  it.effect("is refused while others run, with what to do", () =>
    Effect.gen(function* () {
      const { text: key } = yield* Calls.operatorKey(["read"])
      const jobs = yield* Effect.forEach(
        Array.from({ length: Limits.operatorJobsMax }),
        () => start,
      )
      const reply = yield* Calls.send({ path, key })
      Scene.isProblem(reply, 503, "unavailable")
      assert.include(reply.text, "wait for one to end, or stop it")
      const operator = yield* Calls.inProcess
      const refused = yield* Effect.exit(operator(({ reconciliation }) => reconciliation.run()))
      const why = refused._tag === "Failure" ? Cause.pretty(refused.cause) : "it ran"
      assert.include(why, `${Limits.operatorJobsMax} jobs run already`)
      yield* Effect.forEach(jobs, ({ fiber }) => Fiber.interrupt(fiber))
      assert.strictEqual((yield* Calls.send({ path, key })).status, 200)
    }).pipe(Effect.provide(Scene.layer())),
  )

  it.effect("ends its stream with the problem if it fails", () =>
    Effect.gen(function* () {
      const failing = () =>
        new ChainUnavailable({ chainId: Fixtures.chainId, message: "secret node URL" })
      const { events } = yield* Job.run("reconciliation", failing)
      const said = yield* Stream.runCollect(events)
      const message = "the chain cannot be reached now: try again"
      assert.deepStrictEqual(said, [
        { data: { problem: { code: "bad_gateway", message, requestId: "" } } },
      ])
    }).pipe(Effect.provide(Scene.layer())),
  )
})
