import { assert, describe, it } from "@effect/vitest"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as Version from "@florin/core/domain/ground/Version"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { Predicate } from "effect"

/** Every schema of a document, as another reader understands it; an unknown keyword is an error. */
const readerOf = (document: OpenApiDocument.Document) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false })
  ajv.addVocabulary(["components"])
  ajv.addSchema({ $id: "florin", components: document.components })
  return (schema: object): ValidateFunction =>
    // References are to the document: a schema is read as a part of it.
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"florin#/')))
}

interface Found {
  readonly at: string
  readonly schema: object
  readonly examples: ReadonlyArray<unknown>
}

const valueOf = (example: unknown): unknown =>
  Predicate.hasProperty(example, "value") ? example.value : undefined

/** Everything with a schema outside the shapes themselves: bodies, parameters and headers. */
const schemasIn = (value: unknown, at = ""): ReadonlyArray<Found> => {
  if (!Predicate.isObjectOrArray(value)) return []
  const inside = Object.entries(value).flatMap(([key, member]) =>
    at === "/components" && key === "schemas" ? [] : schemasIn(member, `${at}/${key}`),
  )
  if (!Predicate.hasProperty(value, "schema") || !Predicate.isObject(value.schema)) return inside
  // An example's own members are data, whatever they are called.
  if (at.includes("/examples/")) return inside
  const examples =
    Predicate.hasProperty(value, "examples") && Predicate.isObject(value.examples)
      ? Object.values(value.examples).map(valueOf)
      : []
  return [{ at, schema: value.schema, examples }, ...inside]
}

describe("OpenAPI schemas", () => {
  for (const version of Version.all) {
    const document = OpenApiDocument.make(version)

    it(`${version}: are valid for an independent reader`, () => {
      const read = readerOf(document)
      const found = schemasIn(document)
      assert.isAbove(found.length, 100)
      for (const { schema } of found) read(schema)
      for (const name of Object.keys(document.components.schemas)) {
        read({ $ref: `#/components/schemas/${name}` })
      }
    })

    it(`${version}: accept every example`, () => {
      const read = readerOf(document)
      const shown = schemasIn(document).filter(({ examples }) => examples.length > 0)
      assert.isAbove(shown.length, 50)
      for (const { at, examples, schema } of shown) {
        const accepts = read(schema)
        for (const example of examples) {
          assert.isTrue(accepts(example), `${at}: ${JSON.stringify(accepts.errors)}`)
        }
      }
    })

    it(`${version}: refuse a wrong value`, () => {
      const read = readerOf(document)
      const created = read({ $ref: "#/components/schemas/CreatedPayment" })
      assert.isFalse(created({ paymentId: "pay_1", status: "paid" }))
      const problem = read({ $ref: "#/components/schemas/RateLimitedProblem" })
      const refused = { code: "rate_limited", message: "wait", requestId: "req_1" }
      assert.isTrue(problem(refused))
      assert.isFalse(problem({ ...refused, code: "too_fast" }))
    })

    it(`${version}: have the limits of metadata for an independent reader`, () => {
      const accepts = readerOf(document)({ $ref: "#/components/schemas/Metadata" })
      const pairs = (count: number) =>
        Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, ""]))
      for (const good of [{}, pairs(20), { ["😀".repeat(40)]: "😀".repeat(500) }]) {
        assert.isTrue(accepts(good))
      }
      for (const bad of [
        pairs(21),
        { "": "" },
        { ["k".repeat(41)]: "" },
        { k: "v".repeat(501) },
        { k: 1 },
      ]) {
        assert.isFalse(accepts(bad))
      }
    })
  }
})
