/**
 * The operator's deny list: decided in one order.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import { ScreeningStore } from "@florin/core/ports/ScreeningStore"
import * as Effect from "effect/Effect"
import { atOnce, type It, range } from "./Scene.ts"

const addressOf = (index: number) => Caip.Address.make(`0x${index.toString(16).padStart(40, "0")}`)

const write = (next: DenyList.DenyList | null) =>
  Effect.flatMap(ScreeningStore, (store) =>
    store.modifyDenyList(() => ({ result: undefined, next })),
  )

const read = Effect.flatMap(ScreeningStore, (store) =>
  store.modifyDenyList((current) => ({ result: current, next: null })),
)

export const screeningRules = (it: It): void => {
  it.effect(
    "S38: keeps the list that was written last, and writes nothing if nothing is decided",
    () =>
      Effect.gen(function* () {
        const lists: ReadonlyArray<DenyList.DenyList> = [
          { inForce: range(5000).map(addressOf), refused: null },
          { inForce: [addressOf(1)], refused: { addresses: [], since: 7 } },
          DenyList.empty,
        ]
        for (const list of lists) {
          yield* write(list)
          yield* write(null)
          assert.deepStrictEqual(yield* read, list)
        }
      }),
  )

  it.effect("S38: runs decisions one after another: each sees what the previous one wrote", () =>
    Effect.gen(function* () {
      yield* write({ inForce: [], refused: null })
      const store = yield* ScreeningStore
      yield* atOnce(range(30), (index) =>
        store.modifyDenyList(({ inForce }) => ({
          result: undefined,
          next: { inForce: [...(inForce ?? []), addressOf(index)], refused: null },
        })),
      )
      assert.lengthOf((yield* read).inForce ?? [], 30)
    }),
  )
}
