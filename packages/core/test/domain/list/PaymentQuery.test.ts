import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Invalid from "@florin/core/domain/ground/Invalid"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Money from "@florin/core/domain/ground/Money"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Cursor from "@florin/core/domain/list/Cursor"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import * as PaymentStats from "@florin/core/domain/list/PaymentStats"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Payment from "@florin/core/domain/payment/Payment"
import type * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Samples from "../samples.ts"

const runs = Counts.of({ usual: 300, full: 20_000 })
const fuzzRuns = Counts.of({ usual: 1000, full: 100_000 })

const { catalog } = BuiltIn

const key = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(7)]))
const partnerId = PartnerId.PartnerId.make("prtn_1")
const merchants = ["mrch_a", "mrch_b", "mrch_c"].map((id) => MerchantId.MerchantId.make(id))
const scope: PaymentQuery.Scope = { partnerId, mode: "live", merchantId: null }
const scopeText = PaymentQuery.scopeText(scope)
const options: PaymentQuery.ParseOptions = { key, catalog, scopeText }

const token = (text: string): Caip.Token => Result.getOrThrow(Eip155.parseToken(text, "ignored"))
const address = (digit: number) => Caip.Address.make(`0x${String(digit).repeat(40)}`)
const usdcBase = token("eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")
const usdcBnb = token("eip155:56/erc20:0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d")
const eurcEthereum = token("eip155:1/erc20:0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c")
const usdtEthereum = token("eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7")
const unlisted = token(`eip155:8453/erc20:0x${"1".repeat(40)}`)

/** The contracts that have one of some symbols, in the order of the table. */
const tokensOf = (symbols: ReadonlyArray<string>): ReadonlyArray<Caip.Token> =>
  catalog.assets.filter(({ symbol }) => symbols.includes(symbol)).map((asset) => asset.token)

const withSymbol = (symbol: string): Asset.Asset =>
  catalog.assets.find((each) => each.symbol === symbol) ?? assert.fail(`there is no ${symbol}`)

const base = Date.UTC(2026, 1, 18, 9, 30)
const now = base + 1_000_000

interface Spec {
  readonly id?: string
  /** Milliseconds after {@link base}. */
  readonly at?: number
  readonly unit?: Amount.Unit
  readonly quantity?: bigint
  readonly kind?: Payment.State["_tag"] | "Overdue" | "Declined"
  /** Whether it has a refund, if it succeeded. */
  readonly refunded?: boolean
  readonly merchant?: number
  readonly payer?: number
  readonly paidIn?: Caip.Token
  readonly reference?: string
}

const created = Samples.created()
const success = Samples.succeeded().state
assert(success._tag === "Succeeded")

const stateOf = (spec: Spec, paymentId: PaymentId.PaymentId): Payment.State => {
  const paid = spec.paidIn ?? usdcBase
  const account = { chainId: paid.chainId, address: address(spec.payer ?? 1) }
  const attempt = Samples.attempt({ option: Samples.option({ paymentId, account, token: paid }) })
  const refund = {
    id: Refund.RefundId.make("rfnd_1"),
    requestedAt: base,
    outflowId: OutflowId.OutflowId.make("out_1"),
    to: account,
    token: paid,
    quantity: attempt.option.quantity,
    value: Samples.quantity(spec.quantity ?? 100n),
    fee: Samples.quantity(0n),
    own: attempt.option.quantity,
    state: { _tag: "Pending", waitsForFloat: false },
  } as const
  switch (spec.kind ?? "RequiresAction") {
    case "RequiresAction":
    case "Overdue":
      return { _tag: "RequiresAction" }
    case "Processing":
      return { _tag: "Processing", attempt, slot: null }
    case "Succeeded":
      return { ...success, attempt, refunds: spec.refunded === true ? [refund] : [] }
    case "Failed":
      return { _tag: "Failed", failureCode: null, reason: "reverted", attempt }
    case "Declined":
      return {
        _tag: "Failed",
        failureCode: "declined_user",
        reason: "refused",
        attempt: null,
      }
    case "Expired":
      return { _tag: "Expired" }
    case "Cancelled":
      return { _tag: "Cancelled", reason: "cancelled_by_user", cancelledAt: base }
  }
}

const paymentOf = (spec: Spec = {}): Payment.Payment => {
  const id = PaymentId.PaymentId.make(spec.id ?? "pay_1")
  const createdAt = base + (spec.at ?? 0)
  return {
    ...created,
    id,
    merchantId: merchants[spec.merchant ?? 0] ?? MerchantId.MerchantId.make("mrch_x"),
    referenceId: spec.reference ?? "order 1",
    amount: {
      unit: spec.unit ?? Amount.fiat("USD"),
      quantity: Samples.quantity(spec.quantity ?? 100n),
    },
    createdAt,
    updatedAt: createdAt,
    expiresAt: spec.kind === "Overdue" ? now / 1000 : now / 1000 + 1,
    state: stateOf(spec, id),
  }
}

const units: ReadonlyArray<Amount.Unit> = [
  Amount.fiat("USD"),
  Amount.fiat("EUR"),
  Amount.fiat("JPY"),
  Amount.token(usdcBase),
  Amount.token(usdcBnb),
  Amount.token(eurcEthereum),
  Amount.token(unlisted),
]
const kinds = [
  "RequiresAction",
  "Overdue",
  "Processing",
  "Succeeded",
  "Failed",
  "Declined",
  "Expired",
  "Cancelled",
] as const
const references = ["Order.1+a", "order%1_a", "ORDER x1+a", "Café 12 / ß", "orderX1"] as const
const paidIn = [usdcBase, usdcBnb, eurcEthereum, usdtEthereum, unlisted]
const quantities = [1n, 2n, 10n, 9_007_199_254_740_993n, 2n ** 256n - 1n]

const upTo = (last: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: last }))
const Seed = Schema.Struct({
  salt: upTo(9),
  at: upTo(4),
  unit: upTo(units.length - 1),
  quantity: upTo(quantities.length - 1),
  kind: Schema.Literals(kinds),
  refunded: Schema.Boolean,
  merchant: upTo(2),
  payer: upTo(3),
  paidIn: upTo(paidIn.length - 1),
  reference: Schema.Literals(references),
})
const grown = (seed: typeof Seed.Type, index: number): Payment.Payment =>
  paymentOf({
    ...seed,
    id: `pay_${seed.salt}x${index}`,
    unit: units[seed.unit] ?? Amount.fiat("USD"),
    quantity: quantities[seed.quantity] ?? 1n,
    paidIn: paidIn[seed.paidIn] ?? usdcBase,
  })
const seeds = (maxLength: number) => Arbitrary.array(Arbitrary.schema(Seed), { maxLength })
const payments = (maxLength: number) =>
  Arbitrary.map(seeds(maxLength), (list) => list.map((seed, index) => grown(seed, index)))

const Sort = Schema.Struct({
  by: Schema.Literals(["date", "amount"]),
  direction: Schema.Literals(["asc", "desc"]),
})
const sorts: ReadonlyArray<PaymentSort.Sort> = [
  { by: "date", direction: "asc" },
  { by: "date", direction: "desc" },
  { by: "amount", direction: "asc" },
  { by: "amount", direction: "desc" },
]

const parsed = (raw: PaymentQuery.Raw, more: Partial<PaymentQuery.ParseOptions> = {}) =>
  Result.getOrThrow(PaymentQuery.parse(raw, { ...options, ...more }))

const issuesOf = (
  raw: PaymentQuery.Raw,
  more: Partial<PaymentQuery.ParseOptions> = {},
): ReadonlyArray<Invalid.Issue> => {
  const result = PaymentQuery.parse(raw, { ...options, ...more })
  if (Result.isSuccess(result)) return []
  assert.strictEqual(result.failure._tag, "InvalidInput")
  return result.failure.issues
}

const rules = {
  startTs: "must be an RFC 3339 date-time with an offset, such as 2026-02-18T09:30:00Z",
  endTs: "must be an RFC 3339 date-time with an offset, such as 2026-02-18T09:30:00Z",
  token_symbol: "must be a token symbol, such as USDC, and not a CAIP-19 id",
  asset: "must be a CAIP-19 asset id, <namespace>:<chain id>/<kind>:<contract>, or a token symbol",
  network: "must be CAIP-2 chain ids or the networkId of known chains, separated by commas",
  status: "must be one of requires_action, processing, succeeded, failed, expired",
  referenceId: "must have 3 to 35 characters: letters, digits, space and / : . , + -",
  merchantId: "must not be empty or contain control characters",
  currency: "must be a currency's code of three letters, such as EUR",
  sortBy: "must be date or amount",
  sortDir: "must be asc or desc",
  limit: "must be a whole number from 1 to 200",
  cursor:
    "must be the nextCursor of the previous page of this list, with the same filters and order: start again without a cursor",
} as const
type Name = keyof typeof rules

/** A query with one name, sent once. */
const sent = (name: Name, text: string): PaymentQuery.Raw => {
  switch (name) {
    case "token_symbol":
    case "status":
    case "merchantId":
    case "currency":
      return { [name]: [text] }
    default:
      return { [name]: text }
  }
}

const refuses = (name: Name, text: string) =>
  assert.deepStrictEqual(
    issuesOf(sent(name, text)),
    [{ field: name, message: rules[name] }],
    JSON.stringify(text),
  )

/** The ids of all payments that a query shows, in order. */
const shown = (all: Iterable<Payment.Payment>, raw: PaymentQuery.Raw) =>
  PaymentQuery.page(all, parsed({ limit: 200, ...raw }), now).items.map((payment) => payment.id)

const control = ["\0", "\n", "\t", "\u007f", "\u0085", "\ud800", "\udfff"]

/** The names that are wrong, beside a wrong cursor. */
const wrongFields = (raw: PaymentQuery.Raw) =>
  issuesOf({ ...raw, cursor: "x" }).map((issue) => issue.field)

describe("PaymentQuery.parse", () => {
  it("lists all payments by default, newest first, 50 to a page", () => {
    const expected: PaymentQuery.PaymentQuery = {
      filter: {
        createdFrom: null,
        createdBefore: null,
        tokenSymbols: null,
        tokens: null,
        chainIds: null,
        statuses: null,
        reference: null,
        merchantIds: null,
        currencies: null,
      },
      sort: { by: "date", direction: "desc" },
      limit: 50,
      after: null,
    }
    assert.deepStrictEqual(parsed({}), expected)
    assert.deepStrictEqual(
      parsed({ token_symbol: [], status: [], merchantId: [], currency: [] }),
      expected,
    )
    assert.deepStrictEqual(PaymentFilter.unfiltered, expected.filter)
  })

  it("reads every parameter", () => {
    assert.deepStrictEqual(
      parsed({
        startTs: "2026-02-18T09:30:00Z",
        endTs: "2026-02-18T09:30:01.5Z",
        token_symbol: ["usdc"],
        asset: "caip19/eip155:8453/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        network: "eip155:8453",
        sortBy: "amount",
        sortDir: "asc",
        limit: "7",
        status: ["succeeded"],
        referenceId: "Order",
        merchantId: ["mrch_a"],
        currency: ["eur"],
      }),
      {
        filter: {
          createdFrom: base,
          createdBefore: base + 1500,
          tokenSymbols: { symbols: ["USDC"], tokens: tokensOf(["USDC"]) },
          tokens: [usdcBase],
          chainIds: [Eip155.chainId(8453)],
          statuses: ["succeeded"],
          reference: "order",
          merchantIds: merchants.slice(0, 1),
          currencies: ["EUR"],
        },
        sort: { by: "amount", direction: "asc" },
        limit: 7,
        after: null,
      },
    )
  })

  it("reports everything that is wrong, one issue for each parameter", () => {
    const issues = issuesOf({
      startTs: "now",
      endTs: "later",
      token_symbol: ["", ""],
      asset: "",
      network: "",
      sortBy: "",
      sortDir: "",
      limit: "",
      status: ["x", "y"],
      referenceId: "",
      merchantId: ["", "\0"],
      currency: ["", "EURO"],
    })
    const { cursor: _, ...all } = rules
    assert.sameDeepMembers(
      [...issues],
      Object.entries(all).map(([field, message]) => ({ field, message })),
    )
  })

  it("checks a cursor if the limit is wrong, but not if a filter or the order is wrong", () => {
    assert.deepStrictEqual(wrongFields({}), ["cursor"])
    assert.deepStrictEqual(wrongFields({ limit: 0 }), ["limit", "cursor"])
    assert.deepStrictEqual(wrongFields({ limit: 0, sortBy: "x" }), ["sortBy", "limit"])
    assert.deepStrictEqual(wrongFields({ referenceId: "x" }), ["referenceId"])
  })
})

/** Two digits. */
const two = (of: number) => String(of).padStart(2, "0")

const createdFrom = (text: string) => parsed({ startTs: text }).filter.createdFrom

const createdBefore = (text: string) => parsed({ endTs: text }).filter.createdBefore

describe("PaymentQuery.parse startTs and endTs", () => {
  const good: ReadonlyArray<readonly [string, number]> = [
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01t00:00:00z", 0],
    ["1970-01-01T00:00:00-00:00", 0],
    ["2000-02-29T23:59:59.999Z", Date.UTC(2000, 1, 29, 23, 59, 59, 999)],
    ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
    ["0000-01-01T00:00:00Z", -62_167_219_200_000],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000],
    ["2026-02-18T09:30:00.1Z", base + 100],
    ["2026-02-18T09:30:00.001Z", base + 1],
    ["2026-02-18T09:30:00.000000000000000000000Z", base],
    // Finer than a millisecond: the first millisecond that is not before it.
    ["2026-02-18T09:30:00.0011Z", base + 2],
    ["2026-02-18T09:30:00.0009999Z", base + 1],
    ["2026-02-18T09:30:00.00000000000000000001Z", base + 1],
    ["2026-02-18T09:30:00.9990001Z", base + 1000],
    // Leap seconds.
    ["2016-12-31T23:59:60Z", Date.UTC(2017, 0, 1)],
    ["2016-12-31T23:59:60.5Z", Date.UTC(2017, 0, 1) + 500],
    ["2017-01-01T00:59:60+01:00", Date.UTC(2017, 0, 1)],
    ["2016-12-31T15:59:60-08:00", Date.UTC(2017, 0, 1)],
    ["2015-06-30T23:59:60Z", Date.UTC(2015, 6, 1)],
    ["2024-02-29T23:59:60Z", Date.UTC(2024, 2, 1)],
  ]

  it("reads RFC 3339 to the millisecond", () => {
    for (const [text, at] of good) {
      assert.strictEqual(createdFrom(text), at, text)
      assert.strictEqual(createdBefore(text), at, text)
    }
  })

  it("refuses a leap second at another time than the end of a month", () => {
    for (const time of ["T09:30:60Z", "T23:59:60Z"]) refuses("startTs", `2026-02-18${time}`)
    for (const text of [
      "2016-12-31T23:58:60Z",
      "2016-12-31T23:59:60+01:00",
      "2017-01-01T23:59:60Z",
    ]) {
      refuses("endTs", text)
    }
  })

  it.prop(
    "refuses every text that RFC 3339 does not allow",
    [HostileText.near(["2026-02-18T09:30:00Z", "2024-02-29t23:59:59.123456+05:30"])],
    ([text]) => {
      const allowed =
        /^[0-9]{4}(?:-[0-9]{2}){2}t[0-9]{2}(?::[0-9]{2}){2}(?:\.[0-9]+)?(?:z|[-+][0-9]{2}:[0-9]{2})$/iu
      if (!allowed.test(text)) refuses("startTs", text)
    },
    { arbitrary: { runs: fuzzRuns } },
  )

  it("accepts exactly the days that exist", () => {
    const years = [0, 1, 3, 4, 99, 100, 200, 400, 1582, 1600, 1700, 1899, 1900, 1969, 1970, 1972]
    for (const year of [...years, 1999, 2000, 2023, 2024, 2025, 2026, 2100, 2400, 9996, 9999]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T00:00:00Z`
          const date = new Date(0)
          date.setUTCFullYear(year, month - 1, day)
          const exists =
            date.getUTCFullYear() === year &&
            date.getUTCMonth() === month - 1 &&
            date.getUTCDate() === day
          if (exists) assert.strictEqual(createdFrom(text), date.getTime(), text)
          else refuses("startTs", text)
        }
      }
    }
  })

  it("accepts every hour, minute, second and offset, and no larger ones", () => {
    const midnight = Date.UTC(2026, 1, 18)
    for (let of = 0; of < 100; of++) {
      const cases = [
        [`2026-02-18T${two(of)}:00:00Z`, of < 24, of * 3_600_000],
        [`2026-02-18T00:${two(of)}:00Z`, of < 60, of * 60_000],
        [`2026-02-18T00:00:${two(of)}Z`, of < 60, of * 1000],
        [`2026-02-18T00:00:00+${two(of)}:00`, of < 24, of * -3_600_000],
        [`2026-02-18T00:00:00-${two(of)}:00`, of < 24, of * 3_600_000],
        [`2026-02-18T00:00:00+00:${two(of)}`, of < 60, of * -60_000],
        [`2026-02-18T00:00:00-00:${two(of)}`, of < 60, of * 60_000],
      ] as const
      for (const [text, exists, later] of cases) {
        if (exists) assert.strictEqual(createdFrom(text), midnight + later, text)
        else refuses("startTs", text)
      }
    }
  })

  it.prop(
    "reads every moment in every offset",
    [
      Schema.Int.check(
        Schema.isBetween({ minimum: -62_000_000_000_000, maximum: 253_000_000_000_000 }),
      ),
      Schema.Int.check(Schema.isBetween({ minimum: -1439, maximum: 1439 })),
    ],
    ([at, offset]) => {
      const local = new Date(at + offset * 60_000).toISOString().slice(0, -1)
      const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const text = `${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`
      assert.strictEqual(createdFrom(text), at)
    },
    { arbitrary: { runs: Counts.of({ usual: 2000, full: 100_000 }) } },
  )

  it("accepts an empty range", () => {
    const { filter } = parsed({ startTs: "2026-02-18T09:30:00Z", endTs: "2025-02-18T09:30:00Z" })
    assert.isTrue((filter.createdFrom ?? 0) > (filter.createdBefore ?? 0))
  })
})

describe("PaymentQuery.parse tokens and networks", () => {
  it("reads symbols in any case, each once, and drops unknown ones", () => {
    const cases = [
      [["USDC"], ["USDC"]],
      [
        ["usdc", "UsDt0", "USDC"],
        ["USDC", "USDT0"],
      ],
      [
        ["PYUSD", "EURC"],
        ["EURC", "PYUSD"],
      ],
      [
        ["USDC", "EURC"],
        ["EURC", "USDC"],
      ],
      [["DOGE"], []],
      [["DOGE", "usdt"], ["USDT"]],
      [["U"], []],
      [["usd"], []],
      [[" USDC"], []],
      [["uſdc", "USD₮0", "ＵＳＤＣ"], []],
      [["__proto__", "constructor", "toString"], []],
    ] as const
    for (const [raw, symbols] of cases) {
      assert.deepStrictEqual(parsed({ token_symbol: raw }).filter.tokenSymbols, {
        symbols: [...symbols],
        tokens: tokensOf(symbols),
      })
    }
  })

  it("refuses CAIP ids as symbols, and empty or control characters, next to good ones too", () => {
    const controls = control.flatMap((each) => [each, `USDC${each}`, `${each}USDC`])
    for (const text of ["", "/", ":", "caip19/USDC", Eip155.formatToken(usdcBase), ...controls]) {
      refuses("token_symbol", text)
      assert.deepStrictEqual(issuesOf({ token_symbol: ["USDC", text] }), [
        { field: "token_symbol", message: rules.token_symbol },
      ])
    }
  })

  it("reads `asset` as a CAIP-19 id with or without prefix, in any case, or as a symbol", () => {
    const contract = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    const lower = contract.toLowerCase()
    const wrongChecksum = contract.replace("fCD6", "FCD6")
    for (const each of [contract, lower, wrongChecksum]) {
      for (const prefix of ["", "caip19/"]) {
        const { tokens } = parsed({ asset: `${prefix}eip155:8453/erc20:${each}` }).filter
        assert.deepStrictEqual(tokens, [usdcBase])
      }
    }
    assert.deepStrictEqual(
      parsed({ asset: "usdc" }).filter.tokens,
      catalog.assets.filter((asset) => asset.symbol === "USDC").map((asset) => asset.token),
    )
    assert.deepStrictEqual(parsed({ asset: Eip155.formatToken(unlisted) }).filter.tokens, [
      unlisted,
    ])
    for (const asset of ["DOGE", "USD", "__proto__"]) {
      assert.deepStrictEqual(parsed({ asset }).filter.tokens, [])
    }
  })

  it("refuses an `asset` that is neither", () => {
    const id = Eip155.formatToken(usdcBase)
    const wrong = `/ caip19/USDC eip155:8453 eip155:1/slip44:60 CAIP19/${id} caip19/caip19/${id} ${id}0`
    for (const text of ["", ` ${id}`, ...wrong.split(" "), ...control]) refuses("asset", text)
  })

  it("refuses networks with spaces, empty parts or chain ids that no EVM chain has", () => {
    const parts = ", eip155:1, ,eip155:1 eip155:1,,eip155:56"
    const ids = "eip155:0 eip155:01 eip155:1e2 eip155:9007199254740993 EIP155:1 base __proto__"
    for (const text of ["", " eip155:1", "eip155:1, eip155:56", ...`${parts} ${ids}`.split(" ")]) {
      refuses("network", text)
    }
  })
})

describe("PaymentQuery.parse the other parameters", () => {
  it("reads the order and the direction", () => {
    for (const by of ["date", "amount"] as const) {
      assert.deepStrictEqual(parsed({ sortBy: by }).sort, { by, direction: "desc" })
    }
    for (const direction of ["asc", "desc"] as const) {
      assert.deepStrictEqual(parsed({ sortDir: direction }).sort, { by: "date", direction })
    }
    for (const text of ["", "Date", "asc", "__proto__"]) refuses("sortBy", text)
    for (const text of ["", "ASC", "date", "toString"]) refuses("sortDir", text)
  })

  it("reads the five statuses, each once, and `cancelled` only if it is allowed", () => {
    const five = ["requires_action", "processing", "succeeded", "failed", "expired"] as const
    for (const status of five) {
      assert.deepStrictEqual(parsed({ status: [status] }).filter.statuses, [status])
    }
    assert.deepStrictEqual(parsed({ status: five.toReversed() }).filter.statuses, [...five])
    assert.deepStrictEqual(parsed({ status: ["failed", "expired", "failed"] }).filter.statuses, [
      "failed",
      "expired",
    ])
    for (const text of ["", "cancelled", "Succeeded", "succeeded,failed", "__proto__"]) {
      refuses("status", text)
      assert.deepStrictEqual(issuesOf({ status: ["failed", text] }).length, 1)
    }
    assert.deepStrictEqual(
      parsed({ status: ["cancelled", "failed"] }, { allowCancelled: true }).filter.statuses,
      ["failed", "cancelled"],
    )
    assert.deepStrictEqual(issuesOf({ status: ["x"] }, { allowCancelled: true }), [
      { field: "status", message: `${rules.status}, cancelled` },
    ])
    assert.deepStrictEqual(issuesOf({ status: ["cancelled"] }, { allowCancelled: false }), [
      { field: "status", message: rules.status },
    ])
  })

  it("reads references of 3 to 35 allowed characters, ignoring only ASCII case", () => {
    const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 /:.,+-"
    for (const character of allowed) {
      assert.strictEqual(
        parsed({ referenceId: `a${character}b` }).filter.reference,
        `a${character.toLowerCase()}b`,
      )
    }
    for (let code = 0; code < 0x300; code++) {
      const character = String.fromCharCode(code)
      if (!allowed.includes(character)) refuses("referenceId", `a${character}b`)
    }
    for (const length of [3, 4, 34, 35]) {
      assert.strictEqual(
        parsed({ referenceId: "x".repeat(length) }).filter.reference?.length,
        length,
      )
    }
    for (const length of [0, 1, 2, 36, 37, 100_000]) refuses("referenceId", "x".repeat(length))
  })

  it("reads merchant ids, each once and in order; a malformed one matches nothing", () => {
    const cases = [
      [
        ["mrch_b", "mrch_a", "mrch_b"],
        ["mrch_a", "mrch_b"],
      ],
      [["nope"], []],
      [["mrch_", "MRCH_a", "mrch_a ", "pay_1", "%", "mrch_é"], []],
      [["nope", "mrch_a"], ["mrch_a"]],
    ] as const
    for (const [merchantId, ids] of cases) {
      assert.deepStrictEqual(
        parsed({ merchantId }).filter.merchantIds,
        ids.map((id) => MerchantId.MerchantId.make(id)),
      )
    }
    for (const text of ["", ...control, "mrch_a\0", "\0mrch_a"]) {
      refuses("merchantId", text)
      assert.deepStrictEqual(issuesOf({ merchantId: ["mrch_a", text] }), [
        { field: "merchantId", message: rules.merchantId },
      ])
    }
  })

  it("reads currency codes in any case, each once, and drops unknown ones", () => {
    const cases = [
      [["EUR"], ["EUR"]],
      [
        ["jpy", "Usd", "USD"],
        ["USD", "JPY"],
      ],
      [["XXX"], []],
      [["XXX", "chf"], ["CHF"]],
    ] as const
    for (const [currency, codes] of cases) {
      assert.deepStrictEqual(parsed({ currency }).filter.currencies, [...codes])
    }
    for (const text of [
      "",
      "EU",
      "EURO",
      "iso4217/EUR",
      "EUR,USD",
      " EUR",
      "978",
      "ＥＵＲ",
      ...control,
    ]) {
      refuses("currency", text)
      assert.deepStrictEqual(issuesOf({ currency: ["EUR", text] }), [
        { field: "currency", message: rules.currency },
      ])
    }
  })

  const valid: { readonly [N in Name]: readonly [string, ...Array<string>] } = {
    startTs: ["2026-02-18T09:30:00Z", "2024-02-29T23:59:59.123456+05:30", "2016-12-31T23:59:60Z"],
    endTs: ["2026-02-18T09:30:00Z", "1969-12-31T00:00:00-00:00"],
    token_symbol: ["USDC", "usdt0"],
    asset: ["USDC", Eip155.formatToken(usdcBase), `caip19/${Eip155.formatToken(usdtEthereum)}`],
    network: ["eip155:8453", "eip155:1,eip155:56", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"],
    status: ["requires_action", "succeeded", "expired"],
    referenceId: ["Order 1/2:3.4,5+6-7", "abc", "x".repeat(35)],
    merchantId: ["mrch_a", "mrch_01JC8QZJ3V7T"],
    currency: ["EUR", "usd", "XXX"],
    sortBy: ["date", "amount"],
    sortDir: ["asc", "desc"],
    limit: ["1", "50", "200"],
    cursor: [
      PaymentQuery.encodeCursor(key, scopeText, parsed({}), {
        group: "",
        value: base,
        id: PaymentId.PaymentId.make("pay_1"),
      }),
    ],
  }

  for (const name of Struct.keys(valid)) {
    it.prop(
      `reads hostile ${name}, or refuses it by its rule`,
      [HostileText.near(valid[name])],
      ([text]) => {
        const issues = issuesOf(sent(name, text))
        if (issues.length > 0) {
          assert.deepStrictEqual(issues, [{ field: name, message: rules[name] }])
        }
      },
      { arbitrary: { runs: fuzzRuns } },
    )
  }
})
describe("PaymentQuery.scopeText", () => {
  it("distinguishes partner, mode and merchant", () => {
    const [first] = merchants
    assert.strictEqual(scopeText, `["prtn_1","live",null]`)
    assert.strictEqual(
      PaymentQuery.scopeText({ ...scope, mode: "test", merchantId: first ?? null }),
      `["prtn_1","test","mrch_a"]`,
    )
  })
})

describe("PaymentFilter.tokenOf", () => {
  it("is the token that was paid, else the requested token, else none", () => {
    const asked = Amount.token(eurcEthereum)
    for (const kind of ["Processing", "Succeeded", "Failed"] as const) {
      assert.deepStrictEqual(PaymentFilter.tokenOf(paymentOf({ kind, unit: asked })), usdcBase)
      assert.deepStrictEqual(PaymentFilter.tokenOf(paymentOf({ kind })), usdcBase)
    }
    for (const kind of ["RequiresAction", "Overdue", "Declined", "Expired", "Cancelled"] as const) {
      assert.deepStrictEqual(PaymentFilter.tokenOf(paymentOf({ kind, unit: asked })), eurcEthereum)
      assert.isNull(PaymentFilter.tokenOf(paymentOf({ kind })))
    }
  })
})

const passes = (spec: Spec, raw: PaymentQuery.Raw, at = now) =>
  PaymentFilter.matches(paymentOf(spec), parsed(raw, { allowCancelled: true }).filter, at)

const contract = (payment: Payment.Payment): string => {
  const { amount, state } = payment
  const attempt = "attempt" in state ? state.attempt : null
  const found = attempt?.option.token ?? (amount.unit._tag === "Token" ? amount.unit.token : null)
  return found === null ? "" : `${Eip155.numberOf(found.chainId)}/${found.address.slice(2, 8)}`
}

describe("PaymentFilter.matches", () => {
  it("matches every payment without a filter", () => {
    for (const kind of kinds) assert.isTrue(passes({ kind }, {}))
  })

  it("includes the start of the range and excludes its end, to the millisecond", () => {
    const range = { startTs: "2026-02-18T09:30:00.010Z", endTs: "2026-02-18T09:30:00.020Z" }
    const cases = [
      [9, false],
      [10, true],
      [11, true],
      [19, true],
      [20, false],
      [21, false],
    ] as const
    for (const [at, inside] of cases) {
      assert.strictEqual(passes({ at }, range), inside)
      assert.strictEqual(passes({ at }, { startTs: range.startTs }), at >= 10)
      assert.strictEqual(passes({ at }, { endTs: range.endTs }), at < 20)
      assert.isFalse(passes({ at }, { startTs: range.endTs, endTs: range.startTs }))
      assert.isFalse(passes({ at }, { startTs: range.startTs, endTs: range.startTs }))
    }
  })

  it("compares exactly with times that are finer than a millisecond", () => {
    const fine = "2026-02-18T09:30:00.0101Z"
    assert.isFalse(passes({ at: 10 }, { startTs: fine }))
    assert.isTrue(passes({ at: 11 }, { startTs: fine }))
    assert.isTrue(passes({ at: 10 }, { endTs: fine }))
    assert.isFalse(passes({ at: 11 }, { endTs: fine }))
  })

  it("uses the status at the given time", () => {
    const statusOf: { readonly [K in (typeof kinds)[number]]: PaymentState.Status } = {
      RequiresAction: "requires_action",
      Overdue: "expired",
      Processing: "processing",
      Succeeded: "succeeded",
      Failed: "failed",
      Declined: "failed",
      Expired: "expired",
      Cancelled: "cancelled",
    }
    const all = new Set(Object.values(statusOf))
    for (const kind of kinds) {
      for (const status of all) {
        assert.strictEqual(passes({ kind }, { status: [status] }), statusOf[kind] === status)
      }
      assert.isTrue(passes({ kind }, { status: [...all] }))
    }
    assert.isTrue(passes({ kind: "Overdue" }, { status: ["requires_action"] }, now - 1))
    assert.isFalse(passes({ kind: "Overdue" }, { status: ["expired"] }, now - 1))
    assert.isTrue(passes({ kind: "RequiresAction" }, { status: ["expired"] }, now + 1000))
  })

  it("matches symbol, asset and network on the payment's token", () => {
    const paid: Spec = { kind: "Succeeded", paidIn: usdcBnb, unit: Amount.token(eurcEthereum) }
    const asked: Spec = { unit: Amount.token(eurcEthereum) }
    const cases: ReadonlyArray<readonly [Spec, PaymentQuery.Raw, boolean]> = [
      [paid, { token_symbol: ["usdc"] }, true],
      [paid, { token_symbol: ["EURC"] }, false],
      [paid, { token_symbol: ["EURC", "USDC"] }, true],
      [paid, { token_symbol: ["DOGE"] }, false],
      [paid, { network: "eip155:56" }, true],
      [paid, { network: "eip155:1" }, false],
      [paid, { network: "eip155:1,eip155:56" }, true],
      [paid, { network: "solana:x" }, false],
      [paid, { asset: Eip155.formatToken(usdcBnb) }, true],
      [paid, { asset: Eip155.formatToken(usdcBase) }, false],
      [paid, { asset: "USDC" }, true],
      [paid, { asset: "EURC" }, false],
      [paid, { asset: "USDC", token_symbol: ["EURC"] }, false],
      [asked, { token_symbol: ["EURC"] }, true],
      [asked, { network: "eip155:1" }, true],
      [asked, { asset: Eip155.formatToken(eurcEthereum) }, true],
      [asked, { token_symbol: ["USDC"] }, false],
      [{ unit: Amount.token(unlisted) }, { network: "eip155:8453" }, true],
      [{ unit: Amount.token(unlisted) }, { asset: Eip155.formatToken(unlisted) }, true],
      [
        { unit: Amount.token(unlisted) },
        { token_symbol: ["USDC", "EURC", "USDT", "USDT0", "PYUSD", "USDG"] },
        false,
      ],
    ]
    for (const [spec, raw, expected] of cases) {
      assert.strictEqual(passes(spec, raw), expected, JSON.stringify(raw))
    }
  })

  it("matches no token and no network while the payer can still choose", () => {
    const everyNetwork = [...new Set(catalog.assets.map((each) => each.token.chainId))]
    for (const kind of ["RequiresAction", "Declined", "Expired", "Cancelled"] as const) {
      assert.isFalse(passes({ kind }, { network: everyNetwork.join(",") }))
      assert.isFalse(passes({ kind }, { token_symbol: catalog.assets.map((each) => each.symbol) }))
      assert.isFalse(passes({ kind }, { asset: "USDC" }))
    }
  })

  it("finds references by any part, ignoring only ASCII case", () => {
    const cases = [
      ["Order.1+a", "order.1+A", true],
      ["Order.1+a", "R.1", true],
      ["Order.1+a", "+a ", false],
      ["OrderX1+a", "order.1", false],
      ["Order.11a", "1+a", false],
      ["abc", "...", false],
      ["a...b", "...", true],
      ["a,b", "a:b", false],
      ["%%%___", "abc", false],
      ["inv/2026:1 a-b", "/2026:1 A-", true],
      ["xabcx", "abc", true],
      ["xab", "abc", false],
      // Neither the Kelvin sign nor the long s folds to an ASCII letter.
      ["\u212aelvin", "kelvin", false],
      ["\u212aelvin", "elvin", true],
      ["me\u017f\u017f", "mess", false],
      ["É-123", "-12", true],
    ] as const
    for (const [reference, referenceId, found] of cases) {
      assert.strictEqual(passes({ reference }, { referenceId }), found, referenceId)
    }
    const plain = { ...PaymentFilter.unfiltered, reference: "%_\\" }
    assert.isTrue(PaymentFilter.matches(paymentOf({ reference: "a%_\\b" }), plain, now))
    assert.isFalse(PaymentFilter.matches(paymentOf({ reference: "abcdef" }), plain, now))
  })

  it("matches merchants by id", () => {
    assert.isTrue(passes({ merchant: 1 }, { merchantId: ["mrch_b"] }))
    assert.isTrue(passes({ merchant: 1 }, { merchantId: ["mrch_a", "mrch_b"] }))
    assert.isFalse(passes({ merchant: 1 }, { merchantId: ["mrch_a"] }))
    assert.isFalse(passes({ merchant: 1 }, { merchantId: ["mrch_B", "nope"] }))
  })

  it("matches the requested currency, whatever was paid; a token has no currency", () => {
    const euros = Amount.fiat("EUR")
    for (const kind of kinds) {
      assert.isTrue(passes({ kind, unit: euros }, { currency: ["eur"] }))
      assert.isTrue(passes({ kind, unit: euros }, { currency: ["USD", "EUR"] }))
      assert.isFalse(passes({ kind, unit: euros }, { currency: ["USD"] }))
      assert.isFalse(passes({ kind, unit: euros }, { currency: ["XXX"] }))
      const unit = Amount.token(eurcEthereum)
      assert.isFalse(passes({ kind, unit }, { currency: [...Amount.Currency.literals] }))
    }
  })

  // Each filter and what it means, said once more and differently.
  const filters: ReadonlyArray<
    readonly [PaymentQuery.Raw, (payment: Payment.Payment, spec: Spec) => boolean]
  > = [
    [{ startTs: "2026-02-18T09:30:00.001Z" }, (_, spec) => [1, 2].includes(spec.at ?? 0)],
    [{ endTs: "2026-02-18T09:30:00.002Z" }, (_, spec) => [0, 1].includes(spec.at ?? 0)],
    [
      { token_symbol: ["usdc"] },
      (payment) => ["8453/833589", "56/8ac76a"].includes(contract(payment)),
    ],
    [{ asset: Eip155.formatToken(usdcBase) }, (payment) => contract(payment) === "8453/833589"],
    [{ network: "eip155:8453,eip155:1" }, (payment) => /^(?:8453|1)\//u.test(contract(payment))],
    [{ status: ["succeeded", "expired"] }, (_, spec) => /^[SOE]/u.test(spec.kind ?? "")],
    [{ referenceId: "R.1" }, (payment) => payment.referenceId === "Order.1+a"],
    [{ merchantId: ["mrch_a", "mrch_b"] }, (_, spec) => spec.merchant !== 2],
    [
      { currency: ["JPY"] },
      (_, spec) => spec.unit?._tag === "Fiat" && spec.unit.currency === "JPY",
    ],
  ]

  it("combines filters with AND, in every combination", () => {
    const specs = [0, 1, 2].flatMap((at) =>
      kinds.flatMap((kind) =>
        units.slice(2, 5).flatMap((unit) =>
          [0, 2].flatMap((merchant) =>
            (["Order.1+a", "orderX1"] as const).map((reference, index): Spec => ({
              at,
              kind,
              unit,
              merchant,
              reference,
              paidIn: index === 0 ? usdcBase : usdtEthereum,
            })),
          ),
        ),
      ),
    )
    const table = specs.map((spec) => [paymentOf(spec), spec] as const)
    for (let set = 0; set < 2 ** filters.length; set++) {
      const chosen = filters.filter((_, index) => (set & (1 << index)) !== 0)
      const { filter } = parsed(Object.assign({}, ...chosen.map(([raw]) => raw)))
      for (const [payment, spec] of table) {
        assert.strictEqual(
          PaymentFilter.matches(payment, filter, now),
          chosen.every(([, passing]) => passing(payment, spec)),
        )
      }
    }
  })
})

const positions = (sort: PaymentSort.Sort, list: ReadonlyArray<Payment.Payment>) =>
  list.map((payment) => PaymentSort.position(payment, sort))

const ordered = (sort: PaymentSort.Sort, specs: ReadonlyArray<Spec>) =>
  PaymentQuery.page(
    specs.map(paymentOf),
    { filter: PaymentFilter.unfiltered, sort, limit: 200, after: null },
    now,
  ).items.map((payment) => payment.id)

describe("PaymentQuery order", () => {
  it("has the creation time, or the unit and quantity, and then the id", () => {
    const id = PaymentId.PaymentId.make("pay_1")
    const date = { by: "date", direction: "asc" } as const
    const amount = { by: "amount", direction: "asc" } as const
    assert.deepStrictEqual(PaymentSort.position(paymentOf({ at: 5 }), date), {
      group: "",
      value: base + 5,
      id,
    })
    const groups = [
      [Amount.fiat("EUR"), "fiat/EUR"],
      [Amount.token(usdcBnb), `token/eip155:56/${usdcBnb.address}`],
      [Amount.token(unlisted), `token/eip155:8453/${unlisted.address}`],
    ] as const
    for (const [unit, group] of groups) {
      assert.deepStrictEqual(PaymentSort.position(paymentOf({ unit, quantity: 7n }), amount), {
        group,
        value: 7n,
        id,
      })
      assert.deepStrictEqual(PaymentSort.unitOfGroup(group), unit)
    }
    for (const group of [
      "",
      "fiat",
      "fiat/XXX",
      "token/0/0x",
      `token/x/${usdcBnb.address}`,
      `token/eip155/${usdcBnb.address}`,
      "token/eip155:56/",
      // What earlier releases called it.
      `token/0000000000000056/${usdcBnb.address}`,
      `token/USDC/0000000000000056/${usdcBnb.address}`,
      `token//0000000000008453/${unlisted.address}`,
    ]) {
      assert.isUndefined(PaymentSort.unitOfGroup(group))
    }
  })

  it("sorts by date, and by id for payments of the same time", () => {
    const specs: ReadonlyArray<Spec> = [
      { id: "pay_b", at: 1 },
      { id: "pay_c", at: 0 },
      { id: "pay_a", at: 1 },
      { id: "pay_B", at: 1 },
      { id: "pay_d", at: 2 },
    ]
    const ascending = ["pay_c", "pay_B", "pay_a", "pay_b", "pay_d"]
    assert.deepStrictEqual(ordered({ by: "date", direction: "asc" }, specs), ascending)
    assert.deepStrictEqual(
      ordered({ by: "date", direction: "desc" }, specs),
      ascending.toReversed(),
    )
  })

  it("sorts by currency, then by value as a number; tokens come last, by chain and contract", () => {
    const usdt0 = token("eip155:42161/erc20:0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9")
    const usdt = token("eip155:137/erc20:0xc2132D05D31c914a87C6611C10748AEb04B58e8F")
    const specs: ReadonlyArray<Spec> = [
      { id: "pay_9", unit: Amount.token(usdt0), quantity: 1n },
      { id: "pay_8", unit: Amount.token(usdcBase), quantity: 5n },
      { id: "pay_7", unit: Amount.token(usdt), quantity: 1n },
      { id: "pay_6", unit: Amount.token(usdcBnb), quantity: 10n ** 18n },
      { id: "pay_5b", unit: Amount.token(usdtEthereum), quantity: 1n },
      { id: "pay_5a", unit: Amount.token(eurcEthereum), quantity: 3n },
      { id: "pay_4", unit: Amount.fiat("USD"), quantity: 100n },
      { id: "pay_3b", unit: Amount.fiat("USD"), quantity: 99n },
      { id: "pay_3a", unit: Amount.fiat("USD"), quantity: 99n, at: 4 },
      { id: "pay_2", unit: Amount.fiat("USD"), quantity: 9n },
      { id: "pay_1", unit: Amount.fiat("JPY"), quantity: 2n ** 60n + 1n },
      { id: "pay_1y", unit: Amount.fiat("JPY"), quantity: 2n ** 60n },
      { id: "pay_0", unit: Amount.fiat("EUR"), quantity: 100_000n },
    ]
    const ascending = [
      "pay_0",
      "pay_1y",
      "pay_1",
      "pay_2",
      "pay_3a",
      "pay_3b",
      "pay_4",
      "pay_5a",
      "pay_5b",
      "pay_7",
      "pay_9",
      "pay_6",
      "pay_8",
    ]
    assert.deepStrictEqual(ordered({ by: "amount", direction: "asc" }, specs), ascending)
    assert.deepStrictEqual(
      ordered({ by: "amount", direction: "desc" }, specs),
      ascending.toReversed(),
    )
  })

  it.prop(
    "is a total order: antisymmetric, transitive, and equal only for the same payment",
    [payments(8), Sort],
    ([list, sort]) => {
      const compare = PaymentSort.compare(sort)
      const places = positions(sort, list)
      for (const a of places) {
        assert.strictEqual(compare(a, { ...a }), 0)
        for (const b of places) {
          assert.strictEqual(compare(a, b) === 0, a.id === b.id)
          assert.strictEqual(Math.sign(compare(a, b)) + Math.sign(compare(b, a)), 0)
          for (const c of places) {
            if (compare(a, b) <= 0 && compare(b, c) <= 0) assert.isAtMost(compare(a, c), 0)
          }
        }
      }
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "descending is ascending in reverse",
    [payments(12), Schema.Literals(["date", "amount"])],
    ([list, by]) => {
      const ids = (direction: "asc" | "desc") => shown(list, { sortBy: by, sortDir: direction })
      assert.deepStrictEqual(ids("desc"), ids("asc").toReversed())
    },
    { arbitrary: { runs } },
  )

  it("counts only payments after the position", () => {
    const [first, second] = [paymentOf({ id: "pay_a", at: 1 }), paymentOf({ id: "pay_b", at: 1 })]
    for (const sort of sorts) {
      const up = sort.direction === "asc"
      const place = (payment: Payment.Payment) => PaymentSort.position(payment, sort)
      assert.strictEqual(PaymentSort.isAfter(place(first), sort, second), up)
      assert.strictEqual(PaymentSort.isAfter(place(second), sort, first), !up)
      assert.isFalse(PaymentSort.isAfter(place(first), sort, first))
    }
  })
})

const firstPage = (limit: number, after: PaymentSort.Position | null = null) => ({
  filter: PaymentFilter.unfiltered,
  sort: { by: "date", direction: "asc" } as const,
  limit,
  after,
})

describe("PaymentQuery.page", () => {
  const three = [0, 1, 2].map((at) => paymentOf({ id: `pay_${at}`, at }))

  it("has more exactly if more payments follow", () => {
    const ids = (limit: number, after: PaymentSort.Position | null = null) => {
      const { hasMore, items } = PaymentQuery.page(three, firstPage(limit, after), now)
      return [items.map((payment) => String(payment.id)), hasMore]
    }
    assert.deepStrictEqual(ids(1), [["pay_0"], true])
    assert.deepStrictEqual(ids(2), [["pay_0", "pay_1"], true])
    assert.deepStrictEqual(ids(3), [["pay_0", "pay_1", "pay_2"], false])
    assert.deepStrictEqual(ids(4), [["pay_0", "pay_1", "pay_2"], false])
    const at = (index: number) => ({
      group: "",
      value: base + index,
      id: PaymentId.PaymentId.make(`pay_${index}`),
    })
    assert.deepStrictEqual(ids(2, at(1)), [["pay_2"], false])
    assert.deepStrictEqual(ids(2, at(2)), [[], false])
    assert.deepStrictEqual(PaymentQuery.page([], firstPage(1), now), { items: [], hasMore: false })
  })

  it("fills the page with payments that pass the filter", () => {
    const mixed = [
      ...three,
      ...[3, 4, 5].map((at) => paymentOf({ id: `pay_${at}`, at, merchant: 1 })),
    ]
    const page = PaymentQuery.page(
      mixed,
      {
        ...firstPage(3),
        filter: { ...PaymentFilter.unfiltered, merchantIds: merchants.slice(1, 2) },
      },
      now,
    )
    assert.deepStrictEqual(
      page.items.map((payment) => payment.id),
      ["pay_3", "pay_4", "pay_5"].map((id) => PaymentId.PaymentId.make(id)),
    )
    assert.isFalse(page.hasMore)
  })

  const rawFilters: ReadonlyArray<PaymentQuery.Raw> = [
    {},
    { token_symbol: ["USDC"] },
    { network: "eip155:8453" },
    { status: ["succeeded", "failed"] },
    { merchantId: ["mrch_a", "mrch_c"], startTs: "2026-02-18T09:30:00.001Z" },
    { referenceId: "order" },
  ]

  it.prop(
    "never skips or repeats a payment that existed throughout, whatever is added or removed between pages",
    [
      seeds(24),
      seeds(12),
      Sort,
      Schema.Struct({
        filter: upTo(rawFilters.length - 1),
        limit: upTo(4),
        drop: Schema.Boolean,
      }),
    ],
    ([initialSeeds, lateSeeds, sort, how]) => {
      const initial = initialSeeds.map((seed, index) => grown(seed, index))
      const late = lateSeeds.map((seed, index) => grown(seed, index + 100))
      const raw: PaymentQuery.Raw = {
        ...rawFilters[how.filter],
        sortBy: sort.by,
        sortDir: sort.direction,
        limit: how.limit + 1,
      }
      const { filter } = parsed(raw)
      const compare = PaymentSort.compare(sort)
      const seen: Array<Payment.Payment> = []
      let stored = initial
      let cursor: string | undefined
      let waiting = late
      for (let pages = 0; ; pages++) {
        assert.isBelow(pages, 40)
        const asked = parsed({ ...raw, cursor })
        const page = PaymentQuery.page(stored, asked, now)
        assert.isAtMost(page.items.length, asked.limit)
        seen.push(...page.items)
        const last = page.items.at(-1)
        if (!page.hasMore || last === undefined) break
        assert.strictEqual(page.items.length, asked.limit)
        const next = PaymentSort.position(last, sort)
        cursor = PaymentQuery.encodeCursor(key, scopeText, asked, next)
        // The row that the cursor names goes away, and others come, before and behind it.
        stored = stored.filter((payment) => !how.drop || payment.id !== next.id)
        stored = [...stored, ...waiting.slice(0, 2)]
        waiting = waiting.slice(2)
      }
      const ids = seen.map((payment) => payment.id)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const payment of initial) {
        assert.strictEqual(ids.includes(payment.id), PaymentFilter.matches(payment, filter, now))
      }
      for (const [index, payment] of seen.entries()) {
        const before = seen[index - 1]
        if (before === undefined) continue
        const [left, right] = [before, payment].map((each) => PaymentSort.position(each, sort))
        if (left === undefined || right === undefined) return assert.fail("no place")
        assert.isBelow(compare(left, right), 0)
      }
    },
    { arbitrary: { runs } },
  )
})

/** What the cursor of an unfiltered list is bound to. */
const listText = (by: string, direction: string) =>
  JSON.stringify(["payments", scopeText, [], by, direction])

describe("PaymentQuery cursor", () => {
  const id = PaymentId.PaymentId.make("pay_1")
  const datePlace: PaymentSort.Position = { group: "", value: base, id }
  const amountPlace: PaymentSort.Position = { group: "fiat/USD", value: 2n ** 200n, id }
  const placeFor = (list: { readonly sort: PaymentSort.Sort }) =>
    list.sort.by === "date" ? datePlace : amountPlace

  const lists: ReadonlyArray<PaymentQuery.Raw> = [
    {},
    { sortDir: "asc" },
    { sortBy: "amount" },
    { sortBy: "amount", sortDir: "asc" },
    { startTs: "2026-02-18T09:30:00Z" },
    { endTs: "2026-02-18T09:30:00Z" },
    { startTs: "2026-02-18T09:30:00.001Z" },
    { token_symbol: ["USDC"] },
    { token_symbol: ["USDC", "USDT"] },
    { token_symbol: ["DOGE"] },
    { asset: Eip155.formatToken(usdcBase) },
    { asset: Eip155.formatToken(usdcBnb) },
    { asset: "USDC" },
    { asset: "DOGE" },
    { network: "eip155:1" },
    { network: "eip155:1,eip155:56" },
    { network: "solana:x" },
    { status: ["failed"] },
    { status: ["failed", "expired"] },
    { referenceId: "abc" },
    { referenceId: "abd" },
    { merchantId: ["mrch_a"] },
    { merchantId: ["mrch_a", "mrch_b"] },
    { merchantId: ["nope"] },
    { currency: ["EUR"] },
    { currency: ["EUR", "USD"] },
    { currency: ["XXX"] },
  ]

  it("is valid only for its own list", () => {
    for (const [from, made] of lists.entries()) {
      const list = parsed(made)
      const cursor = PaymentQuery.encodeCursor(key, scopeText, list, placeFor(list))
      for (const [to, asked] of lists.entries()) {
        if (from === to) assert.deepStrictEqual(parsed({ ...asked, cursor }).after, placeFor(list))
        else {
          assert.deepStrictEqual(issuesOf({ ...asked, cursor }), [
            { field: "cursor", message: rules.cursor },
          ])
        }
      }
    }
  })

  it("is valid for the same list written differently, and for other page sizes", () => {
    const list = parsed({
      token_symbol: ["USDC", "EURC"],
      network: "eip155:1,eip155:56",
      status: ["failed", "expired"],
      merchantId: ["mrch_a", "mrch_b"],
      referenceId: "Abc",
      asset: Eip155.formatToken(usdcBase),
      startTs: "2026-02-18T09:30:00Z",
      limit: 7,
    })
    const cursor = PaymentQuery.encodeCursor(key, scopeText, list, datePlace)
    const again = parsed({
      token_symbol: ["eurc", "usdc", "USDC"],
      network: "eip155:56,eip155:1",
      status: ["expired", "failed"],
      merchantId: ["mrch_b", "mrch_a", "mrch_b"],
      referenceId: "aBC",
      asset: `caip19/${Eip155.formatToken(usdcBase).toLowerCase()}`,
      startTs: "2026-02-18T10:30:00.000+01:00",
      sortBy: "date",
      sortDir: "desc",
      limit: 200,
      cursor,
    })
    assert.deepStrictEqual(again.after, datePlace)
    assert.deepStrictEqual(again.filter, list.filter)
  })

  it("is valid in later releases while its list has the same filters", () => {
    const filters: PaymentQuery.Raw = {
      startTs: "2026-02-18T09:30:00Z",
      endTs: "2026-02-19T09:30:00Z",
      token_symbol: ["USDC"],
      status: ["succeeded"],
      referenceId: "Abc",
      merchantId: ["mrch_a", "mrch_b"],
    }
    const made: ReadonlyArray<readonly [PaymentQuery.Raw, string]> = [
      [{}, "cur_Z2I1DmaY-fkny9R2hYRTxmGsqjs82lRE-e9LWd9cmkFbIiIsIjE3NzE0MDcwMDAwMDAiLCJwYXlfMSJd"],
      [
        filters,
        "cur_PqRLi9WFwEaKirzLs9EvDGoI89UEWg9D5UJi0wEn8T1bIiIsIjE3NzE0MDcwMDAwMDAiLCJwYXlfMSJd",
      ],
    ]
    for (const [raw, cursor] of made) {
      assert.deepStrictEqual(parsed({ ...raw, cursor }).after, datePlace)
    }
  })

  it("stays valid if another token gets the same symbol, and then lists its payments too", () => {
    const further: Asset.Asset = {
      ...withSymbol("USDC"),
      token: token(`eip155:424242/erc20:0x${"2".repeat(40)}`),
    }
    // In front of all others, and behind them.
    for (const later of [
      Catalog.make({ ...catalog, networks: [], assets: [further, ...catalog.assets] }),
      Catalog.make({ ...catalog, networks: [], assets: [...catalog.assets, further] }),
    ]) {
      for (const raw of [
        {},
        { token_symbol: ["USDC"] },
        { token_symbol: ["usdt", "usdc"] },
        { asset: Eip155.formatToken(usdcBase) },
        { asset: "EURC" },
        { network: "eip155:8453" },
        { token_symbol: ["USDC"], sortBy: "amount" },
      ]) {
        const list = parsed(raw)
        const cursor = PaymentQuery.encodeCursor(key, scopeText, list, placeFor(list))
        assert.deepStrictEqual(
          parsed({ ...raw, cursor }, { catalog: later }).after,
          placeFor(list),
          JSON.stringify(raw),
        )
      }
      const { filter } = parsed({ token_symbol: ["USDC"] }, { catalog: later })
      const payment = paymentOf({ unit: Amount.token(further.token) })
      assert.isTrue(PaymentFilter.matches(payment, filter, now))
      assert.isFalse(PaymentFilter.matches(payment, parsed({ token_symbol: ["USDC"] }).filter, now))
    }
  })

  it("stays valid if a token is removed, and still lists its payments", () => {
    const assets = catalog.assets.filter(({ symbol }) => symbol !== "EURC")
    const removed = Catalog.make({ ...catalog, assets }, catalog)
    const raw = { token_symbol: ["EURC", "USDC"] }
    const list = parsed(raw)
    const cursor = PaymentQuery.encodeCursor(key, scopeText, list, datePlace)
    const again = parsed({ ...raw, cursor }, { catalog: removed })
    assert.deepStrictEqual(again.after, datePlace)
    const payment = paymentOf({ unit: Amount.token(eurcEthereum) })
    assert.isTrue(PaymentFilter.matches(payment, again.filter, now))
  })

  it("is valid only for its own partner, mode, merchant and key", () => {
    const cursor = PaymentQuery.encodeCursor(key, scopeText, parsed({}), datePlace)
    const others: ReadonlyArray<PaymentQuery.Scope> = [
      { ...scope, partnerId: PartnerId.PartnerId.make("prtn_2") },
      { ...scope, mode: "test" },
      { ...scope, merchantId: merchants[0] ?? null },
    ]
    for (const other of others) {
      assert.deepStrictEqual(issuesOf({ cursor }, { scopeText: PaymentQuery.scopeText(other) }), [
        { field: "cursor", message: rules.cursor },
      ])
    }
    const otherKey = Result.getOrThrow(Seal.makeKeys([new Uint8Array(32).fill(8)]))
    assert.strictEqual(issuesOf({ cursor }, { key: otherKey }).length, 1)
    assert.deepStrictEqual(parsed({ cursor }).after, datePlace)
  })

  it.prop(
    "reads back every position",
    [payments(4), Sort],
    ([list, sort]) => {
      for (const payment of list) {
        const place = PaymentSort.position(payment, sort)
        const query = { filter: PaymentFilter.unfiltered, sort }
        const cursor = PaymentQuery.encodeCursor(key, scopeText, query, place)
        assert.deepStrictEqual(
          Result.getOrThrow(PaymentQuery.readCursor(key, scopeText, query, cursor)),
          place,
        )
      }
    },
    { arbitrary: { runs } },
  )

  it("refuses sealed bytes that are not a position", () => {
    const dates = [
      [],
      [""],
      ["", "1"],
      ["", "1", "pay_1", ""],
      ["fiat/USD", "1", "pay_1"],
      ["", "1.5", "pay_1"],
      ["", "x", "pay_1"],
      ["", "NaN", "pay_1"],
      ["", "Infinity", "pay_1"],
      ["", "1", "pay_"],
      ["", "1", "mrch_1"],
    ]
    for (const parts of dates)
      refuses("cursor", Cursor.encode(key, listText("date", "desc"), parts))
    const whole = Cursor.encode(key, listText("date", "desc"), ["", "-1", "pay_1"])
    assert.deepStrictEqual(parsed({ cursor: whole }).after, { group: "", value: -1, id })
    const byAmount = (parts: ReadonlyArray<string>) => ({
      sortBy: "amount",
      sortDir: "asc",
      cursor: Cursor.encode(key, listText("amount", "asc"), parts),
    })
    for (const parts of [
      [],
      ["fiat/USD", "1.5", "pay_1"],
      ["fiat/USD", "1", "x"],
      ["", "", "pay_1"],
    ]) {
      assert.deepStrictEqual(issuesOf(byAmount(parts)), [
        { field: "cursor", message: rules.cursor },
      ])
    }
    assert.deepStrictEqual(parsed(byAmount(["fiat/USD", "5", "pay_1"])).after, {
      group: "fiat/USD",
      value: 5n,
      id,
    })
  })

  it("names the cursor if it cannot be read", () => {
    const error = Result.getOrThrow(
      Result.flip(PaymentQuery.readCursor(key, scopeText, parsed({}), "x")),
    )
    assert.strictEqual(error._tag, "InvalidInput")
    assert.strictEqual(error.message, `cursor: ${rules.cursor}`)
  })
})

const statsOf = (specs: ReadonlyArray<Spec>, raw: PaymentQuery.Raw = {}) =>
  PaymentStats.of(
    specs.map((spec, index) => paymentOf({ ...spec, id: `pay_${index}` })),
    parsed(raw).filter,
    now,
  )

const paid = (unit: Caip.Token, quantity: bigint): Spec => ({
  kind: "Succeeded",
  unit: Amount.token(unit),
  quantity,
})

/** Statistics with the revenue under the names of currencies. */
const named = (stats: PaymentStats.Stats) => ({
  ...stats,
  revenue: PaymentStats.byCurrency(stats, catalog),
})

const currencyOf = ({ amount: { unit } }: Payment.Payment) =>
  unit._tag === "Fiat"
    ? unit.currency
    : (catalog.find(unit.token)?.symbol ?? Amount.formatUnit(unit, catalog))

const recomputed = (list: ReadonlyArray<Payment.Payment>): ReturnType<typeof named> => {
  const succeeded = list.filter((payment) => payment.state._tag === "Succeeded")
  const currencies = [...new Set(succeeded.map(currencyOf))].toSorted()
  return {
    revenue: currencies.map((currency) => {
      const own = succeeded.filter((payment) => currencyOf(payment) === currency)
      const decimals = Math.max(...own.map(({ amount }) => Amount.decimals(amount.unit, catalog)))
      const sum = (some: typeof own) =>
        some.reduce(
          (all, { amount: { quantity, unit } }) =>
            all + quantity * 10n ** BigInt(decimals - Amount.decimals(unit, catalog)),
          0n,
        )
      const refunded = own.filter((payment) => Payment.refundOf(payment) !== null)
      return { currency, quantity: sum(own), refunded: sum(refunded), decimals }
    }),
    transactions: list.length,
    customers: new Set(
      list.flatMap(({ state }) =>
        "attempt" in state && state.attempt !== null
          ? [state.attempt.option.account.address.toLowerCase()]
          : [],
      ),
    ).size,
  }
}

describe("PaymentQuery stats", () => {
  it("is empty without payments", () => {
    const nothing = { revenue: [], transactions: 0, customers: 0 }
    assert.deepStrictEqual(statsOf([]), nothing)
    assert.deepStrictEqual(PaymentStats.none, nothing)
    assert.deepStrictEqual(PaymentStats.byCurrency(PaymentStats.none, catalog), [])
  })

  it("counts all payments, sums succeeded ones, and counts each payer once", () => {
    const specs: ReadonlyArray<Spec> = [
      ...kinds.map((kind): Spec => ({ kind, quantity: 100n, payer: 1 })),
      { kind: "Succeeded", quantity: 34n, payer: 2, refunded: true },
      { kind: "Succeeded", quantity: 7n, payer: 2, unit: Amount.fiat("EUR") },
      { kind: "Processing", quantity: 7n, payer: 3, unit: Amount.fiat("JPY") },
      { kind: "Failed", payer: 4, paidIn: usdtEthereum },
    ]
    assert.deepStrictEqual(statsOf(specs), {
      revenue: [
        { unit: Amount.fiat("EUR"), quantity: 7n, refunded: 0n },
        { unit: Amount.fiat("USD"), quantity: 134n, refunded: 34n },
      ],
      transactions: kinds.length + 4,
      customers: 4,
    })
    assert.deepStrictEqual(PaymentStats.byCurrency(statsOf(specs), catalog), [
      { currency: "EUR", quantity: 7n, refunded: 0n, decimals: 2 },
      { currency: "USD", quantity: 134n, refunded: 34n, decimals: 2 },
    ])
    assert.deepStrictEqual(statsOf(specs, { status: ["expired"] }), {
      revenue: [],
      transactions: 2,
      customers: 0,
    })
  })

  it("sums tokens by symbol in their finest unit, and unlisted tokens by contract", () => {
    const sums = (specs: ReadonlyArray<Spec>) => PaymentStats.byCurrency(statsOf(specs), catalog)
    const usdc = [
      { currency: "USDC", quantity: 1_500_000_000_000_000_001n, refunded: 1n, decimals: 18 },
    ]
    const [base6, bnb18] = [paid(usdcBase, 1_500_000n), { ...paid(usdcBnb, 1n), refunded: true }]
    assert.deepStrictEqual(sums([base6, bnb18]), usdc)
    assert.deepStrictEqual(sums([bnb18, base6]), usdc)
    assert.deepStrictEqual(sums([base6, base6]), [
      { currency: "USDC", quantity: 3_000_000n, refunded: 0n, decimals: 6 },
    ])
    assert.deepStrictEqual(sums([paid(unlisted, 5n)]), [
      {
        currency: `caip19/${Eip155.formatToken(unlisted)}`,
        quantity: 5n,
        refunded: 0n,
        decimals: 0,
      },
    ])
  })

  it.prop(
    "equals a simple computation, over the whole list and for any page size",
    [payments(30), Schema.Literals(["mrch_a", "mrch_b"])],
    ([list, merchantId]) => {
      const { filter } = parsed({ merchantId: [merchantId], limit: 1 })
      assert.deepStrictEqual(
        named(PaymentStats.of(list, filter, now)),
        recomputed(list.filter((payment) => payment.merchantId === merchantId)),
      )
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "contains each unit that was paid once, in the order of the groups",
    [payments(30)],
    ([list]) => {
      const groups = PaymentStats.of(list, PaymentFilter.unfiltered, now).revenue.map(({ unit }) =>
        PaymentSort.groupOf(unit),
      )
      const succeeded = list.filter((payment) => payment.state._tag === "Succeeded")
      const expected = new Set(succeeded.map(({ amount }) => PaymentSort.groupOf(amount.unit)))
      assert.deepStrictEqual(groups, [...expected].toSorted())
    },
    { arbitrary: { runs } },
  )

  it.prop(
    "is the same for parts added up in any order and grouping",
    [payments(10), payments(10), payments(10)],
    (lists) => {
      const of = (...parts: ReadonlyArray<ReadonlyArray<Payment.Payment>>) =>
        PaymentStats.of(parts.flat(), PaymentFilter.unfiltered, now)
      const [a, b, c] = lists
      const whole = of(a, b, c)
      assert.deepStrictEqual(named(whole), recomputed(lists.flat()))
      assert.deepStrictEqual(of(c, a, b), whole)
      assert.deepStrictEqual(of(c, b, a), whole)
      assert.deepStrictEqual(of(a, []), of(a))
      assert.deepStrictEqual(of([], a), of(a))
      assert.deepStrictEqual(of(), PaymentStats.none)

      const sums = (...parts: ReadonlyArray<PaymentStats.Stats>) =>
        PaymentStats.byCurrency({ revenue: parts.flatMap(({ revenue }) => revenue) }, catalog)
      const { revenue } = named(whole)
      assert.deepStrictEqual(sums(of(a), of(b), of(c)), revenue)
      assert.deepStrictEqual(sums(of(c), of(b), of(a)), revenue)
      assert.deepStrictEqual(sums(of(a, b), of(c)), revenue)
      assert.deepStrictEqual(sums(of(a), of(b, c)), revenue)
      assert.strictEqual(
        of(a).transactions + of(b).transactions + of(c).transactions,
        whole.transactions,
      )
    },
    { arbitrary: { runs } },
  )
})

describe("PaymentStats.revenueNumber", () => {
  it("is a sum in standard units", () => {
    const cases = [
      [0n, 2, 0],
      [1n, 2, 0.01],
      [10n, 2, 0.1],
      [1234n, 2, 12.34],
      [30n, 2, 0.3],
      [100n, 2, 1],
      [1234n, 0, 1234],
      [1_250_000n, 6, 1.25],
      [1n, 18, 1e-18],
      [7_036_874_417_766_399n, 2, 70_368_744_177_663.99],
    ] as const
    for (const [quantity, decimals, number] of cases) {
      assert.strictEqual(PaymentStats.revenueNumber({ quantity, decimals }), number)
    }
  })

  it.prop(
    "is exact to the cent up to 2^46 units",
    [Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 46n * 100n }))],
    ([quantity]) => {
      const number = PaymentStats.revenueNumber({ quantity, decimals: 2 })
      const money = Result.getOrThrow(Money.fromBigInt(quantity))
      assert.strictEqual(JSON.stringify(number), Money.toDecimal(money, 2))
    },
    { arbitrary: { runs: Counts.of({ usual: 1000, full: 500_000 }) } },
  )
})

describe("PaymentFilter.narrow", () => {
  const [first, second] = merchants
  const ids = (merchantIds: PaymentFilter.Filter["merchantIds"]): PaymentFilter.Filter => ({
    ...PaymentFilter.unfiltered,
    createdFrom: 1,
    merchantIds,
  })

  it("returns the filter unchanged if no merchant is given", () => {
    for (const filter of [ids(null), ids([]), ids(merchants)]) {
      assert.strictEqual(PaymentFilter.narrow(filter, null), filter)
    }
  })

  it("lists only the given merchant, if the filter includes it", () => {
    if (first === undefined || second === undefined) return assert.fail("there are merchants")
    assert.deepStrictEqual(PaymentFilter.narrow(ids(null), first), ids([first]))
    assert.deepStrictEqual(PaymentFilter.narrow(ids(merchants), second), ids([second]))
    assert.deepStrictEqual(PaymentFilter.narrow(ids([first]), second), ids([]))
    assert.deepStrictEqual(PaymentFilter.narrow(ids([]), second), ids([]))
  })
})
