/**
 * What merchants are owed now: a balance for each merchant and token, divided by what happens to the money next.
 *
 * Storage adds up balances in its own query language; its results must equal what this module defines.
 *
 * @module
 */
import * as Order from "effect/Order"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as Catalog from "../chain/Catalog.ts"
import * as Family from "../chain/Family.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import type * as PartnerId from "../ground/PartnerId.ts"
import type * as Seal from "../ground/Seal.ts"
import type * as Ledger from "../money/Ledger.ts"
import * as Merchant from "../partner/Merchant.ts"
import * as PartnerLimits from "../partner/PartnerLimits.ts"
import * as Entry from "../payment/Entry.ts"
import * as Payment from "../payment/Payment.ts"
import * as Cursor from "./Cursor.ts"
import * as PageLimit from "./PageLimit.ts"

/** What the books hold of one token for a merchant, before anything is set off. */
export interface Sums {
  readonly merchantId: MerchantId.MerchantId
  readonly token: Caip.Token
  /** Of its shares, what nothing took yet. */
  readonly left: bigint
  /** How much of that the partner's delay or reserve holds back. */
  readonly heldBack: bigint
  /** What payouts carry that are not paid. */
  readonly inPayout: bigint
  /** What refunds took of its shares, and did not send. */
  readonly reserved: bigint
  /** What it owes, less what payouts that are not sent will set off. */
  readonly debt: bigint
}

/** The meaning of each part. Only `debt` counts against the merchant. */
export const parts = {
  available:
    "the money that the next payout can take. Without a settlement destination for the token it stays here",
  pending:
    "the money that no payout takes yet, because of a payout delay, a reserve or a freeze of the operator",
  inPayout: "the money in payouts that are not final",
  reserved: "the money that refunds took and that is not sent",
  debt: "the money that the merchant owes after refunds of money that it already had. Payouts set it off first",
} as const
export type Part = keyof typeof parts
export type Balance = { readonly [P in Part]: bigint }

/** A payout sets off debt before it sends anything, so only what remains of either is shown. */
export const of = (
  { debt, heldBack, inPayout, left, reserved }: Sums,
  isFrozen: boolean,
): Balance => {
  const payable = isFrozen ? 0n : left - heldBack
  const setOff = payable < debt ? payable : debt
  return {
    available: payable - setOff,
    pending: left - payable,
    inPayout,
    reserved,
    debt: debt - setOff,
  }
}

/** The limits of the partner, and the time at which they hold something back. */
export interface Terms {
  readonly limits: PartnerLimits.PartnerLimits
  readonly now: number
}

const nothing = { left: 0n, heldBack: 0n, inPayout: 0n, reserved: 0n, debt: 0n }

type Added = { readonly [K in keyof typeof nothing]: bigint }

/** What the entry of a payment adds to the sums of its merchant. */
const entrySums = (
  payment: Payment.Payment,
  isBooked: (id: OutflowId.OutflowId) => boolean,
  { limits, now }: Terms,
): Added => {
  const { state } = payment
  if (state._tag !== "Succeeded") return nothing
  const { entry, succeededAt } = state
  const left = Entry.left(entry)
  const back = PartnerLimits.heldBack(limits, { net: entry.quantity, succeededAt }, now)
  const carried = entry.parts.filter((part) => part._tag === "Carried" || part._tag === "Held")
  const refunds = new Map(Payment.refunds(payment).map(({ id, outflowId }) => [id, outflowId]))
  const refunded = entry.parts.filter((part) => {
    const outflowId = part._tag === "Refunded" ? refunds.get(part.refundId) : undefined
    return outflowId !== undefined && !isBooked(outflowId)
  })
  return {
    left,
    heldBack: left < back ? left : back,
    inPayout: carried.reduce((sum, { quantity }) => sum + quantity, 0n),
    reserved: refunded.reduce((sum, { netted }) => sum + netted, 0n),
    debt: carried.reduce(
      (sum, { netted, outflowId }) => (isBooked(outflowId) ? sum : sum - netted),
      0n,
    ),
  }
}

/** What a balance of the ledger adds. What is owed is in the entries, which the ledger agrees with. */
const ledgerSums = ({ account, balance }: Ledger.Balance): Added => {
  if (account._tag === "Kept") return { ...nothing, reserved: -balance }
  return account._tag === "Debt" ? { ...nothing, debt: balance } : nothing
}

/** The sums of every merchant and token, without those that are all zero. */
export const sumsOf = (
  payments: Iterable<Payment.Payment>,
  balances: Ledger.Balances,
  isBooked: (id: OutflowId.OutflowId) => boolean,
  terms: Terms,
): ReadonlyArray<Sums> => {
  const found = new Map<string, Sums>()
  const add = (merchantId: MerchantId.MerchantId, token: Caip.Token, added: Added) => {
    const key = `${merchantId} ${Caip.tokenKey(token)}`
    const before = found.get(key) ?? nothing
    const after = Record.map(added, (quantity, name) => quantity + before[name])
    found.set(key, { merchantId, token, ...after })
  }
  for (const payment of payments) {
    const token = Payment.attemptOf(payment)?.option.token
    if (token !== undefined) add(payment.merchantId, token, entrySums(payment, isBooked, terms))
  }
  for (const each of balances.values()) {
    const { account, token } = each
    if ("merchantId" in account) add(account.merchantId, token, ledgerSums(each))
  }
  return [...found.values()].filter(({ debt, inPayout, left, reserved }) =>
    [debt, inPayout, left, reserved].some((sum) => sum !== 0n),
  )
}

// --- lists

export interface Filter {
  readonly merchantId?: MerchantId.MerchantId
  readonly token?: Caip.Token
}

/** A balance in a list: those of the newest merchant first, and of one merchant in the order of the tokens' texts. */
export interface Position {
  readonly merchant: Pick<Merchant.Merchant, "createdAt" | "id">
  readonly tokenKey: string
}

export const compare = (left: Position, right: Position): number =>
  Merchant.newestFirst(left.merchant, right.merchant) || Order.String(left.tokenKey, right.tokenKey)

export interface Query {
  readonly filter: Filter
  readonly limit: number
  readonly after: Position | null
}

/** Query values as they were sent. */
export interface Raw {
  readonly merchantId?: string | undefined
  readonly asset?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: PageLimit.Raw
}

/** The owner of the merchants. */
export interface Scope {
  readonly partnerId: PartnerId.PartnerId
  readonly mode: Mode.Mode
}

const listText = ({ mode, partnerId }: Scope, { asset, merchantId }: Raw): string =>
  JSON.stringify(["balances", partnerId, mode, merchantId ?? null, asset ?? null])

const readParts = Schema.decodeUnknownResult(
  Schema.Tuple([
    Schema.NumberFromString.check(Schema.isInt()),
    MerchantId.MerchantId,
    Schema.String,
  ]),
)

/** The cursor of the page after a balance, valid for a list with the same filters only. */
export const encodeCursor = (
  key: Seal.SealKeys,
  scope: Scope,
  raw: Raw,
  { merchant, tokenKey }: Position,
): string =>
  Cursor.encode(key, listText(scope, raw), [merchant.createdAt.toString(), merchant.id, tokenKey])

const isMerchantId = Schema.is(MerchantId.MerchantId)

/** Reads the asset by which a list is filtered. */
export const readToken = (catalog: Catalog.Catalog, asset: string | undefined) =>
  Invalid.ifSent(asset, (text) => Invalid.at("asset", Family.parseToken(catalog, text)))

/** Reads a query, or reports everything that is wrong with it. Null if the merchant's text can be no id. */
export const parse = (
  raw: Raw,
  {
    catalog,
    key,
    scope,
  }: {
    readonly key: Seal.SealKeys
    readonly scope: Scope
    readonly catalog: Catalog.Catalog
  },
): Result.Result<Query | null, Invalid.InvalidInput> => {
  const { asset, merchantId } = raw
  const after = Cursor.read(key, listText(scope, raw), raw.cursor, (sent) =>
    Result.map(readParts(sent), ([createdAt, id, tokenKey]) => ({
      merchant: { createdAt, id },
      tokenKey,
    })),
  )
  const token = readToken(catalog, asset)
  return Result.map(
    Invalid.all({ token, after, limit: PageLimit.parse(raw.limit) }),
    ({ token: only, ...page }) =>
      merchantId !== undefined && !isMerchantId(merchantId)
        ? null
        : {
            filter: {
              ...(merchantId !== undefined && { merchantId }),
              ...(only !== undefined && { token: only }),
            },
            ...page,
          },
  )
}
