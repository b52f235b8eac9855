/**
 * What strangers send, and nobody wrote: every input that the fuzzers kept, and a few new ones. `pnpm fuzz` searches
 * longer.
 */
import { env, stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Corpus from "./fuzzing/Corpus.ts"
import * as Operations from "./fuzzing/Operations.ts"
import * as Parsers from "./fuzzing/Parsers.ts"
import * as Search from "./fuzzing/Search.ts"
import * as Sockets from "./fuzzing/Sockets.ts"
import * as Scene from "./scene.ts"
import * as Wire from "./wire.ts"

const firstSeed = Number(env["FLORIN_SEED"] ?? 1)
const textsPerParser = Counts.of({ usual: 100, full: 10_000 })
const scriptCount = Counts.of({ usual: 100, full: 10_000 })

describe("texts that nobody wrote", () => {
  it.each(Parsers.all.map((parser) => [parser.name, parser] as const))(
    "are read or refused, and break no rule: %s",
    async (name, parser) => {
      const kept = [...parser.examples, ...Corpus.load(name)]
      const drawn = Array.from({ length: textsPerParser }, (_, index) =>
        HostileText.mutate(kept, firstSeed + index).slice(0, parser.most),
      )
      for (const text of [...kept, ...drawn]) {
        // oxlint-disable-next-line no-await-in-loop -- In order, as parsers may remember.
        const why = await Search.judge(parser, text)
        if (why !== null)
          assert.fail(`pnpm fuzz --only ${name} --input '${JSON.stringify(text)}': ${why}`)
      }
    },
  )

  /** What once took more than linear time. */
  const pumps = [["prefills", { before: "ey", piece: "=", after: "\u0001" }]] as const
  it.each(pumps)("are read in a time that grows no faster than they do: %s", async (name, pump) => {
    const parser = Parsers.all.find((each) => each.name === name) ?? assert.fail()
    assert.isFalse(await Search.isSlow(parser, pump))
  })

  it("would be seen to break a rule", async () => {
    const parser = (read: Search.Parser["read"]): Search.Parser => ({
      name: "faulty",
      examples: ["abc"],
      most: 64 * 1024,
      read,
    })
    let calls = 0
    const throwing = parser((text) => decodeURIComponent(text))
    assert.include(await Search.judge(throwing, "a%b"), "URI malformed")
    assert.include(
      await Search.judge(
        parser(() => calls++),
        "a",
      ),
      "two ways",
    )
    assert.isNull(await Search.judge(throwing, "abc"))
    const hasPercent = (units: ReadonlyArray<string>) => Promise.resolve(units.includes("%"))
    assert.deepStrictEqual(await Search.shorten([..."abc%def"], hasPercent), ["%"])
    const quadratic = parser((text) => text.replace(/=+$/u, ""))
    const pump = { before: "", piece: "=", after: "a" }
    assert.isTrue(await Search.isSlow(quadratic, pump))
    assert.isFalse(
      await Search.isSlow(
        parser((text) => text.split("=")),
        pump,
      ),
    )
  })
})

describe("bytes that nobody wrote", () => {
  it.live(
    "get the same whole answers at once and in pieces, and none of them is an error of ours",
    () =>
      Effect.gen(function* () {
        const target = yield* Wire.make
        const alone = yield* Sockets.answersAlone(target)
        const scripts = Array.from({ length: scriptCount }, (_, index) =>
          Sockets.draw(firstSeed + index),
        )
        yield* Effect.forEach(
          scripts,
          (script) =>
            Effect.onError(Sockets.check(target, script, alone), () =>
              Effect.sync(() => stdout.write(`${JSON.stringify(script)}\n`)),
            ),
          { concurrency: 8 },
        )
        assert.isTrue(scripts.some(({ text }) => Sockets.isWhole(text)))
      }).pipe(Effect.provide(Wire.layer())),
  )
})

const requestsPerRun = 2000
const runs = Counts.of({ usual: 1, full: 10 })
const seeds = Arbitrary.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })),
)

describe("requests that nobody wrote", () => {
  it.effect.prop(
    "are answered as the document says, and never with an error of ours",
    [seeds],
    ([seed]) =>
      Effect.gen(function* () {
        const answered = yield* Operations.play({ seed, requests: requestsPerRun })
        const statuses = new Set(
          Array.from(answered.values(), (each) => Array.from(each.keys())).flat(),
        )
        assert.includeMembers([...statuses], [200, 201, 400, 401, 404, 409, 410])
      }).pipe(Effect.provide(Layer.provideMerge(Operations.layer, TestClock.layer()))),
    { arbitrary: { runs, maxShrinks: 0 }, timeout: Counts.of({ usual: 240_000, full: 3_600_000 }) },
  )

  it.effect("would be seen to be answered with anything else", () =>
    Effect.gen(function* () {
      const { own } = yield* Scene.make
      const id = yield* Scene.createPayment(own.key, own.merchantId)
      const status = { path: `/v1/gateway/payment/${id}/status`, key: own.key }
      const good = yield* Scene.send(status)
      const bad = yield* Scene.send({ ...status, key: null })
      for (const { calls, judge } of Operations.documents) {
        const { operation } =
          calls.find((call) => call.operation.operationId === "gateway.status") ?? assert.fail()
        const wrong = (answer: Scene.Reply, changes: { readonly [name: string]: Scene.Json }) =>
          judge(operation, { ...answer, body: { ...JSON.parse(answer.text), ...changes } })
        assert.isNull(judge(operation, good))
        assert.isNull(judge(operation, bad))
        assert.include(wrong(good, { status: "paid" }), "/status")
        assert.include(wrong(good, { pollInMs: "1000" }), "/pollInMs")
        assert.include(wrong(good, { pollInMs: -1 }), "/pollInMs")
        assert.include(wrong(good, { secret: 1 }), "additional")
        assert.include(wrong(good, { info: { txId: "0x1" } }), "optionAmount")
        assert.include(wrong(bad, { code: "payment_not_found" }), "/code")
        assert.include(wrong(bad, { stack: "at" }), "additional")
        assert.include(judge(operation, { ...good, status: 418 }), "418")
        assert.include(judge(operation, { ...good, headers: new Headers() }), "type")
        const nameless = new Headers({ "content-type": "application/json" })
        assert.include(judge(operation, { ...good, headers: nameless }), "Request-Id")
        assert.include(judge(operation, { ...good, body: {} }), "required")
      }
    }).pipe(Effect.provide(Scene.layer())),
  )
})
