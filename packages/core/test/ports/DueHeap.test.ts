import { assert, describe, it } from "@effect/vitest"
import { DueHeap } from "@florin/core/ports/DueHeap"
import * as Counts from "@florin/testing/Counts"
import * as Schema from "effect/Schema"

/** Small, so that many are equal. */
const Time = Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 20 }))

const drain = (heap: DueHeap<number>): ReadonlyArray<readonly [at: number, key: number]> => {
  const entries: Array<readonly [number, number]> = []
  for (;;) {
    const [at, key] = [heap.peekAt(), heap.peekKey()]
    const entry = heap.pop()
    if (entry === undefined) {
      assert.isNull(at)
      assert.isUndefined(key)
      return entries
    }
    assert.strictEqual(entry.at, at)
    assert.strictEqual(entry.key, key)
    entries.push([entry.at, entry.key])
  }
}

/** Every order of the numbers below `length`. */
const orders = (length: number): ReadonlyArray<ReadonlyArray<number>> =>
  length === 0
    ? [[]]
    : orders(length - 1).flatMap((order) =>
        Array.from({ length }, (_, place) => order.toSpliced(place, 0, length - 1)),
      )

describe("DueHeap", () => {
  it("is empty at first, and again after its last entry", () => {
    const heap = new DueHeap<string>()
    assert.isNull(heap.peekAt())
    assert.isUndefined(heap.peekKey())
    assert.isUndefined(heap.pop())
    heap.push(5, "a")
    assert.strictEqual(heap.peekAt(), 5)
    assert.strictEqual(heap.peekKey(), "a")
    assert.deepStrictEqual(heap.pop(), { at: 5, key: "a" })
    assert.isNull(heap.peekAt())
    assert.isUndefined(heap.pop())
  })

  it("gives up to 6 entries in order, whatever the order in which they came", () => {
    for (let length = 1; length <= 6; length++) {
      const expected = Array.from({ length }, (_, at) => [at, -at] as const)
      for (const order of orders(length)) {
        const heap = new DueHeap<number>()
        for (const at of order) heap.push(at, -at)
        assert.deepStrictEqual(
          drain(heap).map(([at, key]) => [at, key] as const),
          expected,
          order.join(),
        )
      }
    }
  })

  it("keeps entries that are equal in time or key", () => {
    const heap = new DueHeap<number>()
    for (const [at, key] of [
      [1, 7],
      [1, 8],
      [1, 7],
      [0, 7],
    ] as const)
      heap.push(at, key)
    const entries = drain(heap)
    assert.deepStrictEqual(
      entries.map(([at]) => at),
      [0, 1, 1, 1],
    )
    assert.deepStrictEqual(entries.map(([, key]) => key).toSorted(), [7, 7, 7, 8])
  })

  it.prop(
    "gives the longest due first, however pushes and pops alternate",
    [Schema.Array(Schema.NullOr(Time)).check(Schema.isMaxLength(200))],
    ([steps]) => {
      const heap = new DueHeap<number>()
      const model: Array<readonly [at: number, key: number]> = []
      for (const [key, at] of steps.entries()) {
        if (at !== null) {
          heap.push(at, key)
          model.push([at, key])
          model.sort(([left], [right]) => left - right)
        } else {
          const entry = heap.pop()
          assert.strictEqual(entry?.at, model[0]?.[0])
          // Of several that are equally due, any will do, but each once.
          const place = model.findIndex(([, known]) => known === entry?.key)
          if (entry !== undefined) {
            assert.strictEqual(model[place]?.[0], entry.at)
            model.splice(place, 1)
          }
        }
        assert.strictEqual(heap.peekAt(), model[0]?.[0] ?? null)
      }
      const rest = drain(heap)
      assert.deepStrictEqual(
        rest.map(([at]) => at),
        model.map(([at]) => at),
      )
      assert.deepStrictEqual(
        rest.map(([, key]) => key).toSorted((left, right) => left - right),
        model.map(([, key]) => key).toSorted((left, right) => left - right),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})
