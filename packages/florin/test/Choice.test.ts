import { assert, describe, it } from "@effect/vitest"
import * as Choice from "../src/terminal/Choice.ts"

const confirmed = (line: string | undefined) =>
  Choice.confirm({ ask: async () => line, say: () => undefined }, "Approve this (y/N)? ")

describe("a confirmation prompt", () => {
  it.each(["y", "Y", "yes"])("is confirmed by %j", async (line) => {
    assert.isTrue(await confirmed(line))
  })

  it.each([undefined, "", "n", "no", "yesterday", "ok"])("is not confirmed by %j", async (line) => {
    assert.isFalse(await confirmed(line))
  })
})
