import { assert, describe } from "@effect/vitest"
import * as Merchants from "@florin/core/engine/Merchants"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "../scene.ts"
import * as Laws from "./laws.ts"

const { play } = Laws

const list = (key: string, query = "") => Scene.send({ path: `/v1/merchants${query}`, key })

const names = ({ body }: Scene.Reply) =>
  Scene.list(body, "merchants").map((each) => Scene.text(each, "name"))

/** Creates merchants a second apart; returns their ids. */
const create = Effect.fnUntraced(function* (key: string, all: ReadonlyArray<string>) {
  const ids: Array<string> = []
  for (const name of all) {
    yield* TestClock.adjust("1 second")
    ids.push(yield* Scene.createMerchant(key, name))
  }
  return ids
})

describe("GET /v1/merchants", () => {
  play("shows the partner's merchants, newest first, and nothing else", ({ own }) =>
    Effect.gen(function* () {
      const [second = ""] = yield* create(own.key, ["Second"])
      const answer = yield* list(own.key)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(answer.body, {
        merchants: [
          {
            id: second,
            name: "Second",
            email: "shop@example.com",
            iconUrl: null,
            ...Scene.faceless,
            status: "active",
            createdAt: "2026-09-21T14:13:21.000Z",
          },
          {
            id: own.merchantId,
            name: "Corner Shop",
            email: "shop@example.com",
            iconUrl: null,
            ...Scene.faceless,
            status: "active",
            createdAt: "2026-09-21T14:13:20.000Z",
          },
        ],
        totalCount: 2,
        nextCursor: null,
      })
    }),
  )

  play("returns an empty list to a partner without merchants in this mode", ({ own }) =>
    Effect.gen(function* () {
      const answer = yield* list(own.liveKey)
      assert.deepStrictEqual(answer.body, { merchants: [], totalCount: 0, nextCursor: null })
    }),
  )

  play(
    "returns inactive and suspended merchants, filtered by status too, but no deleted ones",
    (scene) =>
      Effect.gen(function* () {
        const { own } = scene
        const tenant = { partnerId: own.partner.id, mode: "test" } as const
        const [inactive = "", suspended = "", deleted = ""] = yield* create(own.key, [
          "Inactive",
          "Suspended",
          "Deleted",
        ])
        yield* Merchants.setStatus(tenant, inactive, "inactive").pipe(Effect.orDie)
        yield* Merchants.setStatus(tenant, suspended, "suspended").pipe(Effect.orDie)
        yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted}`, key: own.key })
        const cases = [
          ["", ["Suspended", "Inactive", "Corner Shop"]],
          ["?status=active", ["Corner Shop"]],
          ["?status=inactive", ["Inactive"]],
          ["?status=suspended", ["Suspended"]],
          ["?search=Deleted", []],
          [`?search=${deleted}`, []],
        ] as const
        for (const [query, expected] of cases) {
          const answer = yield* list(own.key, query)
          assert.deepStrictEqual(names(answer), [...expected], query)
          assert.strictEqual(Scene.at(answer.body, "totalCount"), expected.length, query)
        }
        const found = Scene.list((yield* list(own.key)).body, "merchants")
        assert.deepStrictEqual(
          found.map((each) => Scene.text(each, "status")),
          ["suspended", "inactive", "active"],
        )
      }),
  )

  play("searches names and ids, ignoring case, and treats every character as itself", ({ own }) =>
    Effect.gen(function* () {
      const all = ["100% Wool", "100 Wool", "a_b", "aXb", "back\\slash", "Ünïcode Café", "q'; --"]
      const ids = yield* create(own.key, all)
      const cases: ReadonlyArray<readonly [search: string, expected: ReadonlyArray<string>]> = [
        // In names and in ids alike.
        [
          "_",
          [
            "q'; --",
            "Ünïcode Café",
            "back\\slash",
            "aXb",
            "a_b",
            "100 Wool",
            "100% Wool",
            "Corner Shop",
          ],
        ],
        ["__", []],
        ["WOOL", ["100 Wool", "100% Wool"]],
        ["wool", ["100 Wool", "100% Wool"]],
        ["100%", ["100% Wool"]],
        ["%", ["100% Wool"]],
        ["%%", []],
        ["a_b", ["a_b"]],
        ["\\", ["back\\slash"]],
        ["back\\\\slash", []],
        ["ÜNÏCODE", ["Ünïcode Café"]],
        ["café", ["Ünïcode Café"]],
        ["'; --", ["q'; --"]],
        [".*", []],
        ["(", []],
        [" ", ["q'; --", "Ünïcode Café", "100 Wool", "100% Wool", "Corner Shop"]],
        ["nothing like it", []],
        [(ids[2] ?? "").toUpperCase(), ["a_b"]],
        [(ids[3] ?? "").slice(-12), ["aXb"]],
      ]
      for (const [search, expected] of cases) {
        const answer = yield* list(own.key, `?search=${encodeURIComponent(search)}`)
        assert.deepStrictEqual(names(answer), [...expected], search)
      }
      const everything = yield* list(own.key, "?search=mrch_")
      assert.strictEqual(Scene.at(everything.body, "totalCount"), all.length + 1)
      const plus = yield* list(own.key, "?search=100+Wool")
      assert.deepStrictEqual(names(plus), ["100 Wool"])
    }),
  )

  play("pages through all merchants, and counts every one that matches the filters", ({ own }) =>
    Effect.gen(function* () {
      const all = Array.from({ length: 6 }, (_, index) => `Shop ${index}`)
      yield* create(own.key, all)
      for (const size of [1, 2, 3, 6, 200]) {
        const seen: Array<string> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const answer: Scene.Reply = yield* list(
            own.key,
            `?search=Shop%20&limit=${size}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
          )
          assert.strictEqual(answer.status, 200, answer.text)
          assert.strictEqual(Scene.at(answer.body, "totalCount"), 6)
          assert.isAtMost(Scene.list(answer.body, "merchants").length, size)
          seen.push(...names(answer))
          cursor =
            Scene.at(answer.body, "nextCursor") === null
              ? null
              : Scene.text(answer.body, "nextCursor")
        }
        assert.deepStrictEqual(seen, all.toReversed())
      }
    }),
  )

  play(
    "continues at the same place if merchants are created, changed or deleted between pages",
    ({ own }) =>
      Effect.gen(function* () {
        const ids = yield* create(own.key, ["One", "Two", "Three", "Four"])
        const first = yield* list(own.key, "?limit=2")
        assert.deepStrictEqual(names(first), ["Four", "Three"])
        yield* create(own.key, ["Five"])
        const two = { path: `/v1/merchants/${ids[1]}`, key: own.key }
        yield* Scene.send({ ...two, method: "PATCH", body: { merchantName: "Deux" } })
        yield* Scene.send({ path: `/v1/merchants/${ids[2]}`, key: own.key, method: "DELETE" })
        const cursor = encodeURIComponent(Scene.text(first.body, "nextCursor"))
        const rest = yield* list(own.key, `?limit=50&cursor=${cursor}`)
        assert.deepStrictEqual(names(rest), ["Deux", "One", "Corner Shop"])
        assert.isNull(Scene.at(rest.body, "nextCursor"))
      }),
  )

  play("returns 50 merchants per page by default", ({ own }) =>
    Effect.gen(function* () {
      yield* create(
        own.key,
        Array.from({ length: 60 }, (_, index) => `Shop ${index}`),
      )
      const answer = yield* list(own.key)
      assert.lengthOf(Scene.list(answer.body, "merchants"), 50)
      assert.strictEqual(Scene.at(answer.body, "totalCount"), 61)
    }),
  )

  play("refuses a query with a wrong value, or with two of one name", (scene) =>
    Effect.gen(function* () {
      for (const [query, fields] of [
        ["limit=201", ["limit"]],
        ["status=deleted", ["status"]],
        ["search=a%00b", ["search"]],
        [`search=${"x".repeat(257)}`, ["search"]],
        ["cursor=abc", ["cursor"]],
        ["limit=0&status=gone", ["status", "limit"]],
        ["limit=1&limit=1&search=a&search=b&status=gone", ["search", "limit"]],
      ] as const) {
        yield* Laws.invalid(scene, { path: `/v1/merchants?${query}`, key: scene.own.key }, fields)
      }
    }),
  )

  play("refuses a cursor that is altered, another partner's or of another list", (scene) =>
    Effect.gen(function* () {
      const { other, own } = scene
      yield* create(own.key, ["Second"])
      yield* create(other.key, ["Second"])
      const cursor = Scene.text((yield* list(own.key, "?limit=1")).body, "nextCursor")
      const asked = (key: string, query: string, text: string) => ({
        path: `/v1/merchants?limit=1${query}&cursor=${encodeURIComponent(text)}`,
        key,
      })
      const good = yield* Scene.send(asked(own.key, "", cursor))
      assert.deepStrictEqual(names(good), ["Corner Shop"])
      for (const [key, query, text] of [
        [other.key, "", cursor],
        [own.liveKey, "", cursor],
        [own.key, "&status=active", cursor],
        [own.key, "&search=Second", cursor],
        [own.key, "", `${cursor}A`],
        [own.key, "", cursor.slice(0, -1)],
        [own.key, "", cursor.toLowerCase()],
      ] as const) {
        yield* Laws.invalid(scene, asked(key, query, text), ["cursor"])
      }
    }),
  )
})
