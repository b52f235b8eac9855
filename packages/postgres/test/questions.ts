/**
 * Random payments, and random queries of them, for the property tests of lists and statistics.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as PaymentFilter from "@florin/core/domain/list/PaymentFilter"
import type * as PaymentQuery from "@florin/core/domain/list/PaymentQuery"
import * as PaymentSort from "@florin/core/domain/list/PaymentSort"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentState from "@florin/core/domain/payment/PaymentState"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

const halfDayInMs = 43_200_000

/** Every other one begins a day. Payments are created then, and questions begin and end there. */
const moment = (step: number): number =>
  Math.floor(Fixtures.now / (2 * halfDayInMs)) * 2 * halfDayInMs + step * halfDayInMs

export const sorts: ReadonlyArray<PaymentSort.Sort> = [
  { by: "date", direction: "desc" },
  { by: "date", direction: "asc" },
  { by: "amount", direction: "desc" },
  { by: "amount", direction: "asc" },
]

/** Every contract of two symbols. */
export const tokens = BuiltIn.catalog.assets
  .filter(({ symbol }) => symbol === "USDC" || symbol === "EURC")
  .map(({ token }) => token)
const unlisted = Fixtures.token("unlisted")
/** Some of them, one that no table knows, and its like on a chain that another family calls by the same name. */
const paidIn = [
  ...tokens.slice(0, 5),
  unlisted,
  { ...unlisted, chainId: Caip.ChainId.make(`harbour:${Caip.referenceOf(unlisted.chainId)}`) },
]
const units = [
  "iso4217/USD",
  "iso4217/JPY",
  ...tokens.slice(0, 3).map((token) => `caip19/${Eip155.formatToken(token)}`),
]
const merchants = ["mrch_a", "mrch_b", "mrch_B", "mrch_c"].map((id) =>
  MerchantId.MerchantId.make(id),
)
const values = ["1", "2", "10", "340282366920938463463374607431768211456"]
/** What a pattern language would take for its own, and letters that fold in some languages only. */
const letters = ["a", "B", "%", "_", "\\", " ", "/", "'", "ü", "İ", "K"]

const upTo = (last: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: last }))
const indexOf = (list: ReadonlyArray<unknown>) => upTo(list.length - 1)
const some = <S extends Schema.Top>(item: S) => Schema.Array(item).check(Schema.isMaxLength(4))
const letter = Schema.Literals(letters)

export const Seed = Schema.Struct({
  stage: Schema.Literals(Fixtures.stages),
  merchant: indexOf(merchants),
  unit: indexOf(units),
  value: indexOf(values),
  paidIn: indexOf(paidIn),
  payer: upTo(3),
  at: upTo(5),
  lifeInS: upTo(5),
  reference: Schema.Array(letter).check(Schema.isMaxLength(8)),
})

const members = Struct.keys(PaymentFilter.table)

export const Asked = Schema.Struct({
  /** What the query filters by: a few members only, as with more there is hardly ever anything left. */
  by: Schema.Array(Schema.Literals(members)).check(Schema.isMaxLength(3)),
  createdFrom: upTo(6),
  createdBefore: upTo(6),
  tokenSymbols: some(Schema.Literals(["USDC", "EURC", "USDT"])),
  tokens: some(indexOf(paidIn)),
  chainIds: some(indexOf(paidIn)),
  statuses: some(Schema.Literals(PaymentState.statuses)),
  reference: Schema.Array(letter).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
  merchantIds: some(indexOf(merchants)),
  currencies: some(Schema.Literals(["USD", "EUR", "JPY"])),
  sort: indexOf(sorts),
  limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
  /** The payment that the page follows; beyond the last one, it follows none. */
  after: upTo(59),
  /** When it is asked: after payments were created, and around the end of their time. */
  at: upTo(5),
  afterInS: Schema.Int.check(Schema.isBetween({ minimum: 58, maximum: 67 })),
})

const pick = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = list[index % list.length]
  if (found === undefined) throw new Error("there is nothing to pick from")
  return found
}

/** Everything that happens to a payment, from its creation on. */
export const pathOf = (
  world: Fixtures.Fixtures,
  seed: typeof Seed.Type,
): ReadonlyArray<Change.Write> => {
  const at = moment(seed.at)
  const token = pick(paidIn, seed.paidIn)
  return world.path(
    seed.stage,
    {
      merchantId: pick(merchants, seed.merchant),
      amount: { unit: pick(units, seed.unit), value: pick(values, seed.value) },
      referenceId: `x${seed.reference.join("")}`,
      now: at,
      expiresAt: at / 1000 + 60 + seed.lifeInS,
    },
    { token, account: Fixtures.account(`payer ${seed.payer}`, token.chainId) },
  )
}

export const queryOf = (
  asked: typeof Asked.Type,
  payments: ReadonlyArray<Payment.Payment>,
): PaymentQuery.PaymentQuery => {
  const sort = pick(sorts, asked.sort)
  const last = payments[asked.after]
  const filter: PaymentFilter.Filter = {
    createdFrom: moment(asked.createdFrom),
    createdBefore: moment(asked.createdBefore),
    tokenSymbols: PaymentFilter.symbolsOf(asked.tokenSymbols, BuiltIn.catalog),
    tokens: asked.tokens.map((index) => pick(paidIn, index)),
    chainIds: asked.chainIds.map((index) => pick(paidIn, index).chainId),
    statuses: asked.statuses,
    reference: PaymentFilter.foldAscii(asked.reference.join("")),
    merchantIds: asked.merchantIds.map((index) => pick(merchants, index)),
    currencies: asked.currencies,
  }
  const open = members.filter((member) => !asked.by.includes(member))
  return {
    filter: { ...filter, ...Object.fromEntries(open.map((member) => [member, null])) },
    sort,
    limit: asked.limit,
    after: last === undefined ? null : PaymentSort.position(last, sort),
  }
}

/** When a question is asked. */
export const timeOf = ({ at, afterInS }: typeof Asked.Type): number => moment(at) + afterInS * 1000
