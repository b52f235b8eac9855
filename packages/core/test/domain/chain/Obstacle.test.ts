import { assert, describe, it } from "@effect/vitest"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import { Struct } from "effect"

describe("Obstacle.isHeld", () => {
  it("S7: separates codes that resolve themselves from codes that need an operator", () => {
    const codes = Struct.keys(Obstacle.meanings)
    const [held, waits] = [true, false].map((is) =>
      codes.filter((code) => Obstacle.isHeld(code) === is),
    )
    assert.sameMembers(held ?? [], [...Obstacle.heldCodes])
    assert.sameMembers(waits ?? [], [...Obstacle.waitCodes])
  })
})
