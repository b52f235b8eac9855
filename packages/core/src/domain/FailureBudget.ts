/**
 * How many failed collects are paid for. A collect that reverts costs us gas and earns nothing, so it is charged to the
 * account that signed, to the merchant and the partner whose payment it was, and to the key that handed it in.
 *
 * Time refills a budget: each failure uses it for a part of an hour. So one number says it all, the time at which it will
 * be whole again. A collect from an account with code is charged when it is accepted, and what it did not cost is given
 * back when it ends: of many at once, no more are sent than the budgets allow.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "./Caip.ts"
import type * as Merchant from "./Merchant.ts"
import type * as Mode from "./Mode.ts"

/** Whom failures are charged to. */
export const kinds = ["account", "merchant", "partner", "key"] as const
export type Kind = (typeof kinds)[number]

/** How many failed collects of each are paid for in an hour, at once or one by one; 0 relays nothing of accounts with code. */
export type Limits = { readonly [K in Kind]: number }

export const defaults: Limits = { account: 2, merchant: 10, partner: 10, key: 10 }

const hourInMs = 60 * 60 * 1000

/** One budget as it is stored; one that was never used has none of this. */
export interface Level {
  readonly subject: string
  /** When it is whole again. */
  readonly emptyAt: number
  /** The account has paid here, with code. */
  readonly hasPaid: boolean
}

/** What a write does to a budget. */
export interface Entry {
  readonly subject: string
  /** How much longer it takes to be whole again; less where something is given back. */
  readonly byInMs: number
  /** The write is refused if the budget would then take longer than this. */
  readonly mostInMs?: number
  readonly hasPaid?: true
}

/** What was charged when a collect was accepted, until it ends. */
export type Reserved = typeof Reserved.Type
export const Reserved = Schema.Array(Schema.Struct({ subject: Schema.String, byInMs: Schema.Int }))

/** A payment's budgets; a key is there if one handed the confirm in. */
export interface Payer {
  readonly mode: Mode.Mode
  readonly account: Caip.Account
  readonly merchantId: Merchant.MerchantId
  readonly partnerId: Merchant.PartnerId
  readonly key?: string | undefined
}

const accountOf = (account: Caip.Account): string => `account ${Caip.accountKey(account)}`

const othersOf = ({
  key,
  merchantId,
  mode,
  partnerId,
}: Omit<Payer, "account">): ReadonlyArray<{ readonly kind: Kind; readonly subject: string }> => [
  { kind: "merchant", subject: `merchant ${merchantId}` },
  { kind: "partner", subject: `partner ${mode} ${partnerId}` },
  ...(key === undefined ? [] : [{ kind: "key", subject: `key ${key}` } as const]),
]

const allOf = (payer: Payer) => [
  { kind: "account", subject: accountOf(payer.account) } as const,
  ...othersOf(payer),
]

/** The budgets to read for some accounts of a payment. */
export const subjects = (
  payer: Omit<Payer, "account">,
  accounts: ReadonlyArray<Caip.Account>,
): ReadonlyArray<string> => [
  ...new Set([...accounts.map(accountOf), ...othersOf(payer).map(({ subject }) => subject)]),
]

/** What one failure uses. More than an hour where none is paid for. */
const costOf = (limits: Limits, kind: Kind): number =>
  limits[kind] === 0 ? 2 * hourInMs : Math.floor(hourInMs / limits[kind])

/** What a budget is after an entry, or null if that is refused. Nothing is given back below what is whole now. */
export const after = (emptyAt: number, entry: Entry, now: number): number | null => {
  const next = Math.max(emptyAt, now) + entry.byInMs
  return entry.mostInMs !== undefined && next - now > entry.mostInMs ? null : Math.max(next, 0)
}

/** Those of a payer's budgets that close relayed options: all of an account with code that never paid here. */
const closing = (payer: Payer, hasCode: boolean, levels: ReadonlyArray<Level>) => {
  const [account, ...others] = allOf(payer)
  const isKnown = levels.some(({ hasPaid, subject }) => hasPaid && subject === account?.subject)
  return account === undefined ? [] : hasCode && !isKnown ? [account, ...others] : [account]
}

/** The first of a payer's budgets that has no room for one more failure; null if all have. */
export const exhausted = (
  limits: Limits,
  payer: Payer,
  hasCode: boolean,
  levels: ReadonlyArray<Level>,
  now: number,
): Kind | null => {
  const isOpen = ({ kind, subject }: { readonly kind: Kind; readonly subject: string }) => {
    const emptyAt = levels.find((level) => level.subject === subject)?.emptyAt ?? now
    // Without code nothing is charged beforehand, so an account is closed once it used up all.
    const isUnlimited = !hasCode && limits[kind] === 0
    return isUnlimited || Math.max(0, emptyAt - now) + costOf(limits, kind) <= hourInMs
  }
  return closing(payer, hasCode, levels).find((each) => !isOpen(each))?.kind ?? null
}

/** What accepting a collect from an account with code is charged with. */
export const reserve = (
  limits: Limits,
  payer: Payer,
  levels: ReadonlyArray<Level>,
): ReadonlyArray<Entry> =>
  closing(payer, true, levels).map(({ kind, subject }) => ({
    subject,
    byInMs: costOf(limits, kind),
    mostInMs: hourInMs,
  }))

/** Gives back what was charged for a collect that cost nothing. */
export const release = (reserved: Reserved): ReadonlyArray<Entry> =>
  reserved.map(({ byInMs, subject }) => ({ subject, byInMs: -byInMs }))

/** The same for one that paid: from now on only its own budget closes the account. */
export const paid = (account: Caip.Account, reserved: Reserved): ReadonlyArray<Entry> =>
  reserved.map(({ byInMs, subject }) => ({
    subject,
    byInMs: -byInMs,
    ...(subject === accountOf(account) && { hasPaid: true }),
  }))

/** Charges a collect that we sent for nothing to whomever it was not charged to yet. */
export const failed = (limits: Limits, payer: Payer, reserved: Reserved): ReadonlyArray<Entry> =>
  allOf(payer)
    .filter(({ subject }) => !reserved.some((each) => each.subject === subject))
    .map(({ kind, subject }) => ({ subject, byInMs: costOf(limits, kind) }))
