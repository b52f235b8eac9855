import { assert, describe, it } from "@effect/vitest"
import * as PageLimit from "@florin/core/domain/list/PageLimit"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const issues = [{ field: "limit", message: "must be a whole number from 1 to 200" }] as const

describe("PageLimit.parse", () => {
  it("is 50 by default", () => {
    assert.deepStrictEqual(PageLimit.parse(undefined), Result.succeed(50))
  })

  it.each([1, 50, 199, 200])("accepts %s, as number and as text", (limit) => {
    assert.deepStrictEqual(PageLimit.parse(limit), Result.succeed(limit))
    assert.deepStrictEqual(PageLimit.parse(limit.toString()), Result.succeed(limit))
  })

  it.each([0, -1, 201, 1.5, Number.NaN, Infinity])("refuses %j", (limit) => {
    const parsed = PageLimit.parse(limit)
    assert.deepStrictEqual(Result.isFailure(parsed) && parsed.failure.issues, issues)
  })

  it.prop(
    "reads hostile text only if it is a number from 1 to 200 in plain digits",
    [HostileText.near(["1", "50", "200"])],
    ([text]) => {
      const parsed = PageLimit.parse(text)
      const isLimit = /^[1-9][0-9]{0,2}$/u.test(text) && Number(text) <= 200
      assert.deepStrictEqual(
        Result.mapError(parsed, (error) => error.issues),
        isLimit ? Result.succeed(Number(text)) : Result.fail(issues),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
