import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Prefill from "../../src/collect/Prefill.ts"

const page =
  "https://pay.example/collect/?pid=pay_1&accounts=eip155%3A1%3A0x1%2Ceip155%3A8453%3A0x1"
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const decoded = (encoded: string) => Object.fromEntries(Prefill.decode(encoded))

describe("the address of the form", () => {
  it("is unchanged without prefilled data", () => {
    assert.isUndefined(Prefill.take(page))
    assert.isUndefined(Prefill.take(`${page}&xprefill=e30`))
  })

  it.each(["prefill=e30", "%70refill=e30", "prefill=e30&prefill=e30", "prefill=e30&x=1"])(
    "keeps nothing of %s",
    (query) => {
      const taken = Prefill.take(`${page}&${query}`)
      assert.strictEqual(taken?.encoded, "e30")
      const rest = new URL(taken?.rest ?? "").searchParams
      assert.isFalse(rest.has("prefill"))
      assert.strictEqual(rest.get("accounts"), new URL(page).searchParams.get("accounts"))
      assert.strictEqual(rest.get("pid"), "pay_1")
    },
  )

  it("loses empty prefilled data too", () => {
    assert.deepStrictEqual(Prefill.take(`${page}&prefill=`), { encoded: "", rest: page })
  })
})

describe("the prefilled data", () => {
  const values = { fullName: "Žofie ???>>> \u{20000}", dob: "1990-01-31" }
  const bytes = Buffer.from(JSON.stringify(values))

  it("is read as base64url and as base64, padded or not, with + or a space for it", () => {
    const base64 = bytes.toString("base64")
    assert.match(base64, /\+/u)
    const inAddress = Prefill.take(`${page}&prefill=${base64}`)?.encoded ?? ""
    assert.include(inAddress, " ")
    for (const text of [
      bytes.toString("base64url"),
      base64,
      base64.replace(/=+$/u, ""),
      inAddress,
    ]) {
      assert.deepStrictEqual(decoded(text), values)
    }
  })

  it("contains texts only", () => {
    assert.deepStrictEqual(decoded(encode({ a: 1, b: null, c: ["x"], d: { e: "x" }, f: "x" })), {
      f: "x",
    })
  })

  it.each([
    "",
    "e",
    "%",
    "\u{20000}",
    "e30=e30",
    encode(null),
    encode("x"),
    encode(1),
    "eyJ",
    "_____w",
  ])("is empty for %j", (text) => {
    assert.strictEqual(Prefill.decode(text).size, 0)
  })

  it.prop("is read from any text without an exception", [Schema.String], ([text]) => {
    const given = encodeURIComponent(text.toWellFormed())
    const { encoded = "" } = Prefill.take(`${page}&prefill=${given}`) ?? {}
    assert.instanceOf(Prefill.decode(encoded), Map)
    assert.instanceOf(Prefill.decode(text), Map)
  })

  it.prop(
    "is read from any bytes without an exception",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))],
    ([raw]) => {
      assert.instanceOf(Prefill.decode(Buffer.from(raw).toString("base64url")), Map)
    },
  )

  it.prop("is read back", [Schema.Record(Schema.String, Schema.String)], ([given]) => {
    const plain = JSON.parse(JSON.stringify(given).toWellFormed())
    assert.deepStrictEqual([...Prefill.decode(encode(plain))], Object.entries(plain))
  })
})
