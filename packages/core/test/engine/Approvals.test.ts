import { assert, describe, it } from "@effect/vitest"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import * as Payments from "@florin/core/engine/payment/Payments"
import { AccountStore, findPartner, type Tenant } from "@florin/core/ports/AccountStore"
import { AuditStore } from "@florin/core/ports/AuditStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { Effect, Logger } from "effect"
import * as Scene from "./scene.ts"

const { begin, failsWith, now, request } = Scene

const icon = "https://shop.example/icon.png"
const email = "shop@example.com"

/** Two partners, of which the second imitates, and what is logged. */
const start = Effect.gen(function* () {
  const { accounts, world } = yield* begin
  const honest = yield* Keys.createPartner({ name: "Honest", feeTerms: Fixtures.feeTerms })
  const thief = yield* Keys.createPartner({ name: "Thief", feeTerms: Fixtures.feeTerms })
  let keys = 0
  const create = (partner: Merchant.Partner, name: string, mode: "live" | "test" = "live") =>
    Effect.map(
      Merchants.create({
        tenant: { partnerId: partner.id, mode },
        name,
        email,
        idempotencyKey: `create ${(keys += 1)}`,
      }),
      ({ merchant }) => merchant,
    )
  const pay = (partner: Merchant.Partner, { id, mode }: Merchant.Merchant, named = true) =>
    Payments.create({ partner, mode, merchantId: named ? id : undefined, request })
  const tenantOf = ({ mode, partnerId }: Tenant): Tenant => ({ partnerId, mode })
  const approve = (merchant: Merchant.Merchant) =>
    Merchants.approve(tenantOf(merchant), merchant.id, merchant)
  const entries = (filter = {}) =>
    Effect.flatMap(AuditStore, (audit) =>
      Effect.map(audit.entries(filter, { after: null, limit: 100 }), ({ items }) =>
        items.map(({ entry }) => entry),
      ),
    )
  return { accounts, world, honest, thief, create, pay, approve, entries, tenantOf }
})

const playing =
  (approveMerchants: Merchant.Approval) =>
  <A, E>(body: Effect.Effect<A, E, Effect.Services<Scene.Call>>) =>
  () =>
    body.pipe(Effect.provide(Service.layer({ settings: { approveMerchants } })))

const asked = playing("always")
const unasked = playing("alike")
const trusting = playing("never")

describe("A live merchant", () => {
  it.effect(
    "S21: accepts its first payment once the operator has approved it",
    asked(
      Effect.gen(function* () {
        const { approve, create, entries, honest, pay } = yield* start
        const shop = yield* create(honest, "Corner Shop")
        assert.deepStrictEqual(shop.waiting, { since: now, isAlike: false, approved: null })
        for (const named of [true, false]) {
          const refused = yield* failsWith("NotApproved", pay(honest, shop, named))
          assert.include(refused.message, "ask the operator to approve it")
        }
        assert.deepStrictEqual((yield* Merchants.listWaiting(10)).items, [
          { merchant: shop, namesakes: [] },
        ])
        yield* failsWith("Conflict", approve({ ...shop, name: "Another" }))
        const approved = yield* approve(shop)
        assert.isUndefined(approved.waiting)
        yield* pay(honest, shop)
        assert.deepStrictEqual((yield* Merchants.listWaiting(10)).items, [])
        const [entry] = yield* entries({ action: "merchant.approved" })
        assert.deepInclude(entry, {
          partnerId: honest.id,
          subject: shop.id,
          changes: [{ field: "waitsForApproval", from: true, to: false }],
        })
        assert.deepStrictEqual(yield* approve(shop), approved)
        assert.lengthOf(yield* entries({ action: "merchant.approved" }), 1)
      }),
    ),
  )

  it.effect(
    "S21: shows payments its approved name and icon while changed ones wait for approval",
    asked(
      Effect.gen(function* () {
        const { approve, create, honest, pay, tenantOf } = yield* start
        const shop = yield* approve(yield* create(honest, "Corner Shop"))
        const tenant = tenantOf(shop)
        const { payment } = yield* pay(honest, shop)
        const seen = Effect.map(Gateway.infoOfLink(payment.id), ({ merchant }) => merchant)
        for (const change of [{ iconUrl: icon }, { name: "Corner Bar" }]) {
          const changed = yield* Merchants.update(tenant, shop.id, change)
          assert.deepStrictEqual(yield* seen, { name: "Corner Shop", iconUrl: null })
          assert.deepInclude(changed, change)
          yield* pay(honest, shop)
        }
        yield* Merchants.update(tenant, shop.id, { email: "other@example.com" })
        yield* approve(yield* Merchants.getWithDeleted(tenant, shop.id))
        assert.deepStrictEqual(yield* seen, { name: "Corner Bar", iconUrl: icon })
      }),
    ),
  )

  it.effect(
    "S21: shows payers a new color immediately, but a new support contact only after approval",
    asked(
      Effect.gen(function* () {
        const { approve, create, honest, pay, tenantOf } = yield* start
        const shop = yield* approve(yield* create(honest, "Corner Shop"))
        const tenant = tenantOf(shop)
        const { payment } = yield* pay(honest, shop)
        const seen = Effect.map(Gateway.infoOfLink(payment.id), ({ merchant }) => merchant)
        const own = { brandColor: "#1f6feb", checkoutOrigins: ["https://shop.example"] }
        const support = { supportEmail: "help@shop.example", supportUrl: "https://shop.example" }
        yield* Merchants.update(tenant, shop.id, { ...own, ...support })
        assert.deepStrictEqual(yield* seen, { name: "Corner Shop", iconUrl: null, ...own })
        const [waiting] = (yield* Merchants.listWaiting(10)).items
        assert.deepInclude(waiting?.merchant, support)
        yield* pay(honest, shop)
        // The operator approves what they saw, not what it was changed to since.
        const earlier = yield* Merchants.getWithDeleted(tenant, shop.id)
        yield* Merchants.update(tenant, shop.id, { supportUrl: "https://thief.example" })
        yield* failsWith("Conflict", approve(earlier))
        const renamed = yield* Merchants.changeAsOperator(tenant, shop.id, { name: "Corner Bar" })
        assert.deepStrictEqual(renamed.waiting?.approved, { name: "Corner Bar", iconUrl: null })
        yield* approve(yield* Merchants.getWithDeleted(tenant, shop.id))
        assert.deepStrictEqual(yield* seen, {
          name: "Corner Bar",
          iconUrl: null,
          ...own,
          ...support,
          supportUrl: "https://thief.example",
        })
      }),
    ),
  )

  it.effect(
    "S21: accepts its first payment immediately if the operator requires no approval",
    unasked(
      Effect.gen(function* () {
        const { create, honest, pay, tenantOf } = yield* start
        const shop = yield* create(honest, "Corner Shop")
        yield* pay(honest, shop)
        yield* Merchants.update(tenantOf(shop), shop.id, { name: "Corner Bar", iconUrl: icon })
        yield* pay(honest, shop)
      }),
    ),
  )
})

describe("A name that the operator sets", () => {
  it.effect(
    "S21: is shown to payers immediately, while an icon still waits for approval",
    asked(
      Effect.gen(function* () {
        const { approve, create, entries, honest, pay, tenantOf } = yield* start
        const shop = yield* create(honest, "Corner Shop")
        const tenant = tenantOf(shop)
        const fresh = yield* Merchants.changeAsOperator(tenant, shop.id, { name: "Corner Bar" })
        assert.deepInclude(fresh, { name: "Corner Bar" })
        assert.notProperty(fresh, "waiting")
        yield* pay(honest, shop)
        yield* Merchants.update(tenant, shop.id, { iconUrl: icon })
        const renamed = yield* Merchants.changeAsOperator(tenant, shop.id, { name: "Corner Pub" })
        assert.deepInclude(renamed.waiting, { approved: { name: "Corner Pub", iconUrl: null } })
        const { payment } = yield* pay(honest, shop)
        const { merchant } = yield* Gateway.infoOfLink(payment.id)
        assert.deepStrictEqual(merchant, { name: "Corner Pub", iconUrl: null })
        assert.notProperty(yield* approve(renamed), "waiting")
        const [, entry] = yield* entries({ partnerId: honest.id, action: "merchant.changed" })
        assert.deepInclude([...(entry?.changes ?? [])], {
          field: "waitsForApproval",
          from: false,
          to: true,
        })
        const [last] = yield* entries({ partnerId: honest.id, action: "merchant.changed" })
        assert.deepStrictEqual(last?.changes, [
          { field: "merchantName", from: "Corner Bar", to: "Corner Pub" },
        ])
        yield* failsWith("InvalidInput", Merchants.changeAsOperator(tenant, shop.id, { name: "" }))
        yield* failsWith(
          "NotFound",
          Merchants.changeAsOperator(tenant, "mrch_nobody", { name: "Nobody" }),
        )
      }),
    ),
  )

  it.effect(
    "S21: is compared with other names too, also a partner's",
    unasked(
      Effect.gen(function* () {
        const { accounts, create, entries, honest, pay, tenantOf, thief } = yield* start
        const shop = yield* create(honest, "Corner Shop")
        const stall = yield* create(thief, "Stall")
        const renamed = yield* Merchants.changeAsOperator(tenantOf(stall), stall.id, {
          name: "C0rner Shop",
        })
        assert.notProperty(renamed, "waiting")
        yield* pay(thief, stall)
        const partner = yield* Merchants.changePartner(thief.id, { name: "H0nest" })
        assert.strictEqual(partner.name, "H0nest")
        assert.deepStrictEqual(yield* findPartner(accounts, thief.id), partner)
        assert.deepStrictEqual(
          (yield* entries({ action: "name.flagged" })).map(({ changes, subject }) => [
            subject,
            changes.map(({ to }) => to),
          ]),
          [
            [thief.id, [honest.id]],
            [stall.id, [shop.id]],
          ],
        )
        const [entry] = yield* entries({ action: "partner.changed" })
        assert.deepInclude(entry, {
          partnerId: thief.id,
          changes: [{ field: "name", from: "Thief", to: "H0nest" }],
        })
        yield* failsWith("InvalidInput", Merchants.changePartner(thief.id, { name: " " }))
      }),
    ),
  )
})

describe("A name that looks like another partner's", () => {
  it.effect(
    "S21: waits for the operator, and only the operator learns which name it resembles",
    unasked(
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ message }) => void lines.push(message))
        const { approve, create, entries, honest, pay, thief } = yield* start
        const shop = yield* create(honest, "PayPal")
        yield* pay(honest, shop)
        const fake = yield* Effect.provide(create(thief, "РауPаl"), Logger.layer([logger]))
        assert.isTrue(fake.waiting?.isAlike)
        yield* failsWith("NotApproved", pay(thief, fake))
        const namesake = { partnerId: honest.id, merchantId: shop.id, name: "PayPal" }
        assert.deepStrictEqual((yield* Merchants.listWaiting(10)).items, [
          { merchant: fake, namesakes: [namesake] },
        ])
        assert.lengthOf(lines, 1)
        assert.include(`${lines[0]}`, `${fake.id} looks like that of ${shop.id} of ${honest.id}`)
        const [flag] = yield* entries({ action: "name.flagged" })
        assert.deepInclude(flag, {
          partnerId: null,
          subject: fake.id,
          changes: [{ field: "resembles", from: null, to: shop.id }],
        })
        const theirs = JSON.stringify(yield* entries({ partnerId: thief.id }))
        assert.notInclude(theirs, shop.id)
        assert.notInclude(theirs, honest.id)
        yield* approve(fake)
        yield* pay(thief, fake)
      }),
    ),
  )

  it.effect(
    "S21: waits if an approved merchant changes to it, and payers do not see it",
    unasked(
      Effect.gen(function* () {
        const { create, honest, pay, tenantOf, thief } = yield* start
        yield* create(honest, "PayPal")
        const shop = yield* create(thief, "Corner Shop")
        const { payment } = yield* pay(thief, shop)
        const tenant = tenantOf(shop)
        yield* Merchants.update(tenant, shop.id, { name: "PayPaI", iconUrl: icon })
        yield* failsWith("NotApproved", pay(thief, shop))
        const { merchant } = yield* Gateway.infoOfLink(payment.id)
        assert.deepStrictEqual(merchant, { name: "Corner Shop", iconUrl: null })
        const item = yield* Payments.list(tenant, undefined, {}, false)
        assert.strictEqual(item.items[0]?.merchant.name, "PayPaI")
        yield* Merchants.update(tenant, shop.id, { name: "Corner Bar" })
        yield* pay(thief, shop)
      }),
    ),
  )

  it.effect(
    "S21: is only recorded and logged if the operator requires no approval",
    trusting(
      Effect.gen(function* () {
        const { create, entries, honest, pay, tenantOf, thief } = yield* start
        yield* create(honest, "PayPal")
        const shop = yield* create(thief, "Corner Shop")
        const tenant = tenantOf(shop)
        for (const _ of [1, 2]) yield* Merchants.update(tenant, shop.id, { name: "PayPaI" })
        yield* pay(thief, shop)
        assert.deepStrictEqual((yield* Merchants.listWaiting(10)).items, [])
        const flags = yield* entries({ action: "name.flagged" })
        assert.deepStrictEqual(
          flags.map(({ subject }) => subject),
          [shop.id],
        )
      }),
    ),
  )

  it.effect(
    "S21: is accepted in test mode, of the same partner, and after the other one was deleted",
    unasked(
      Effect.gen(function* () {
        const { create, honest, pay, tenantOf, thief } = yield* start
        const shop = yield* create(honest, "PayPal")
        for (const merchant of [
          yield* create(honest, "paypal"),
          yield* create(thief, "PayPal", "test"),
        ]) {
          yield* pay(merchant.partnerId === thief.id ? thief : honest, merchant)
        }
        const twin = yield* create(honest, "Pay Pal")
        for (const { id } of [shop, twin]) yield* Merchants.remove(tenantOf(shop), id)
        const [rest] = (yield* Merchants.list(tenantOf(shop), {})).items
        assert.strictEqual(rest?.name, "paypal")
        yield* Merchants.remove(tenantOf(shop), rest?.id ?? "")
        yield* pay(thief, yield* create(thief, "PayPal"))
      }),
    ),
  )

  it.effect(
    "S21: is also found if it is the name of a partner",
    unasked(
      Effect.gen(function* () {
        const { accounts, create, entries, honest, pay, thief } = yield* start
        const fake = yield* create(thief, "H0nest")
        yield* failsWith("NotApproved", pay(thief, fake))
        const { id } = yield* Keys.createPartner({ name: "Honest!", feeTerms: Fixtures.feeTerms })
        assert.deepStrictEqual((yield* findPartner(accounts, id)).likenesses, ["honest"])
        const flags = yield* entries({ action: "name.flagged" })
        assert.deepStrictEqual(
          flags.map(({ changes, subject }) => [subject, changes.map(({ to }) => to)]),
          [
            [id, [honest.id, fake.id]],
            [fake.id, [honest.id]],
          ],
        )
      }),
    ),
  )

  it.effect(
    "S21: adds no read to a payment, and no second entry to a repeated creation",
    unasked(
      Effect.gen(function* () {
        const { create, entries, honest, pay, thief } = yield* start
        const shop = yield* create(honest, "PayPal")
        const { accounts, counts } = yield* Scene.counting
        yield* Effect.provideService(pay(honest, shop), AccountStore, accounts)
        assert.deepStrictEqual(counts, { findMerchants: 1 })
        const again = { name: "PayPal", email, idempotencyKey: "again" }
        const tenant: Tenant = { partnerId: thief.id, mode: "live" }
        const first = yield* Merchants.create({ tenant, ...again })
        const second = yield* Merchants.create({ tenant, ...again })
        assert.deepStrictEqual(second, { ...first, replayed: true })
        assert.lengthOf(yield* entries({ action: "name.flagged" }), 1)
        assert.lengthOf(yield* entries({ action: "merchant.created", partnerId: thief.id }), 1)
      }),
    ),
  )
})
