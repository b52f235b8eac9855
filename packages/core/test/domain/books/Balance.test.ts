import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Fixtures from "@florin/testing/Fixtures"
import { given, netOf } from "../books.ts"
import {
  destination,
  now as succeededAt,
  processing,
  quantity,
  succeeded,
  usdcOnBase,
} from "../samples.ts"

const account = { chainId: usdcOnBase.token.chainId, address: destination }
const outflowId = OutflowId.OutflowId.make("out_1")
const earlier = OutflowId.OutflowId.make("out_0")
const payment = succeeded(account)
const net = netOf(payment)
const txHash = "0x1"

const paid = {
  _tag: "Paid",
  outflowId: earlier,
  quantity: quantity(30n),
  netted: quantity(5n),
  txHash,
} as const
const paidOff = { _tag: "Netted", netted: quantity(7n) } as const
const now = { outflowId, quantity: quantity(20n), netted: quantity(2n) }

/** Parts, and what is owed: if no outflow is booked, if the earlier one is, and if both are. */
const cases: ReadonlyArray<
  readonly [
    name: string,
    parts: ReadonlyArray<Entry.Part>,
    ...owed: readonly [bigint, bigint, bigint],
  ]
> = [
  ["waits", [], net, net, net],
  ["waits, and was paid in part", [paid, paidOff], net - 7n, net - 42n, net - 42n],
  [
    "is in a payout, in part",
    [paid, paidOff, { _tag: "Carried", ...now }],
    net - 7n,
    net - 42n,
    net - 64n,
  ],
  [
    "is held",
    [paid, paidOff, { _tag: "Held", ...now, reason: "it is blocked", code: "payee", heldAt: 1 }],
    net - 7n,
    net - 42n,
    net - 64n,
  ],
  ["paid off a debt", [{ _tag: "Netted", netted: quantity(net) }], 0n, 0n, 0n],
]

const withEntry = (of: Partial<Entry.Entry>) => {
  const before = given(Balance.entryOf(payment))
  return Balance.changed(payment, { ...before, ...of }, succeededAt, {}).payment
}

const owed = (parts: ReadonlyArray<Entry.Part>, ...booked: ReadonlyArray<OutflowId.OutflowId>) =>
  Balance.owed(withEntry({ parts }), (id) => booked.includes(id))

describe("Balance.owed", () => {
  it.each(cases)("of a share that %s is what was not booked out yet", (_, parts, ...expected) => {
    assert.deepStrictEqual(
      [owed(parts), owed(parts, earlier), owed(parts, earlier, outflowId)],
      expected,
    )
  })
})

const elsewhere = { chainId: account.chainId, address: Fixtures.address("elsewhere") }
const later = succeededAt + 5000

/** What a decision leaves of the entry, and when it is looked at again: null is never, and undefined is as before. */
const decided = (change: Change.Change | null) => {
  if (change === null) return null
  const { destination: to, heldUntil, waitsSince } = given(Balance.entryOf(change.payment))
  return { to, heldUntil, waitsSince, settle: change.due.settle }
}

describe("Balance.aim", () => {
  const waiting = withEntry({ waitsSince: succeededAt })
  const heldUntil = undefined
  const pays = (to: Caip.Account): SettlementDestination.Route => ({ _tag: "Pays", account: to })
  const waits: SettlementDestination.Route = { _tag: "Waits", until: later }
  const isOwed: SettlementDestination.Route = { _tag: "Owed" }

  it("lets a share wait from the first time that its destination is not in effect", () => {
    const first = { to: account, heldUntil, waitsSince: later, settle: later }
    assert.deepStrictEqual(decided(Balance.aim(payment, waits, later)), first)
    assert.isNull(Balance.aim(waiting, waits, later))
  })

  it("no longer looks at a share that nobody receives", () => {
    const never = { to: account, heldUntil, waitsSince: undefined, settle: null }
    assert.deepStrictEqual(decided(Balance.aim(waiting, isOwed, later)), never)
    assert.isNull(Balance.aim(payment, isOwed, later))
  })

  it("sends a share to another account, or to its own once that is in effect, at once", () => {
    const at = (to: Caip.Account) => ({ to, heldUntil, waitsSince: undefined, settle: later })
    assert.deepStrictEqual(decided(Balance.aim(payment, pays(elsewhere), later)), at(elsewhere))
    assert.deepStrictEqual(decided(Balance.aim(waiting, pays(account), later)), at(account))
    assert.deepStrictEqual(decided(Balance.aim(succeeded(null), pays(account), later)), at(account))
    assert.isNull(Balance.aim(payment, pays(account), later))
  })
})

describe("Balance.holdBack", () => {
  it("holds a share until a time, or lets it go", () => {
    const held = given(Balance.holdBack(payment, { from: later, dueAt: later }, succeededAt))
    const until = { to: account, heldUntil: later, waitsSince: undefined, settle: later }
    assert.deepStrictEqual(decided(held), until)
    assert.strictEqual(Balance.heldUntil(held.payment), later)
    const free = given(Balance.holdBack(held.payment, { from: null, dueAt: 1 }, succeededAt))
    assert.deepStrictEqual(decided(free), { ...until, heldUntil: undefined, settle: 1 })
    assert.isNull(Balance.heldUntil(free.payment))
  })

  it("holds nothing back that has no destination", () => {
    const homeless = succeeded(null)
    assert.isNull(Balance.holdBack(homeless, { from: later, dueAt: later }, succeededAt))
    assert.isNull(Balance.heldUntil(homeless))
  })
})

describe("the token of a share", () => {
  const tokens = (of: Payment.Payment) => [
    Balance.tokenOfWaiting(of),
    Balance.tokenOwed(of),
    Balance.tokenUnplanned(of),
  ]
  const { token } = usdcOnBase

  it("is that of a share that waits, with a destination or without", () => {
    assert.deepStrictEqual(tokens(payment), [token, null, null])
    assert.deepStrictEqual(tokens(succeeded(null)), [token, token, token])
  })

  it("stays known of one without a destination that refunds took back", () => {
    const refundId = Refund.RefundId.make("rfnd_1")
    const parts = [{ _tag: "Refunded", netted: quantity(net), refundId }] as const
    const taken = withEntry({ destination: null, parts })
    assert.deepStrictEqual(tokens(taken), [null, null, token])
  })

  it("is none before a payment succeeds", () => {
    assert.deepStrictEqual(tokens(processing()), [null, null, null])
  })
})

describe("Balance.owedBy", () => {
  it("counts what is owed to one merchant", () => {
    const merchantId = MerchantId.MerchantId.make("mrch_another")
    const world = Fixtures.make("owedBy")
    const mine = world.merchantId
    const booked = Fixtures.bookedBy(world.path("settlementPending"))
    assert.isTrue(Balance.owedBy(booked, mine) > 0n)
    assert.strictEqual(Balance.owedBy(booked, merchantId), 0n)
  })
})
