import { assert, describe, it } from "@effect/vitest"
import * as Contract from "@florin/api/Query"
import { Effect, Result, Schema } from "effect"
import * as Query from "../src/http/Query.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const issuesOf = <A>(read: Result.Result<A, { readonly issues: ReadonlyArray<unknown> }>) =>
  Result.isFailure(read) ? read.failure.issues : assert.fail("nothing is wrong with it")

describe("a query", () => {
  it("reads names and values in the encoding of forms", () => {
    const cases: ReadonlyArray<readonly [text: string, values: ReadonlyArray<string>]> = [
      ["", []],
      ["a", [""]],
      ["a=", [""]],
      ["a=1", ["1"]],
      ["a=1&a=2", ["1", "2"]],
      ["a=2&b=3&a=1", ["2", "1"]],
      ["a=1=2", ["1=2"]],
      ["a=x+y%20z%2B", ["x y z+"]],
      ["%61=1", ["1"]],
      ["a=%C3%A9%F0%9F%98%80", ["é😀"]],
      ["a=%", ["%"]],
      ["a=%zz", ["%zz"]],
      ["a=%ff", ["\ufffd"]],
      ["&&a=1&", ["1"]],
      ["A=1&a%20=2&[a]=3", []],
    ]
    for (const [text, values] of cases) {
      const query = Query.parse(text)
      assert.deepStrictEqual(query.getAll("a"), [...values], text)
      assert.deepStrictEqual(
        Query.several(query, "a"),
        values.length === 0 ? undefined : [...values],
      )
    }
  })

  it("refuses a second value of a name that may be sent once", () => {
    assert.deepStrictEqual(Query.one(Query.parse("a=1"), "a"), Result.succeed("1"))
    assert.deepStrictEqual(Query.one(Query.parse("b=1"), "a"), Result.succeed(undefined))
    assert.deepStrictEqual(issuesOf(Query.one(Query.parse("a=1&a=1"), "a")), [
      { field: "a", message: "may be sent once" },
    ])
  })

  it("names every name that is sent too often", () => {
    const names = ["a", "b", "c", "d"]
    assert.deepStrictEqual(
      Query.ones(Query.parse("a=1&b=&x=1&x=2"), names),
      Result.succeed({ a: "1", b: "" }),
    )
    assert.deepStrictEqual(
      issuesOf(Query.ones(Query.parse("c=1&a=1&c=2&b=1&a=2&d=1"), names)),
      ["a", "c"].map((field) => ({ field, message: "may be sent once" })),
    )
  })

  it("takes nothing from the prototype of objects", () => {
    const names = ["__proto__", "constructor", "toString"]
    const read = Query.ones(Query.parse("__proto__=1&constructor=2"), names)
    const values = Result.getOrThrow(read)
    assert.strictEqual(values["constructor"], "2")
    assert.isUndefined(Object.hasOwn(values, "toString") ? values["toString"] : undefined)
    const plain: { readonly [name: string]: unknown } = {}
    assert.isUndefined(plain["1"])
  })
})

describe("the reader of a query", () => {
  it("decodes nothing before the first call, and the empty query once", () => {
    let decoded = 0
    const counted = Schema.Struct({}).check(Schema.makeFilter(() => (decoded += 1) > 0))
    const read = Query.reader(counted)
    assert.strictEqual(decoded, 0)
    for (let call = 0; call < 2; call += 1) {
      assert.deepStrictEqual(read(Query.parse("")), Result.succeed({}))
      assert.strictEqual(decoded, 1)
    }
  })
})

describe("maxPollMs", () => {
  const read = Query.reader(Schema.Struct(Contract.longPoll))
  const taken: ReadonlyArray<readonly [text: string, maxPollMs?: number]> = [
    [""],
    ["maxPollMs=0", 0],
    ["maxPollMs=1", 1],
    ["maxPollMs=007", 7],
    ["maxPollMs=25000", 25_000],
    ["maxPollMs=9007199254740991", Number.MAX_SAFE_INTEGER],
    ["maxPollMs=9007199254740993", Number.MAX_SAFE_INTEGER],
    ["maxPollMs=9223372036854775807", Number.MAX_SAFE_INTEGER],
  ]
  it("is any whole number of 64 bits", () => {
    for (const [text, maxPollMs] of taken) {
      const value = maxPollMs === undefined ? {} : { maxPollMs }
      assert.deepStrictEqual(read(Query.parse(text)), Result.succeed(value), text)
    }
  })

  it("is no other text", () => {
    for (const text of [
      "",
      "-1",
      "+1",
      "%2B1",
      "1.0",
      "1e3",
      "0x10",
      "1n",
      " 1",
      "1 ",
      "NaN",
      "Infinity",
      "null",
      "true",
      "9223372036854775808",
      "99999999999999999999",
      "٣",
      "1&maxPollMs=1",
    ]) {
      const message = text.includes("&")
        ? "may be sent once"
        : "must be a whole number of milliseconds from 0"
      assert.deepStrictEqual(
        issuesOf(read(Query.parse(`maxPollMs=${text}`))),
        [{ field: "maxPollMs", message }],
        text,
      )
    }
  })
})

describe("a flag", () => {
  it("is true or false, and off unless it is sent", () => {
    const read = Query.reader(Schema.Struct({ a: Contract.flag("On") }))
    for (const [text, value] of [
      ["", {}],
      ["b=1", {}],
      ["a=false", { a: false }],
      ["a=true", { a: true }],
    ] as const) {
      assert.deepStrictEqual(read(Query.parse(text)), Result.succeed(value), text)
    }
    for (const text of ["a", "a=", "a=1", "a=0", "a=yes", "a=TRUE", "a=True"]) {
      assert.deepStrictEqual(
        issuesOf(read(Query.parse(text))),
        [{ field: "a", message: "must be true or false" }],
        text,
      )
    }
    assert.deepStrictEqual(issuesOf(read(Query.parse("a=true&a=true"))), [
      { field: "a", message: "may be sent once" },
    ])
  })
})

describe("the reader of a query", () => {
  const choice = Schema.Literals(["a", "b"]).annotate({ message: "must be a or b" })
  const read = Query.reader(
    Schema.Struct({
      list: Schema.optionalKey(Schema.Array(Schema.NonEmptyString)),
      choice: Schema.optionalKey(choice),
      ...Contract.page,
    }),
  )

  it("reads a repeatable name as a list", () => {
    for (const [text, list] of [
      ["list=x", ["x"]],
      ["list=y&limit=7&list=x", ["y", "x"]],
    ] as const) {
      const found = Result.getOrThrow(read(Query.parse(text)))
      assert.deepStrictEqual(found.list, list)
    }
  })

  it("names every broken rule, in the order of the contract", () => {
    assert.deepStrictEqual(issuesOf(read(Query.parse("limit=0&choice=c"))), [
      { field: "choice", message: "must be a or b" },
      { field: "limit", message: "must be a whole number from 1 to 200" },
    ])
  })

  it("checks for repeated names before anything else", () => {
    assert.deepStrictEqual(issuesOf(read(Query.parse("limit=0&choice=c&cursor=1&cursor=2"))), [
      { field: "cursor", message: "may be sent once" },
    ])
  })

  it("repeats no value in its issues", () => {
    assert.notInclude(
      JSON.stringify(issuesOf(read(Query.parse("choice=canary&limit=canary")))),
      "canary",
    )
  })
})

describe("a query over HTTP", () => {
  play("is separate from the path and the fragment", ({ own }) =>
    Effect.gen(function* () {
      for (const [tail, count] of [
        ["?limit=1", 1],
        ["?search=nobody", 0],
        ["?search=nobody#&limit=0", 0],
        ["?", 1],
        ["?&&", 1],
        ["?limit=1?limit=2", null],
        ["?search=a/b/../c", 0],
        ["?search=%23", 0],
      ] as const) {
        const answer = yield* Scene.send({ path: `/v1/merchants${tail}`, key: own.key })
        if (count === null) assert.deepStrictEqual(Scene.fieldsOf(answer), ["limit"])
        else assert.strictEqual(Scene.at(answer.body, "totalCount"), count, tail)
      }
    }),
  )

  play("may be long, with any characters", ({ own }) =>
    Effect.gen(function* () {
      const strange = `${"x=1&".repeat(5000)}%00=%00&%F0%28=%&=&==&${"y".repeat(10_000)}`
      const answer = yield* Scene.send({ path: `/v1/merchants?${strange}&limit=1`, key: own.key })
      assert.strictEqual(answer.status, 200, answer.text)
    }),
  )
})
