import { assert, describe, it } from "@effect/vitest"
import * as ActionResult from "@florin/core/domain/chain/ActionResult"
import * as Outputs from "@florin/core/domain/eip155/Outputs"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Result } from "effect"

const hash = (digit: string) => `0x${digit.repeat(64)}`
const signature = `0x${"ab".repeat(65)}`
const compact = `0x${"cd".repeat(64)}`

const fieldOf = <A>(result: Result.Result<A, Invalid.InvalidInput>): string =>
  Result.isFailure(result) ? result.failure.issues[0].field : "accepted"

describe("Outputs.canonicalSignature", () => {
  const [r, low, high] = ["ab".repeat(32), `7${"c".repeat(63)}`, `f${"c".repeat(63)}`]

  it("S25: writes signatures with v from 0, with v from 27, and of 64 bytes in one form", () => {
    for (const [v, zeroBased, s] of [
      ["1b", "00", low],
      ["1c", "01", high],
    ]) {
      const one = `0x${r}${low}${v}`
      assert.strictEqual(Outputs.canonicalSignature(one), one)
      assert.strictEqual(Outputs.canonicalSignature(`0x${r}${low}${zeroBased}`), one)
      assert.strictEqual(Outputs.canonicalSignature(`0x${r}${s}`), one)
    }
  })

  it("S25: leaves every other text unchanged", () => {
    const other = [hash("1"), "0x", `0x${r}${low}02`, `0x${r}${low}1d`, `0x${r}${low}0000`]
    for (const text of other) assert.strictEqual(Outputs.canonicalSignature(text), text)
  })
})

describe("Outputs.read", () => {
  it("reads the signature of an EIP-3009 option", () => {
    for (const text of [signature, compact, `${signature}${"00".repeat(700)}`, "0x"]) {
      assert.deepStrictEqual(
        Outputs.read("eip3009", [text]),
        Result.succeed({ _tag: "Authorized", signature: text, approvals: [] } as const),
      )
    }
  })

  it("reads a Permit2 option's signature after zero, one or two approvals", () => {
    for (const approvals of [[], [hash("1")], [hash("1"), hash("2")]]) {
      assert.deepStrictEqual(
        Outputs.read("permit2", [...approvals, signature]),
        Result.succeed({ _tag: "Authorized", signature, approvals } as const),
      )
    }
  })

  it("reads a transfer's hash and statement", () => {
    assert.deepStrictEqual(
      Outputs.read("transfer", [hash("f"), signature]),
      Result.succeed({ _tag: "Sent", txHash: hash("f"), signature } as const),
    )
  })

  const refused: ReadonlyArray<
    readonly [
      rule: string,
      flow: "eip3009" | "permit2" | "transfer",
      outputs: ReadonlyArray<string>,
    ]
  > = [
    ["no output", "eip3009", []],
    ["an approval where none was asked", "eip3009", [hash("1"), signature]],
    ["a transaction hash for a signature", "eip3009", [hash("1")]],
    ["a signature that is one byte short", "eip3009", [`0x${"ab".repeat(63)}`]],
    ["a signature of one byte", "eip3009", ["0x00"]],
    ["half a byte", "eip3009", [`${signature}a`]],
    ["a signature without 0x", "eip3009", [signature.slice(2)]],
    ["letters that are not hex", "eip3009", [`0x${"zz".repeat(65)}`]],
    ["three approvals", "permit2", [hash("1"), hash("2"), hash("3"), signature]],
    ["a signature for an approval", "permit2", [signature, signature]],
    ["the approval last", "permit2", [signature, hash("1")]],
    ["a hash only", "transfer", [hash("1")]],
    ["a signature only", "transfer", [signature]],
    ["the statement first", "transfer", [signature, hash("1")]],
    ["a third output", "transfer", [hash("1"), signature, signature]],
    ["an empty hash", "transfer", ["0x", signature]],
    ["an empty approval", "permit2", ["0x", signature]],
    ["a short hash", "transfer", [`0x${"1".repeat(63)}`, signature]],
    ["a long hash", "transfer", [`0x${"1".repeat(65)}`, signature]],
  ]
  for (const [rule, flow, outputs] of refused) {
    it(`refuses ${rule} for ${flow}`, () => {
      const read = Outputs.read(flow, outputs)
      assert.strictEqual(fieldOf(read), "results")
      if (Result.isFailure(read)) assert.isAbove(read.failure.message.length, 20)
    })
  }

  it.prop(
    "reads hostile text as an output, or returns an error",
    [HostileText.near([signature, hash("1")]), HostileText.near([signature, hash("2")])],
    ([first, second]) => {
      for (const flow of ["eip3009", "permit2", "transfer"] as const) {
        const flat = ActionResult.flatten([{ data: [first, second] }])
        if (Result.isFailure(flat)) return false
        const read = Outputs.read(flow, flat.success)
        if (Result.isFailure(read) && fieldOf(read) !== "results") return false
      }
      return true
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 10_000 }) } },
  )
})
