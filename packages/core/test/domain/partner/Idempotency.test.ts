import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const read = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))
const fingerprint = (body: Schema.Json) => value(Idempotency.fingerprint(body))

describe("Idempotency.parseKey", () => {
  it.each([
    "a",
    " ",
    "~",
    "!",
    "order 17",
    "__proto__",
    "a".repeat(Limits.idempotencyKeyMaxLength),
  ])("accepts %j", (text) => {
    assert.strictEqual(value(Idempotency.parseKey(text)), text)
    assert.strictEqual(value(Schema.decodeUnknownResult(Idempotency.IdempotencyKey)(text)), text)
  })

  it.each(["", "a".repeat(256), "\u001f", "\u007f", "a\0", "a\n", "\t", "é", "\uff11", "\ud800"])(
    "refuses %j",
    (text) => {
      const error = refusal(Idempotency.parseKey(text))
      assert.strictEqual(error._tag, "Malformed")
      assert.strictEqual(
        error.message,
        "an Idempotency-Key has 1 to 255 printable ASCII characters",
      )
    },
  )

  it.prop(
    "accepts exactly 1 to 255 printable ASCII characters of hostile text",
    [HostileText.near(["order-17", "550e8400-e29b-41d4-a716-446655440000", "k".repeat(255)])],
    ([text]) => {
      const printable = [...text].every((each) => each >= " " && each <= "~")
      const good = printable && text.length >= 1 && text.length <= 255
      assert.strictEqual(Result.isSuccess(Idempotency.parseKey(text)), good)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

const arrays = (depth: number): Schema.Json => read("[".repeat(depth) + "]".repeat(depth))

const objects = (depth: number): Schema.Json =>
  read('{"a":'.repeat(depth) + "1" + "}".repeat(depth))

describe("Idempotency.fingerprint", () => {
  it.each([
    [`{"b":1,"a":[true,null,"x"]}`, `{"a":[true,null,"x"],"b":1}`],
    [` { "a" : { "z" : 1.0 , "y" : -0 } } `, `{"a":{"y":0,"z":1}}`],
    [`{"\\u0061":"\\u0062\\n"}`, `{"a":"b\\n"}`],
    [`{"a":1e3,"B":0.10}`, `{"B":0.1,"a":1000}`],
    [`{"10":1,"9":2,"":3}`, `{"":3,"10":1,"9":2}`],
    [`{"__proto__":{"x":1},"constructor":2}`, `{"__proto__":{"x":1},"constructor":2}`],
    [`"\\ud800"`, `"\\ud800"`],
    [`[]`, `[]`],
    [`{}`, `{}`],
    [`null`, `null`],
    [`false`, `false`],
    [`1e400`, `Infinity`],
  ])("of %s is the hash of its canonical form %s", (body, canonical) => {
    assert.strictEqual(fingerprint(JSON.parse(body)), sha256(canonical))
  })

  it("differs for bodies with different meanings", () => {
    const bodies = [
      ...'null 0 "" "0" false [] {} [[]] [{}] [null] [1,2] [2,1] [12] ["1","2"] ["1,2"]'.split(" "),
      ...`{"a":{}} {"a":[]} {"a":1} {"a":"1"} {"a":null} {"A":1} {"":1} {"a":1,"b":2}`.split(" "),
      ...`{"a":2,"b":1} {"a\\":1,\\"b":2} 1e400 -1e400 "\\ud800" "\\udfff" "é" "e\\u0301"`.split(
        " ",
      ),
      `"a"`,
      `"a "`,
    ]
    assert.strictEqual(
      new Set(bodies.map((body) => fingerprint(JSON.parse(body)))).size,
      bodies.length,
    )
  })

  it(`accepts bodies that are nested ${Limits.jsonDepthMax} deep, in arrays and in objects`, () => {
    for (const nested of [arrays, objects]) {
      assert.isTrue(Result.isSuccess(Idempotency.fingerprint(nested(32))))
      for (const depth of [33, 34, 1000]) {
        const error = refusal(Idempotency.fingerprint(nested(depth)))
        assert.strictEqual(error._tag, "BodyTooDeep")
        assert.strictEqual(error.message, "a body is nested at most 32 deep")
      }
    }
    const mixed = { a: [1, { b: arrays(29) }], c: 1 }
    assert.isTrue(Result.isSuccess(Idempotency.fingerprint(mixed)))
    assert.isTrue(Result.isFailure(Idempotency.fingerprint({ ...mixed, b: arrays(32) })))
  })

  const shuffled = (body: Schema.Json): Schema.Json => {
    if (Array.isArray(body)) return body.map(shuffled)
    if (typeof body !== "object" || body === null) return body
    return Object.fromEntries(
      Object.entries(body)
        .toReversed()
        .map(([name, item]) => [name, shuffled(item)]),
    )
  }

  it.prop(
    "is the same for every order of members and any white space",
    [Arbitrary.schema(Schema.Json)],
    ([body]) => {
      const once = Idempotency.fingerprint(body)
      assert.deepEqual(Idempotency.fingerprint(shuffled(body)), once)
      // Node 24 reads a name of one escaped character as a backslash if an earlier text had that name in its place.
      const spaced = read(JSON.stringify(body, null, 2))
      if (JSON.stringify(spaced) !== JSON.stringify(body)) return
      assert.deepEqual(Idempotency.fingerprint(spaced), once)
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 50_000 }) } },
  )
})

describe("Idempotency.judge", () => {
  const scope = {
    partnerId: PartnerId.PartnerId.make("prtn_1"),
    mode: "live",
    endpoint: "POST /v1/merchants",
  } as const
  const request = {
    scope,
    key: value(Idempotency.parseKey("k")),
    fingerprint: fingerprint({ a: 1 }),
    response: `{"merchant":{}}`,
  }
  const remembered = Idempotency.remember(request, 1000)
  const end = 1000 + 24 * 60 * 60 * 1000

  it("remembers a response for a day", () => {
    assert.deepEqual(remembered, { ...request, expiresAt: end })
    assert.deepEqual(
      value(Schema.decodeUnknownResult(Idempotency.Remembered)(remembered)),
      remembered,
    )
  })

  it.each([
    ["fresh", "nothing is remembered", undefined, { a: 1 }, 1000],
    ["replay", "the same body is remembered", remembered, { a: 1 }, 1000],
    [
      "replay",
      "the same body is remembered for another millisecond",
      remembered,
      { a: 1 },
      end - 1,
    ],
    ["fresh", "the same body was remembered until now", remembered, { a: 1 }, end],
    ["fresh", "the same body was remembered until earlier", remembered, { a: 1 }, end + 1],
    ["conflict", "another body is remembered", remembered, { a: 2 }, 1000],
    [
      "conflict",
      "another body is remembered for another millisecond",
      remembered,
      { a: 2 },
      end - 1,
    ],
    ["fresh", "another body was remembered until now", remembered, { a: 2 }, end],
  ] as const)("returns %s if %s", (expected, _when, record, body, now) => {
    assert.strictEqual(Idempotency.judge(record, fingerprint(body), now), expected)
  })
})
