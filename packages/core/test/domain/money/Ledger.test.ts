import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Money from "@florin/core/domain/ground/Money"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const refusal = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))
const value = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)
const quantity = (of: bigint): Money.Quantity => value(Money.fromBigInt(of))
const account = (text: string): Caip.Account => value(Eip155.parseAccount(text))

const [base, bsc] = [8453, 56].map((chainId) => {
  const [asset] = Catalog.assetsOf(BuiltIn.catalog, Eip155.chainId(chainId))
  assert(asset !== undefined)
  return asset.token
})
assert(base !== undefined && bsc !== undefined)

const payer = account(`eip155:8453:0x${"a".repeat(40)}`)
const destination = account(`eip155:8453:0x${"b".repeat(40)}`)
const relayer = Caip.Address.make(`0x${"c".repeat(40)}`)
const merchantId = MerchantId.MerchantId.make("mrch_1")
const partnerId = PartnerId.PartnerId.make("prtn_1")

const accounts = {
  payer: { _tag: "Payer", account: payer },
  collecting: { _tag: "Collecting", chainId: base.chainId, address: relayer },
  owed: { _tag: "Owed", merchantId, address: relayer },
  kept: { _tag: "Kept", merchantId, address: relayer },
  fees: { _tag: "Fees", partnerId },
  settled: { _tag: "Settled", merchantId, destination },
  suspense: { _tag: "Suspense", address: relayer },
  debt: { _tag: "Debt", merchantId },
  loss: { _tag: "Loss" },
  operator: { _tag: "Operator" },
  transit: { _tag: "Transit" },
} satisfies Record<string, Ledger.Account>

const charge = (total: bigint, net: bigint): Fees.Charge => ({
  total: quantity(total),
  fixed: Money.zero,
  net: quantity(net),
})
const held = { collecting: relayer, token: base }
const paid = (total: bigint, net: bigint): Ledger.Paid => ({
  ...held,
  payer,
  merchantId,
  partnerId,
  charge: charge(total, net),
})
/** All of it goes back to the payer. */
const paidBack = ({ charge: { net, total }, ...of }: Ledger.Paid): Ledger.Refunded => ({
  ...of,
  quantity: quantity(total + net),
  own: Money.zero,
  fee: total,
})
const refundedBefore = (of: Ledger.Paid) => Ledger.refund({ ...paidBack(of), own: of.charge.net })
const refundedAfter = (of: Ledger.Paid, ...kept: ReadonlyArray<Ledger.Kept>) =>
  Ledger.refund({ ...paidBack(of), kept })
const moved = (of: bigint) => ({ ...held, quantity: quantity(of) })
const late = (of: bigint): Ledger.Late => ({ ...moved(of), payer })
const settled = (of: bigint, kept: bigint) =>
  Fixtures.settlement({ ...moved(of), merchantId, destination, netted: quantity(kept) })
const advanced = (of: bigint) => Fixtures.advance({ ...moved(of), merchantId, destination })
const netted = (of: bigint) => Ledger.netting({ ...moved(of), merchantId })
const keptBack = (of: bigint) => Ledger.keptBack({ ...moved(of), merchantId })
const elsewhere = Caip.Address.make(`0x${"d".repeat(40)}`)
const keptOn = (collecting: Caip.Address, of: bigint): Ledger.Kept => ({
  collecting,
  quantity: quantity(of),
})

const posting = (of: Ledger.Account, delta: bigint, token: Caip.Token = base): Ledger.Posting => ({
  account: of,
  token,
  delta,
})
/** The postings of a transaction, each with the name of its account here, after its own check has passed. */
const lines = (of: Ledger.Transaction): string => {
  assert.deepStrictEqual(value(Ledger.transaction(of.kind, of.postings)), of)
  assert.isTrue(Schema.is(Ledger.Transaction)(of))
  for (const each of of.postings) assert.isTrue(Caip.sameToken(each.token, base))
  const names = new Map(
    Object.entries(accounts).map(([name, each]) => [Ledger.accountKey(each), name]),
  )
  return of.postings
    .map(({ account: each, delta }) => {
      const key = Ledger.accountKey(each)
      return `${names.get(key) ?? key} ${delta}`
    })
    .join(", ")
}

const payerKey = `payer:eip155:8453:0x${"a".repeat(40)}`
const collectingKey = `collecting:eip155:8453:0x${"c".repeat(40)}`
const owedKey = `owed:mrch_1:${relayer}`
const keptKey = `kept:mrch_1:${relayer}`
const suspenseKey = `suspense:${relayer}`
const settledKey = `settled:mrch_1:eip155:8453:0x${"b".repeat(40)}`

describe("Ledger accounts", () => {
  it("have a key each", () => {
    assert.deepStrictEqual(
      Object.values(accounts).map((each) => Ledger.accountKey(each)),
      [
        payerKey,
        collectingKey,
        owedKey,
        keptKey,
        "fees:prtn_1",
        settledKey,
        suspenseKey,
        "debt:mrch_1",
        "loss",
        "operator",
        "transit",
      ],
    )
    assert.strictEqual(
      Caip.tokenKey(base),
      "eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    )
    assert.strictEqual(
      Ledger.balanceKey(accounts.owed, base),
      `owed:mrch_1:${relayer} eip155:8453:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913`,
    )
  })

  it.prop(
    "have different keys if they are different accounts",
    [Ledger.Account, Ledger.Account],
    ([left, right]) => {
      const same = JSON.stringify(left) === JSON.stringify(right)
      assert.strictEqual(Ledger.accountKey(left) === Ledger.accountKey(right), same)
    },
    { arbitrary: { runs: Counts.of({ usual: 1_000, full: 50_000 }) } },
  )

  it("have balances on one side of zero", () => {
    const cases = [
      // account, side, sound at −1, 0, 1
      [accounts.payer, "outside", false, true, false],
      [accounts.collecting, "debit", false, true, true],
      [accounts.owed, "credit", true, true, false],
      [accounts.kept, "credit", true, true, false],
      [accounts.fees, "free", true, true, true],
      [accounts.settled, "outside", false, true, false],
      [accounts.suspense, "credit", true, true, false],
      [accounts.debt, "debit", false, true, true],
      [accounts.loss, "debit", false, true, true],
      [accounts.operator, "free", true, true, true],
      [accounts.transit, "debit", false, true, true],
    ] as const
    for (const [of, side, below, zero, above] of cases) {
      assert.strictEqual(Ledger.side[of._tag], side)
      assert.strictEqual(Ledger.isSound(of, -1n), below)
      assert.strictEqual(Ledger.isSound(of, 0n), zero)
      assert.strictEqual(Ledger.isSound(of, 1n), above)
    }
    assert.lengthOf(cases, Object.keys(Ledger.side).length)
  })
})

describe("Ledger.transaction", () => {
  const refused = (postings: ReadonlyArray<Ledger.Posting>, message: string) => {
    const error = refusal(Ledger.transaction("collect", postings))
    assert.strictEqual(error._tag, "Malformed")
    assert.strictEqual(error.message, message)
  }

  it("accepts postings that sum to zero for each token", () => {
    const postings = [
      posting(accounts.owed, 3n),
      posting(accounts.debt, -2n),
      posting(accounts.loss, -1n),
      posting(accounts.owed, 5n, bsc),
      posting(accounts.operator, -5n, bsc),
    ]
    assert.deepStrictEqual(value(Ledger.transaction("net", postings)), { kind: "net", postings })
  })

  it("refuses a transaction without postings, and a posting of 0", () => {
    refused([], "a transaction has postings: nothing moves")
    const zero = "a posting moves at least one unit: leave it out"
    refused([posting(accounts.owed, 0n)], zero)
    const balanced = [posting(accounts.owed, 1n), posting(accounts.debt, -1n)]
    refused([...balanced, posting(accounts.loss, 0n)], zero)
  })

  it("refuses a sum of one unit too much or too little, in any token", () => {
    const sum = (token: Caip.Token) =>
      `the postings of token ${Caip.tokenKey(token)} do not sum to zero`
    refused([posting(accounts.owed, 1n)], sum(base))
    for (const delta of [-1n, 1n]) {
      refused(
        [posting(accounts.collecting, 100n), posting(accounts.owed, -100n + delta)],
        sum(base),
      )
      refused(
        [
          posting(accounts.owed, 1n),
          posting(accounts.debt, -1n),
          posting(accounts.owed, delta, bsc),
        ],
        sum(bsc),
      )
    }
    // Tokens never make up for one another.
    refused([posting(accounts.owed, 1n), posting(accounts.owed, -1n, bsc)], sum(base))
  })

  it("refuses a token of another chain on an account that belongs to one chain", () => {
    for (const of of [accounts.payer, accounts.collecting, accounts.settled]) {
      refused(
        [posting(of, 1n, bsc), posting(accounts.owed, -1n, bsc)],
        "an account on chain eip155:8453 holds no tokens of eip155:56",
      )
      assert.isTrue(
        Result.isSuccess(Ledger.transaction("net", [posting(of, 1n), posting(accounts.owed, -1n)])),
      )
    }
  })
})

describe("Ledger movements", () => {
  const movements: ReadonlyArray<
    readonly [kind: Ledger.Transaction["kind"], why: string, of: Ledger.Transaction, lines: string]
  > = [
    [
      "collect",
      "moves from the payer to the collecting account; the net is owed, the fee is ours",
      Ledger.collection(paid(1n, 99n)),
      "payer -100, collecting 100, payer 100, owed -99, fees -1",
    ],
    [
      "collect",
      "has no posting for a fee of 0",
      Ledger.collection(paid(0n, 100n)),
      "payer -100, collecting 100, payer 100, owed -100",
    ],
    [
      "collect",
      "has no posting for a net of 0",
      Ledger.collection(paid(100n, 0n)),
      "payer -100, collecting 100, payer 100, fees -100",
    ],
    [
      "refund",
      "before the settlement reverses everything that the collection wrote",
      refundedBefore(paid(1n, 99n)),
      "payer 100, collecting -100, payer -100, owed 99, fees 1",
    ],
    [
      "refund",
      "after the settlement makes the net the merchant's debt, and returns the fee",
      refundedAfter(paid(1n, 99n)),
      "payer 100, collecting -100, payer -100, debt 99, fees 1",
    ],
    [
      "refund",
      "after the settlement uses what was kept for it first, and only the rest is debt (S5)",
      refundedAfter(paid(1n, 99n), keptOn(relayer, 60n), keptOn(elsewhere, 30n)),
      `payer 100, collecting -100, payer -100, kept 60, kept:mrch_1:${elsewhere} 30, debt 9, fees 1`,
    ],
    [
      "refund",
      "after the settlement is no debt if enough was kept for it (S5)",
      refundedAfter(paid(1n, 99n), keptOn(relayer, 99n)),
      "payer 100, collecting -100, payer -100, kept 99, fees 1",
    ],
    [
      "refund",
      "of a part uses what was not paid out of the share first, and returns a part of the fee",
      Ledger.refund({
        ...paidBack(paid(1n, 99n)),
        quantity: quantity(50n),
        own: quantity(20n),
        fee: Money.zero,
      }),
      "payer 50, collecting -50, payer -50, owed 20, debt 30",
    ],
    ["keep", "moves no account of ours", keptBack(99n), "owed 99, kept -99"],
    [
      "settle",
      "moves from the collecting account to the destination",
      settled(99n, 0n),
      "collecting -99, settled 99, settled -99, owed 99",
    ],
    [
      "settle",
      "keeps a part to pay off the debt",
      settled(60n, 39n),
      "collecting -60, settled 60, settled -60, owed 99, debt -39",
    ],
    [
      "settle",
      "beyond what was owed becomes the merchant's debt",
      advanced(99n),
      "collecting -99, settled 99, settled -99, debt 99",
    ],
    ["net", "moves no account of ours", netted(99n), "owed 99, debt -99"],
    [
      "suspend",
      "holds late money",
      Ledger.suspension(late(7n)),
      "payer -7, collecting 7, payer 7, suspense -7",
    ],
    [
      "return",
      "sends late money where it came from",
      Ledger.lateReturn(late(7n)),
      "payer 7, collecting -7, payer -7, suspense 7",
    ],
    ["lose", "takes tokens away", Ledger.disappearance(moved(5n)), "collecting -5, loss 5"],
    ["fund", "brings tokens in", Ledger.funding(moved(5n)), "collecting 5, operator -5"],
    ["withdraw", "takes tokens out", Ledger.withdrawal(moved(5n)), "collecting -5, operator 5"],
    [
      "reverse",
      "has the same postings the other way round",
      Ledger.reversal(settled(60n, 39n)),
      "collecting 60, settled -60, settled 60, owed -99, debt 39",
    ],
  ]
  it.each(movements)("%s %s", (kind, _, of, expected) => {
    assert.strictEqual(of.kind, kind)
    assert.strictEqual(lines(of), expected)
  })

  it("are refused if nothing moves, or if an account is on another chain", () => {
    const why = (of: Ledger.Transaction) =>
      refusal(Ledger.transaction(of.kind, of.postings)).message
    for (const of of [
      Ledger.collection(paid(0n, 0n)),
      settled(0n, 0n),
      netted(0n),
      Ledger.disappearance(moved(0n)),
    ]) {
      assert.match(why(of), /nothing moves/u)
    }
    const onBsc = account(`eip155:56:0x${"b".repeat(40)}`)
    assert.match(why(Ledger.collection({ ...paid(1n, 1n), payer: onBsc })), /on chain eip155:56/u)
    assert.match(
      why(
        Fixtures.settlement({
          ...moved(1n),
          merchantId,
          destination: onBsc,
          netted: Money.zero,
        }),
      ),
      /on chain eip155:56/u,
    )
  })

  it.prop(
    "sum to zero for every token and quantity",
    [Money.Quantity, Money.Quantity],
    ([left, right]) => {
      const total = left / 2n
      const net = right / 2n
      const all = [
        Ledger.collection(paid(total, net)),
        refundedBefore(paid(total, net)),
        refundedAfter(paid(total, net)),
        settled(left, right),
        advanced(left),
        netted(left),
        keptBack(left),
        refundedAfter(paid(total, net), keptOn(relayer, net / 3n), keptOn(elsewhere, net / 2n)),
        Ledger.suspension(late(left)),
        Ledger.lateReturn(late(left)),
        Ledger.disappearance(moved(left)),
        Ledger.funding(moved(left)),
        Ledger.withdrawal(moved(left)),
        Ledger.departure(moved(left)),
        Ledger.arrival(moved(left)),
      ]
      for (const each of all) {
        for (const of of [each, Ledger.reversal(each)]) {
          assert.strictEqual(
            of.postings.reduce((sum, { delta }) => sum + delta, 0n),
            0n,
          )
        }
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})

describe("Ledger.balances", () => {
  it("adds up postings by account and token", () => {
    const balances = Ledger.balances([
      Ledger.collection(paid(1n, 99n)),
      Ledger.collection(paid(2n, 48n)),
      settled(99n, 0n),
      {
        kind: "fund",
        postings: [posting(accounts.operator, -9n, bsc), posting(accounts.loss, 9n, bsc)],
      },
    ])
    assert.deepStrictEqual(
      [...balances].map(([key, { balance }]) => [key, balance]),
      [
        [`${payerKey} ${Caip.tokenKey(base)}`, 0n],
        [`${collectingKey} ${Caip.tokenKey(base)}`, 51n],
        [`owed:mrch_1:${relayer} ${Caip.tokenKey(base)}`, -48n],
        [`fees:prtn_1 ${Caip.tokenKey(base)}`, -3n],
        [`${settledKey} ${Caip.tokenKey(base)}`, 0n],
        [`operator ${Caip.tokenKey(bsc)}`, -9n],
        [`loss ${Caip.tokenKey(bsc)}`, 9n],
      ],
    )
    assert.strictEqual(Ledger.balanceOf(balances, accounts.collecting, base), 51n)
    assert.strictEqual(Ledger.balanceOf(balances, accounts.operator, bsc), -9n)
    assert.strictEqual(Ledger.balanceOf(balances, accounts.operator, base), 0n)
    assert.deepStrictEqual(balances.get(Ledger.balanceKey(accounts.owed, base)), {
      account: accounts.owed,
      token: base,
      balance: -48n,
    })
    assert.strictEqual(Ledger.balances([]).size, 0)
  })

  it("returns the accounts on the wrong side of zero", () => {
    assert.deepStrictEqual(Ledger.unsound(Ledger.balances([Ledger.collection(paid(1n, 99n))])), [])
    assert.deepStrictEqual(Ledger.unsound(Ledger.balances([settled(99n, 1n)])), [
      { account: accounts.collecting, token: base, balance: -99n },
      { account: accounts.owed, token: base, balance: 100n },
      { account: accounts.debt, token: base, balance: -1n },
    ])
    assert.deepStrictEqual(Ledger.unsound(Ledger.balances([netted(1n)])), [
      { account: accounts.owed, token: base, balance: 1n },
      { account: accounts.debt, token: base, balance: -1n },
    ])
    assert.deepStrictEqual(
      Ledger.unsound(Ledger.balances([Ledger.lateReturn(late(1n))])).map(
        (each) => each.account._tag,
      ),
      ["Collecting", "Suspense"],
    )
  })
})

describe("Ledger.float", () => {
  const float = (...of: ReadonlyArray<Ledger.Transaction>) =>
    Ledger.float(Ledger.balances(of), held)

  it("is what the service holds beyond what it owes to others", () => {
    assert.strictEqual(float(), 0n)
    assert.strictEqual(float(Ledger.collection(paid(1n, 99n))), 1n)
    assert.strictEqual(float(Ledger.collection(paid(1n, 99n)), Ledger.suspension(late(50n))), 1n)
    assert.strictEqual(float(Ledger.collection(paid(1n, 99n)), settled(99n, 0n)), 1n)
    assert.strictEqual(float(Ledger.funding(moved(10n))), 10n)
    assert.strictEqual(float(Ledger.funding(moved(10n)), Ledger.disappearance(moved(3n))), 7n)
    assert.strictEqual(
      float(
        Ledger.funding(moved(200n)),
        Ledger.collection(paid(1n, 99n)),
        settled(99n, 0n),
        refundedAfter(paid(1n, 99n)),
      ),
      101n,
    )
    assert.strictEqual(float(Ledger.collection(paid(0n, 99n)), Ledger.withdrawal(moved(40n))), -40n)
  })

  it("S4: counts one token on one account only", () => {
    const balances = Ledger.balances([
      Ledger.funding(moved(10n)),
      Ledger.collection({ ...paid(1n, 99n), collecting: elsewhere }),
      Ledger.suspension({ ...late(5n), collecting: elsewhere }),
    ])
    assert.strictEqual(Ledger.float(balances, { ...held, token: bsc }), 0n)
    assert.strictEqual(Ledger.float(balances, held), 10n)
    assert.strictEqual(Ledger.float(balances, { ...held, collecting: elsewhere }), 1n)
  })

  it("S5: does not grow by money that is kept for a refund", () => {
    const collected = Ledger.collection(paid(1n, 99n))
    assert.strictEqual(float(collected, keptBack(60n)), float(collected))
  })

  it("S5: is used by a refund only for what was not kept on the account that it leaves", () => {
    const refunded = (...kept: ReadonlyArray<Ledger.Kept>) => refundedAfter(paid(0n, 99n), ...kept)
    assert.deepStrictEqual(Ledger.drawn(refunded(keptOn(relayer, 99n))), [])
    assert.deepStrictEqual(Ledger.drawn(refunded(keptOn(relayer, 98n))), [held])
    assert.deepStrictEqual(Ledger.drawn(refunded(keptOn(elsewhere, 99n))), [held])
  })

  it("is used by refunds after the settlement, returned fees and withdrawals", () => {
    const drawing = [
      Ledger.withdrawal(moved(1n)),
      Ledger.departure(moved(1n)),
      refundedAfter(paid(1n, 99n)),
      refundedAfter(paid(0n, 100n)),
      // The merchant gets nothing here, but the fee may have been withdrawn.
      refundedAfter(paid(100n, 0n)),
      refundedBefore(paid(1n, 99n)),
      refundedBefore(paid(100n, 0n)),
    ]
    for (const each of drawing) assert.deepStrictEqual(Ledger.drawn(each), [held])
    const others = [
      refundedBefore(paid(0n, 100n)),
      Ledger.collection(paid(1n, 99n)),
      settled(99n, 0n),
      settled(60n, 39n),
      advanced(1n),
      netted(1n),
      Ledger.suspension(late(1n)),
      Ledger.lateReturn(late(1n)),
      Ledger.funding(moved(1n)),
      Ledger.arrival(moved(1n)),
      // What the chain did cannot be refused.
      Ledger.disappearance(moved(1n)),
      Ledger.reversal(settled(60n, 39n)),
      Ledger.reversal(Ledger.funding(moved(1n))),
    ]
    for (const each of others) assert.deepStrictEqual(Ledger.drawn(each), [])
  })
})

describe("Ledger.holdings", () => {
  it("is what each of the service's accounts holds of each token, and how much of it is owed or kept", () => {
    const holdings = Ledger.holdings(
      Ledger.balances([
        Ledger.collection(paid(1n, 99n)),
        keptBack(60n),
        Ledger.suspension(late(7n)),
        Ledger.funding({ ...moved(5n), collecting: elsewhere }),
        Ledger.funding({ ...moved(4n), token: bsc }),
      ]),
    )
    assert.sameDeepMembers(
      [...holdings],
      [
        { ...held, holds: 107n, owed: 106n },
        { collecting: elsewhere, token: base, holds: 5n, owed: 0n },
        { collecting: relayer, token: bsc, holds: 4n, owed: 0n },
      ],
    )
    assert.deepStrictEqual(Ledger.holdings(Ledger.balances([])), [])
  })

  it("lists an account that is empty again, and shows what is owed even if the chain took the money", () => {
    const empty = Ledger.balances([Ledger.funding(moved(5n)), Ledger.withdrawal(moved(5n))])
    assert.deepStrictEqual(Ledger.holdings(empty), [{ ...held, holds: 0n, owed: 0n }])
    const robbed = Ledger.balances([
      Ledger.collection(paid(0n, 9n)),
      Ledger.disappearance(moved(9n)),
    ])
    assert.deepStrictEqual(Ledger.holdings(robbed), [{ ...held, holds: 0n, owed: 9n }])
  })
})

describe("Ledger over the lives of payments", () => {
  const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
  const Step = Schema.Struct({
    what: Schema.Literals([
      "collect",
      "collect",
      "collect",
      "settle",
      "settle",
      "refund",
      "refund",
      "reverse",
      "suspend",
      "return",
      "lose",
      "fund",
      "withdraw",
      "move",
      "move",
      "arrive",
      "arrive",
    ]),
    pick: small(1_000),
    payer: small(2),
    merchant: small(1),
    chain: small(1),
    collecting: small(1),
    fee: small(9),
    net: small(99),
    scale: Schema.Literals([0, 6, 18, 70]),
  })

  interface Live {
    readonly paid: Ledger.Paid
    readonly settledTo: Caip.Account
    readonly stage: "collected" | "settled" | "refunded"
  }

  const tokens = [base, bsc]
  const at = <A>(items: ReadonlyArray<A>, index: number): A | undefined =>
    items[index % Math.max(items.length, 1)]

  /** Plays the steps that are possible, and holds the ledger to an independent count of tokens after each. */
  const play = (steps: ReadonlyArray<typeof Step.Type>): void => {
    const transactions: Array<Ledger.Transaction> = []
    const lives: Array<Live> = []
    const waiting: Array<Ledger.Late> = []
    const moving: Array<Parameters<typeof Ledger.arrival>[0]> = []
    const chain = new Map<string, { readonly held: Held; balance: bigint; isRobbed: boolean }>()
    /** What each merchant has a right to in each token: owed less debt. */
    const rights = new Map<string, bigint>()

    interface Held {
      readonly collecting: Caip.Address
      readonly token: Caip.Token
    }
    const onChain = (of: Held) => {
      const key = `${of.token.chainId} ${of.collecting}`
      const found = chain.get(key)
      if (found !== undefined) return found
      const fresh = { held: of, balance: 0n, isRobbed: false }
      chain.set(key, fresh)
      return fresh
    }
    const right = (of: Ledger.Paid, delta: bigint) => {
      const key = `${of.merchantId} ${of.token.chainId}`
      rights.set(key, (rights.get(key) ?? 0n) + delta)
    }
    const balanceOf = (of: Ledger.Account, token: Caip.Token) =>
      Ledger.balanceOf(Ledger.balances(transactions), of, token)

    /** Writes a transaction that moves `delta` on the chain, unless the books forbid it. */
    const write = (of: Ledger.Transaction, where: Held, delta: bigint): boolean => {
      const after = Ledger.balances([...transactions, of])
      const forbidden =
        Ledger.unsound(after).length > 0 ||
        Ledger.drawn(of).some((each) => Ledger.float(after, each) < 0n)
      if (forbidden) {
        // Only a short account or a short float forbids anything; the merchant's and the sender's claims never do.
        assert.isTrue(onChain(where).balance + delta < 0n || Ledger.float(after, where) < 0n)
        return false
      }
      transactions.push(of)
      onChain(where).balance += delta
      return true
    }

    for (const step of steps) {
      const token = at(tokens, step.chain) ?? base
      const where: Held = {
        collecting: Caip.Address.make(`0x${String(step.collecting).repeat(40)}`),
        token,
      }
      const from: Caip.Account = {
        chainId: token.chainId,
        address: Caip.Address.make(`0x${String(7 + step.payer).repeat(40)}`),
      }
      const scale = 10n ** BigInt(step.scale)
      const fee = quantity(BigInt(step.fee) * scale)
      const net = quantity(BigInt(step.net) * scale)
      const amount = quantity(fee + net)
      const live = at(lives, step.pick)
      switch (step.what) {
        case "collect": {
          if (amount === 0n) break
          const of: Ledger.Paid = {
            ...where,
            payer: from,
            merchantId: MerchantId.MerchantId.make(`mrch_${step.merchant}`),
            partnerId,
            charge: charge(fee, net),
          }
          assert.isTrue(write(Ledger.collection(of), where, amount))
          right(of, net)
          lives.push({ paid: of, settledTo: from, stage: "collected" })
          break
        }
        case "settle": {
          if (live?.stage !== "collected" || live.paid.charge.net === 0n) break
          const { charge: split, merchantId: merchant } = live.paid
          const owing = quantity(balanceOf({ _tag: "Debt", merchantId: merchant }, live.paid.token))
          const kept = Money.min(owing, split.net)
          const sent = quantity(split.net - kept)
          const of =
            sent === 0n
              ? Ledger.netting({ ...live.paid, quantity: kept })
              : Fixtures.settlement({
                  ...live.paid,
                  destination: live.settledTo,
                  quantity: sent,
                  netted: kept,
                })
          if (!write(of, live.paid, -sent)) break
          right(live.paid, -sent)
          lives[lives.indexOf(live)] = { ...live, stage: "settled" }
          break
        }
        case "refund": {
          if (live === undefined || live.stage === "refunded") break
          const of =
            live.stage === "collected" ? refundedBefore(live.paid) : refundedAfter(live.paid)
          if (!write(of, live.paid, -(live.paid.charge.total + live.paid.charge.net))) break
          right(live.paid, -live.paid.charge.net)
          lives[lives.indexOf(live)] = { ...live, stage: "refunded" }
          break
        }
        case "reverse": {
          const last = transactions.at(-1)
          const committed = last?.postings[0]
          if (last?.kind !== "withdraw" || committed?.account._tag !== "Collecting") break
          const back = { collecting: committed.account.address, token: committed.token }
          assert.isTrue(write(Ledger.reversal(last), back, -committed.delta))
          break
        }
        case "suspend": {
          if (amount === 0n) break
          const of = { ...where, payer: from, quantity: amount }
          assert.isTrue(write(Ledger.suspension(of), where, amount))
          waiting.push(of)
          break
        }
        case "return": {
          const of = at(waiting, step.pick)
          if (of !== undefined && write(Ledger.lateReturn(of), of, -of.quantity)) {
            waiting.splice(waiting.indexOf(of), 1)
          }
          break
        }
        case "lose": {
          const gone = Money.clamp(onChain(where).balance, quantity(fee))
          if (gone > 0n) {
            assert.isTrue(write(Ledger.disappearance({ ...where, quantity: gone }), where, -gone))
            onChain(where).isRobbed = true
          }
          break
        }
        case "fund": {
          if (amount > 0n) {
            assert.isTrue(write(Ledger.funding({ ...where, quantity: amount }), where, amount))
          }
          break
        }
        case "withdraw": {
          // Often all that may be taken, so that what comes next finds an empty float.
          const { balance } = onChain(where)
          const free = Ledger.float(Ledger.balances(transactions), where)
          const all = Money.clamp(free < balance ? free : balance, quantity(Limits.maxQuantity))
          const taken = step.pick % 4 === 0 ? amount : all
          if (taken > 0n) write(Ledger.withdrawal({ ...where, quantity: taken }), where, -taken)
          break
        }
        case "move": {
          const free = Ledger.float(Ledger.balances(transactions), where)
          const quantityMoved =
            step.pick % 4 === 0 ? amount : Money.clamp(free, quantity(Limits.maxQuantity))
          const leaving = { ...where, quantity: quantityMoved }
          if (quantityMoved > 0n && write(Ledger.departure(leaving), where, -quantityMoved)) {
            const address = Caip.Address.make(`0x${String(1 - step.collecting).repeat(40)}`)
            moving.push({ ...leaving, collecting: address })
          }
          break
        }
        case "arrive": {
          const of = at(moving, step.pick)
          if (of === undefined) break
          assert.isTrue(write(Ledger.arrival(of), of, of.quantity))
          moving.splice(moving.indexOf(of), 1)
        }
      }

      const balances = Ledger.balances(transactions)
      const total = (of: Caip.Token, isPart: (account: Ledger.Account) => boolean): bigint =>
        [...balances.values()]
          .filter(({ account: each, token: in_ }) => Caip.sameToken(in_, of) && isPart(each))
          .reduce((sum, { balance }) => sum + balance, 0n)
      assert.deepStrictEqual(Ledger.unsound(balances), [])
      for (const each of tokens) {
        let sum = 0n
        for (const of of balances.values()) {
          if (Caip.sameToken(of.token, each)) sum += of.balance
        }
        assert.strictEqual(sum, 0n)
      }
      for (const { held: place, balance } of chain.values()) {
        const of: Ledger.Account = {
          _tag: "Collecting",
          chainId: place.token.chainId,
          address: place.collecting,
        }
        assert.strictEqual(Ledger.balanceOf(balances, of, place.token), balance)
      }
      for (const merchant of ["mrch_0", "mrch_1"].map((id) => MerchantId.MerchantId.make(id))) {
        for (const each of tokens) {
          const owing =
            -total(each, (of) => of._tag === "Owed" && of.merchantId === merchant) -
            Ledger.balanceOf(balances, { _tag: "Debt", merchantId: merchant }, each)
          assert.strictEqual(owing, rights.get(`${merchant} ${each.chainId}`) ?? 0n)
        }
      }
      for (const each of tokens) {
        const suspended = waiting
          .filter((of) => Caip.sameToken(of.token, each))
          .reduce((sum, of) => sum + of.quantity, 0n)
        assert.strictEqual(
          total(each, (of) => of._tag === "Suspense"),
          -suspended,
        )
      }
      for (const { holds, owed, ...place } of Ledger.holdings(balances)) {
        assert.strictEqual(holds, onChain(place).balance)
        assert.strictEqual(holds - owed, Ledger.float(balances, place))
      }
      // Unless the chain took it from us, what is owed from an account is always on it.
      for (const place of chain.values()) {
        if (!place.isRobbed) assert.isTrue(Ledger.float(balances, place.held) >= 0n)
      }
    }
  }

  it.prop(
    "M22, S4: every token is accounted for, and no account crosses zero or owes more than it holds",
    [Arbitrary.array(Arbitrary.schema(Step), { minLength: 30, maxLength: 60 })],
    ([steps]) => play(steps),
    { arbitrary: { runs: Counts.of({ usual: 60, full: 3_000 }) } },
  )
})
