/**
 * The ledger, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import * as MerchantBalance from "../../domain/list/MerchantBalance.ts"
import * as Page from "../../domain/list/Page.ts"
import * as Statement from "../../domain/list/Statement.ts"
import * as Credit from "../../domain/money/Credit.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as OutflowState from "../../domain/outflow/OutflowState.ts"
import type * as Idempotency from "../../domain/partner/Idempotency.ts"
import type * as Change from "../../domain/payment/Change.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import { type Among, LedgerStore } from "../LedgerStore.ts"
import { IdempotencyConflict, Overdrawn } from "../StorageError.ts"
import type { Accounts } from "./Accounts.ts"
import { atomic, isTenants } from "./Rows.ts"

const isSameMovement = Schema.toEquivalence(Ledger.Transaction)

/** The records whose money the ledger counts, which are created later. */
interface Counted {
  readonly payments: () => Iterable<Payment.Payment>
  readonly outflow: (id: OutflowId.OutflowId) => Outflow.Outflow | undefined
}

export const make = ({ merchants }: Pick<Accounts, "merchants">, counted: Counted) => {
  const posted = new Map<
    Idempotency.IdempotencyKey,
    { readonly mode: Mode.Mode; readonly transaction: Ledger.Transaction }
  >()
  const booked: { readonly [M in Mode.Mode]: Array<Change.Booked> } = { test: [], live: [] }
  const balances: { readonly [M in Mode.Mode]: Map<string, Ledger.Balance> } = {
    test: new Map(),
    live: new Map(),
  }

  /** The balances after the transactions, of the accounts and tokens that they touch. */
  const afterPosting = (
    mode: Mode.Mode,
    transactions: ReadonlyArray<Ledger.Transaction>,
  ): Ledger.Balances => {
    const touched = Ledger.balances(transactions)
    return new Map(
      [...touched].map(([key, each]) => [
        key,
        { ...each, balance: each.balance + (balances[mode].get(key)?.balance ?? 0n) },
      ]),
    )
  }

  const debtsOf = (
    mode: Mode.Mode,
    partnerId: PartnerId.PartnerId | null,
    after: Ledger.Balances = new Map(),
  ): ReadonlyArray<Credit.Debt> =>
    [...new Map([...balances[mode], ...after]).values()].flatMap(({ account, balance, token }) =>
      account._tag === "Debt" &&
      balance > 0n &&
      (partnerId === null || merchants.get(account.merchantId)?.partnerId === partnerId)
        ? [{ merchantId: account.merchantId, token, quantity: balance }]
        : [],
    )

  const isAmong = (among: Among): ((account: Ledger.Account) => boolean) => {
    if ("debtorsOf" in among) {
      const { debtorsOf } = among
      return (account) =>
        account._tag === "Debt" &&
        (debtorsOf === null || merchants.get(account.merchantId)?.partnerId === debtorsOf)
    }
    const keys = new Set(among.map(Ledger.accountKey))
    return (account) => keys.has(Ledger.accountKey(account))
  }

  /** The tokens in which a merchant is owed something. */
  const owedTokens = (merchantId: MerchantId.MerchantId): ReadonlyArray<Caip.Token> =>
    [...balances.live.values(), ...balances.test.values()].flatMap(({ account, balance, token }) =>
      account._tag === "Owed" && account.merchantId === merchantId && balance !== 0n ? [token] : [],
    )

  const checkLedger = (
    mode: Mode.Mode,
    transactions: ReadonlyArray<Ledger.Transaction>,
    outflows: ReadonlyArray<Pick<Change.OutflowChange, "credit" | "outflow">> = [],
  ): Result.Result<Ledger.Balances, Overdrawn> => {
    const after = afterPosting(mode, transactions)
    const [unsound] = Ledger.unsound(after)
    if (unsound !== undefined) {
      return Result.fail(Overdrawn.ofAccount(unsound.account))
    }
    const isBeyond = outflows.some(
      ({ credit, outflow }) =>
        credit !== undefined &&
        !Credit.allows(credit, debtsOf(outflow.mode, credit.partnerId, after)),
    )
    if (isBeyond) return Result.fail(Overdrawn.ofCredit())
    const short = transactions
      .flatMap(Ledger.drawn)
      .find((held) => Ledger.float(new Map([...balances[mode], ...after]), held) < 0n)
    return short === undefined ? Result.succeed(after) : Result.fail(Overdrawn.ofFloat())
  }

  const post = (mode: Mode.Mode, after: Ledger.Balances): void => {
    for (const [key, balance] of after) balances[mode].set(key, balance)
  }

  /** Writes transactions, with the balances after them. */
  const book = (
    mode: Mode.Mode,
    bookings: ReadonlyArray<Change.Booked>,
    after: Ledger.Balances,
  ): void => {
    post(mode, after)
    booked[mode].push(...bookings)
  }

  const store = LedgerStore.of({
    holdings: (mode, held) =>
      Effect.sync(() =>
        Ledger.holdings(balances[mode]).filter(
          ({ collecting, token }) =>
            held === null || (collecting === held.collecting && Caip.sameToken(token, held.token)),
        ),
      ),
    balances: (mode, token, among) =>
      Effect.sync(
        () =>
          new Map(
            [...balances[mode]].filter(
              ([, each]) =>
                (token === null || Caip.sameToken(each.token, token)) &&
                (among === undefined || isAmong(among)(each.account)),
            ),
          ),
      ),
    merchantBalances: (tenant, { after, filter, limit }, terms) =>
      Effect.sync(() => {
        const isBooked = (id: OutflowId.OutflowId) => {
          const outflow = counted.outflow(id)
          return outflow !== undefined && OutflowState.isBooked[Outflow.status(outflow)]
        }
        const { merchantId, token: wanted } = filter
        const ofMode = balances[tenant.mode]
        const found = MerchantBalance.sumsOf(counted.payments(), ofMode, isBooked, terms)
          .flatMap((sums) => {
            const merchant = merchants.get(sums.merchantId)
            return merchant !== undefined &&
              isTenants(tenant, merchant) &&
              (merchantId === undefined || merchant.id === merchantId) &&
              (wanted === undefined || Caip.sameToken(sums.token, wanted))
              ? [{ sums, merchant, tokenKey: Caip.tokenKey(sums.token) }]
              : []
          })
          .filter((each) => after === null || MerchantBalance.compare(after, each) < 0)
          .toSorted(MerchantBalance.compare)
        const { hasMore, items } = Page.cut(found, limit)
        return { items: items.map(({ sums }) => sums), hasMore }
      }),
    statement: (mode, merchantId, period) =>
      Effect.sync(() => Statement.of(booked[mode], merchantId, period)),
    ledgerOf: (of) =>
      Effect.sync(() => {
        if (typeof of === "string") {
          return [...booked.test, ...booked.live].flatMap(({ paymentId, transaction }) =>
            paymentId === of ? [transaction] : [],
          )
        }
        return [posted.get(of.key)?.transaction ?? []].flat()
      }),
    post: (mode, key, transaction) =>
      atomic((): Result.Result<boolean, Overdrawn | IdempotencyConflict> => {
        const earlier = posted.get(key)
        if (earlier !== undefined) {
          return earlier.mode === mode && isSameMovement(earlier.transaction, transaction)
            ? Result.succeed(false)
            : Result.fail(IdempotencyConflict.ofMovement())
        }
        return Result.map(checkLedger(mode, [transaction]), (after) => {
          posted.set(key, { mode, transaction })
          post(mode, after)
          return true
        })
      }),
  })
  const isBooked = (token: Caip.Token): boolean =>
    Object.values(balances).some((held) =>
      [...held.values()].some((each) => Caip.sameToken(each.token, token)),
    )
  return { store, checkLedger, book, isBooked, owedTokens }
}

/** What payments need of the ledger. */
export type Ledgers = ReturnType<typeof make>
