import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as CollectData from "@florin/core/domain/payment/CollectData"
import * as Counts from "@florin/testing/Counts"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const birth = { pobCountry: "GB", pobAddress: "London" }
const residence = { porCountry: "DE", porAddress: "Unter den Linden 1, Berlin" }
const person = { fullName: "Ada Lovelace", dob: "1815-12-10", tosConfirmed: true }
const ada = { ...person, ...birth }

/** The calendar of the platform, as a second opinion. */
const isPlatformDate = (text: string): boolean => {
  const time = new Date(`${text}T00:00:00.000Z`)
  return (
    /^\d{4}-\d{2}-\d{2}$/u.test(text) &&
    !Number.isNaN(time.getTime()) &&
    time.toISOString().startsWith(text)
  )
}
const ajv = new Ajv2020({ allErrors: false })
ajv.addFormat("date", isPlatformDate)
const acceptsJson = ajv.compile(CollectData.schema)

const whole = "collectedData"

/** The issues of the data, each with the id of its field. */
const issuesOf = <A>(result: Result.Result<A, Invalid.InvalidInput>) =>
  Result.match(result, {
    onFailure: ({ issues }) =>
      issues.map(({ field, message }) => `${field.replace(`${whole}.`, "")}: ${message}`),
    onSuccess: () => [],
  })

const without = (...omitted: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(ada).filter(([key]) => !omitted.includes(key)))

const astral = "\u{20000}"
const good: ReadonlyArray<readonly [name: string, value: object]> = [
  ["country and place of birth", ada],
  ["country and address of residence", { ...person, ...residence }],
  ["birth and residence", { ...ada, ...residence }],
  ["birth and half a residence", { ...ada, porCountry: "DE" }],
  ["half a birth and residence", { ...person, ...residence, pobAddress: "London" }],
  ["name of one character", { ...ada, fullName: "A" }],
  ["name of 200 characters", { ...ada, fullName: "x".repeat(200) }],
  ["name of one space, as the interface allows", { ...ada, fullName: " " }],
  ["name of two lines", { ...ada, fullName: "Ada\nLovelace" }],
  ["empty place of birth, as the interface allows", { ...ada, pobAddress: "" }],
  ["address of 200 characters beyond the basic plane", { ...ada, pobAddress: astral.repeat(200) }],
  ["name with spaces around", { ...ada, fullName: "  Ada  " }],
  ["name in Arabic behind a mark", { ...ada, fullName: "\u200f\u0639\u0644\u064a" }],
  ["name with a joiner", { ...ada, fullName: "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc" }],
  ["name with markup", { ...ada, fullName: "<script>\"&'\\" }],
  [
    "name next to the refused ranges",
    { ...ada, fullName: "a \u0020~\u00a0\u2027\u202f\u2065\u206a" },
  ],
  ["the name __proto__", { ...ada, fullName: "__proto__" }],
  ["the name true", { ...ada, fullName: "true" }],
  ["address of one character", { ...ada, pobAddress: "x" }],
  ["address of 200 characters", { ...ada, pobAddress: "x".repeat(200) }],
  ["residence of 200 characters", { ...person, porCountry: "ZZ", porAddress: "y".repeat(200) }],
  ["leap day", { ...ada, dob: "2024-02-29" }],
  ["leap day of 2000", { ...ada, dob: "2000-02-29" }],
  ["last day of a year", { ...ada, dob: "1999-12-31" }],
  ["first and last country", { ...ada, pobCountry: "AA", porCountry: "ZZ" }],
]

const unknown = `${whole}: has a field that is not one of fullName, dob, pobCountry, pobAddress, porCountry, porAddress, tosConfirmed`
const pairs = `${whole}: needs country and place of birth, or country and address of residence`
const notDate = "must be a date of the calendar, written YYYY-MM-DD"
const notCountry = "must be a country code of two capital letters, such as DE"
const long = "must have at most 200 characters"

const bad: ReadonlyArray<readonly [name: string, value: unknown, ...issues: Array<string>]> = [
  ["null", null, `${whole}: Expected object`],
  ["a list", [], `${whole}: Expected object`],
  ["a text", "x", `${whole}: Expected object`],
  ["no fields", {}, "fullName: is required", "dob: is required", "tosConfirmed: is required"],
  ["no name", without("fullName"), "fullName: is required"],
  ["no date", without("dob"), "dob: is required"],
  ["no consent", without("tosConfirmed"), "tosConfirmed: is required"],
  ["no address at all", person, pairs],
  ["country of birth alone", { ...person, pobCountry: "GB" }, pairs],
  ["place of birth alone", { ...person, pobAddress: "London" }, pairs],
  ["country of residence alone", { ...person, porCountry: "GB" }, pairs],
  ["address of residence alone", { ...person, porAddress: "x" }, pairs],
  ["crossed pairs", { ...person, pobCountry: "GB", porAddress: "x" }, pairs],
  ["crossed pairs again", { ...person, porCountry: "GB", pobAddress: "x" }, pairs],
  ["an unknown field", { ...ada, extra: "x" }, unknown],
  ["two unknown fields", { ...ada, extra: "x", more: "y" }, unknown],
  [
    "a prototype's field",
    JSON.parse('{"__proto__":{},"constructor":1}'),
    unknown,
    "fullName: is required",
    "dob: is required",
    "tosConfirmed: is required",
  ],
  ["empty name", { ...ada, fullName: "" }, "fullName: must not be empty"],
  ["name that is a number", { ...ada, fullName: 1 }, "fullName: must be text"],
  ["name that is null", { ...ada, fullName: null }, "fullName: must be text"],
  ["name that is a list", { ...ada, fullName: ["Ada"] }, "fullName: must be text"],
  ["name of 201 characters", { ...ada, fullName: astral.repeat(201) }, `fullName: ${long}`],
  [
    "place of birth of 201 characters",
    { ...ada, pobAddress: "x".repeat(201) },
    `pobAddress: ${long}`,
  ],
  ["residence of 201 characters", { ...ada, porAddress: "x".repeat(201) }, `porAddress: ${long}`],
  ["address that is null", { ...ada, porAddress: null }, "porAddress: must be text"],
  ...["", "G", "GBR", "gb", "Gb", "G1", " GB", "GB\n", "\u0410\u0410", "\uff27\uff22"].flatMap(
    (code) => [
      [
        `country of birth ${JSON.stringify(code)}`,
        { ...ada, pobCountry: code },
        `pobCountry: ${notCountry}`,
      ] as const,
      [
        `country of residence ${JSON.stringify(code)}`,
        { ...ada, porCountry: code },
        `porCountry: ${notCountry}`,
      ] as const,
    ],
  ),
  ["country that is null", { ...ada, pobCountry: null }, "pobCountry: must be text"],
  ...[
    "",
    "1815-12",
    "1815-12-1",
    "1815-12-010",
    "815-12-10",
    "01815-12-10",
    "1815-00-10",
    "1815-13-10",
    "1815-12-00",
    "1815-12-32",
    "1815-04-31",
    "2023-02-29",
    "1900-02-29",
    "2024-02-30",
    "1815/12/10",
    "1815-12-10T00:00:00Z",
    "-1815-12-10",
    " 1815-12-10",
    "1815-12-10\n",
    "1815-12-1\u0661",
    "10.12.1815",
    "NaN-12-10",
  ].map((dob) => [`date ${JSON.stringify(dob)}`, { ...ada, dob }, `dob: ${notDate}`] as const),
  ["date that is a number", { ...ada, dob: 18_151_210 }, "dob: must be text"],
  ...[false, "true", "True", 1, null, {}, [true]].map(
    (tosConfirmed) =>
      [
        `consent ${JSON.stringify(tosConfirmed)}`,
        { ...ada, tosConfirmed },
        "tosConfirmed: must be accepted",
      ] as const,
  ),
  [
    "every field wrong",
    {
      fullName: "",
      dob: "x",
      pobCountry: "x",
      pobAddress: "x".repeat(201),
      tosConfirmed: false,
      secret: 1,
    },
    unknown,
    "fullName: must not be empty",
    `dob: ${notDate}`,
    `pobCountry: ${notCountry}`,
    `pobAddress: ${long}`,
    "tosConfirmed: must be accepted",
  ],
]

describe("CollectData.schema", () => {
  it("equals the pinned JSON schema of the interface", () => {
    const golden: unknown = JSON.parse(
      readFileSync(
        new URL("../../../test-support/collect-data.schema.json", import.meta.url),
        "utf8",
      ),
    )
    assert.strictEqual(
      JSON.stringify(CollectData.schema, undefined, 2),
      JSON.stringify(golden, undefined, 2),
    )
    const { type, additionalProperties, required, anyOf, properties } =
      CollectData.schema as Record<string, unknown>
    assert.deepStrictEqual(
      { type, additionalProperties, required, anyOf },
      {
        type: "object",
        additionalProperties: false,
        required: ["fullName", "dob", "tosConfirmed"],
        anyOf: [
          { required: ["pobCountry", "pobAddress"] },
          { required: ["porCountry", "porAddress"] },
        ],
      },
    )
    assert.deepNestedInclude(properties, {
      dob: { type: "string", format: "date" },
      pobCountry: { type: "string", pattern: "^[A-Z]{2}$" },
      porCountry: { type: "string", pattern: "^[A-Z]{2}$" },
      tosConfirmed: { type: "boolean", const: true },
    })
  })

  it("is generated from the definition, with its alternatives", () => {
    const { schema } = Schema.toJsonSchemaDocument(CollectData.CollectedData)
    assert.deepEqual<unknown>(schema["allOf"], [{ anyOf: CollectData.schema.anyOf }])
  })
})

// A generator that makes fields up one by one seldom makes a pair.
const { fields } = CollectData.CollectedData
const { pobAddress, pobCountry, porAddress, porCountry } = fields
const withBirth = Schema.Struct({
  ...fields,
  pobCountry: Schema.requiredKey(pobCountry),
  pobAddress: Schema.requiredKey(pobAddress),
})
const withResidence = Schema.Struct({
  ...fields,
  porCountry: Schema.requiredKey(porCountry),
  porAddress: Schema.requiredKey(porAddress),
})

const decode = Schema.decodeUnknownResult(CollectData.CollectedData, { onExcessProperty: "error" })

describe("CollectData.CollectedData", () => {
  it.each(good)("has no rule that the JSON schema has not: %s", (_name, value) => {
    assert.isTrue(acceptsJson(value))
    assert.deepEqual<unknown>(Result.getOrThrow(decode(value)), value)
  })

  it.each(bad)("has every rule of the JSON schema: %s", (_name, value) => {
    assert.isFalse(acceptsJson(value))
    assert.isTrue(Result.isFailure(decode(value)))
  })

  it.prop(
    "makes values that its JSON schema accepts",
    [Schema.Union([withBirth, withResidence])],
    ([data]) => {
      assert.deepEqual<unknown>(Result.getOrThrow(decode(data)), data)
      assert.isTrue(acceptsJson(data))
    },
    { arbitrary: { runs: Counts.of({ usual: 200, full: 5000 }) } },
  )
})

describe("CollectData.fields", () => {
  it("lists the schema's properties", () => {
    assert.deepStrictEqual(CollectData.fields, [
      { id: "fullName", name: "Full name", required: true, type: "text" },
      { id: "dob", name: "Date of birth", required: true, type: "date" },
      { id: "pobCountry", name: "Country of birth", required: false, type: "text" },
      { id: "pobAddress", name: "Place of birth", required: false, type: "text" },
      { id: "porCountry", name: "Country of residence", required: false, type: "text" },
      { id: "porAddress", name: "Address of residence", required: false, type: "text" },
      {
        id: "tosConfirmed",
        name: "I accept the terms and the privacy policy",
        required: true,
        type: "checkbox",
      },
    ])
  })

  it("has the same rules as the schema", () => {
    const { properties, required } = CollectData.schema as {
      properties?: object
      required?: unknown
    }
    assert.deepStrictEqual(
      CollectData.fields.map(({ id }) => id),
      Object.keys(properties ?? {}),
    )
    assert.deepEqual<unknown>(
      CollectData.fields.filter((field) => field.required).map(({ id }) => id),
      required,
    )
  })
})

const asFields = (value: object) =>
  Object.entries(value).map(([id, content]) => ({ id, value: String(content) }))

/** Data whose values all are texts, as a form sends them. */
const isSendable = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([id, content]) =>
    id === "tosConfirmed"
      ? content === true || String(content) !== "true"
      : typeof content === "string",
  )

describe("CollectData.fromFields", () => {
  it.each(bad.filter(([, value]) => isSendable(value)))(
    "refuses the payer's data: %s",
    (_name, value, ...issues) => {
      const result = CollectData.fromFields(isSendable(value) ? asFields(value) : [])
      assert.deepStrictEqual(issuesOf(result), issues)
    },
  )

  it("names each field as the request does, and repeats that in the message", () => {
    const { issues, message } = Result.getOrThrow(
      Result.flip(CollectData.fromFields(asFields({ ...ada, dob: "x", extra: "" }))),
    )
    assert.deepStrictEqual(
      issues.map(({ field }) => field),
      [whole, `${whole}.dob`],
    )
    assert.strictEqual(message, `${unknown}; ${whole}.dob: ${notDate}`)
  })

  it("accepts exactly the days of the calendar", () => {
    for (const year of ["0000", "1600", "1700", "1900", "2000", "2023", "2024", "2100", "9999"]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const dob = [year, month, day].map((part) => String(part).padStart(2, "0")).join("-")
          assert.strictEqual(
            Result.isSuccess(CollectData.fromFields(asFields({ ...ada, dob }))),
            isPlatformDate(dob),
            dob,
          )
        }
      }
    }
  })

  it.each(good)("reads the payer's data from the form's fields: %s", (_name, value) => {
    assert.deepEqual<unknown>(Result.getOrThrow(CollectData.fromFields(asFields(value))), value)
  })

  it("reports an unknown field that is given twice without repeating it", () => {
    const twice = [...asFields(ada), { id: "secret", value: "x" }, { id: "secret", value: "x" }]
    assert.deepStrictEqual(issuesOf(CollectData.fromFields(twice)), [unknown])
  })

  it("S33: limits the length of all data, and accepts the longest valid fields", () => {
    const tooLong = [`${whole}: must have at most 4096 bytes`]
    const many = Array.from({ length: 100_000 }, () => ({ id: "", value: "" }))
    assert.deepStrictEqual(issuesOf(CollectData.fromFields(many)), tooLong)
    const padded = (length: number) => [...asFields(ada), { id: "", value: "é".repeat(length) }]
    const own = new TextEncoder().encode(JSON.stringify(padded(0))).length
    assert.deepStrictEqual(issuesOf(CollectData.fromFields(padded((4096 - own) >> 1))), [unknown])
    assert.deepStrictEqual(
      issuesOf(CollectData.fromFields(padded(((4096 - own) >> 1) + 1))),
      tooLong,
    )
    for (const character of ["\u0001", astral, "\ud800"]) {
      const text = character.repeat(200)
      const longest = {
        ...ada,
        fullName: text,
        pobAddress: text,
        porCountry: "DE",
        porAddress: text,
      }
      assert.deepEqual<unknown>(
        Result.getOrThrow(CollectData.fromFields(asFields(longest))),
        longest,
      )
    }
  })

  it("accepts fields in any order", () => {
    const shuffled = asFields(ada).toReversed()
    assert.deepEqual<unknown>(Result.getOrThrow(CollectData.fromFields(shuffled)), ada)
  })

  it.each(["True", "TRUE", "false", "1", "", " true", "true\n", "yes", "on"])(
    "does not accept %j as consent",
    (tosConfirmed) => {
      const list = asFields({ ...ada, tosConfirmed })
      assert.deepStrictEqual(issuesOf(CollectData.fromFields(list)), [
        "tosConfirmed: must be accepted",
      ])
    },
  )

  it("keeps the word true as text in other fields", () => {
    const trusting = { ...ada, fullName: "true", pobAddress: "true" }
    assert.deepEqual<unknown>(
      Result.getOrThrow(CollectData.fromFields(asFields(trusting))),
      trusting,
    )
  })

  it.each(["", "x", "fullname", "__proto__", "constructor", "toString", "fullName\0"])(
    "refuses the unknown field %j without repeating it",
    (id) => {
      assert.deepStrictEqual(
        issuesOf(CollectData.fromFields([...asFields(ada), { id, value: "x" }])),
        [unknown],
      )
    },
  )

  it("refuses a field that is given twice, even with the same value", () => {
    const list = [...asFields(ada), ...asFields(ada)]
    assert.deepStrictEqual(
      issuesOf(CollectData.fromFields(list)),
      Object.keys(ada).map((id) => `${id}: is given twice`),
    )
  })

  it("reports one issue for each field, in order", () => {
    assert.deepStrictEqual(
      issuesOf(
        CollectData.fromFields([
          { id: "dob", value: "x" },
          { id: "dob", value: "y" },
          { id: "x", value: "" },
          { id: "y", value: "" },
        ]),
      ),
      ["dob: is given twice", unknown, "fullName: is required", "tosConfirmed: is required"],
    )
  })

  it("refuses an empty list", () => {
    assert.deepStrictEqual(issuesOf(CollectData.fromFields([])), [
      "fullName: is required",
      "dob: is required",
      "tosConfirmed: is required",
    ])
  })

  const ids = [...Object.keys(ada), "porCountry", "porAddress", "__proto__", "hasOwnProperty"]
  it.prop(
    "returns a result for any list, and never repeats a value",
    [
      Schema.Array(
        Schema.Struct({
          id: Schema.Union([Schema.Literals(ids), Schema.String]),
          value: Schema.Union([
            Schema.Literals(["true", "GB", "1815-12-10", "\0", "\ud800", "\u0661"]),
            Schema.String,
          ]),
        }),
      ),
    ],
    ([list]) => {
      const result = CollectData.fromFields(list)
      if (Result.isSuccess(result)) return
      assert.isAtMost(result.failure.issues.length, ids.length)
      const marked = CollectData.fromFields(
        list.map(({ id, value }) => ({ id, value: `${value}\u2603` })),
      )
      assert.notInclude(issuesOf(marked).join(""), "\u2603")
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})

const paymentId = Result.getOrThrow(PaymentId.parse("pay_1"))

const service = { payLinkHost: "pay.example" }

describe("CollectData.make", () => {
  it("names the payment, the accounts and the session in an address", () => {
    const accounts = ["eip155:8453:0xaB", "eip155:1:0xCd"]
    const text = CollectData.make(service, paymentId, accounts, "sealed").url
    assert.strictEqual(
      text,
      "https://pay.example/collect/?pid=pay_1&accounts=eip155%3A8453%3A0xaB%2Ceip155%3A1%3A0xCd&session=sealed",
    )
    const url = new URL(text)
    assert.strictEqual(url.searchParams.get("pid"), "pay_1")
    assert.deepStrictEqual(url.searchParams.get("accounts")?.split(","), accounts)
  })

  it("escapes accounts, so that they cannot change the address", () => {
    const url = new URL(
      CollectData.make(service, paymentId, ["a&pid=pay_2#\ud800 +%"], "sealed").url,
    )
    assert.deepStrictEqual(url.searchParams.getAll("pid"), ["pay_1"])
    assert.strictEqual(url.searchParams.get("accounts"), "a&pid=pay_2#\ufffd +%")
    assert.strictEqual(url.hash, "")
  })

  it("accepts an empty list of accounts", () => {
    assert.strictEqual(
      CollectData.make(service, paymentId, [], "sealed").url,
      "https://pay.example/collect/?pid=pay_1&accounts=&session=sealed",
    )
  })

  it("is part of what a wallet receives", () => {
    assert.deepStrictEqual(CollectData.make(service, paymentId, ["a"], "sealed"), {
      fields: CollectData.fields,
      schema: CollectData.schema,
      url: "https://pay.example/collect/?pid=pay_1&accounts=a&session=sealed",
    })
  })
})
