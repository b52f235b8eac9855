import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as Settlement from "@florin/core/domain/payment/Settlement"
import { netOf } from "../books.ts"
import { destination, quantity, succeeded, usdcOnBase } from "../samples.ts"

const account = { chainId: usdcOnBase.token.chainId, address: destination }
const outflowId = OutflowId.OutflowId.make("out_1")
const earlier = OutflowId.OutflowId.make("out_0")
const payment = succeeded(account)
const net = netOf(payment)
const txHash = "0x1"
const failure = { reason: "it is blocked", code: "payee" } as const

const sent = { quantity: quantity(30n), netted: quantity(5n), sent: { outflowId: earlier, txHash } }
const paidOff = { quantity: quantity(0n), netted: quantity(7n) }
const parts = [sent, paidOff]
const kept = quantity(11n)
/** What is left beside the parts and the reserve. */
const rest = net - 35n - 7n - 11n

/** A settlement, and what is owed: if no outflow is booked, if the earlier one is, and if both are. */
const cases: ReadonlyArray<
  readonly [name: string, Settlement.Settlement, ...owed: readonly [bigint, bigint, bigint]]
> = [
  ["waits for a destination", { _tag: "Owed" }, net, net, net],
  ["waits", { _tag: "Pending", destination: account, parts, kept }, rest + 35n, rest, rest],
  [
    "is in a payout, in part",
    {
      _tag: "Processing",
      destination: account,
      outflowId,
      quantity: quantity(20n),
      netted: quantity(2n),
      parts,
      kept,
    },
    rest + 35n,
    rest,
    rest - 22n,
  ],
  [
    "is held",
    { _tag: "Held", destination: account, outflowId, ...failure, heldAt: 1, parts, kept },
    rest + 35n,
    rest,
    rest,
  ],
  [
    "is paid, and the rest is kept for refunds",
    {
      _tag: "Successful",
      destination: account,
      outflowId,
      txHash,
      settledAt: 1,
      quantity: quantity(50n),
      netted: quantity(12n),
      parts,
    },
    55n,
    20n,
    0n,
  ],
  ["paid off a debt", { _tag: "Netted", netted: quantity(net), settledAt: 1 }, 0n, 0n, 0n],
]

const owed = (settlement: Settlement.Settlement, ...booked: ReadonlyArray<OutflowId.OutflowId>) => {
  if (payment.state._tag !== "Succeeded") return assert.fail("it is not paid")
  const entries = Balance.entriesOf({ ...payment, state: { ...payment.state, settlement } })
  assert.strictEqual(
    entries.reduce((sum, each) => sum + each.quantity, 0n),
    net,
  )
  return Balance.owed(entries, (id) => booked.includes(id))
}

describe("Balance", () => {
  it.each(cases)("of a share that %s is what nothing booked took", (_, settlement, ...expected) => {
    assert.deepStrictEqual(
      [owed(settlement), owed(settlement, earlier), owed(settlement, earlier, outflowId)],
      expected,
    )
  })
})
