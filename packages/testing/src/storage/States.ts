/**
 * The states of which a service has one each: decided in one order, by the storage's time.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as KeyProofs from "@florin/core/domain/ground/KeyProofs"
import * as Alert from "@florin/core/domain/notify/Alert"
import { DueWork } from "@florin/core/ports/DueWork"
import { type States, StateStore } from "@florin/core/ports/StateStore"
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

const addressOf = (index: number) => Caip.Address.make(`0x${index.toString(16).padStart(40, "0")}`)

const write = <K extends keyof States>(name: K, next: States[K] | null) =>
  Effect.flatMap(StateStore, (states) => states.modify(name, () => ({ result: null, next })))

const read = <K extends keyof States>(name: K) =>
  Effect.flatMap(StateStore, (states) =>
    states.modify(name, (current) => ({ result: current, next: null })),
  )

/** Each is kept as it was written last, and stays if nothing is decided. */
const keeps = Effect.fnUntraced(function* <K extends keyof States>(
  name: K,
  all: ReadonlyArray<States[K]>,
) {
  for (const each of all) {
    yield* write(name, each)
    yield* write(name, null)
    assert.deepStrictEqual(yield* read(name), each)
  }
})

export const stateRules = (it: It): void => {
  it.effect(
    "keeps the alerts that were written last, and writes nothing if nothing is decided",
    () =>
      Effect.suspend(() => {
        const begun = Alert.compare(Alert.empty, { found: [finding], unread: [] }, 1)
        const held = Alert.hold(begun, "somebody", 7, 1) ?? assert.fail("it is nobody's")
        return keeps("alerts", [Alert.empty, held])
      }),
  )

  it.effect(
    "S38: keeps the deny list that was written last, and writes nothing if nothing is decided",
    () =>
      keeps("denyList", [
        { inForce: range(5000).map(addressOf), refused: null },
        { inForce: [addressOf(1)], refused: { addresses: [], since: 7 } },
        DenyList.empty,
      ]),
  )

  it.effect("keeps the proofs of keys that were written last", () =>
    keeps("keys", [{ seal: "s", vault: "v" }, { seal: "t", vault: "w" }, KeyProofs.empty]),
  )

  it.effect("S38: runs decisions one after another: each sees what the previous one wrote", () =>
    Effect.gen(function* () {
      yield* write("alerts", Alert.empty)
      yield* write("denyList", { inForce: [], refused: null })
      const states = yield* StateStore
      const seen = yield* atOnce(range(30), (index) =>
        Effect.andThen(
          states.modify("denyList", ({ inForce }) => ({
            result: null,
            next: { inForce: [...(inForce ?? []), addressOf(index)], refused: null },
          })),
          states.modify("alerts", (board) => ({
            result: board.lease?.endsAt ?? 0,
            next: { ...board, lease: { holder: "each", endsAt: (board.lease?.endsAt ?? 0) + 1 } },
          })),
        ),
      )
      assert.deepStrictEqual(
        seen.toSorted((left, right) => left - right),
        range(30),
      )
      assert.strictEqual((yield* read("alerts")).lease?.endsAt, 30)
      assert.lengthOf((yield* read("denyList")).inForce ?? [], 30)
    }),
  )

  it.effect("gives the lease to one of several callers, by the storage's clock", () =>
    Effect.gen(function* () {
      yield* write("alerts", Alert.empty)
      const states = yield* StateStore
      const before = yield* (yield* DueWork).time
      const taken = yield* atOnce(range(20), (index) =>
        states.modify("alerts", (board, now) => {
          const next = Alert.hold(board, `process ${index}`, now + 60_000, now)
          return { result: next === null ? null : now, next }
        }),
      )
      const after = yield* (yield* DueWork).time
      const [now, ...others] = taken.filter((each) => each !== null)
      assert.deepStrictEqual(others, [])
      assert.isTrue(now !== undefined && before <= now && now <= after)
    }),
  )
}
