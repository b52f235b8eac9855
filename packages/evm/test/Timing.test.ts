import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import { Schema } from "effect"
import type { Finality } from "../src/config/ChainConfig.ts"
import type { Block } from "../src/read/Queries.ts"
import * as Timing from "../src/read/Timing.ts"

const counts = { arbitrary: { runs: Counts.of({ usual: 200, full: 5_000 }) } }

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Up to twice as many samples as are kept, of clocks that differ by anything. */
const Samples = Schema.Array(between(-(10 ** 9), 10 ** 9)).check(
  Schema.isMaxLength(2 * Timing.samplesMax),
)
/** What a payment takes where nothing is wrong: up to half an hour. */
const Usual = Schema.Array(between(0, 30 * 60_000)).check(
  Schema.isMinLength(Timing.samplesMin),
  Schema.isMaxLength(Timing.samplesMax),
)

const timingOf = (samplesInMs: ReadonlyArray<number>) =>
  samplesInMs.reduce(Timing.add, Timing.empty)

const inS = (tookInMs: number) => Math.max(1, Math.ceil(tookInMs / 1000))

describe("Timing.add", () => {
  it.prop(
    "is unknown until there are enough samples, and then whole seconds from 1 s to an hour",
    [Samples],
    ([samples]) => {
      const { etaInS } = timingOf(samples)
      if (samples.length < Timing.samplesMin) assert.isNull(etaInS)
      else assert.isTrue(Number.isInteger(etaInS) && Number(etaInS) >= 1 && Number(etaInS) <= 3600)
    },
    counts,
  )

  it.prop(
    "keeps the newest samples only",
    [Samples],
    ([samples]) => {
      const timing = timingOf(samples)
      assert.isAtMost(timing.samplesInMs.length, Timing.samplesMax)
      assert.deepStrictEqual(timing, timingOf(samples.slice(-Timing.samplesMax)))
    },
    counts,
  )

  it.prop(
    "does not depend on the order of the samples",
    [Usual],
    ([samples]) =>
      assert.strictEqual(
        timingOf(samples.toReversed()).etaInS,
        timingOf(samples.toSorted((left, right) => left - right)).etaInS,
      ),
    counts,
  )

  it.prop(
    "is not changed by a minority of unusual samples",
    [Usual, Samples],
    ([usual, others]) => {
      const few = others.slice(0, (usual.length - 1) >> 1)
      const { etaInS } = timingOf([...usual, ...few])
      assert.isAtLeast(etaInS ?? assert.fail(), inS(Math.min(...usual)))
      assert.isAtMost(etaInS ?? assert.fail(), inS(Math.max(...usual)))
    },
    counts,
  )

  it("is the duration of all payments if they are equal, rounded up", () => {
    const of = (tookInMs: number) =>
      timingOf(Array.from({ length: Timing.samplesMin }, () => tookInMs)).etaInS
    assert.deepStrictEqual(
      [-5_000, 0, 1, 1_000, 1_001, 22_000, 10 ** 12].map(of),
      [1, 1, 1, 1, 2, 22, 3600],
    )
  })

  it("is the higher of the two middle durations for an even number", () => {
    const half = Timing.samplesMin / 2
    const samples = Array.from({ length: 2 * half }, (_, index) => (index < half ? 1_000 : 3_000))
    assert.strictEqual(timingOf(samples).etaInS, 3)
  })
})

const block = (number: number, timestamp: number): Block => ({
  number,
  timestamp,
  hash: `0x${"0".repeat(64)}`,
})

/** What two checks five minutes apart say of a chain. */
const expected = (
  blocksPerMinute: number,
  finality: Finality,
  finalBehindInS: number | null = null,
) =>
  Timing.expectedInMs(
    block(1000, 0),
    {
      latest: block(1000 + 5 * blocksPerMinute, 300),
      final: finalBehindInS === null ? null : block(1000, 300 - finalBehindInS),
    },
    finality,
  )

describe("Timing.expectedInMs", () => {
  it("S28: is the time of one block, and of the blocks until finality", () => {
    assert.strictEqual(expected(5, 12), 156_000)
    assert.strictEqual(expected(30, 10), 22_000)
    assert.strictEqual(expected(240, 5), 1_500)
  })

  it("is the time of one block, and how far the chain's finalized block is behind", () => {
    assert.strictEqual(expected(60, "finalized", 3), 4_000)
    assert.isNull(expected(60, "finalized"))
  })

  it("is unknown if the chain made no block, went back, or was watched for less than a minute", () => {
    const since = (number: number, timestamp: number) =>
      Timing.expectedInMs(block(1000, 1000), { latest: block(number, timestamp), final: null }, 1)
    assert.isNull(since(1000, 1300))
    assert.isNull(since(900, 1300))
    assert.isNull(since(1010, 1059))
    assert.isNull(since(1010, 900))
    assert.strictEqual(since(1010, 1060), 12_000)
  })
})

describe("Timing.nextEarlier", () => {
  it("is kept until a block can be compared with it, and follows a chain that went back", () => {
    const earlier = block(1000, 1000)
    const near = block(1010, 1059)
    const far = block(1010, 1060)
    const back = block(900, 1300)
    assert.strictEqual(Timing.nextEarlier(null, near), near)
    assert.strictEqual(Timing.nextEarlier(earlier, near), earlier)
    assert.strictEqual(Timing.nextEarlier(earlier, block(1000, 1300)), earlier)
    assert.strictEqual(Timing.nextEarlier(earlier, far), far)
    assert.strictEqual(Timing.nextEarlier(earlier, back), back)
  })
})
