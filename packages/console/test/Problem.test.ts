import { assert, describe, it } from "@effect/vitest"
import * as Statuses from "@florin/api/wire/Statuses"
import english from "../src/messages/shell.en.json" with { type: "json" }

describe("a problem that the console says in the reader's language", () => {
  it("translates only codes of the API whose sentences say no more than the code", () => {
    const specific = ["invalid_params", "params_validation", "invalid_state", "already_refunded"]
    for (const code of Object.keys(english.problem.codes)) {
      assert.property(Statuses.ofCode, code)
      assert.notInclude(specific, code)
    }
  })
})
