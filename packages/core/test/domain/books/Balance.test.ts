import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as Entry from "@florin/core/domain/payment/Entry"
import { netOf } from "../books.ts"
import { destination, quantity, succeeded, usdcOnBase } from "../samples.ts"

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

const owed = (parts: ReadonlyArray<Entry.Part>, ...booked: ReadonlyArray<OutflowId.OutflowId>) => {
  if (payment.state._tag !== "Succeeded") return assert.fail("it is not paid")
  const entry = { ...payment.state.entry, parts }
  return Balance.owed({ ...payment, state: { ...payment.state, entry } }, (id) =>
    booked.includes(id),
  )
}

describe("Balance.owed", () => {
  it.each(cases)("of a share that %s is what was not booked out yet", (_, parts, ...expected) => {
    assert.deepStrictEqual(
      [owed(parts), owed(parts, earlier), owed(parts, earlier, outflowId)],
      expected,
    )
  })
})
