/**
 * The alerts of the operator's webhook: decided in one order, by the storage's time.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Alert from "@florin/core/domain/notify/Alert"
import { AlertStore } from "@florin/core/ports/AlertStore"
import { DueWork } from "@florin/core/ports/DueWork"
import * as Effect from "effect/Effect"
import { atOnce, type It, range } from "./Scene.ts"

const finding: Alert.Finding = {
  key: "node_down live eip155:8453 2",
  name: "node_down",
  source: { part: "nodes", chainId: Caip.ChainId.make("eip155:8453") },
  text: "Node 2 of 2 of Base (live) does not respond: “€” ₮",
  commands: ["florin doctor"],
  details: { mode: "live", node: 2, of: 2, last: null, amounts: [{ unit: "x", value: "1" }] },
}

const write = (board: Alert.Board) =>
  Effect.flatMap(AlertStore, (alerts) => alerts.modify(() => ({ result: null, board })))

const read = Effect.flatMap(AlertStore, (alerts) =>
  alerts.modify((board) => ({ result: board, board: null })),
)

export const alertRules = (it: It): void => {
  it.effect("is empty at first, and keeps the last value that was written", () =>
    Effect.gen(function* () {
      yield* write(Alert.empty)
      assert.deepStrictEqual(yield* read, Alert.empty)
      const begun = Alert.compare(Alert.empty, { found: [finding], unread: [] }, 1)
      const held = Alert.hold(begun, "somebody", 7, 1) ?? assert.fail("it is nobody's")
      yield* write(Alert.recordFailed(held, 5))
      assert.deepStrictEqual(yield* read, Alert.recordFailed(held, 5))
    }),
  )

  it.effect("writes nothing if nothing is decided", () =>
    Effect.gen(function* () {
      const board = { ...Alert.empty, failures: 3 }
      yield* write(board)
      yield* (yield* AlertStore).modify(() => ({ result: null, board: null }))
      assert.deepStrictEqual(yield* read, board)
    }),
  )

  it.effect("runs decisions one after another: each sees what the previous one wrote", () =>
    Effect.gen(function* () {
      yield* write(Alert.empty)
      const alerts = yield* AlertStore
      const seen = yield* atOnce(range(40), () =>
        alerts.modify((board) => ({
          result: board.failures,
          board: { ...board, failures: board.failures + 1 },
        })),
      )
      assert.deepStrictEqual(
        seen.toSorted((left, right) => left - right),
        range(40),
      )
      assert.strictEqual((yield* read).failures, 40)
    }),
  )

  it.effect("gives the lease to one of several callers, by the storage's clock", () =>
    Effect.gen(function* () {
      yield* write(Alert.empty)
      const alerts = yield* AlertStore
      const before = yield* (yield* DueWork).time
      const taken = yield* atOnce(range(20), (index) =>
        alerts.modify((board, now) => {
          const next = Alert.hold(board, `process ${index}`, now + 60_000, now)
          return { result: next === null ? null : now, board: next }
        }),
      )
      const after = yield* (yield* DueWork).time
      const [now, ...others] = taken.filter((each) => each !== null)
      assert.deepStrictEqual(others, [])
      assert.isTrue(now !== undefined && before <= now && now <= after)
    }),
  )
}
