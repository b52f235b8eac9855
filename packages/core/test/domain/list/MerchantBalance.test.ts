import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as MerchantBalance from "@florin/core/domain/list/MerchantBalance"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import type * as Entry from "@florin/core/domain/payment/Entry"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Result from "effect/Result"
import { netOf } from "../books.ts"
import { destination, processing, quantity, succeeded, usdcOnBase } from "../samples.ts"

const { token } = usdcOnBase
const account = { chainId: token.chainId, address: destination }
const payment = succeeded(account)
const net = netOf(payment)
const merchantId = payment.merchantId
const outflowId = OutflowId.OutflowId.make("out_1")
const none = { left: 0n, heldBack: 0n, inPayout: 0n, reserved: 0n, debt: 0n }
const unlimited = { limits: {}, now: Number.MAX_SAFE_INTEGER }

/** The payment, of whose share these parts are gone. */
const taken = (...parts: ReadonlyArray<Entry.Part>): Payment.Payment =>
  payment.state._tag === "Succeeded"
    ? { ...payment, state: { ...payment.state, entry: { ...payment.state.entry, parts } } }
    : assert.fail("it is not paid")

const sumsOf = (
  payments: ReadonlyArray<Payment.Payment>,
  {
    balances = [],
    booked = [],
    terms = unlimited,
  }: {
    readonly balances?: ReadonlyArray<readonly [Ledger.Account, bigint]>
    readonly booked?: ReadonlyArray<OutflowId.OutflowId>
    readonly terms?: MerchantBalance.Terms
  } = {},
) =>
  MerchantBalance.sumsOf(
    payments,
    new Map(
      balances.map(([own, balance]) => [
        Ledger.balanceKey(own, token),
        { account: own, token, balance },
      ]),
    ),
    (id) => booked.includes(id),
    terms,
  )

describe("MerchantBalance.sumsOf", () => {
  it("adds up what nothing took of the shares of payments that succeeded", () => {
    const expected = [{ ...none, merchantId, token, left: 2n * net }]
    assert.deepStrictEqual(sumsOf([payment, payment, processing()]), expected)
  })

  it("counts a payout until it is final, and what it sets off until that is booked", () => {
    const carried = { quantity: quantity(20n), netted: quantity(2n), outflowId }
    const debt = [[{ _tag: "Debt", merchantId }, 2n]] as const
    const paying = { ...none, merchantId, token, left: net - 22n, inPayout: 20n }
    for (const part of [
      { _tag: "Carried", ...carried },
      { _tag: "Held", ...carried, reason: "it is blocked", code: "payee", heldAt: 1 },
    ] as const) {
      assert.deepStrictEqual(sumsOf([taken(part)], { balances: debt }), [paying])
      const sent = sumsOf([taken(part)], { booked: [outflowId] })
      assert.deepStrictEqual(sent, [paying])
    }
    const paid = { _tag: "Paid", ...carried, txHash: "0x1" } as const
    assert.deepStrictEqual(sumsOf([taken(paid)]), [{ ...none, merchantId, token, left: net - 22n }])
  })

  it("counts what the ledger keeps for refunds, and what the merchant owes", () => {
    const balances = [
      [{ _tag: "Kept", merchantId, address: destination }, -7n],
      [{ _tag: "Debt", merchantId }, 3n],
      [{ _tag: "Owed", merchantId, address: destination }, -100n],
      [{ _tag: "Fees", partnerId: payment.partnerId }, -5n],
    ] as const
    assert.deepStrictEqual(sumsOf([], { balances }), [
      { ...none, merchantId, token, reserved: 7n, debt: 3n },
    ])
    assert.deepStrictEqual(sumsOf([], { balances: [[{ _tag: "Debt", merchantId }, 0n]] }), [])
  })

  it("holds back what the partner's delay or reserve says, and never more than is left", () => {
    const { succeededAt } = payment.state._tag === "Succeeded" ? payment.state : assert.fail()
    const [delayed] = sumsOf([payment], {
      terms: { limits: { payoutDelayInMs: 1000 }, now: succeededAt + 999 },
    })
    assert.strictEqual(delayed?.heldBack, net)
    const reserve = Result.getOrThrow(PartnerLimits.parseReserve("50% 1d"))
    const all = { _tag: "Netted", netted: quantity(net - 1n) } as const
    const [rest] = sumsOf([taken(all)], { terms: { limits: { reserve }, now: succeededAt } })
    assert.strictEqual(rest?.heldBack, 1n)
  })
})

describe("MerchantBalance.of", () => {
  const sums = { ...none, merchantId, token, left: 100n, heldBack: 30n, inPayout: 5n, reserved: 2n }

  it("divides what is left into what the next payout takes and what it does not", () => {
    assert.deepStrictEqual(MerchantBalance.of(sums, false), {
      available: 70n,
      pending: 30n,
      inPayout: 5n,
      reserved: 2n,
      debt: 0n,
    })
  })

  it("has nothing available of a merchant that is frozen", () => {
    assert.deepInclude(MerchantBalance.of(sums, true), { available: 0n, pending: 100n })
  })

  it.each([
    [20n, { available: 50n, debt: 0n }],
    [70n, { available: 0n, debt: 0n }],
    [90n, { available: 0n, debt: 20n }],
  ])("sets off a debt of %s against what is available", (debt, expected) => {
    assert.deepInclude(MerchantBalance.of({ ...sums, debt }, false), { ...expected, pending: 30n })
  })
})

describe("MerchantBalance.parse", () => {
  const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
  const scope: MerchantBalance.Scope = {
    partnerId: PartnerId.PartnerId.make("prtn_1"),
    mode: "live",
  }
  const options = { key, scope, catalog: BuiltIn.catalog }
  const parse = (raw: MerchantBalance.Raw, own = options) => MerchantBalance.parse(raw, own)
  const asset = `${token.chainId}/erc20:${token.address}`
  const tokenKey = Caip.tokenKey(token)
  const merchant = { createdAt: 1_790_000_000_000, id: MerchantId.MerchantId.make("mrch_1") }

  it("reads a merchant and a token, and sets no filter by default", () => {
    assert.deepStrictEqual(parse({}), Result.succeed({ filter: {}, limit: 50, after: null }))
    assert.deepStrictEqual(
      parse({ merchantId: "mrch_1", asset, limit: "7" }),
      Result.succeed({ filter: { merchantId: merchant.id, token }, limit: 7, after: null }),
    )
  })

  it("finds nothing for a text that can be no merchant's id", () => {
    assert.deepStrictEqual(parse({ merchantId: "nobody" }), Result.succeed(null))
  })

  it("reports everything that is wrong", () => {
    const wrong = Result.getOrThrow(Result.flip(parse({ asset: "USDC", limit: "0", cursor: "x" })))
    assert.deepStrictEqual(
      wrong.issues.map(({ field }) => field),
      ["asset", "cursor", "limit"],
    )
  })

  it("continues after a balance, in a list of the same owner and filters only", () => {
    const position = { merchant, tokenKey }
    const cursor = MerchantBalance.encodeCursor(key, scope, { asset }, position)
    const next = Result.getOrThrow(parse({ asset, cursor }))
    assert.deepStrictEqual(next?.after, position)
    const others: ReadonlyArray<Parameters<typeof parse>> = [
      [{ cursor }],
      [
        { asset, cursor },
        { ...options, scope: { ...scope, mode: "test" } },
      ],
    ]
    for (const other of others) {
      const refused = Result.getOrThrow(Result.flip(parse(...other)))
      assert.deepStrictEqual(refused.issues, [{ field: "cursor", message: Cursor.rule }])
    }
  })

  it("lists the newest merchant first, and the tokens of one by their texts", () => {
    const older = { createdAt: merchant.createdAt - 1, id: merchant.id }
    const positions: ReadonlyArray<MerchantBalance.Position> = [
      { merchant, tokenKey: "a" },
      { merchant, tokenKey: "b" },
      { merchant: older, tokenKey: "a" },
    ]
    assert.deepStrictEqual(positions.toReversed().toSorted(MerchantBalance.compare), positions)
    const [first = assert.fail()] = positions
    assert.strictEqual(MerchantBalance.compare(first, { ...first }), 0)
  })
})
