/**
 * A null in place of an optional member is no member, in the body of every operation: which those are, and what they are
 * asked with, comes from the contract.
 */
import { assert, describe, it } from "@effect/vitest"
import { api } from "@florin/api/Api"
import type * as JsonSchema from "@florin/api/JsonSchema"
import * as OpenApiDocument from "@florin/api/OpenApiDocument"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Counts from "@florin/testing/Counts"
import { Effect, Predicate, Result, Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Body from "../src/edge/Body.ts"
import * as Judge from "../test-support/judge.ts"
import * as Laws from "./operations/laws.ts"
import * as Requests from "./requests.ts"
import * as Scene from "./scene.ts"
import * as Subjects from "./subjects.ts"

const { play } = Laws

const version = "2026-02-19.preview"
const document = OpenApiDocument.make(version)

const bodies = new Map(
  Judge.calls(document, OpenApiDocument.methods).flatMap(({ operation }) => {
    const schema = operation.requestBody?.content["application/json"].schema
    return schema?.$ref === undefined ? [] : [[operation.operationId, schema] as const]
  }),
)

const resolved = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  schema.$ref === undefined
    ? schema
    : Judge.named(document.components.schemas, { $ref: schema.$ref })

const admitsNull = (schema: JsonSchema.JsonSchema): boolean =>
  schema.type === "null" || (schema.anyOf ?? []).some(admitsNull)

/** The same body, with a null for each optional member that it leaves out, at any depth. */
const withNulls = (of: JsonSchema.JsonSchema, body: Scene.Json): Scene.Json => {
  const schema = resolved(of)
  if (Array.isArray(body)) return body.map((each) => withNulls(schema.items ?? {}, each))
  if (!Predicate.isObject(body)) return body
  const members: { readonly [name: string]: Scene.Json } = JSON.parse(JSON.stringify(body))
  const all = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const value = members[name]
    if (value !== undefined) return [[name, withNulls(member, value)] as const]
    return schema.required?.includes(name) === true || admitsNull(member)
      ? []
      : [[name, null] as const]
  })
  return { ...members, ...Object.fromEntries(all) }
}

/** No body needs a service to be read. */
const isCodec = (schema: unknown): schema is Schema.Codec<unknown> => Schema.isSchema(schema)

const countNulls = (body: Scene.Json): number => JSON.stringify(body).split(":null").length - 1

describe("a null in place of an optional member", () => {
  const seen: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) => {
      const name = `${group.identifier}.${endpoint.identifier}`
      const schema = bodies.get(name)
      const payload = endpoint.payload.get("application/json")?.schemas[0]
      if (schema === undefined || !isCodec(payload)) return
      seen.push(name)
      const read = Body.reader(payload)
      it.prop(
        `is read as an absent member by ${name}`,
        { body: Schema.toEncoded(payload) },
        ({ body }) => {
          const json: Scene.Json = JSON.parse(JSON.stringify(body))
          assert.deepStrictEqual(read(withNulls(schema, json)), read(json))
          assert.isTrue(Result.isSuccess(read(json)))
        },
        { arbitrary: { runs: Counts.of({ usual: 50, full: 1000 }) } },
      )
    },
  })

  it("is tried with every body of the contract", () => {
    assert.deepStrictEqual(seen.toSorted(), [...bodies.keys()].toSorted())
    assert.isAbove(seen.length, 8)
  })
})

describe("a null over HTTP", () => {
  for (const [operation, schema] of bodies) {
    // Only a browser can say what a passkey's body says.
    if (operation.startsWith("session.")) continue
    play(`stands for every optional member of ${operation}`, ({ own }) =>
      Effect.gen(function* () {
        const row = Requests.rows[operation] ?? assert.fail(`${operation} has no request`)
        const sent = row.request(yield* Subjects.make(own.key, row.payment))
        const headers = { ...sent.headers, "Svc-Version": version }
        const body = withNulls(schema, sent.body ?? {})
        const answer = yield* Scene.send({ ...sent, headers, body, key: own.key })
        assert.isBelow(answer.status, 300, answer.text)
      }),
    )
  }

  play("creates the same payment as without the member, in nested objects too", ({ own }) =>
    Effect.gen(function* () {
      const schema = bodies.get("payments.create") ?? assert.fail()
      const body = withNulls(schema, {
        referenceId: "A",
        amount: { unit: "iso4217/USD", value: "1" },
      })
      assert.isAtLeast(countNulls(body), 3)
      const answer = yield* Scene.send({
        path: "/v1/payments",
        key: own.key,
        headers: { "Svc-Version": version },
        body,
      })
      assert.strictEqual(Scene.at(answer.body, "expiresAt"), Scene.now / 1000 + 300, answer.text)
      const id = PaymentId.PaymentId.make(Scene.text(answer.body, "paymentId"))
      assert.isNull((yield* Effect.orDie((yield* PaymentStore).payment(id))).checkout)
    }),
  )

  play("changes nothing of a merchant, except that it removes the icon", ({ own }) =>
    Effect.gen(function* () {
      const { key, merchantId } = own
      const update = (body: Scene.Json) =>
        Scene.send({ method: "PATCH", path: `/v1/merchants/${merchantId}`, key, body })
      const iconUrl = "https://shop.example/icon.png"
      yield* update({ iconUrl })
      const renamed = yield* update({ merchantName: "Renamed", merchantEmail: null })
      assert.strictEqual(Scene.text(renamed.body, "merchant", "email"), "shop@example.com")
      assert.strictEqual(Scene.text(renamed.body, "merchant", "iconUrl"), iconUrl)
      Scene.isProblem(
        yield* update({ merchantName: null, merchantEmail: null }),
        400,
        "params_validation",
      )
      const bare = yield* update({ merchantName: null, iconUrl: null })
      assert.strictEqual(Scene.text(bare.body, "merchant", "name"), "Renamed")
      assert.isNull(Scene.at(bare.body, "merchant", "iconUrl"))
    }),
  )

  play("is refused for a required member, and in a list", ({ own }) =>
    Effect.gen(function* () {
      for (const [body, fields] of [
        [{ referenceId: null, amount: null }, ["referenceId", "amount"]],
        [{ referenceId: "A", amount: { unit: null, value: "1" } }, ["amount.unit"]],
      ] as const) {
        const answer = yield* Scene.send({ path: "/v1/payments", key: own.key, body })
        assert.deepStrictEqual(Scene.fieldsOf(answer), [...fields])
      }
      const paymentId = yield* Scene.createPayment(own.key, own.merchantId)
      const options = yield* Scene.send({
        path: `/v1/gateway/payment/${paymentId}/options`,
        key: own.key,
        body: { accounts: [null] },
      })
      assert.deepStrictEqual(Scene.fieldsOf(options), ["accounts[0]"])
    }),
  )
})
