import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type * as Option from "@florin/api/wire/Option"
import * as Countries from "../../src/collect/Countries.ts"
import * as Form from "../../src/collect/Form.ts"

/** What the service really gives: its own golden file. */
const golden = new URL("../../../core/test-support/collect-data.schema.json", import.meta.url)
const schema: { readonly [key: string]: unknown } = JSON.parse(readFileSync(golden, "utf8"))

const field = (
  id: string,
  type: Option.Field["type"] = "text",
  required = false,
): Option.Field => ({ id, name: `Name of ${id}`, required, type })
const fields = [
  field("fullName", "text", true),
  field("dob", "date", true),
  field("pobCountry"),
  field("pobAddress"),
  field("porCountry"),
  field("porAddress"),
  field("tosConfirmed", "checkbox", true),
]
const form = Form.make({ fields, schema })

const birth = { pobCountry: "GB", pobAddress: "London" }
const residence = { porCountry: "DE", porAddress: "Unter den Linden 1" }
const person = { fullName: "Ada Lovelace", dob: "1815-12-10", tosConfirmed: "true" }
const ada = { ...person, ...birth }

const ids = (controls: ReadonlyArray<Form.Control>) => controls.map(({ id }) => id)
const faultsOf = (values: object, chosen = 0, of = form) =>
  Object.fromEntries(
    Array.from(Form.faults(of, new Map(Object.entries(values)), chosen), ([{ id }, fault]) => [
      id,
      fault,
    ]),
  )
/** A form of one text with this schema. */
const formOf = (property: object) =>
  Form.make({ fields: [field("x")], schema: { properties: { x: property } } })

describe("the form", () => {
  it("has the controls of the schema and the fields", () => {
    assert.deepStrictEqual(
      form.controls.map(({ id, name, required, type }) => ({ id, name, required, type })),
      fields.map((each) => ({
        ...each,
        type: each.id.endsWith("Country") ? ("country" as const) : each.type,
      })),
    )
  })

  it("offers a choice for anyOf, in the place of its first field", () => {
    assert.deepStrictEqual(form.alternatives.map(ids), [
      ["pobCountry", "pobAddress"],
      ["porCountry", "porAddress"],
    ])
    const rows = Form.rows(form).map((row) => (row === "alternatives" ? row : row.id))
    assert.deepStrictEqual(rows, ["fullName", "dob", "alternatives", "tosConfirmed"])
  })

  it("has no choice without anyOf, and a row for every field", () => {
    for (const anyOf of [undefined, null, [], "x", [{ required: ["pobCountry"] }], {}]) {
      const plain = Form.make({ fields, schema: { ...schema, anyOf } })
      assert.deepStrictEqual(plain.alternatives, [])
      assert.lengthOf(Form.rows(plain), fields.length)
    }
  })

  it("treats an unknown field as plain text", () => {
    const odd = Form.make({ fields: [field("__proto__"), field("x")], schema: {} })
    assert.deepStrictEqual(
      odd.controls.map(({ type }) => type),
      ["text", "text"],
    )
    assert.deepStrictEqual(faultsOf({ x: "anything" }, 0, odd), {})
  })

  it("leaves an invalid pattern to the service", () => {
    assert.deepStrictEqual(faultsOf({ x: "anything" }, 0, formOf({ pattern: "(" })), {})
  })
})

describe("the payer's input", () => {
  it("is accepted with birth or residence, whichever was chosen", () => {
    assert.deepStrictEqual(faultsOf(ada, 0), {})
    assert.deepStrictEqual(faultsOf({ ...person, ...residence }, 1), {})
  })

  it("requires all required fields, and the whole chosen alternative", () => {
    assert.deepStrictEqual(faultsOf({}), {
      fullName: "missing",
      dob: "missing",
      pobCountry: "missing",
      pobAddress: "missing",
      tosConfirmed: "notAccepted",
    })
    assert.deepStrictEqual(faultsOf(ada, 1), { porCountry: "missing", porAddress: "missing" })
    assert.deepStrictEqual(faultsOf({ ...ada, fullName: " \n" }), { fullName: "missing" })
  })

  it.each(["", "false", "True", "1", "on"])(
    "is never sent while the terms are %j",
    (tosConfirmed) => {
      assert.deepStrictEqual(faultsOf({ ...ada, tosConfirmed }), { tosConfirmed: "notAccepted" })
    },
  )

  it.each(["1815-02-29", "1815-13-01", "12345-01-01", "10.12.1815", "1815-12-1"])(
    "refuses %s as a date",
    (dob) => {
      assert.deepStrictEqual(faultsOf({ ...ada, dob }), { dob: "notADate" })
    },
  )

  it("refuses a country that ISO does not have", () => {
    for (const pobCountry of ["ZZ", "gb", "GBR", "U K"]) {
      assert.deepStrictEqual(faultsOf({ ...ada, pobCountry }), { pobCountry: "malformed" })
    }
  })

  it("has the length of the schema, counted in characters", () => {
    const pobAddress = "\u{20000}".repeat(200)
    assert.deepStrictEqual(faultsOf({ ...ada, pobAddress }), {})
    assert.deepStrictEqual(faultsOf({ ...ada, pobAddress: `${pobAddress}x` }), {
      pobAddress: "tooLong",
    })
    assert.deepStrictEqual(faultsOf({ x: "\u{20000}" }, 0, formOf({ minLength: 2 })), {
      x: "tooShort",
    })
    assert.deepStrictEqual(faultsOf({ x: "ab" }, 0, formOf({ minLength: 2 })), {})
  })

  it("matches its pattern", () => {
    const digits = formOf({ pattern: "^[0-9]+$" })
    assert.deepStrictEqual(faultsOf({ x: "12" }, 0, digits), {})
    assert.deepStrictEqual(faultsOf({ x: "1a" }, 0, digits), { x: "malformed" })
  })
})

describe("the submitted data", () => {
  it("contains the requested fields, and nothing of the other alternative", () => {
    const typed = new Map(Object.entries({ ...ada, ...residence, porAddress: "" }))
    const sent = Object.fromEntries(
      Form.submission(form, typed, 0).map(({ id, value }) => [id, value]),
    )
    assert.deepStrictEqual<object>(sent, ada)
    assert.deepStrictEqual(
      Form.submission(form, typed, 1).map(({ id }) => id),
      ["fullName", "dob", "porCountry", "tosConfirmed"],
    )
  })
})

describe("the wallet's prefilled data", () => {
  const prefilled = (values: object) =>
    Object.fromEntries(Form.keepPrefilled(form, new Map(Object.entries(values))))

  it("is filled in if it fits its field", () => {
    assert.deepStrictEqual<object>(prefilled({ ...residence, fullName: "<b>Ada" }), {
      ...residence,
      fullName: "<b>Ada",
    })
    assert.deepStrictEqual(prefilled({ dob: "1815-02-29", pobCountry: "Germany" }), {})
  })

  it("cannot accept the terms, and unknown fields are ignored", () => {
    assert.deepStrictEqual(prefilled({ tosConfirmed: "true", more: "x", __proto__: "x" }), {})
  })

  it("chooses the alternative with the most data, and the first by default", () => {
    const likeliest = (values: object) => Form.likeliest(form, new Map(Object.entries(values)))
    assert.strictEqual(likeliest({}), 0)
    assert.strictEqual(likeliest(birth), 0)
    assert.strictEqual(likeliest({ ...residence, pobCountry: "GB" }), 1)
    assert.strictEqual(Form.likeliest(formOf({}), new Map()), 0)
  })
})

describe("the countries", () => {
  it("are the platform's regions, by name, each once", () => {
    assert.lengthOf(Countries.codes, 250)
    assert.strictEqual(new Set(Countries.codes).size, 250)
    const named = Countries.listNamed("en")
    assert.deepStrictEqual(
      named.filter(({ code, name }) => code === name),
      [],
    )
    assert.deepStrictEqual(named[0], { code: "AF", name: "Afghanistan" })
    assert.include(
      Countries.listNamed("de").map(({ name }) => name),
      "Österreich",
    )
  })
})
