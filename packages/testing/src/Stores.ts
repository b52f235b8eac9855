/**
 * What tests do with stores: write partners, and wrap all stores of a storage to count, delay or break any of
 * their calls.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Ledger from "@florin/core/domain/money/Ledger"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import type { AccountStore } from "@florin/core/ports/AccountStore"
import type { Lease } from "@florin/core/ports/DueWork"
import type { LedgerStore } from "@florin/core/ports/LedgerStore"
import type { OutflowStore, WriteDecision } from "@florin/core/ports/OutflowStore"
import * as Storage from "@florin/core/ports/Storage"
import { NotFound } from "@florin/core/ports/StorageError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const stores: ReadonlyArray<Context.Key<Storage.Storage, object>> = Storage.stores

type Call = Effect.Effect<unknown, unknown, unknown>
/** What stands between a caller and a service; `name` is the member that was called. */
export type Tap = (name: string, call: Call) => Call

/** The service with every call of it, and every member that is a call itself, passed through `tap`. */
export const tapped = <S extends object>(service: S, tap: Tap): S =>
  new Proxy(service, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key)
      const through = (result: unknown) =>
        Effect.isEffect(result) ? tap(String(key), result) : result
      return typeof value === "function"
        ? (...args: ReadonlyArray<unknown>) => through(Reflect.apply(value, target, args))
        : through(value)
    },
  })

/** The balance of one ledger account; 0 if nothing ever moved. */
export const balanceOf = (
  ledger: LedgerStore["Service"],
  mode: Mode.Mode,
  account: Ledger.Account,
  token: Caip.Token,
) =>
  Effect.map(ledger.balances(mode, token, [account]), (all) =>
    Ledger.balanceOf(all, account, token),
  )

/** A merchant's destinations that were not deleted, oldest first. */
export const destinationsOf = (
  accounts: AccountStore["Service"],
  merchantId: MerchantId.MerchantId,
) =>
  Effect.map(accounts.destinations([merchantId], null), (lasts) =>
    lasts.filter(SettlementDestination.isRegistered),
  )

/** The result of a decision on one payment, and the change that is written with it. */
export interface Decision<A> {
  readonly result: A
  readonly change?: Change.Change | null
}

/** Runs a decision on one payment, and writes its change. */
export const modifyPayment =
  ({ modify }: Pick<OutflowStore["Service"], "modify">) =>
  <A, E>(
    id: PaymentId.PaymentId,
    decide: (current: Payment.Payment) => Result.Result<Decision<A>, E>,
    lease: Lease | null = null,
  ) =>
    modify(
      { outflows: [], payments: [id] },
      ({ payments: [current] }): Result.Result<WriteDecision<A>, E | NotFound> =>
        current === undefined
          ? Result.fail(NotFound.of("payment"))
          : Result.map(decide(current), ({ result, change = null }) => ({
              result,
              write: change === null ? null : { payments: [change], outflows: [] },
            })),
      lease,
    )

/** Writes a partner, new or changed. */
export const putPartner = (
  { addPartner, modifyPartner }: AccountStore["Service"],
  partner: Merchant.Partner,
) =>
  Effect.flatMap(addPartner(partner), (isNew) =>
    isNew ? Effect.void : Effect.asVoid(modifyPartner(partner.id, () => partner)),
  )

/**
 * The provided stores, each passed through `wrap`.
 *
 * @example
 * const broken = Layer.effectContext(Stores.wrapped((store) => new Proxy(store, handler)))
 */
export const wrapAll = (wrap: <S extends object>(store: S) => S) =>
  Effect.map(Storage.all, (context) =>
    stores.reduce(
      (all, store) => Context.add(all, store, wrap(Context.get(context, store))),
      context,
    ),
  )
