import { assert, describe, it } from "@effect/vitest"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

const issuesOf = (text: string) => Invalid.textIssues("name", text, 5)

describe("Invalid.check", () => {
  it("succeeds without issues", () => {
    assert.deepEqual(Invalid.check([]), Result.void)
  })

  it("fails with every issue, in order", () => {
    const issues = [Invalid.issue("a", "must be 1"), Invalid.issue("b[0].c", "must be 2")]
    const error = refusal(Invalid.check(issues))
    assert.strictEqual(error._tag, "InvalidInput")
    assert.deepEqual([...error.issues], issues)
    assert.strictEqual(error.message, "a: must be 1; b[0].c: must be 2")
  })

  it("fails with a single issue", () => {
    const error = refusal(Invalid.fail("a", "must be 1"))
    assert.deepEqual([...error.issues], [{ field: "a", message: "must be 1" }])
    assert.strictEqual(error.message, "a: must be 1")
  })
})

describe("Invalid.all", () => {
  const wrong = Invalid.required("a", undefined, "must be 1")
  const right = Invalid.required("b", 2, "must be 2")

  it("returns every part", () => {
    const none = Invalid.ifSent(undefined, () => wrong)
    const sent = Invalid.ifSent(3, (value) => Result.succeed(value + 1))
    assert.deepEqual(
      Invalid.all({ right, none, sent }),
      Result.succeed({ right: 2, none: undefined, sent: 4 }),
    )
  })

  it("fails with the issues of every part, in order", () => {
    const also = Invalid.ifSent("x", () => Invalid.fail("c", "must be 3"))
    assert.strictEqual(
      refusal(Invalid.all({ wrong, right, also })).message,
      "a: must be 1; c: must be 3",
    )
  })
})

describe("Invalid.unless", () => {
  it("is the issue of a rule that does not hold", () => {
    assert.deepEqual(Invalid.unless(true, "a", "must be 1"), [])
    assert.deepEqual(Invalid.unless(false, "a", "must be 1"), [Invalid.issue("a", "must be 1")])
  })
})

describe("Invalid.issueOf", () => {
  it("is the issue of a value that could not be read", () => {
    assert.deepEqual(Invalid.issueOf("a", Result.succeed(1)), [])
    const message = "must be 1"
    assert.deepEqual(Invalid.issueOf("a", Result.fail({ message })), [Invalid.issue("a", message)])
  })
})

describe("Invalid.textIssues", () => {
  it("counts characters, not UTF-16 units", () => {
    const tooLong = [{ field: "name", message: "must have 1 to 5 characters" }]
    assert.deepEqual(issuesOf("a"), [])
    assert.deepEqual(issuesOf("abcde"), [])
    assert.deepEqual(issuesOf("😀😀😀😀😀"), [])
    assert.deepEqual(issuesOf("abcdef"), tooLong)
    assert.deepEqual(issuesOf("😀😀😀😀😀😀"), tooLong)
    assert.deepEqual(issuesOf(""), tooLong)
  })

  it("refuses characters that cannot be printed or that mislead", () => {
    const controls = [
      ..."\0\t\n\u001f\u007f\u0080\u009f\u2028\u2029",
      "\ud800",
      "\udbff",
      "\udc00",
      "\udfff",
    ]
    const overrides = [..."\u202a\u202e\u2066\u2069"]
    for (const each of [...controls, ...overrides]) {
      assert.deepEqual(
        issuesOf(`a${each}b`),
        [
          {
            field: "name",
            message: "must not contain control characters, line breaks or text-direction overrides",
          },
        ],
        JSON.stringify(each),
      )
    }
  })

  it("accepts every letter, sign and space around them", () => {
    const kept = [
      " a ",
      "\u00a0é",
      "ß",
      "店",
      "שלום",
      "a\u200fb",
      "٣",
      "€",
      "!",
      "'",
      "<b>",
      "%_\\",
    ]
    for (const each of kept) assert.deepEqual(issuesOf(each), [], each)
  })

  it("requires a visible character", () => {
    const spaces = [" ", "     ", "\u00a0", "\u200b", "\u3000", "\ufeff", "\u0301"]
    // Letters and a symbol by their category, which are drawn as nothing.
    const fillers = ["\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"]
    for (const each of [...spaces, ...fillers]) {
      assert.deepEqual(
        issuesOf(each),
        [{ field: "name", message: "must contain a visible character" }],
        JSON.stringify(each),
      )
    }
  })

  it.prop(
    "accepts hostile text exactly if it is printable and visible",
    [HostileText.near(["Shop 1", "Ünï", "😀"])],
    ([text]) => {
      const issues = Invalid.textIssues("name", text, 256)
      assert.isAtMost(issues.length, 1)
      assert.strictEqual(
        issues.length === 0,
        /^[^\p{Cc}\p{Cs}\u2028\u2029\u202e]{1,256}$/u.test(text) &&
          /[\p{L}\p{N}\p{P}\p{S}]/u.test(text),
      )
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
