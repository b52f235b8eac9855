import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Query from "../src/Query.ts"
import * as Laws from "./operations/laws.ts"
import * as Scene from "./scene.ts"

const { play } = Laws

const issuesOf = <A>(read: Result.Result<A, { readonly issues: ReadonlyArray<unknown> }>) =>
  Result.isFailure(read) ? read.failure.issues : assert.fail("nothing is wrong with it")

describe("a query", () => {
  it("reads names and values as forms write them", () => {
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

  it("has a name once where it may be there once", () => {
    assert.deepStrictEqual(Query.one(Query.parse("a=1"), "a"), Result.succeed("1"))
    assert.deepStrictEqual(Query.one(Query.parse("b=1"), "a"), Result.succeed(undefined))
    assert.deepStrictEqual(issuesOf(Query.one(Query.parse("a=1&a=1"), "a")), [
      { field: "a", message: "may be sent once" },
    ])
  })

  it("tells every name that is there too often at once", () => {
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

describe("maxPollMs", () => {
  const taken: ReadonlyArray<readonly [text: string, heldInMs: number]> = [
    ["", 0],
    ["maxPollMs=0", 0],
    ["maxPollMs=1", 1],
    ["maxPollMs=007", 7],
    ["maxPollMs=25000", 25_000],
    ["maxPollMs=25001", 25_000],
    ["maxPollMs=9223372036854775807", 25_000],
  ]
  it("is any whole number of 64 bits, held for 25 s at most", () => {
    for (const [text, heldInMs] of taken) {
      assert.deepStrictEqual(Query.maxPollInMs(Query.parse(text)), Result.succeed(heldInMs), text)
    }
  })

  it("is nothing else", () => {
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
      const issues = issuesOf(Query.maxPollInMs(Query.parse(`maxPollMs=${text}`)))
      assert.lengthOf(issues, 1, text)
      assert.include(JSON.stringify(issues), '"maxPollMs"')
    }
  })
})

describe("a flag", () => {
  it("is true or false, and false where it is not there", () => {
    for (const [text, value] of [
      ["", false],
      ["a=false", false],
      ["a=true", true],
    ] as const) {
      assert.deepStrictEqual(Query.flag(Query.parse(text), "a"), Result.succeed(value), text)
    }
    for (const text of ["a", "a=", "a=1", "a=0", "a=yes", "a=TRUE", "a=True", "a=true&a=true"]) {
      assert.lengthOf(issuesOf(Query.flag(Query.parse(text), "a")), 1, text)
    }
  })
})

describe("a query over HTTP", () => {
  play("is told apart from the path and from what follows a #", ({ own }) =>
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

  play("may be long, and hold anything", ({ own }) =>
    Effect.gen(function* () {
      const strange = `${"x=1&".repeat(5000)}%00=%00&%F0%28=%&=&==&${"y".repeat(10_000)}`
      const answer = yield* Scene.send({ path: `/v1/merchants?${strange}&limit=1`, key: own.key })
      assert.strictEqual(answer.status, 200, answer.text)
    }),
  )
})
