import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Schema from "effect/Schema"
import { prefillUrl, readFormMessage } from "../src/Client.ts"
import * as CollectForm from "../src/CollectForm.ts"
import { collectData } from "./Fixtures.ts"

describe("CollectForm.missingFields", () => {
  const given = [
    { id: "fullName", value: "Ada Lovelace" },
    { id: "dob", value: "1815-12-10" },
    { id: "tosConfirmed", value: "true" },
  ]

  it("names required fields that are absent or empty", () => {
    assert.deepStrictEqual(CollectForm.missingFields(collectData, given), [])
    assert.deepStrictEqual(CollectForm.missingFields(collectData, given.slice(2)), [
      "fullName",
      "dob",
    ])
    const empty = [{ id: "fullName", value: "" }, ...given.slice(1)]
    assert.deepStrictEqual(CollectForm.missingFields(collectData, empty), ["fullName"])
  })

  it("requires that the terms are accepted", () => {
    const refused = [...given.slice(0, 2), { id: "tosConfirmed", value: "false" }]
    assert.deepStrictEqual(CollectForm.missingFields(collectData, refused), ["tosConfirmed"])
    assert.deepStrictEqual(CollectForm.missingFields(collectData, given.slice(0, 2)), [
      "tosConfirmed",
    ])
  })
})

describe("CollectForm.readFormMessage", () => {
  it.each([
    ['{"type":"IC_COMPLETE","success":true}', { _tag: "Completed" }],
    [
      '{"type":"IC_ERROR","error":"the service is down"}',
      { _tag: "Failed", error: "the service is down" },
    ],
    ['{"type":"IC_COMPLETE","success":false}', undefined],
    ['{"type":"IC_COMPLETE"}', undefined],
    ['{"type":"IC_ERROR"}', undefined],
    ['{"type":"OTHER","success":true}', undefined],
    ["null", undefined],
    ["7", undefined],
    ["{}", undefined],
    ["{", undefined],
  ])("reads %s", (json, expected) => {
    assert.deepStrictEqual(readFormMessage(json), expected)
  })
})

describe("CollectForm.prefillUrl", () => {
  const url = "https://pay.example/collect/?pid=pay_1"
  const prefillOf = (text: string) => new URL(text).searchParams.get("prefill") ?? ""
  const read = (prefill: string): unknown =>
    JSON.parse(Buffer.from(prefill, "base64url").toString())

  it("adds known values, but never accepts the terms", () => {
    const known = { fullName: "Zoë 🧾 Ærø", dob: "1815-12-10", tosConfirmed: "true" }
    const filled = prefillUrl(url, known)
    assert.isTrue(filled.startsWith(`${url}&prefill=`))
    assert.deepStrictEqual(read(prefillOf(filled)), {
      fullName: "Zoë 🧾 Ærø",
      dob: "1815-12-10",
    })
    assert.isTrue(prefillUrl("https://pay.example/collect/", {}).endsWith("/?prefill=e30"))
  })

  it.prop(
    "is read back as it was written",
    [Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100))],
    ([fullName]) => {
      const prefill = prefillOf(prefillUrl(url, { fullName }))
      assert.match(prefill, /^[-_0-9A-Za-z]+$/u)
      assert.deepStrictEqual(read(prefill), { fullName })
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )
})
