/**
 * Handlers are bound to the contract: by type, which the compiler checks here, and at run time.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Queries from "@florin/api/Query"
import type * as Wire from "@florin/api/wire/Payment"
import type * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import { Effect, Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { operations } from "../src/Handler.ts"
import * as Query from "../src/http/Query.ts"
import * as Operation from "../src/operations/Operation.ts"

const Shelf = Schema.Struct({ name: Schema.String })

const shelves = HttpApiGroup.make("shelves").add(
  HttpApiEndpoint.get("list", "/shelves", { query: Queries.page, success: Shelf }),
  HttpApiEndpoint.post("add", "/shelves", {
    payload: Schema.Struct({ name: Schema.String, height: Schema.optionalKey(Schema.Int) }),
    success: Shelf,
  }),
)

const told = (name: string) => Effect.succeed({ name })

const list = () => told("all")
const add = () => told("one")

describe("the handlers of a group", () => {
  it("must be one per endpoint", () => {
    const made = Operation.gateway(shelves, { list, add })
    assert.deepStrictEqual(
      made.map(({ method, name, path }) => [name, method, path]),
      [
        ["shelves.list", "GET", "/shelves"],
        ["shelves.add", "POST", "/shelves"],
      ],
    )
  })

  it("do not compile if one is missing, or of another group", () => {
    // @ts-expect-error -- `add` is forgotten.
    assert.throws(() => Operation.gateway(shelves, { list }))
    // @ts-expect-error -- The group has no `paint`.
    Operation.gateway(shelves, { list, add, paint: add })
  })

  it("have the contract's types of query, body and response", () => {
    Operation.partner(shelves, {
      list: ({ query, tenant }) => {
        const cursor: string | undefined = query.cursor
        const limit: number | undefined = query.limit
        // @ts-expect-error -- A limit is a number.
        const text: string | undefined = query.limit
        // @ts-expect-error -- The contract knows no such name.
        const unknown = query.maxPollMs
        return told(`${tenant.mode}${cursor}${limit}${text}${unknown}`)
      },
      add: (_, body) => {
        const height: number | undefined = body.height
        // @ts-expect-error -- A name is text.
        const name: number = body.name
        return told(`${height}${name}`)
      },
    })
    Operation.gateway(shelves, {
      // @ts-expect-error -- A shelf has a name.
      list: () => Effect.succeed({ title: "all" }),
      // @ts-expect-error -- A caller of the gateway need not be a partner.
      add: ({ tenant }) => told(`${tenant}`),
    })
  })

  it("may read the raw query", () => {
    Operation.gateway(shelves, {
      list: { withRawQuery: ({ query }) => told(Query.several(query, "a")?.join() ?? "") },
      add,
    })
  })
})

describe("a request for a payment", () => {
  it("has only members that the domain reads and its fingerprint includes", () => {
    type Unread = Exclude<keyof Wire.CreateRequest, keyof PaymentRequest.Request | "merchantId">
    const unread: ReadonlyArray<Unread> extends ReadonlyArray<never> ? "none" : Unread = "none"
    assert.strictEqual(unread, "none")
  })
})

describe("the operations", () => {
  it("have unique names", () => {
    assert.strictEqual(new Set(operations.map(({ name }) => name)).size, operations.length)
  })
})
