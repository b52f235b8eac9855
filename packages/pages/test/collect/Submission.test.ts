import { assert, describe, it } from "@effect/vitest"
import * as Submission from "../../src/collect/Submission.ts"

const problem = (code: string, issues?: unknown) => ({ code, message: "secret", issues })

describe("the service's response to the form", () => {
  it("means that the data is stored, with any body", () => {
    assert.deepStrictEqual(Submission.outcomeOf(200, {}), { _tag: "Stored" })
    assert.deepStrictEqual(Submission.outcomeOf(204, undefined), { _tag: "Stored" })
  })

  it("names the wrong fields with their issues", () => {
    const issues = [
      { field: "collectedData.fullName", message: "must not be empty" },
      { field: "collectedData", message: "needs more" },
      { field: "dob", message: "is required" },
      { field: 1 },
      null,
    ]
    assert.deepStrictEqual(Submission.outcomeOf(400, problem("params_validation", issues)), {
      _tag: "Refused",
      issues: new Map([
        ["fullName", "must not be empty"],
        ["collectedData", "needs more"],
        ["dob", "is required"],
      ]),
    })
  })

  it("means that the payment accepts no more data", () => {
    assert.deepStrictEqual(Submission.outcomeOf(410, problem("payment_expired")), {
      _tag: "Closed",
      status: "expired",
    })
    assert.strictEqual(Submission.outcomeOf(400, problem("invalid_state"))._tag, "Closed")
  })

  it.each([401, 403, 404])("with %d means that the page is too old", (status) => {
    assert.deepStrictEqual(Submission.outcomeOf(status, problem("not_found")), { _tag: "Absent" })
  })

  it.each([
    [503, problem("unavailable")],
    [429, problem("rate_limited")],
    [502, undefined],
    [400, problem("params_validation", "x")],
    [400, "<html>"],
  ])("may contain nothing: %d", (status, body) => {
    assert.deepStrictEqual(Submission.outcomeOf(status, body), { _tag: "NotSent" })
  })
})
