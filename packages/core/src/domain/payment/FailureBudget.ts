/**
 * How many failed collects the service pays for. A collect that reverts costs us gas and earns nothing, so it is
 * charged to the account that signed, to the payment's merchant and partner, and to the key that submitted it.
 *
 * Time refills a budget: each failure uses it for a part of an hour. So one number is enough: the time at which it will
 * be full again. A collect is charged when it is accepted, and the unused part is returned when it ends: of many at the
 * same time, no more are sent than the budgets allow. An account without code is charged for every collect in progress
 * but its first, and only a part: its balance covers all of them, so they fail only if it moves the money away in time.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import type * as MerchantId from "../ground/MerchantId.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as PartnerId from "../ground/PartnerId.ts"

/** The kinds of parties to which failures are charged, and refunds, whose gas is charged to the partner. */
export const kinds = ["account", "merchant", "partner", "key", "refund"] as const
export type Kind = (typeof kinds)[number]

/**
 * How many failed collects of each are paid for in an hour, at the same time or one by one; with 0, nothing is relayed
 * for accounts with code. For `refund`, see `UncoveredGas`.
 */
export type Limits = { readonly [K in Kind]: number }

export const defaults: Limits = { account: 2, merchant: 10, partner: 10, key: 10, refund: 20 }

export const hourInMs = 60 * 60 * 1000

/** One budget as it is stored; a budget that was never used has no entry. */
export interface Level {
  readonly subject: string
  /** When it is full again. */
  readonly emptyAt: number
  /** Whether the account has paid here, with code. */
  readonly hasPaid: boolean
}

/** The effect of a write on a budget. */
export interface Entry {
  readonly subject: string
  /** How much later it will be full again; negative if a charge is returned. With 0, it only requires room. */
  readonly byInMs: number
  /** The write is refused if the budget would then take longer than this. */
  readonly mostInMs?: number
  readonly hasPaid?: true
}

/** What was charged when a collect was accepted, until it ends. */
export type Reserved = typeof Reserved.Type
export const Reserved = Schema.Array(Schema.Struct({ subject: Schema.String, byInMs: Schema.Int }))

/** A payment's budgets; a key is present if one submitted the confirm. */
export interface Payer {
  readonly mode: Mode.Mode
  readonly account: Caip.Account
  readonly merchantId: MerchantId.MerchantId
  readonly partnerId: PartnerId.PartnerId
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

/** How much of a budget one failure uses; if no failure is paid for, even a part of it is more than an hour. */
export const costOf = (limits: Limits, kind: Kind): number =>
  limits[kind] === 0 ? 3 * hourInMs : Math.floor(hourInMs / limits[kind])

/** A budget after an entry, or null if the entry is refused. A return never fills a budget beyond full. */
export const apply = (emptyAt: number, entry: Entry, now: number): number | null => {
  const next = Math.max(emptyAt, now) + entry.byInMs
  return entry.mostInMs !== undefined && next - now > entry.mostInMs ? null : Math.max(next, 0)
}

/** The budgets of a payer that stop relayed options: all of them, for an account with code that never paid here. */
const closing = (payer: Payer, hasCode: boolean, levels: ReadonlyArray<Level>) => {
  const [account, ...others] = allOf(payer)
  const isKnown = levels.some(({ hasPaid, subject }) => hasPaid && subject === account?.subject)
  return account === undefined ? [] : hasCode && !isKnown ? [account, ...others] : [account]
}

/** The first of a payer's budgets that has no room for one more failure; null if all have. */
export const firstExhausted = (
  limits: Limits,
  payer: Payer,
  hasCode: boolean,
  levels: ReadonlyArray<Level>,
  now: number,
): Kind | null => {
  const isOpen = ({ kind, subject }: { readonly kind: Kind; readonly subject: string }) => {
    const emptyAt = levels.find((level) => level.subject === subject)?.emptyAt ?? now
    // Without code a single collect is not charged beforehand, so an account is closed once it has used up all.
    const isUnlimited = !hasCode && limits[kind] === 0
    return isUnlimited || Math.max(0, emptyAt - now) + costOf(limits, kind) <= hourInMs
  }
  return closing(payer, hasCode, levels).find((each) => !isOpen(each))?.kind ?? null
}

/** How many payments in progress of an account without code are charged as one failure. */
const pendingPerFailure = 2

/**
 * The charge for accepting a collect from an account without code. If it is the account's only one in progress, nothing
 * is charged, but there must be room for its failure: an option must not outlive the budget.
 */
export const reservePlain = (
  limits: Limits,
  account: Caip.Account,
  isOnly: boolean,
): ReadonlyArray<Entry> => {
  const subject = accountOf(account)
  const cost = costOf(limits, "account")
  if (!isOnly) {
    return [{ subject, byInMs: Math.floor(cost / pendingPerFailure), mostInMs: hourInMs }]
  }
  return limits.account === 0 ? [] : [{ subject, byInMs: 0, mostInMs: hourInMs - cost }]
}

/** The charges for accepting a collect from an account with code. */
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

/** What these entries charge until the collect ends. */
export const reservedBy = (entries: ReadonlyArray<Entry>): Reserved =>
  entries.flatMap(({ byInMs, subject }) => (byInMs === 0 ? [] : [{ subject, byInMs }]))

/** Returns the charges of a collect that cost nothing. */
export const release = (reserved: Reserved): ReadonlyArray<Entry> =>
  reserved.map(({ byInMs, subject }) => ({ subject, byInMs: -byInMs }))

/** Returns the charges of a collect that paid: from now on only its own budget closes the account. */
export const releasePaid = (account: Caip.Account, reserved: Reserved): ReadonlyArray<Entry> =>
  reserved.map(({ byInMs, subject }) => ({
    subject,
    byInMs: -byInMs,
    ...(subject === accountOf(account) && { hasPaid: true }),
  }))

/** Charges a failed collect to every party, less what it was charged already. */
export const chargeFailed = (
  limits: Limits,
  payer: Payer,
  reserved: Reserved,
): ReadonlyArray<Entry> =>
  allOf(payer).flatMap(({ kind, subject }) => {
    const before = reserved.find((each) => each.subject === subject)?.byInMs ?? 0
    const byInMs = costOf(limits, kind) - before
    return byInMs > 0 ? [{ subject, byInMs }] : []
  })
