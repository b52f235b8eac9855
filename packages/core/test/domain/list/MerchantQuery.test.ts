import { assert, describe, it } from "@effect/vitest"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as MerchantQuery from "@florin/core/domain/list/MerchantQuery"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Result from "effect/Result"

const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))
const scope: MerchantQuery.Scope = { partnerId: PartnerId.PartnerId.make("prtn_1"), mode: "live" }
const otherPartner = { ...scope, partnerId: PartnerId.PartnerId.make("prtn_2") }
const last: MerchantQuery.Position = {
  createdAt: 1_790_000_000_000,
  id: MerchantId.MerchantId.make("mrch_1"),
}

const parse = (raw: MerchantQuery.Raw, options = { key, scope }) =>
  MerchantQuery.parse(raw, options)
const issuesOf = (raw: MerchantQuery.Raw, options = { key, scope }) => {
  const parsed = parse(raw, options)
  return Result.isFailure(parsed) ? parsed.failure.issues : []
}

const rules = {
  status: "must be one of active, inactive, suspended",
  search: "must have 1 to 256 characters, none of them a control character",
  limit: "must be a whole number from 1 to 200",
  cursor: Cursor.rule,
} as const
const issue = (field: keyof typeof rules) => ({ field, message: rules[field] })

describe("MerchantQuery.parse", () => {
  it("sets no filter by default", () => {
    assert.deepStrictEqual(parse({}), Result.succeed({ filter: {}, limit: 50, after: null }))
    assert.deepStrictEqual(
      parse({ status: undefined, search: undefined, cursor: undefined, limit: undefined }),
      Result.succeed({ filter: {}, limit: 50, after: null }),
    )
  })

  it.each(["active", "inactive", "suspended"] as const)("filters by the status %s", (status) => {
    assert.deepStrictEqual(
      parse({ status }),
      Result.succeed({ filter: { status }, limit: 50, after: null }),
    )
  })

  it.each(["", "Active", "deleted", "active ", "__proto__", "active,inactive"])(
    "refuses the status %j",
    (status) => {
      assert.deepStrictEqual(issuesOf({ status }), [issue("status")])
    },
  )

  it.each(["a", " a ", "%_*", "é".repeat(256), "😀".repeat(256)])(
    "searches for a text exactly as it was sent: %j",
    (search) => {
      assert.deepStrictEqual(
        parse({ search, limit: "7" }),
        Result.succeed({ filter: { search }, limit: 7, after: null }),
      )
    },
  )

  it.each(["", "a".repeat(257), "a\0", "\n", "\u007f", "\ud800", "a\udfff"])(
    "refuses the search %j",
    (search) => {
      assert.deepStrictEqual(issuesOf({ search }), [issue("search")])
    },
  )

  it("reports every issue, and does not check the cursor of a list that cannot be read", () => {
    assert.deepStrictEqual(issuesOf({ status: "x", search: "\n", limit: 0, cursor: "x" }), [
      issue("status"),
      issue("search"),
      issue("limit"),
    ])
    assert.deepStrictEqual(issuesOf({ limit: 201, cursor: "x" }), [issue("cursor"), issue("limit")])
  })
})

describe("MerchantQuery cursor", () => {
  const filters: ReadonlyArray<Merchant.Filter> = [
    {},
    { status: "active" },
    { search: "a" },
    { status: "active", search: "a" },
    { search: "active" },
  ]

  it("is valid only for its own list", () => {
    for (const filter of filters) {
      const cursor = MerchantQuery.encodeCursor(key, scope, filter, last)
      for (const other of filters) {
        const parsed = parse({ ...other, cursor, limit: 3 })
        assert.deepStrictEqual(
          Result.isSuccess(parsed) ? parsed.success : parsed.failure.issues,
          other === filter ? { filter, limit: 3, after: last } : [issue("cursor")],
        )
      }
      const refused = [issue("cursor")] as const
      const raw = { ...filter, cursor }
      assert.deepStrictEqual(issuesOf(raw, { key, scope: otherPartner }), refused)
      assert.deepStrictEqual(issuesOf(raw, { key, scope: { ...scope, mode: "test" } }), refused)
      assert.deepStrictEqual(issuesOf(raw, { key: otherKey, scope }), refused)
    }
  })

  it("contains the time and the id of a merchant", () => {
    const listText = `["merchants","prtn_1","live",null,null]`
    assert.strictEqual(
      MerchantQuery.encodeCursor(key, scope, {}, last),
      Cursor.encode(key, listText, ["1790000000000", "mrch_1"]),
    )
    const positions = [
      [],
      ["1790000000000"],
      ["1.5", "mrch_1"],
      ["x", "mrch_1"],
      ["1790000000000", "mrch_"],
      ["1790000000000", "mrch_1", ""],
    ]
    for (const position of positions) {
      const decoded = MerchantQuery.readCursor(
        key,
        scope,
        {},
        Cursor.encode(key, listText, position),
      )
      assert.strictEqual(
        Result.isFailure(decoded) && decoded.failure.message,
        `cursor: ${Cursor.rule}`,
      )
    }
  })

  const own = MerchantQuery.encodeCursor(key, scope, {}, last)

  it.prop(
    "accepts or refuses any hostile text in every parameter",
    [HostileText.near([own, "active", "Shop", "50"])],
    ([text]) => {
      for (const name of ["status", "search", "cursor", "limit"] as const) {
        const parsed = parse({ [name]: text })
        if (Result.isFailure(parsed)) {
          assert.deepStrictEqual(parsed.failure.issues, [issue(name)])
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )
})
