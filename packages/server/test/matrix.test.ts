/**
 * Access: every operation, called by every kind of caller, for its own and for other objects. Each case follows from
 * the operation's good request in requests.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import { AuditStore } from "@florin/core/ports/AuditStore"
import * as Counts from "@florin/testing/Counts"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Handler from "../src/Handler.ts"
import * as Kept from "./kept.ts"
import * as Requests from "./requests.ts"
import * as Scene from "./scene.ts"
import * as TestStorage from "./storage.ts"
import * as Subjects from "./subjects.ts"

const { absent, rows } = Requests

/** What programs call. People sign in and out by operations of their own. */
const operations = Handler.operations.filter(({ isFor }) => isFor === undefined)

type Name = Requests.Name
type Row = Requests.Row

/** Operations without a row, and rows without an operation. */
const unmatched = (named: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> => [
  ...named.flatMap(({ name }) => (name in rows ? [] : [`${name} has no row`])),
  ...Object.keys(rows).flatMap((row) =>
    named.some(({ name }) => name === row) ? [] : [`the row ${row} has no operation`],
  ),
]

/** Malformed ids. Headers carry printable ASCII only, without spaces at the ends. */
const malformed = [
  "0",
  "null",
  "pay_",
  "mrch_*",
  "__proto__",
  "constructor",
  "%",
  "%%%",
  "a_b",
  "' OR '1'='1",
  "a/../b",
  `pay_${"a".repeat(65)}`,
  "x".repeat(2000),
]
const malformedInPath = ["\u0000", "pay_\u0000", "päy_1", "\u202e", "\ufffd", "😀", "a\r\nb", " "]

/** A key with a valid form and checksum that does not exist. */
const unknownKey = Result.getOrThrow(ApiKey.make("test", "partner", new Uint8Array(32).fill(7)))

/** A revoked and an expired key. */
const endedKeys = Effect.fnUntraced(function* (scene: Scene.Scene) {
  const issue = (expiresAt: number | null) =>
    Keys.issue({
      mode: "test",
      owner: { _tag: "Partner", partnerId: scene.own.partner.id },
      name: "A key that ends",
      expiresAt,
    })
  const revoked = yield* issue(null)
  yield* Keys.revoke(revoked.record.id)
  const expired = yield* issue(Scene.now + 1000)
  yield* TestClock.setTime(Scene.now + 1000)
  return { revoked: revoked.text, expired: expired.text }
})

/** A response without its request id: equal for objects that a caller cannot distinguish. */
const anonymous = ({ headers, status, text }: Scene.Reply) => {
  const requestId = headers.get("request-id") ?? assert.fail("no Request-Id")
  return {
    status,
    headers: [...headers].filter(([name]) => name !== "request-id").toSorted(),
    text: text.replaceAll(requestId, "<request id>"),
  }
}

interface Cell {
  readonly what: string
  readonly key: string | null
  readonly subject: Subjects.Subject
  readonly headers?: Readonly<Record<string, string>>
}

const cellsOf = Effect.fnUntraced(function* (row: Row, scene: Scene.Scene) {
  const { other, own } = scene
  const ended = yield* endedKeys(scene)
  const one = (partner: { readonly key: string }) => Subjects.make(partner.key, row.payment)
  const mine = yield* one(own)
  const sibling = yield* one(own)
  const theirs = yield* one(other)
  const deleted = yield* one(own)
  yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted.merchantId}`, key: own.key })

  const nowhere: Cell = { what: "absent", key: own.key, subject: { ...mine, ...absent } }
  const byHeader = row.header !== "ignored"
  const naming = (what: string, name: Name, id: string): Cell => ({
    what: `${what} ${name}`,
    key: own.key,
    subject: { ...mine, [name]: id },
  })
  const without = (name: Name) => naming("absent", name, absent[name])
  const foreign: ReadonlyArray<Cell> = [
    { what: "another partner's key", key: other.key, subject: mine },
    { what: "another mode's key", key: own.liveKey, subject: mine },
    { what: "everything another partner's", key: own.key, subject: theirs },
  ]
  const ofSibling: Cell = {
    what: "another merchant's header",
    key: own.key,
    subject: mine,
    headers: { "Merchant-Id": sibling.merchantId },
  }
  const inSibling = naming("another merchant's", "merchantId", sibling.merchantId)
  const ofDeleted: Cell = { what: "a deleted merchant", key: own.key, subject: deleted }

  const when = (condition: boolean, cell: Cell, asIf: Cell) => (condition ? [{ cell, asIf }] : [])
  /** Refused requests, each with a request that must get the same response. */
  const hidden = [
    ...row.names.flatMap((name) => {
      const ids = [...malformed, ...(byHeader && name === "merchantId" ? [] : malformedInPath)]
      return [
        naming("another partner's", name, theirs[name]),
        ...ids.map((id) => naming(`malformed ${JSON.stringify(id).slice(0, 20)} as`, name, id)),
      ].map((cell) => ({ cell, asIf: without(name) }))
    }),
    ...foreign.flatMap((cell) => when(row.names.length > 0, cell, nowhere)),
    ...when(row.header === "hides", ofSibling, without("merchantId")),
    ...when(row.names.includes("destinationId"), inSibling, without("destinationId")),
    ...when(
      row.forgetsDeleted && row.names.includes("merchantId"),
      ofDeleted,
      without("merchantId"),
    ),
  ]
  /** Requests that succeed, but must not show the own objects. */
  const elsewhere = [
    ...(row.names.length > 0 ? [] : foreign.slice(0, 2)),
    ...(row.header === "leads" ? [ofSibling] : []),
    ...(!byHeader && row.names.includes("merchantId") && row.names.length === 1 ? [inSibling] : []),
  ]
  return { deleted, elsewhere, ended, hidden, mine, nowhere, ofDeleted, ofSibling, one }
})

const send = (row: Row, { headers, key, subject }: Cell) => {
  const request = row.request(subject)
  return Scene.send({ ...request, key, headers: { ...request.headers, ...headers } })
}

const isGateway = (row: Row, subject: Subjects.Subject): boolean =>
  row.request(subject).path.startsWith("/v1/gateway/")

/** Sends a request that must be refused with the members that every problem has; returns the comparable response. */
const refused = Effect.fnUntraced(function* (row: Row, cell: Cell, status: number, code: string) {
  const answer = yield* send(row, cell)
  assert.strictEqual(answer.status, status, `${cell.what}: ${answer.text}`)
  const problem = Scene.isProblem(answer, status, code)
  assert.deepStrictEqual(Object.keys(Object(problem)).toSorted(), ["code", "message", "requestId"])
  return anonymous(answer)
})

/** Fails if the effect writes anything. */
const writingNothing = Effect.fnUntraced(function* <E, R>(
  scene: Scene.Scene,
  ask: Effect.Effect<void, E, R>,
) {
  const before = yield* Kept.of(scene)
  yield* ask
  assert.deepStrictEqual(yield* Kept.of(scene), before, "something was written")
})

const served = Effect.fnUntraced(function* (row: Row, cell: Cell) {
  const answer = yield* send(row, cell)
  assert.strictEqual(answer.status, row.success, `${cell.what}: ${answer.text}`)
  return answer
})

/** The properties that access depends on: rows with the same ones differ only in their request. */
const kindOf = (row: Row): string => JSON.stringify({ ...row, request: null })

const allRows = Object.entries(rows)

/** On memory every row; on a database, in a usual run, some of those that are the first of their kind. */
const asked =
  Counts.full || !TestStorage.isDatabase
    ? allRows
    : Counts.some(
        allRows.filter(
          ([, row], index) =>
            allRows.findIndex(([, other]) => kindOf(other) === kindOf(row)) === index,
        ),
        4,
      )
const partnerOperations = operations.filter(
  ({ face, name }) => face === "partner" && asked.some(([operation]) => operation === name),
)

describe("access by every caller", () => {
  it("A2: is tested for every operation", () => {
    assert.deepStrictEqual(unmatched(operations), [])
    assert.deepStrictEqual(unmatched([...operations, { name: "payments.archive" }]), [
      "payments.archive has no row",
    ])
    assert.deepStrictEqual(unmatched(operations.slice(1)), [
      `the row ${operations[0]?.name} has no operation`,
    ])
  })

  for (const [operation, row] of asked) {
    describe(operation, () => {
      it.effect(
        "refuses a missing or invalid key in the same words, whether the object exists or not",
        () =>
          Effect.gen(function* () {
            const scene = yield* Scene.make
            const { ended, mine, nowhere } = yield* cellsOf(row, scene)
            const keys = [
              ["no key", null, 401, "missing_api_key"],
              ["an empty key", "", 401, "missing_api_key"],
              ["a key of nobody", unknownKey, 401, "invalid_api_key"],
              ["a mistyped key", scene.strangersKey, 401, "invalid_api_key"],
              ["a revoked key", ended.revoked, 401, "invalid_api_key"],
              ["an expired key", ended.expired, 401, "invalid_api_key"],
              ...(isGateway(row, mine)
                ? []
                : ([["a wallet's key", scene.walletKey, 403, "forbidden"]] as const)),
            ] as const
            yield* writingNothing(
              scene,
              Effect.gen(function* () {
                for (const [what, key, status, code] of keys) {
                  const there = yield* refused(row, { what, key, subject: mine }, status, code)
                  const notThere = yield* refused(row, { ...nowhere, what, key }, status, code)
                  assert.deepStrictEqual(there, notThere, what)
                }
              }),
            )
          }).pipe(Effect.provide(Scene.layer())),
      )

      it.effect(
        "A2, A3: responds the same for an object of another partner or mode, a deleted, a malformed and an absent one",
        () =>
          Effect.gen(function* () {
            const scene = yield* Scene.make
            const { elsewhere, hidden, mine, nowhere, one, ofDeleted } = yield* cellsOf(row, scene)
            const live = { what: "a live wallet's key", key: scene.liveWalletKey, subject: mine }
            const ofWallet = isGateway(row, mine) ? [{ cell: live, asIf: nowhere }] : []
            yield* writingNothing(
              scene,
              Effect.gen(function* () {
                for (const { asIf, cell } of [...hidden, ...ofWallet]) {
                  const answer = yield* refused(row, cell, 404, row.missing)
                  const reference = yield* refused(row, asIf, 404, row.missing)
                  assert.deepStrictEqual(answer, reference, cell.what)
                }
              }),
            )
            for (const cell of elsewhere) {
              const { text } = yield* served(row, cell)
              if (row.shows !== undefined) assert.notInclude(text, mine[row.shows], cell.what)
            }
            if (row.names.length === 0 && row.forgetsDeleted) {
              const { text } = yield* served(row, ofDeleted)
              assert.notInclude(text, ofDeleted.subject.merchantId)
            }
            const afterwards = yield* served(row, {
              what: "own, after all that",
              key: scene.own.key,
              subject: yield* one(scene.own),
            })
            assert.strictEqual(afterwards.status, row.success)
          }).pipe(Effect.provide(Scene.layer())),
      )

      it.effect("serves the caller's own objects", () =>
        Effect.gen(function* () {
          const scene = yield* Scene.make
          const { mine, ofDeleted, ofSibling, one } = yield* cellsOf(row, scene)
          const { text } = yield* served(row, { what: "own", key: scene.own.key, subject: mine })
          if (row.shows !== undefined) assert.include(text, mine[row.shows])
          if (isGateway(row, mine)) {
            const subject = yield* one(scene.own)
            yield* served(row, { what: "a wallet's key", key: scene.walletKey, subject })
          }
          if (row.header === "ignored") {
            yield* served(row, { ...ofSibling, subject: yield* one(scene.own) })
          }
          if (!row.forgetsDeleted) yield* served(row, ofDeleted)
        }).pipe(Effect.provide(Scene.layer())),
      )
    })
  }

  for (const { method, name } of partnerOperations) {
    // It returns a text for the payer, and writes nothing.
    const isRead = method === "GET" || name === "refunds.destination"
    it.effect(
      `S11: ${name} ${isRead ? "leaves no entry" : "leaves one entry"} in the audit log`,
      () =>
        Effect.gen(function* () {
          const scene = yield* Scene.make
          const row = rows[name] ?? assert.fail(`${name} has no row`)
          const { mine } = yield* cellsOf(row, scene)
          const { entries } = yield* AuditStore
          const all = entries({}, { after: null, limit: 10_000 })
          const before = (yield* all).items.length
          const { headers } = yield* served(row, { what: "own", key: scene.own.key, subject: mine })
          const { items } = yield* all
          const added = items.slice(0, items.length - before).map(({ entry }) => entry)
          assert.lengthOf(added, isRead ? 0 : 1)
          for (const { actor, mode, partnerId, requestId } of added) {
            assert.strictEqual(actor._tag, "Key")
            assert.strictEqual(partnerId, scene.own.partner.id)
            assert.strictEqual(mode, "test")
            assert.strictEqual(requestId, headers.get("request-id"))
          }
        }).pipe(Effect.provide(Scene.layer())),
    )
  }

  for (const { name, scope } of partnerOperations) {
    it.effect(`S11: ${name} needs a key with the scope ${scope}`, () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make
        const row = rows[name] ?? assert.fail(`${name} has no row`)
        const { mine, nowhere } = yield* cellsOf(row, scene)
        const issue = (scopes: ReadonlyArray<ApiKey.Scope>) =>
          Effect.map(
            Keys.issue({
              mode: "test",
              owner: { _tag: "Partner", partnerId: scene.own.partner.id },
              name: "A key for less",
              expiresAt: null,
              scopes,
            }),
            ({ text }) => text,
          )
        const without = yield* issue(ApiKey.PartnerScope.literals.filter((each) => each !== scope))
        const only = yield* issue([scope])
        yield* writingNothing(
          scene,
          Effect.gen(function* () {
            const cell = { what: "without the scope", key: without, subject: mine }
            const there = yield* refused(row, cell, 403, "forbidden")
            const notThere = yield* refused(row, { ...nowhere, key: without }, 403, "forbidden")
            assert.deepStrictEqual(there, notThere)
          }),
        )
        yield* served(row, { what: "with the scope only", key: only, subject: mine })
      }).pipe(Effect.provide(Scene.layer())),
    )
  }

  it.effect("hides another partner's merchant in a body or filter as in a header", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make
      const { other, own } = scene
      const deleted = yield* Scene.createMerchant(own.key)
      yield* Scene.send({ method: "DELETE", path: `/v1/merchants/${deleted}`, key: own.key })
      yield* Scene.createPayment(own.key, own.merchantId)
      yield* Scene.createPayment(other.key, other.merchantId)
      const create = (merchantId: string) =>
        Scene.send({
          path: "/v1/payments",
          key: own.key,
          body: { merchantId, referenceId: "ORDER", amount: { unit: "iso4217/USD", value: "1" } },
        })
      const listed = (merchantId: string) =>
        Scene.send({ path: `/v1/payments?merchantId=${merchantId}`, key: own.key })
      const before = yield* Kept.of(scene)
      const reference = yield* create(absent.merchantId)
      Scene.isProblem(reference, 404, "merchant_not_found")
      for (const id of [other.merchantId, deleted]) {
        assert.deepStrictEqual(anonymous(yield* create(id)), anonymous(reference))
      }
      const nothing = yield* listed(absent.merchantId)
      assert.deepStrictEqual(Scene.list(nothing.body, "data"), [])
      assert.deepStrictEqual(anonymous(yield* listed(other.merchantId)), anonymous(nothing))
      assert.deepStrictEqual(yield* Kept.of(scene), before)
      assert.strictEqual(Scene.list((yield* listed(own.merchantId)).body, "data").length, 1)
      assert.strictEqual((yield* create(own.merchantId)).status, 201)
    }).pipe(Effect.provide(Scene.layer())),
  )

  for (const path of ["/v1/payments", "/v1/merchants", "/v1/events"]) {
    it.effect(`A11: refuses another partner's or an altered cursor of ${path}`, () =>
      Effect.gen(function* () {
        const { other, own } = yield* Scene.make
        for (const { key, merchantId } of [own, own, other, other]) {
          yield* Scene.createPayment(key, merchantId)
          yield* Scene.createMerchant(key)
        }
        const page = (key: string, cursor: string) =>
          Scene.send({ path: `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`, key })
        const first = yield* Scene.send({ path: `${path}?limit=1`, key: own.key })
        const cursor = Scene.text(first.body, "nextCursor")
        assert.strictEqual((yield* page(own.key, cursor)).status, 200)
        const reference = yield* page(other.key, "none")
        assert.deepStrictEqual(Scene.fieldsOf(reference), ["cursor"])
        for (const key of [other.key, own.liveKey]) {
          assert.deepStrictEqual(anonymous(yield* page(key, cursor)), anonymous(reference))
        }
        for (const at of cursor.split("").keys()) {
          const flipped =
            cursor.slice(0, at) + (cursor[at] === "A" ? "B" : "A") + cursor.slice(at + 1)
          assert.deepStrictEqual(anonymous(yield* page(own.key, flipped)), anonymous(reference))
        }
      }).pipe(Effect.provide(Scene.layer())),
    )
  }
})
