import { assert, describe, it } from "@effect/vitest"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Entry from "@florin/core/domain/payment/Entry"
import * as Refund from "@florin/core/domain/payment/Refund"
import { destination, now, otherPaymentId, quantity, usdcOnBase } from "../samples.ts"

const account = { chainId: usdcOnBase.token.chainId, address: destination }
const [first, second] = ["rfnd_1", "rfnd_2"].map((id) => Refund.RefundId.make(id))
assert(first !== undefined && second !== undefined)
const outflowId = OutflowId.OutflowId.make("out_1")
const carried = { outflowId, quantity: quantity(60n), netted: quantity(0n) }
const paid = { _tag: "Paid", ...carried, txHash: "0x1" } as const
const entry = Entry.make(quantity(100n), account)

const refund = (
  of: Entry.Entry,
  most: bigint,
  id = first,
  carrying: Outflow.Outflow | null = null,
) => Entry.refund(of, carrying, id, quantity(most))

const netted = (of: bigint, refundId: Refund.RefundId): Entry.Part => ({
  _tag: "Netted",
  netted: quantity(of),
  refundOf: { paymentId: otherPaymentId, refundId },
})

describe("Entry.refund of a part", () => {
  it("takes no more than the refund needs, and the rest of the share still waits", () => {
    const held = { ...entry, heldUntil: now, waitsSince: now }
    const taken = refund(held, 30n)
    assert.strictEqual(taken.quantity, 30n)
    assert.strictEqual(Entry.left(taken.entry), 70n)
    assert.strictEqual(Entry.status(taken.entry), "waiting")
    assert.deepInclude(taken.entry, { heldUntil: now, waitsSince: now })
    const next = refund(taken.entry, 30n, second)
    assert.deepStrictEqual(next.entry.parts, [
      { _tag: "Refunded", netted: quantity(30n), refundId: first },
      { _tag: "Refunded", netted: quantity(30n), refundId: second },
    ])
  })

  it("takes the whole rest of the share if the refund needs more", () => {
    const { entry: some } = refund({ ...entry, heldUntil: now, waitsSince: now }, 30n)
    const { entry: all, quantity: taken } = refund(some, 71n, second)
    assert.strictEqual(taken, 70n)
    assert.isTrue(Entry.isRefunded(all))
    assert.strictEqual(Entry.status(all), "cancelled")
    assert.doesNotHaveAnyKeys(all, ["heldUntil", "waitsSince", "settled"])
    assert.deepStrictEqual(refund(all, 1n), { entry: all, quantity: quantity(0n), freed: null })
  })

  it("takes only what was not paid of a share that was paid in part", () => {
    const { entry: used, quantity: taken } = refund(Entry.take(entry, paid), 50n)
    assert.strictEqual(taken, 40n)
    assert.isFalse(Entry.isRefunded(used), "a part of it was paid")
    assert.isTrue(Entry.isWaiting(used))
    const settled = Entry.settle(used, now)
    assert.deepStrictEqual(Entry.settledBy(settled), {
      quantity: quantity(60n),
      txId: "0x1",
      at: now,
    })
    assert.strictEqual(Entry.status(settled), "paid")
    assert.strictEqual(Entry.netted(settled), 0n, "the merchant pays nothing off")
    assert.deepStrictEqual(refund(settled, 1n), {
      entry: settled,
      quantity: quantity(0n),
      freed: null,
    })
  })

  it("changes nothing if it needs nothing, not even a held part", () => {
    const held = Entry.take(entry, {
      _tag: "Held",
      ...carried,
      reason: "blocklisted",
      code: "payee",
      heldAt: now,
    })
    for (const each of [entry, held]) {
      assert.deepStrictEqual(refund(each, 0n), { entry: each, quantity: quantity(0n), freed: null })
    }
    assert.deepStrictEqual(refund(held, 30n).freed, outflowId)
  })
})

describe("Entry.unrefunded", () => {
  it("returns to the share what the named refunds took, and nothing that others took", () => {
    const used = Entry.take(refund(refund(entry, 30n).entry, 20n, second).entry, netted(10n, first))
    assert.strictEqual(Entry.left(used), 40n)
    assert.strictEqual(Entry.left(Entry.unrefunded(used, [second])), 60n)
    assert.deepStrictEqual(Entry.unrefunded(used, [first, second]).parts, [netted(10n, first)])
    assert.deepStrictEqual(Entry.unrefunded(used, []), used)
  })
})

describe("Entry.refundAwaited", () => {
  it("is the refund that used the last of a share of which nothing was sent", () => {
    const two = Entry.take(Entry.take(entry, netted(50n, first)), netted(50n, second))
    const awaited = { paymentId: otherPaymentId, refundId: second }
    assert.deepStrictEqual(Entry.refundAwaited(two), awaited)
    // Its own payment was refunded in part before, or afterwards.
    const own = { _tag: "Refunded", netted: quantity(20n), refundId: first } as const
    const some = [netted(80n, second), own] as const
    for (const parts of [some, some.toReversed()]) {
      const of = { ...entry, parts }
      assert.deepStrictEqual(Entry.refundAwaited(of), awaited)
      assert.deepStrictEqual(Entry.settle(of, now), of, "it is settled with the refund")
      const settled = { ...of, settled: { at: now, txHash: "0x2" } }
      assert.deepStrictEqual(Entry.settledBy(settled), {
        quantity: quantity(80n),
        txId: "0x2",
        at: now,
      })
    }
  })

  it("is none while something of the share is left or was sent, or if only refunds of its own used it", () => {
    for (const parts of [
      [netted(50n, first)],
      [paid, netted(40n, first)],
      [{ _tag: "Refunded", netted: quantity(100n), refundId: first } as const],
    ]) {
      assert.isNull(Entry.refundAwaited({ ...entry, parts }))
    }
  })
})
