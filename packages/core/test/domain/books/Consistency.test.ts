/** Each rule says nothing about records that agree, and names what contradicts it. */
import { assert, describe, it } from "@effect/vitest"
import * as Consistency from "@florin/core/domain/books/Consistency"

const payment: Consistency.Payment = {
  id: "pay_1",
  status: "succeeded",
  paid: 100n,
  fee: 2n,
  settled: { txId: "0x1", sent: 90n, netted: 8n },
  refunds: [],
  carried: [{ what: "payout", outflowId: "out_1", state: "paid" }],
  outflowIds: ["out_1"],
}
const refunded: Consistency.Payment = {
  ...payment,
  settled: null,
  refunds: [{ status: "succeeded", quantity: 100n }],
}
const outflow: Consistency.Outflow = {
  id: "out_1",
  state: "paid",
  quantity: 95n,
  shares: [{ paymentId: "pay_1", quantity: 90n }],
  advance: 5n,
}
const [carried = assert.fail()] = payment.carried
const events: ReadonlyArray<Consistency.Event> = [
  { version: 0, status: "requires_action", refunds: [], settlement: null },
  { version: 1, status: "succeeded", refunds: [], settlement: "0x1" },
]

const {
  areComplete,
  isCarried,
  isNamed,
  isOwed,
  isSum,
  paysWhatIsOwed,
  refundsWhatWasPaid,
  sumToZero,
} = Consistency

describe("Consistency", () => {
  const agreeing: Readonly<Record<string, Iterable<string>>> = {
    "a ledger": sumToZero([
      { token: "usdc", quantity: 7n },
      { token: "usdc", quantity: -7n },
    ]),
    "a refund of what was paid": refundsWhatWasPaid(refunded),
    "refunds of two parts": refundsWhatWasPaid({
      ...refunded,
      refunds: [
        { status: "succeeded", quantity: 60n },
        { status: "held", quantity: 40n },
      ],
    }),
    "a payment without a refund": refundsWhatWasPaid(payment),
    "a payout of what is owed": paysWhatIsOwed(payment),
    "a payout of what a refund left": paysWhatIsOwed({
      ...payment,
      settled: { txId: "0x1", sent: 50n, netted: 8n },
      refunds: [{ status: "succeeded", quantity: 40n }],
    }),
    "a payment that is not paid out": paysWhatIsOwed(refunded),
    "a payment of which the ledger owes what is left": isOwed("pay_1", 98n, 98n),
    "a payment and the outflow that carries it": isCarried(payment, carried, outflow),
    "an outflow with an advance": isSum(outflow),
    "an outflow that its payment names": isNamed(outflow, "pay_1", payment),
    "a cancelled outflow that nobody names": isNamed(
      { ...outflow, state: "cancelled" },
      "pay_2",
      undefined,
    ),
    "a payment and its events": areComplete(payment, events),
    "a payment whose settlement a reorganisation moved to another transaction": areComplete(
      { ...payment, settled: { txId: "0x2", sent: 90n, netted: 8n } },
      events,
      ["0x1", "0x2"],
    ),
  }
  for (const [name, found] of Object.entries(agreeing)) {
    it(`finds no contradiction in ${name}`, () => assert.deepStrictEqual([...found], []))
  }

  const contradicting: ReadonlyArray<readonly [Iterable<string>, ...ReadonlyArray<string>]> = [
    [sumToZero([{ token: "usdc", quantity: 7n }]), "the ledger is off by 7 of usdc"],
    [
      refundsWhatWasPaid({ ...refunded, status: "failed", paid: 99n }),
      "pay_1 is refunded, and never succeeded",
      "pay_1 was paid 99, and its refunds are 100",
    ],
    [
      refundsWhatWasPaid({
        ...refunded,
        refunds: [
          { status: "succeeded", quantity: 60n },
          { status: "pending", quantity: 41n },
        ],
      }),
      "pay_1 was paid 100, and its refunds are 101",
    ],
    [
      paysWhatIsOwed({
        ...payment,
        settled: { txId: "0x1", sent: 50n, netted: 8n },
        refunds: [{ status: "succeeded", quantity: 39n }],
      }),
      "pay_1 was paid 100, and of that 50 was sent, 8 netted, and 2 the fee, and at most 39 refunded",
    ],
    [
      paysWhatIsOwed({ ...payment, status: "failed", fee: 1n }),
      "pay_1 is paid out, and never succeeded",
      "pay_1 was paid 100, and of that 90 was sent, 8 netted, and 1 the fee",
    ],
    [
      isCarried(payment, carried, undefined),
      "the payout of pay_1 is paid in out_1, which does not exist",
    ],
    [
      isCarried(payment, carried, { ...outflow, state: "held", shares: [] }),
      "the payout of pay_1 is paid, and out_1 is held",
      "the payout of pay_1 is in out_1 0 times",
    ],
    [isOwed("pay_1", 98n, 0n), "98 of pay_1 is owed to its merchant, and the ledger owes 0"],
    [isSum({ ...outflow, advance: 0n }), "out_1 is of 95, and its payments sum to 90"],
    [isNamed(outflow, "pay_2", undefined), "out_1 pays pay_2, which does not exist"],
    [
      isNamed(outflow, "pay_1", { ...payment, outflowIds: ["out_2"] }),
      "pay_1 is in out_1 (paid), and names out_2",
    ],
    [
      isNamed(outflow, "pay_1", { ...payment, outflowIds: [] }),
      "pay_1 is in out_1 (paid), and names no outflow",
    ],
    [
      areComplete({ ...payment, settled: { txId: "0x2", sent: 90n, netted: 8n } }, events, ["0x2"]),
      "the settlement of pay_1 is 0x2, and its last event says 0x1",
    ],
    [
      areComplete(refunded, events.slice(1)),
      "the events of pay_1 have the versions 1",
      "the refunds of pay_1 is succeeded, and its last event says ",
      "the settlement of pay_1 is null, and its last event says 0x1",
    ],
  ]
  for (const [found, ...said] of contradicting) {
    it(`finds that ${said[0]}`, () => assert.deepStrictEqual([...found], said))
  }
})
