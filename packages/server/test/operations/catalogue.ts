/**
 * Sixty payments of which everything is known, and a plain model of the lists that show them: what the interface says
 * about filters, orders and stats, written once more without storage, schemas or cursors.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as Change from "@florin/core/domain/payment/Change"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect } from "effect"
import * as Scene from "../scene.ts"

/** A payment as the model knows it. */
export interface Known {
  readonly id: string
  readonly stage: Stage
  readonly createdAt: number
  readonly status: string
  readonly merchantId: string
  readonly referenceId: string
  /** `USD`, or the symbol of the token that was asked for. */
  readonly currency: string
  /** How the unit sorts: currencies first, then tokens by chain and contract. */
  readonly group: string
  readonly value: bigint
  readonly decimals: number
  /** What it was paid in or, until then, is asked in; null while a payer may choose. */
  readonly token: Token | null
  readonly payer: string | null
}

interface Token {
  readonly symbol: string
  readonly chainId: number
  readonly address: string
  readonly decimals: number
}

const token = (symbol: string, chainId: number, address: string, decimals = 6): Token => ({
  symbol,
  chainId,
  address,
  decimals,
})

export const tokens = [
  token("USDC", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
  token("USDC", 56, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", 18),
  token("EURC", 8453, "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
  token("USDT", 137, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
] as const

/** CAIP-19, without the prefix of amounts. */
const assetOf = ({ address, chainId }: Token): string => `eip155:${chainId}/erc20:${address}`

const currencies = [
  ["USD", 2],
  ["EUR", 2],
] as const

/** The statuses that stages are told as; null where time decides. */
const statuses = {
  created: null,
  confirmed: "processing",
  relayed: "processing",
  owed: "succeeded",
  settlementPending: "succeeded",
  settled: "succeeded",
  refunded: "succeeded",
  failed: "failed",
  declined: "failed",
  declinedUnconfirmed: "failed",
  expired: "expired",
  lateReported: "expired",
  cancelledByUser: "cancelled",
  cancelledByMerchant: "cancelled",
} as const
type Stage = keyof typeof statuses

/** In an order in which neighbours differ; open payments come thrice. */
const stages: ReadonlyArray<Stage> = [
  "created",
  "owed",
  "cancelledByUser",
  "confirmed",
  "expired",
  "created",
  "settled",
  "failed",
  "cancelledByMerchant",
  "relayed",
  "settlementPending",
  "created",
  "declined",
  "refunded",
  "lateReported",
  "declinedUnconfirmed",
]

const attempted: ReadonlySet<Stage> = new Set([
  "confirmed",
  "relayed",
  "owed",
  "settlementPending",
  "settled",
  "refunded",
  "failed",
  "declined",
])

const references = [
  "ORDER-1",
  "order-10",
  "Order 1/a.b",
  "ORDER 1/axb",
  "100% of a_b\\c",
  "a+b,c:d",
  "ünï ORDER-1 😀",
  "no match",
]

const values = [1n, 999n, 1000n, 1000n, 250_000n, 12_345_678_901_234_567_890n]

/** Stores every write of a path. */
const walk = Effect.fnUntraced(function* (path: ReadonlyArray<Change.Write>) {
  const { createPayment } = yield* PaymentStore
  const { modify } = yield* OutflowStore
  yield* Effect.forEach(path, (write) => Fixtures.store({ createPayment, modify }, write), {
    discard: true,
  })
  return Fixtures.paymentAfter(path)
})

export interface Owner {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
}

export interface Asked {
  readonly stage: Stage
  readonly merchantId: string
  readonly referenceId: string
  readonly unit: (typeof currencies)[number] | Token
  readonly value: bigint
  readonly createdAt: number
  readonly paidIn: Token
  readonly payer: string
}

const isToken = (unit: Asked["unit"]): unit is Token => "symbol" in unit

let worlds = 0

/** Puts a payment into the storage, as the service would have. */
const put = Effect.fnUntraced(function* (owner: Owner, asked: Asked) {
  const { createdAt, merchantId, referenceId, stage, unit, value } = asked
  const paidIn = isToken(unit) ? unit : asked.paidIn
  const chainId = Eip155.chainId(paidIn.chainId)
  const path = Fixtures.make(`w${(worlds += 1)}`).path(
    stage,
    {
      ...owner,
      merchantId: MerchantId.MerchantId.make(merchantId),
      referenceId,
      amount: {
        unit: isToken(unit) ? `caip19/${assetOf(unit)}` : `iso4217/${unit[0]}`,
        value: value.toString(),
      },
      now: createdAt,
    },
    {
      token: { chainId, address: Caip.Address.make(paidIn.address.toLowerCase()) },
      account: Fixtures.account(asked.payer, chainId),
    },
  )
  const { expiresAt, id } = yield* walk(path)
  const known: Known = {
    id,
    stage,
    createdAt,
    status: statuses[stage] ?? (Scene.now >= expiresAt * 1000 ? "expired" : "requires_action"),
    merchantId,
    referenceId,
    currency: isToken(unit) ? unit.symbol : unit[0],
    group: isToken(unit)
      ? `token/eip155:${unit.chainId}/${unit.address.toLowerCase()}`
      : `fiat/${unit[0]}`,
    value,
    decimals: isToken(unit) ? unit.decimals : unit[1],
    token: attempted.has(stage) || isToken(unit) ? paidIn : null,
    payer: attempted.has(stage) ? asked.payer : null,
  }
  return known
})

const pick = <A>(from: ReadonlyArray<A>, index: number): A => {
  const found = from[index % from.length]
  if (found === undefined) throw new Error("nothing to pick from")
  return found
}

export const size = 60

/** When payments were made: the last open for longer than the scene lasts, the first out of time; some at once. */
export const createdAt = (index: number): number => Scene.now - 10_000 * Math.floor(index / 2)

/** The payments of a partner, shared out among merchants. */
export const populate = (owner: Owner, merchantIds: ReadonlyArray<string>) =>
  Effect.forEach(
    Array.from({ length: size }, (_, index) => index),
    (index) =>
      put(owner, {
        stage: pick(stages, index),
        merchantId: pick(merchantIds, index),
        referenceId: pick(references, index * 3 + Math.floor(index / 8)),
        unit: index % 5 === 4 ? pick(tokens, Math.floor(index / 5)) : pick(currencies, index),
        value: pick(values, Math.floor(index / 3)),
        createdAt: createdAt(index),
        paidIn: pick(tokens, Math.floor(index / 2)),
        payer: `payer ${index % 7}`,
      }),
  )

/** What a list is asked for; whatever is absent lets everything through. */
export interface Wanted {
  /** Epoch milliseconds. */
  readonly from?: number
  readonly before?: number
  readonly symbols?: ReadonlyArray<string>
  readonly asset?: Token
  readonly chainIds?: ReadonlyArray<number>
  readonly statuses?: ReadonlyArray<string>
  readonly reference?: string
  readonly merchantIds?: ReadonlyArray<string>
  readonly currencies?: ReadonlyArray<string>
  /** The merchant of the header or of the path. */
  readonly only?: string
  readonly sortBy?: "date" | "amount"
  readonly sortDir?: "asc" | "desc"
}

const among = <A>(allowed: ReadonlyArray<A> | undefined, value: A | undefined): boolean =>
  allowed === undefined || (value !== undefined && allowed.includes(value))

const matches =
  (wanted: Wanted) =>
  (known: Known): boolean =>
    (wanted.from === undefined || known.createdAt >= wanted.from) &&
    (wanted.before === undefined || known.createdAt < wanted.before) &&
    among(wanted.symbols, known.token?.symbol) &&
    among(wanted.asset && [wanted.asset.address], known.token?.address) &&
    among(wanted.chainIds, known.token?.chainId) &&
    among(wanted.statuses, known.status) &&
    among(wanted.merchantIds, known.merchantId) &&
    among(wanted.currencies, known.group.startsWith("fiat/") ? known.currency : undefined) &&
    (wanted.only === undefined || known.merchantId === wanted.only) &&
    known.referenceId.toLowerCase().includes((wanted.reference ?? "").toLowerCase())

const order = <A extends string | number | bigint>(left: A, right: A): number =>
  left < right ? -1 : left > right ? 1 : 0

/** Ascending; of equals the one with the smaller id comes first, and descending is the reverse of it. */
const ascending =
  (by: "date" | "amount") =>
  (left: Known, right: Known): number =>
    (by === "date"
      ? order(left.createdAt, right.createdAt)
      : order(left.group, right.group) || order(left.value, right.value)) ||
    order(left.id, right.id)

/** The payments of a list, in its order. */
export const select = (all: ReadonlyArray<Known>, wanted: Wanted): ReadonlyArray<Known> => {
  const found = all.filter(matches(wanted)).toSorted(ascending(wanted.sortBy ?? "date"))
  return wanted.sortDir === "asc" ? found : found.toReversed()
}

/** A sum of decimals, as the JSON number that is nearest to it. */
const sum = (parts: ReadonlyArray<Known>): number => {
  const places = 18
  const total = parts.reduce(
    (at, { decimals, value }) => at + value * 10n ** BigInt(places - decimals),
    0n,
  )
  const digits = total.toString().padStart(places + 1, "0")
  return Number(`${digits.slice(0, -places)}.${digits.slice(-places)}`)
}

/** What is told of all payments of a list. */
export const stats = (listed: ReadonlyArray<Known>) => {
  const succeeded = listed.filter(({ status }) => status === "succeeded")
  const found = new Set(succeeded.map(({ currency }) => currency))
  const sums = (some: ReadonlyArray<Known>) =>
    [...found].toSorted(order).map((currency) => ({
      amount: sum(some.filter((each) => each.currency === currency)),
      currency,
    }))
  return {
    totalRevenue: sums(succeeded),
    totalRefunded: sums(succeeded.filter(({ stage }) => stage === "refunded")),
    netRevenue: sums(succeeded.filter(({ stage }) => stage !== "refunded")),
    totalTransactions: listed.length,
    totalCustomers: new Set(listed.flatMap(({ payer }) => payer ?? [])).size,
  }
}

/** RFC 3339, with milliseconds. */
export const dateTime = (at: number): string => new Date(at).toISOString()

const repeated = (name: string, values_: ReadonlyArray<string> = []) =>
  values_.map((value): readonly [string, string] => [name, value])

/** The query that asks for a list. */
export const query = (wanted: Wanted): ReadonlyArray<readonly [string, string]> => [
  ...repeated("startTs", wanted.from === undefined ? [] : [dateTime(wanted.from)]),
  ...repeated("endTs", wanted.before === undefined ? [] : [dateTime(wanted.before)]),
  ...repeated("token_symbol", wanted.symbols),
  ...repeated("asset", wanted.asset && [assetOf(wanted.asset)]),
  ...repeated(
    "network",
    wanted.chainIds && [wanted.chainIds.map((chainId) => `eip155:${chainId}`).join(",")],
  ),
  ...repeated("status", wanted.statuses),
  ...repeated("referenceId", wanted.reference === undefined ? [] : [wanted.reference]),
  ...repeated("merchantId", wanted.merchantIds),
  ...repeated("currency", wanted.currencies),
  ...repeated("sortBy", wanted.sortBy && [wanted.sortBy]),
  ...repeated("sortDir", wanted.sortDir && [wanted.sortDir]),
]
