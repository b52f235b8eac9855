/**
 * The operator's use cases outside the HTTP API: partners and keys, stopped merchants, stuck money, and webhooks. They
 * are never available over HTTP.
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
import * as Version from "@florin/core/domain/ground/Version"
import type * as PageLimit from "@florin/core/domain/list/PageLimit"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Credit from "@florin/core/domain/money/Credit"
import * as FeeTerms from "@florin/core/domain/money/Fees"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Astray from "@florin/core/engine/Astray"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Balances from "@florin/core/engine/Balances"
import * as Events from "@florin/core/engine/Events"
import * as Float from "@florin/core/engine/Float"
import * as Inflows from "@florin/core/engine/Inflows"
import * as Keys from "@florin/core/engine/Keys"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Merchants from "@florin/core/engine/Merchants"
import * as PaidOut from "@florin/core/engine/PaidOut"
import * as PersonalData from "@florin/core/engine/PersonalData"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Relaying from "@florin/core/engine/Relaying"
import * as Retry from "@florin/core/engine/Retry"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Statements from "@florin/core/engine/Statements"
import * as Status from "@florin/core/engine/Status"
import * as Stuck from "@florin/core/engine/Stuck"
import { AccountStore, type Tenant } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Operation from "./Operation.ts"

/** Runs an effect on the ports of a service. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Operation.Ports>) => Promise<A>

const promised =
  (run: Run) =>
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
const keyId = reader("keyId", Schema.is(ApiKey.ApiKeyId), "the id of a key, key_…")
const paymentId = reader("paymentId", Schema.is(PaymentId.PaymentId), "the id of a payment, pay_…")
const outflowId = reader("outflowId", Schema.is(OutflowId.OutflowId), "the id of an outflow, out_…")
const unclaimedId = reader(
  "unclaimedId",
  Schema.is(InflowId.InflowId),
  "the id of unclaimed money, unc_…",
)
const isQuantity = Schema.is(Money.Quantity)

const chainId = reader("chainId", Schema.is(Caip.ChainId), "a chain, such as eip155:8453")

/** A partner by its id as text, and a mode: the data that a use case works on. */
export interface Whose {
  readonly partnerId: string
  readonly mode: Mode.Mode
}

const whose = ({ mode, partnerId: id }: Whose): Result.Result<Tenant, Invalid.InvalidInput> =>
  Result.map(partnerId(id), (read) => ({ partnerId: read, mode }))

/** Wraps a use case whose first argument is or contains text: the text is parsed once, here. */
const reading =
  <Text, A, Rest extends ReadonlyArray<unknown>, B, E, R>(
    read: (text: Text) => Result.Result<A, Invalid.InvalidInput>,
    useCase: (first: A, ...rest: Rest) => Effect.Effect<B, E, R>,
  ) =>
  (text: Text, ...rest: Rest): Effect.Effect<B, E | Invalid.InvalidInput, R> =>
    Effect.flatMap(Effect.fromResult(read(text)), (first) => useCase(first, ...rest))

interface FixedFee {
  readonly unit: string
  readonly value: string
}

/**
 * What a payment costs its merchant, as a person writes it. A new partner pays nothing for a part that is not named.
 */
export interface Fees {
  /**
   * A fixed amount for each payment, in minor units of a currency: `{ unit: "iso4217/USD", value: "10" }` is 0.10 USD.
   * It may be stated in several currencies. For a payment in none of them, the first one is converted.
   */
  readonly fixed?: FixedFee | ReadonlyArray<FixedFee>
  /** A share of the paid amount: `"0.4"` is 0.4 %. */
  readonly percentage?: string
  /** Whether refunds return the fee in proportion. By default never, except for what the payment's share lacks. */
  readonly returned?: FeeTerms.Returned
}

export interface NewPartner {
  readonly name: string
  readonly fees?: Fees
  /** The API version of the partner: by default the newest that is not a preview. */
  readonly versionPin?: Version.Version
  /**
   * What its merchants may owe after refunds, in each mode. The service's default applies to a mode that is not named.
   */
  readonly credit?: Credit.Granted
  /** The limits of its payouts and refunds in each mode: by default none. */
  readonly limits?: PartnerLimits.ByMode
}

export interface KnownPartner extends NewPartner {
  /** Your own identifier for the partner, which never changes: by default its `name`. */
  readonly key?: string
}

interface NewKey extends Pick<ApiKey.Restriction, "from"> {
  /** Test and live never mix. */
  readonly mode: Mode.Mode
  /** Epoch milliseconds. A key without it never expires. */
  readonly expiresAt?: number | null
}

export interface NewPartnerKey extends NewKey {
  readonly partnerId: string
  /** The purpose of the key. */
  readonly name: string
  /** By default all: `read`, `pay`, `refund`, `manage`. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope>
}

export interface NewWalletKey extends NewKey {
  /** Merchants see the name and the icon as the buyer's wallet. */
  readonly name: string
  readonly iconUrl?: string | null
  readonly versionPin?: Version.Version
  /** The profile of the responses, whatever header the version comes in. Without it the header decides. */
  readonly profile?: ApiKey.Profile
}

const fixedOf = (
  fixed: FixedFee,
  catalog: Catalog.Catalog,
): Result.Result<FeeTerms.Fixed, RefusedFees> =>
  Result.flatMap(Amount.parse(fixed, catalog), ({ quantity, unit }) =>
    unit._tag === "Fiat"
      ? Result.succeed({ currency: unit.currency, quantity })
      : Result.fail(
          new FeeTerms.InvalidFees({
            field: "fixed",
            message: "the fixed fee is in a currency, such as iso4217/USD, and not in a token",
          }),
        ),
  )

type RefusedFees = FeeTerms.InvalidFees | Amount.InvalidAmount

const feesOf = ({ fixed, percentage, returned }: Fees, catalog: Catalog.Catalog) =>
  Result.gen(function* () {
    const parts: Array<FeeTerms.Fixed> = []
    for (const each of [fixed ?? []].flat()) parts.push(yield* fixedOf(each, catalog))
    return {
      fixed: fixed === undefined ? undefined : yield* FeeTerms.makeFixed(parts),
      percentage:
        percentage === undefined ? undefined : yield* FeeTerms.parsePercentage(percentage),
      returned,
    }
  })

const termsOf = Effect.fnUntraced(function* (fees: Fees = {}) {
  const named = yield* Effect.fromResult(feesOf(fees, yield* Assets))
  return FeeTerms.change(FeeTerms.none, named)
})

const createPartner = Effect.fnUntraced(function* ({ fees, ...partner }: NewPartner) {
  return yield* Keys.createPartner({ ...partner, feeTerms: yield* termsOf(fees) })
})

const ensurePartner = Effect.fnUntraced(function* ({ fees, key, ...partner }: KnownPartner) {
  const feeTerms = yield* termsOf(fees)
  return yield* Keys.ensurePartner(key ?? partner.name, { ...partner, feeTerms })
})

const listPartners = Effect.fnUntraced(function* () {
  return yield* (yield* AccountStore).partners(null)
})

const setPartnerFees = Effect.fnUntraced(function* (id: PartnerId.PartnerId, fees: Fees) {
  const change = yield* Effect.fromResult(feesOf(fees, yield* Assets))
  return yield* Merchants.setPartnerFees(id, change)
})

const issueKey = Effect.fnUntraced(function* ({
  expiresAt = null,
  partnerId: id,
  ...key
}: NewPartnerKey) {
  const owner = { _tag: "Partner", partnerId: yield* Effect.fromResult(partnerId(id)) } as const
  return yield* Keys.issue({ ...key, expiresAt, owner })
})

const issueWalletKey = ({
  expiresAt = null,
  iconUrl = null,
  name,
  versionPin = Version.newestStable,
  profile,
  ...key
}: NewWalletKey) =>
  Keys.issue({
    ...key,
    name,
    expiresAt,
    owner: {
      _tag: "Wallet",
      name,
      iconUrl,
      versionPin,
      ...(profile !== undefined && { profile }),
    },
  })

const setMerchantFees = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string,
  fees: Fees | null,
) {
  const change = fees === null ? null : yield* Effect.fromResult(feesOf(fees, yield* Assets))
  return yield* Merchants.setFees(tenant, id, change)
})

const resumeLanes = (mode: Mode.Mode, chain: string) =>
  Effect.flatMap(Effect.fromResult(chainId(chain)), (id) => Lanes.resume(mode, id))

/** Applies an action to one merchant, or to all merchants of a partner. */
const ofMerchant = (does: Parameters<typeof Merchants.take>[2]) =>
  reading(whose, (owner, id: string) => Merchants.take(owner, id, does))
const ofPartner = (does: Parameters<typeof Merchants.takeOfPartner>[1]) =>
  reading(partnerId, (id) => Merchants.takeOfPartner(id, does))

const listDeliveries = (owner: Tenant, webhookId: string, limit: PageLimit.Raw) =>
  Effect.map(Events.deliveries(owner, webhookId, limit), ({ items }) =>
    items.map(({ delivery }) => delivery),
  )

const listKeys = (id: string | null) =>
  id === null
    ? Keys.list(null)
    : Effect.flatMap(Effect.fromResult(partnerId(id)), (read) => Keys.list(read))

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
export const make = (run: Run) => {
  const of = promised(run)
  return {
    createPartner: of(createPartner),
    /**
     * Returns the partner with your own key for it, or with its name. The first call creates it; later calls return it
     * as it is now. It is safe to call at every start, also when several processes start at the same time.
     */
    ensurePartner: of(ensurePartner),
    /** Every partner, the oldest first. */
    listPartners: of(listPartners),
    /** Creates a key for a partner. The text of the key is in the response and nowhere else. */
    issueKey: of(issueKey),
    /** Creates a key for a wallet, which pays every partner's payments of its mode. */
    issueWalletKey: of(issueWalletKey),
    /** Changes the name and the icon of a wallet that merchants see. What is not named stays. */
    changeWalletKey: of(reading(keyId, Keys.changeWallet)),
    rotateKey: of(reading(keyId, Keys.rotate)),
    revokeKey: of(reading(keyId, Keys.revoke)),
    listKeys: of(listKeys),
    setMerchantStatus: of(reading(whose, Merchants.setStatus)),
    /** Suspends a merchant: it takes no new payments. */
    suspendMerchant: of(ofMerchant("suspend")),
    resumeMerchant: of(ofMerchant("resume")),
    /**
     * Lists live merchants whose name, icon or support contact waits for your approval, and the names of other partners
     * that they look like.
     */
    waitingMerchants: of(Merchants.listWaiting),
    /**
     * Approves the name, the icon and the support contact that you saw: payers see these, and the merchant takes live
     * payments.
     */
    approveMerchant: of(reading(whose, Merchants.approve)),
    /** Freezes a merchant: the service sends no payouts, refunds or returns for it. */
    freezeMerchant: of(ofMerchant("freeze")),
    unfreezeMerchant: of(ofMerchant("unfreeze")),
    /** Suspends all merchants of a partner. */
    suspendPartner: of(ofPartner("suspend")),
    resumePartner: of(ofPartner("resume")),
    freezePartner: of(ofPartner("freeze")),
    unfreezePartner: of(ofPartner("unfreeze")),
    /** Sets the fees of a partner's payments from now on. A part that is not named stays. */
    setPartnerFees: of(reading(partnerId, setPartnerFees)),
    /**
     * Sets the fees of a merchant's payments from now on; null restores its partner's fees. A part that is not named
     * stays.
     */
    setMerchantFees: of(reading(whose, setMerchantFees)),
    renamePartner: of(reading(partnerId, Merchants.renamePartner)),
    /** Sets the oldest API version in which the service responds to a partner's calls. */
    setPartnerVersion: of(reading(partnerId, Merchants.setPartnerVersion)),
    /** Renames a merchant. A name that you set needs no approval. */
    renameMerchant: of(reading(whose, Merchants.rename)),
    /** Sets when a partner's merchants are paid out; null restores the service's default. */
    setPartnerPayouts: of(reading(partnerId, Merchants.setPartnerPayouts)),
    /** Sets what a partner's merchants may owe in a mode; null restores the service's default. */
    setPartnerCredit: of(reading(partnerId, Merchants.setPartnerCredit)),
    /**
     * Sets the limits of a partner's payouts and refunds in a mode; null removes a limit, and what is not named stays.
     */
    setPartnerLimits: of(reading(partnerId, Merchants.setPartnerLimits)),
    /** Sets when a merchant is paid out; null restores its partner's policy. */
    setMerchantPayouts: of(reading(whose, Merchants.setPayouts)),
    /** Makes a change of a merchant's destination take effect now. You name the account that you reviewed. */
    confirmDestination: of(reading(whose, Settlements.confirm)),
    /** Lists every change of a merchant's destinations, oldest first. */
    destinationHistory: of(reading(whose, Settlements.history)),
    /** What a merchant was owed, received and was paid out over whole days in UTC, per token. */
    merchantStatement: of(reading(whose, Statements.ofMerchant)),
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
    /** Shows the personal data that is stored for a payment's payers, or for an account (CAIP-10) in all payments. */
    showCollected: of(PersonalData.show),
    /** Exports the same data as JSON, to hand over. */
    exportCollected: of(PersonalData.exportData),
    /** Erases this data for good, with its keys; resolves with the number of erased records. */
    eraseCollected: of(PersonalData.erase),
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
    /** The audit log: what partners and operators wrote, the newest entries that match a filter. */
    auditLog: of(AuditLog.all),
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
    createWebhook: of(reading(whose, Events.createEndpoint)),
    listWebhooks: of(reading(whose, Events.listEndpoints)),
    disableWebhook: of(reading(whose, Events.disableEndpoint)),
    rotateWebhookSecret: of(reading(whose, Events.rotateSecret)),
    sealWebhookSecrets: of(Events.sealSecrets),
    /** Changes the named settings of a webhook endpoint. */
    changeWebhook: of(reading(whose, Events.changeEndpoint)),
    /** Sends a test event without data to this endpoint only. */
    testWebhook: of(reading(whose, Events.testEndpoint)),
    listDeliveries: of(reading(whose, listDeliveries)),
    replayDelivery: of(reading(whose, Events.replay)),
    /** Sends the events of a period again; resolves with their number. */
    replayDeliveries: of(reading(whose, Events.replayRange)),
  }
}

export type Operator = ReturnType<typeof make>
