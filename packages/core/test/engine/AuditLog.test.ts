import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Float from "@florin/core/engine/books/Float"
import * as Events from "@florin/core/engine/notify/Events"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import * as AuditLog from "@florin/core/engine/record/AuditLog"
import { Acting } from "@florin/core/ports/AuditStore"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { Effect } from "effect"

const alice = {
  actor: { _tag: "Operator", name: "alice", processId: 7 },
  requestId: null,
} as const

const latest = Effect.map(AuditLog.list({}, undefined, 1), ({ items: [entry] }) => entry)

/** What an operator does, with what the log says of it. */
const deeds = Effect.provideService(
  Effect.gen(function* () {
    const partner = yield* Keys.createPartner({ name: "Corner Payments", feeTerms: Fees.none })
    assert.deepInclude(yield* latest, {
      action: "partner.created",
      partnerId: partner.id,
      mode: null,
      subject: partner.id,
      actor: alice.actor,
      requestId: null,
    })
    yield* Merchants.changePartner(partner.id, { payouts: { _tag: "Batched", everyInMs: 60_000 } })
    assert.deepInclude(yield* latest, {
      action: "partner.changed",
      changes: [{ field: "payouts", from: null, to: "1m" }],
    })
    yield* Merchants.changePartner(partner.id, { credit: { live: Credit.unlimited } })
    assert.deepInclude(yield* latest, {
      action: "partner.changed",
      changes: [{ field: "liveCredit", from: null, to: "unlimited" }],
    })
    yield* Merchants.changePartner(partner.id, {
      fees: {
        fixed: yield* Effect.fromResult(Fees.parseFixed("0.10 USD, 0.09 EUR")),
      },
    })
    assert.deepInclude(yield* latest, {
      action: "partner.changed",
      changes: [{ field: "feeFixed", from: "0 iso4217/USD", to: "10 iso4217/USD, 9 iso4217/EUR" }],
    })
    const pinned = yield* Merchants.changePartner(partner.id, { versionPin: "2026-02-18" })
    assert.strictEqual(pinned.versionPin, "2026-02-18")
    const { record, text } = yield* Keys.issue({
      mode: "live",
      owner: { _tag: "Partner", partnerId: partner.id },
      name: "Backend",
      expiresAt: null,
    })
    assert.deepInclude(yield* latest, { action: "key.created", subject: record.id, mode: "live" })
    const next = yield* Keys.rotate(record.id, null)
    const rotated = yield* latest
    assert.deepInclude(rotated, { action: "key.rotated", subject: record.id })
    assert.deepInclude([...(rotated?.changes ?? [])], {
      field: "successor",
      from: null,
      to: next.record.id,
    })
    yield* Keys.revoke(record.id)
    assert.deepInclude(yield* latest, {
      action: "key.revoked",
      changes: [{ field: "isRevoked", from: false, to: true }],
    })
    return { partner, texts: [text, next.text] }
  }),
  Acting,
  alice,
)

describe("AuditLog", () => {
  it.effect("S11: records what the operator did to partners and keys, and under which name", () =>
    deeds.pipe(Effect.provide(Service.layer())),
  )

  it.effect("S11: keeps no secret and no personal data", () =>
    Effect.gen(function* () {
      const { partner, texts } = yield* deeds
      const tenant = { partnerId: partner.id, mode: "test" } as const
      const { merchant } = yield* Merchants.create({
        tenant,
        name: "Shop",
        email: "person@example.com",
        idempotencyKey: "once",
      })
      yield* Merchants.update(tenant, merchant.id, { email: "other@example.com" })
      assert.deepStrictEqual((yield* latest)?.changes, [{ field: "merchantEmail" }])
      const { endpoint, secret } = yield* Events.createEndpoint(tenant, {
        url: "https://hooks.example.com/path-secret?token=query-secret",
      })
      const { secret: rotated } = yield* Events.rotateSecret(tenant, endpoint.id)
      const { items } = yield* AuditLog.list({}, undefined, 100)
      const log = JSON.stringify(items)
      assert.include(log, "https://hooks.example.com")
      const hidden = [...texts, secret, rotated, "person@", "other@", "path-secret", "query-secret"]
      for (const each of hidden) assert.notInclude(log, each)
    }).pipe(Effect.provide(Service.layer())),
  )

  it.effect("S11: records nothing if a write changed nothing", () =>
    Effect.gen(function* () {
      const { partner } = yield* deeds
      const tenant = { partnerId: partner.id, mode: "test" } as const
      const { merchant } = yield* Merchants.create({
        tenant,
        name: "Shop",
        email: "shop@example.com",
        idempotencyKey: "once",
      })
      const world = Fixtures.make("audit")
      const moved = {
        key: Fixtures.key("moved"),
        token: world.token,
        collecting: Caip.Address.make("0x1111111111111111111111111111111111111111"),
        quantity: Fixtures.quantity(5n),
      }
      const twice = Effect.gen(function* () {
        yield* Merchants.remove(tenant, merchant.id)
        yield* Float.put("test", moved)
      })
      yield* twice
      const before = yield* AuditLog.list({}, undefined, 100)
      yield* twice
      yield* Merchants.create({
        tenant,
        name: "Shop",
        email: "shop@example.com",
        idempotencyKey: "once",
      })
      assert.deepStrictEqual(yield* AuditLog.list({}, undefined, 100), before)
    }).pipe(Effect.provide(Service.layer())),
  )
})
