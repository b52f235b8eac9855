import { assert, describe, it } from "@effect/vitest"
import * as Nearest from "@florin/core/domain/ground/Nearest"

describe("The nearest name", () => {
  const known = ["sealKey", "secondPerson", "port", "host"]

  it.each([
    ["secondPersn", "secondPerson"],
    ["sealkey", "sealKey"],
    ["secondPersons", "secondPerson"],
    ["prot", "port"],
  ])("of %s is %s", (name, nearest) => {
    assert.strictEqual(Nearest.to(name, known), nearest)
  })

  it("is none if no name is near", () => {
    assert.isUndefined(Nearest.to("retentionDays", known))
    assert.isUndefined(Nearest.to("key", ["rpc"]))
    assert.isUndefined(Nearest.to("port", []))
  })
})
