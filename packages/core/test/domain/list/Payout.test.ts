import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Payout from "@florin/core/domain/list/Payout"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Result from "effect/Result"

const { now } = Fixtures
const world = Fixtures.make("payouts")
const other = world.merchant().id
const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const scope = { partnerId: world.tenant.partnerId, mode: "test" } as const
const everything: Payout.Scope = { partnerId: null, mode: "test" }
const options = { key, scope, catalog: BuiltIn.catalog }

const share = (merchantId: Outflow.Share["merchantId"]): Outflow.Share => ({
  paymentId: world.createPayment().payment.id,
  merchantId,
  quantity: Fixtures.quantity(5n),
  netted: Fixtures.quantity(0n),
})

const made = (
  shares: ReadonlyArray<Outflow.Share>,
  at = now,
  advance?: Outflow.Advance,
): Payout.Payout => {
  const outflow = Outflow.make(
    {
      id: world.outflowId(),
      ...scope,
      movement: {
        token: world.token,
        from: world.payTo,
        to: Fixtures.address("treasury"),
        quantity: Fixtures.quantity(5n),
      },
      purpose: { _tag: "Settle", shares, ...(advance !== undefined && { advance }) },
    },
    at,
  )
  return Payout.isPayout(outflow) ? outflow : assert.fail("it pays no merchant")
}

const parsed = (raw: Payout.Raw) => Result.getOrThrow(Payout.parse(raw, options))
const issues = (raw: Payout.Raw) =>
  Result.getOrThrow(Result.flip(Payout.parse(raw, options))).issues.map(({ field }) => field)

describe("Payout", () => {
  const payout = made([share(world.merchantId), share(other), share(world.merchantId)])

  it("names each merchant once, also one that only got an advance", () => {
    assert.deepStrictEqual(Payout.merchantsOf(payout), [world.merchantId, other])
    const advance = { merchantId: other, quantity: Fixtures.quantity(1n) }
    assert.deepStrictEqual(Payout.merchantsOf(made([share(world.merchantId)], now, advance)), [
      world.merchantId,
      other,
    ])
  })

  it("is listed without its shares, but with their number", () => {
    const { payout: shown, shareCount } = Payout.toListed(payout)
    assert.strictEqual(shareCount, 3)
    assert.deepInclude(shown.purpose, { _tag: "Settle", shares: [] })
    assert.strictEqual(shown.id, payout.id)
  })

  it("matches the filters, and its own partner and mode", () => {
    const passes = (filter: Payout.Filter, whose: Payout.Scope = scope) =>
      Payout.passes(payout, whose, filter)
    assert.isTrue(passes({}))
    assert.isFalse(passes({}, { ...scope, mode: "live" }))
    assert.isFalse(passes({}, { ...scope, partnerId: world.other.partnerId }))
    assert.isTrue(passes({}, everything))
    assert.isTrue(passes({ merchantId: other, status: "waiting" }))
    assert.isTrue(passes({ status: "open", purpose: "payout", token: world.token }, everything))
    assert.isFalse(passes({ purpose: "refund" }, everything))
    assert.isFalse(passes({ chainId: Caip.ChainId.make("eip155:999999") }, everything))
    assert.isFalse(passes({ merchantId: world.merchant().id }))
    assert.isFalse(passes({ status: "paid" }))
    assert.isTrue(passes({ createdFrom: now, createdBefore: now + 1 }))
    assert.isFalse(passes({ createdFrom: now + 1 }))
    assert.isFalse(passes({ createdBefore: now }))
  })

  it("is listed newest first, and by id for payouts of the same time", () => {
    const all = [made([]), made([], now + 5), made([])]
    const [first, ...rest] = all.toSorted(Payout.compare)
    assert.strictEqual(first, all[1])
    assert.deepStrictEqual(
      rest.map(({ id }) => id),
      [all[0]?.id, all[2]?.id].toSorted().toReversed(),
    )
  })
})

describe("Payout.parse", () => {
  it("reads every filter, and the cursor", () => {
    const raw = {
      merchantId: world.merchantId,
      status: "paid",
      startTs: "2026-09-01T00:00:00Z",
      endTs: "2026-09-02T00:00:00Z",
    }
    const at = { createdAt: now, id: world.outflowId() }
    const cursor = Payout.encodeCursor(key, scope, raw, at)
    assert.deepStrictEqual(parsed({ ...raw, cursor }), {
      filter: {
        merchantId: world.merchantId,
        status: "paid",
        createdFrom: Date.UTC(2026, 8, 1),
        createdBefore: Date.UTC(2026, 8, 2),
      },
      limit: 50,
      after: at,
    })
    assert.deepStrictEqual(parsed({}), { filter: {}, limit: 50, after: null })
  })

  it("lists nothing for a text that cannot be a merchant id", () => {
    assert.isNull(parsed({ merchantId: "nobody at all" }).filter)
  })

  it("reports every issue, and accepts a cursor only of its own list", () => {
    assert.sameMembers(
      issues({ status: "gone", startTs: "yesterday", endTs: "soon", limit: "0" }),
      ["status", "startTs", "endTs", "limit"],
    )
    const at = { createdAt: now, id: world.outflowId() }
    const cursor = Payout.encodeCursor(key, scope, { status: "paid" }, at)
    assert.deepStrictEqual(issues({ status: "held", cursor }), ["cursor"])
    assert.deepStrictEqual(issues({ cursor: "made up" }), ["cursor"])
  })
})
