import { assert, describe, it } from "@effect/vitest"
import * as ActionResult from "@florin/core/domain/chain/ActionResult"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result } from "effect"
import * as Harbour from "../harbour.ts"

const fieldOf = <A>(result: Result.Result<A, Invalid.InvalidInput>): string =>
  Result.isFailure(result) ? result.failure.issues[0].field : "accepted"

describe("ActionResult.flatten", () => {
  it("accepts one result per action, with one output each", () => {
    assert.deepStrictEqual(
      ActionResult.flatten([{ data: ["0xA"] }, { data: ["0xB"] }]),
      Result.succeed(["0xa", "0xb"]),
    )
  })

  it("accepts exactly one result that has all outputs in order", () => {
    assert.deepStrictEqual(
      ActionResult.flatten([{ data: ["0xA", "0xB", "0xC"] }]),
      Result.succeed(["0xa", "0xb", "0xc"]),
    )
    assert.deepStrictEqual(ActionResult.flatten([{ data: [] }]), Result.succeed([]))
  })

  it("refuses outputs that are split in any other way, and names the wrong result", () => {
    assert.strictEqual(fieldOf(ActionResult.flatten([])), "results")
    assert.strictEqual(
      fieldOf(ActionResult.flatten([{ data: ["0xA"] }, { data: ["0xB", "0xC"] }])),
      "results[1].data",
    )
    assert.strictEqual(
      fieldOf(ActionResult.flatten([{ data: [] }, { data: ["0xB"] }])),
      "results[0].data",
    )
  })

  it("limits the number of results", () => {
    const results = (length: number) => Array.from({ length }, () => ({ data: ["0x"] }))
    assert.isTrue(Result.isSuccess(ActionResult.flatten(results(Limits.resultsPerConfirmMax))))
    assert.strictEqual(
      fieldOf(ActionResult.flatten(results(Limits.resultsPerConfirmMax + 1))),
      "results",
    )
  })

  it("reads an output that is too long for any wallet as an empty text", () => {
    const long = "A".repeat(Limits.resultDataMaxLength)
    const hex = `0x${"A".repeat(Limits.resultDataMaxLength - 2)}`
    assert.deepStrictEqual(
      ActionResult.flatten([{ data: [long, `${long}A`, hex, `${hex}A`] }]),
      Result.succeed([long, "", hex.toLowerCase(), ""]),
    )
  })

  const kept = [
    "",
    "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnb",
    "SEAL-AbC",
    "AB",
    "0xAG",
    "0xA B",
    " 0xA",
    "0xA ",
    "0xA\n",
    "x0xA",
    "É",
  ]
  it("writes hex in lower case, so that equal bytes are equal texts, and leaves other text unchanged", () => {
    for (const hex of ["0x", "0X", "0xaB", "0XAb", "0xABCDEF0123456789", "0xA"]) {
      assert.deepStrictEqual(
        ActionResult.flatten([{ data: [hex] }]),
        Result.succeed([hex.toLowerCase()]),
      )
      assert.deepStrictEqual(
        ActionResult.flatten([{ data: [hex] }, { data: ["B"] }]),
        Result.succeed([hex.toLowerCase(), "B"]),
      )
    }
    assert.deepStrictEqual(ActionResult.flatten([{ data: kept }]), Result.succeed(kept))
    assert.deepStrictEqual(
      ActionResult.flatten(
        kept.slice(0, Limits.resultsPerConfirmMax).map((each) => ({ data: [each] })),
      ),
      Result.succeed(kept),
    )
  })

  it.prop(
    "changes only the case of hex, and nothing the second time",
    [HostileText.near(["0xAbCd", "5VERv8NMvz", "SEAL-AbC"])],
    ([text]) => {
      const flat = (output: string) =>
        Result.getOrThrow(ActionResult.flatten([{ data: [output] }]))[0] ?? assert.fail("none")
      const once = flat(text)
      const isHex = /^0x[0-9a-f]*$/u.test(text.toLowerCase())
      if (text.length <= Limits.resultDataMaxLength) {
        assert.strictEqual(once, isHex ? text.toLowerCase() : text)
      } else assert.strictEqual(once, "")
      assert.strictEqual(flat(once), once)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

describe("ActionResult of a family", () => {
  it("names the field that is wrong", () => {
    const refused = Harbour.family.readOutputs("hand", ["hash"])
    assert.strictEqual(fieldOf(refused), "results")
  })
})

describe("ActionResult of a family whose outputs are no hex", () => {
  const read = (flow: string, data: ReadonlyArray<string>) =>
    Result.flatMap(ActionResult.flatten([{ data }]), (outputs) =>
      Harbour.family.readOutputs(flow, outputs.map(Harbour.family.spelled)),
    )

  it("keeps outputs that are not hex, in the spelling of their family", () => {
    assert.deepStrictEqual(
      read("hand", ["TxOne", "SEAL-Abc"]),
      Result.succeed({ _tag: "Sent", txHash: "TxOne", signature: "seal-Abc" } as const),
    )
    assert.deepStrictEqual(
      read("pledge", ["seal-Abc"]),
      Result.succeed({ _tag: "Authorized", signature: "seal-Abc", approvals: [] } as const),
    )
    for (const flow of ["pledge", "hand", "eip3009"]) {
      assert.strictEqual(fieldOf(read(flow, [])), "results")
      assert.strictEqual(fieldOf(read(flow, ["a", "b", "c"])), "results")
    }
  })
})
