import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "../scene.ts"
import * as Calls from "./calls.ts"

const begin = Calls.begin("merchants")

const layer = Scene.layer({ settings: Calls.settings })

describe("merchants.waiting and merchants.approve", () => {
  it.effect("list page by page what waits, and approve only what was seen", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const first = yield* Scene.createMerchant(own.liveKey, "First")
      const second = yield* Scene.createMerchant(own.liveKey, "Second")
      const page = yield* send("GET", "/waiting?limit=1")
      assert.deepInclude(Scene.at(page.body, "merchants", 0), {
        id: first,
        partnerId: own.partner.id,
        mode: "live",
        fees: null,
        resembles: [],
        waiting: {
          since: new Date(Scene.now).toISOString(),
          isAlike: false,
          approved: null,
          takesPayments: false,
        },
      })
      const cursor = Scene.text(page.body, "nextCursor")
      const rest = yield* inProcess(({ merchants }) => merchants.waiting({ cursor }))
      assert.deepStrictEqual(
        rest.merchants.map(({ id }) => id),
        [second],
      )
      assert.isNull(rest.nextCursor)
      const forged = yield* send("GET", "/waiting?cursor=x")
      assert.deepStrictEqual(Scene.fieldsOf(forged), ["cursor"])

      const other = yield* send("POST", `/${first}/approve`, { name: "Fist" })
      Scene.isProblem(other, 400, "invalid_state")
      const approved = yield* send("POST", `/${first}/approve`, { name: "First" })
      assert.isNull(Scene.at(approved.body, "waiting"), approved.text)
      assert.deepStrictEqual(yield* Calls.newest, {
        action: "merchant.approved",
        subject: first,
        changes: [{ field: "waitsForApproval", from: true, to: false }],
      })
      yield* inProcess(({ merchants }) => merchants.approve({ merchantId: second, name: "Second" }))
      const left = yield* inProcess(({ merchants }) => merchants.waiting())
      assert.deepStrictEqual(left, { merchants: [], nextCursor: null })
    }).pipe(Effect.provide(layer)),
  )
})

describe("merchants.list and merchants.balances", () => {
  it.effect("list the merchants of all partners, and what one of them is owed", () =>
    Effect.gen(function* () {
      const { inProcess, other, own, send, walletKey } = yield* begin
      const live = yield* Scene.createMerchant(own.liveKey, "Tea & Live")
      const idsOf = (body: Scene.Json) =>
        Scene.list(body, "merchants").map((each) => Scene.text(each, "id"))
      const all = yield* send("GET", "")
      const ids = idsOf(all.body)
      for (const id of [live, own.merchantId, other.merchantId]) assert.include(ids, id)
      assert.strictEqual(Scene.at(all.body, "totalCount"), ids.length)
      const found = (query: string) =>
        Effect.map(send("GET", `?${query}`), ({ body }) => idsOf(body))
      assert.deepStrictEqual(yield* found("search=tea%20%26"), [live])
      assert.deepStrictEqual(yield* found("status=suspended"), [])
      const ofOther = yield* found(`partnerId=${other.partner.id}&mode=test`)
      assert.deepStrictEqual(ofOther, [other.merchantId])
      const [first, ...rest] = ids
      const page = yield* send("GET", "?limit=1")
      assert.deepStrictEqual(idsOf(page.body), [first])
      const cursor = Scene.text(page.body, "nextCursor")
      const next = yield* inProcess(({ merchants }) => merchants.list({ cursor }))
      assert.deepStrictEqual(
        next.merchants.map(({ id }) => id),
        rest,
      )
      assert.deepStrictEqual(Scene.fieldsOf(yield* send("GET", "?partnerId=x")), ["partnerId"])

      yield* Scene.pay(walletKey, yield* Scene.createPayment(own.key, own.merchantId))
      const owed = yield* send("GET", `/${own.merchantId}/balances`)
      const partner = yield* Scene.send({ path: "/v1/balances", key: own.key })
      assert.lengthOf(Scene.list(owed.body, "data"), 1)
      assert.deepStrictEqual(owed.body, partner.body)
      const none = yield* inProcess(({ merchants }) => merchants.balances({ merchantId: live }))
      assert.deepStrictEqual(none, { data: [], nextCursor: null })
      Scene.isProblem(yield* send("GET", "/mrch_0/balances"), 404, "not_found")
    }).pipe(Effect.provide(layer)),
  )
})

describe("merchants.change", () => {
  it.effect("changes all named terms or none, and null restores the partner's", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const { merchantId } = own
      const half = yield* send("PATCH", `/${merchantId}`, { name: "Bakery", payouts: "often" })
      assert.deepStrictEqual(Scene.fieldsOf(half), ["payouts"])
      const cost = yield* send("PATCH", `/${merchantId}`, { fees: { percentage: "half" } })
      assert.deepStrictEqual(Scene.fieldsOf(cost), ["fees.percentage"])
      const terms = { name: "Bakery", status: "inactive", payouts: "60m/500" } as const
      const changed = yield* send("PATCH", `/${merchantId}`, {
        ...terms,
        fees: { percentage: "0.4", fixed: [{ unit: "iso4217/USD", value: "10" }] },
      })
      const fees = {
        percentage: "0.4",
        fixed: [{ unit: "iso4217/USD", value: "10" }],
        returned: "never",
      }
      assert.deepInclude(Scene.at(changed.body), { ...terms, fees })
      assert.deepStrictEqual(yield* Calls.newest, {
        action: "merchant.changed",
        subject: merchantId,
        changes: [
          { field: "merchantName", from: "Corner Shop", to: "Bakery" },
          { field: "status", from: "active", to: "inactive" },
          { field: "payouts", from: null, to: "60m/500" },
          { field: "feePercentage", from: null, to: "0.4" },
          { field: "feeFixed", from: null, to: "10 iso4217/USD" },
          { field: "feeReturned", from: null, to: "never" },
        ],
      })
      const restored = yield* inProcess(({ merchants }) =>
        merchants.change({ merchantId, fees: null, payouts: null, status: "active" }),
      )
      const { fees: none, name, payouts, status } = restored
      assert.deepStrictEqual([none, name, payouts, status], [null, "Bakery", null, "active"])
      const nobody = yield* send("PATCH", "/mrch_0", { name: "Nobody" })
      Scene.isProblem(nobody, 404, "not_found")
    }).pipe(Effect.provide(layer)),
  )
})

describe("merchants.suspend, resume, freeze and unfreeze", () => {
  it.effect("stop a merchant's payments and payouts, and start them again", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const { merchantId } = own
      const suspended = yield* send("POST", `/${merchantId}/suspend`)
      assert.strictEqual(Scene.text(suspended.body, "status"), "suspended")
      const frozen = yield* inProcess(({ merchants }) => merchants.freeze({ merchantId }))
      assert.strictEqual(frozen.frozenAt, new Date(Scene.now).toISOString())
      assert.strictEqual(frozen.status, "suspended")
      const resumed = yield* inProcess(({ merchants }) => merchants.resume({ merchantId }))
      assert.strictEqual(resumed.status, "active")
      const thawed = yield* send("POST", `/${merchantId}/unfreeze`)
      assert.isNull(Scene.at(thawed.body, "frozenAt"))
      assert.deepStrictEqual(yield* Calls.newest, {
        action: "merchant.changed",
        subject: merchantId,
        changes: [{ field: "isFrozen", from: true, to: false }],
      })
    }).pipe(Effect.provide(layer)),
  )
})

describe("merchants.confirmDestination", () => {
  it.effect("lets the named change take effect now, and the history keeps every change", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const { merchantId } = own
      const settlementId = yield* Calls.waitingDestination(own)
      const path = `/${merchantId}/settlements/${settlementId}/confirm`
      const destination = Scene.accountOf(Scene.stranger, Scene.chains.eip3009)
      const registered = Scene.accountOf(Scene.treasury, Scene.chains.eip3009)
      const other = yield* send("POST", path, { destination: registered })
      Scene.isProblem(other, 400, "invalid_state")
      const confirmed = yield* send("POST", path, { destination })
      assert.strictEqual(Scene.text(confirmed.body, "destination"), destination, confirmed.text)
      assert.isUndefined(Scene.at(confirmed.body, "takesEffectAt"))
      assert.deepInclude(yield* Calls.newest, {
        action: "destination.confirmed",
        subject: merchantId,
      })
      Scene.isProblem(yield* send("POST", path, { destination }), 400, "invalid_state")
      const { changes } = yield* inProcess(({ merchants }) =>
        merchants.destinationHistory({ merchantId }),
      )
      const ways = changes.map(({ from, keyId, to }) => ({ from, to, keyId }))
      assert.deepStrictEqual(ways, [
        { from: registered, to: destination, keyId: own.keyId },
        { from: destination, to: destination, keyId: null },
      ])
      const { settlements } = yield* inProcess(({ merchants }) => merchants.get({ merchantId }))
      assert.deepStrictEqual(
        settlements.crypto.map((each) => each.destination),
        [destination],
      )
    }).pipe(Effect.provide(layer)),
  )
})

describe("merchants.statement", () => {
  it.effect("is the statement that the partner reads", () =>
    Effect.gen(function* () {
      const { inProcess, own, send } = yield* begin
      const days = { from: "2026-02-01", to: "2026-02-28" }
      const path = `/${own.merchantId}/statement?${new URLSearchParams(days).toString()}`
      const theirs = yield* Scene.send({ path: `/v1/merchants${path}`, key: own.key })
      assert.strictEqual(theirs.status, 200, theirs.text)
      assert.deepStrictEqual((yield* send("GET", path)).body, theirs.body)
      const ours = yield* inProcess(({ merchants }) =>
        merchants.statement({ merchantId: own.merchantId, ...days }),
      )
      assert.deepStrictEqual(ours, Object(theirs.body))
    }).pipe(Effect.provide(layer)),
  )
})
