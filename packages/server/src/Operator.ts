/**
 * The operator's use cases in this process: the operations of the operator's API, and those that are not part of it
 * yet.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Astray from "@florin/core/engine/Astray"
import * as Balances from "@florin/core/engine/Balances"
import * as Float from "@florin/core/engine/Float"
import * as Inflows from "@florin/core/engine/Inflows"
import * as Lanes from "@florin/core/engine/Lanes"
import * as PaidOut from "@florin/core/engine/PaidOut"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Relaying from "@florin/core/engine/Relaying"
import * as Retry from "@florin/core/engine/Retry"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Status from "@florin/core/engine/Status"
import * as Stuck from "@florin/core/engine/Stuck"
import { Assets } from "@florin/core/ports/Assets"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"
import * as Client from "./operator/Client.ts"

const promised =
  (run: Client.Run) =>
  <Args extends ReadonlyArray<unknown>, A, E>(
    useCase: (...args: Args) => Effect.Effect<A, E, Operation.Ports>,
  ) =>
  (...args: Args): Promise<A> =>
    run(useCase(...args))

/** Reads an id that an embedder passes as text, or throws what is wrong with it. */
const reader =
  <A extends string>(field: string, is: (text: string) => text is A, form: string) =>
  (text: string): Result.Result<A, Invalid.InvalidInput> =>
    is(text) ? Result.succeed(text) : Invalid.fail(field, `must be ${form}`)

const partnerId = reader("partnerId", Schema.is(PartnerId.PartnerId), "the id of a partner, prtn_…")
const merchantId = reader(
  "merchantId",
  Schema.is(MerchantId.MerchantId),
  "the id of a merchant, mrch_…",
)
const paymentId = reader("paymentId", Schema.is(PaymentId.PaymentId), "the id of a payment, pay_…")
const outflowId = reader("outflowId", Schema.is(OutflowId.OutflowId), "the id of an outflow, out_…")
const unclaimedId = reader(
  "unclaimedId",
  Schema.is(InflowId.InflowId),
  "the id of unclaimed money, unc_…",
)
const isQuantity = Schema.is(Money.Quantity)

const chainId = reader("chainId", Schema.is(Caip.ChainId), "a chain, such as eip155:8453")

/** Wraps a use case whose first argument is or contains text: the text is parsed once, here. */
const reading =
  <Text, A, Rest extends ReadonlyArray<unknown>, B, E, R>(
    read: (text: Text) => Result.Result<A, Invalid.InvalidInput>,
    useCase: (first: A, ...rest: Rest) => Effect.Effect<B, E, R>,
  ) =>
  (text: Text, ...rest: Rest): Effect.Effect<B, E | Invalid.InvalidInput, R> =>
    Effect.flatMap(Effect.fromResult(read(text)), (first) => useCase(first, ...rest))

const resumeLanes = (mode: Mode.Mode, chain: string) =>
  Effect.flatMap(Effect.fromResult(chainId(chain)), (id) => Lanes.resume(mode, id))

/** A token, or an account, on a chain: `{ chainId: "eip155:8453", address: "0x…" }`. */
export interface OnChain {
  readonly chainId: string
  readonly address: string
}

/** Your own tokens that you moved on chain and now record in the ledger. */
export interface MovedFloat {
  /** The transaction's hash, or another identifier of this movement alone: it is recorded once. */
  readonly key: string
  readonly token: OnChain
  /** The address of the collecting account. */
  readonly collecting: string
  /** In the token's smallest unit. */
  readonly quantity: bigint
}

/** Your own tokens, and the account on their chain to send them to. */
export interface SentFloat extends Pick<MovedFloat, "token" | "quantity"> {
  readonly from: string
  readonly to: string
}

const quantityOf = (quantity: bigint): Result.Result<Money.Quantity, Invalid.InvalidInput> =>
  isQuantity(quantity)
    ? Result.succeed(quantity)
    : Invalid.fail("quantity", "must be 0 or more, and less than 2^256")

/** Parses an address in the format of its chain's family. */
const addressOn = (field: string, { address, chainId: chain }: OnChain, catalog: Catalog.Catalog) =>
  Result.mapError(
    Family.parseAccount(catalog, `${chain}:${address}`),
    ({ message }) => new Invalid.InvalidInput({ issues: [Invalid.issue(field, message)] }),
  )

const resumeToken = Effect.fnUntraced(function* (mode: Mode.Mode, token: OnChain) {
  const read = yield* Effect.fromResult(addressOn("token", token, yield* Assets))
  return yield* Lanes.resumeToken(mode, read)
})

/** Parses a movement of the operator's money, and runs `useCase` with it. */
const moved = <A, E, R>(useCase: (mode: Mode.Mode, read: Float.Moved) => Effect.Effect<A, E, R>) =>
  Effect.fnUntraced(function* (mode: Mode.Mode, float: MovedFloat) {
    const { chainId: chain } = float.token
    const collecting = { chainId: chain, address: float.collecting }
    const catalog = yield* Assets
    return yield* useCase(mode, {
      key: yield* Effect.fromResult(Idempotency.parseKey(float.key)),
      token: yield* Effect.fromResult(addressOn("token", float.token, catalog)),
      collecting: (yield* Effect.fromResult(addressOn("collecting", collecting, catalog))).address,
      quantity: yield* Effect.fromResult(quantityOf(float.quantity)),
    })
  })

/** Parses a transfer of the operator's money, and runs `useCase` with it. */
const sent = <A, E, R>(useCase: (mode: Mode.Mode, read: Float.Going) => Effect.Effect<A, E, R>) =>
  Effect.fnUntraced(function* (mode: Mode.Mode, float: SentFloat) {
    const { chainId: chain } = float.token
    const catalog = yield* Assets
    const addressOf = (field: "from" | "to") =>
      Result.map(
        addressOn(field, { chainId: chain, address: float[field] }, catalog),
        ({ address }) => address,
      )
    return yield* useCase(mode, {
      token: yield* Effect.fromResult(addressOn("token", float.token, catalog)),
      from: yield* Effect.fromResult(addressOf("from")),
      to: yield* Effect.fromResult(addressOf("to")),
      quantity: yield* Effect.fromResult(quantityOf(float.quantity)),
    })
  })

const withdrawFloat = Effect.fnUntraced(function* (mode: Mode.Mode, going: Float.Going) {
  return yield* Float.withdraw(mode, going, yield* TreasuryPolicy)
})

const holdings = (mode: Mode.Mode) => Effect.flatMap(LedgerStore, (ledger) => ledger.holdings(mode))

const gasBudgets = Effect.fnUntraced(function* (mode: Mode.Mode) {
  return yield* Relaying.gasBudgets(mode, yield* Clock.currentTimeMillis)
})

/** Selects held money. A member that is absent matches everything. */
export interface HeldFilter extends Omit<Retry.Filter, "partnerId" | "merchantId" | "token"> {
  readonly partnerId?: string
  readonly merchantId?: string
  readonly token?: OnChain
}

const retryHeld = Effect.fnUntraced(function* ({
  merchantId: merchant,
  partnerId: partner,
  token,
  ...filter
}: HeldFilter) {
  return yield* Retry.retryHeld({
    ...filter,
    ...(partner !== undefined && { partnerId: yield* Effect.fromResult(partnerId(partner)) }),
    ...(merchant !== undefined && { merchantId: yield* Effect.fromResult(merchantId(merchant)) }),
    ...(token !== undefined && {
      token: yield* Effect.fromResult(addressOn("token", token, yield* Assets)),
    }),
  })
})

/** The use cases of an operator as promises. */
export const make = (run: Client.Run, publicUrl: string) => {
  const of = promised(run)
  return {
    ...Client.make(run, publicUrl),
    retrySettlement: of(reading(paymentId, Settlements.retry)),
    retryRefund: of(reading(paymentId, Refunds.retryHeld)),
    /** Records a payout or refund that is on chain but not in the ledger, by its transaction. */
    recordPaidOut: of(reading(paymentId, PaidOut.record)),
    /** Records a payout of any number of shares that is on chain but not in the ledger, by its transaction. */
    recordPayout: of(PaidOut.recordPayout),
    stuckPayments: of(Refunds.stuck),
    /** Lists what is stuck, why, and since when: outgoing money that is held or waits. */
    stuck: of(Stuck.list),
    /** Retries all held outgoing money that matches a filter. */
    retryHeld: of(retryHeld),
    /** Accepts what a held payout, refund or return moved instead as its payment: nothing more is sent. */
    acceptMoved: of(reading(outflowId, Astray.accept)),
    /** Counts what arrived as a part of a held payout: the rest is sent again. */
    releaseMoved: of(reading(outflowId, Astray.release)),
    /** Lists money in suspense: late, wrong or unexpected. Amounts below one unit of their token are reported as a sum. */
    unclaimed: of(Inflows.list),
    /** Sends such money back to the account that it came from; resolves with the outflow's id. */
    returnUnclaimed: of(reading(unclaimedId, Inflows.giveBack)),
    /** Lists the chains on which nothing new is sent, with why and since when. */
    haltedChains: of(Lanes.listHalted),
    /** Lists the tokens of which nothing more is sent, with why and since when. */
    stoppedTokens: of(Lanes.stoppedTokens),
    /** Resumes sending a token. */
    resumeToken: of(resumeToken),
    /** What each account of a mode spent on gas in this hour, on chains with `spendPerHour`. */
    gasBudgets: of(gasBudgets),
    /** Resumes a halted chain. */
    resumeLanes: of(resumeLanes),
    putFloat: of(moved(Float.put)),
    takeFloat: of(moved(Float.take)),
    /** Sends float from one of the service's accounts to another on the same chain; resolves with the outflow's id. */
    moveFloat: of(sent(Float.move)),
    /** Sends float or fees to an account of `treasury`; resolves with the outflow's id. */
    withdrawFloat: of(sent(withdrawFloat)),
    cancelFloat: of(reading(outflowId, Float.cancel)),
    /**
     * Lists outflows that wait because their account has too little of the operator's own money, and how much it lacks.
     */
    shortOutflows: of(Float.short),
    /**
     * What waits, fails, costs or is owed, and whether a person must act. It takes a few seconds at most: a chain that
     * hangs is reported as a finding.
     */
    status: of(Status.look),
    /** What each account of a mode has of each token, on chain and by the ledger, and who owns it. */
    balances: of(Balances.look),
    /** What each account holds of each token, and how much of it is owed. */
    holdings: of(holdings),
  }
}

export type Operator = ReturnType<typeof make>
