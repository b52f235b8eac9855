import { assert, describe, it } from "@effect/vitest"
import * as Age from "@florin/core/domain/ground/Age"

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

describe("Age", () => {
  it("is printed in the largest unit that it fills, rounded down", () => {
    const cases: ReadonlyArray<readonly [ageInMs: number, text: string]> = [
      [0, "0 s"],
      [999, "0 s"],
      [minute - 1, "59 s"],
      [minute, "1 min"],
      [hour - second, "59 min"],
      [hour, "1 h"],
      [day - 1, "23 h"],
      [day, "1 d"],
      [400 * day, "400 d"],
    ]
    for (const [ageInMs, text] of cases) assert.strictEqual(Age.text(ageInMs), text)
  })
})
