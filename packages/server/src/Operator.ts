/**
 * What the operator of a service does beside the interface: partners and keys, merchants that are stopped, money that
 * is stuck, and webhooks. Never over HTTP.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as ApiKey from "@florin/core/domain/ApiKey"
import * as Caip from "@florin/core/domain/Caip"
import type * as Catalog from "@florin/core/domain/Catalog"
import type * as Credit from "@florin/core/domain/Credit"
import * as Family from "@florin/core/domain/Family"
import * as FeeTerms from "@florin/core/domain/Fees"
import * as Idempotency from "@florin/core/domain/Idempotency"
import * as Invalid from "@florin/core/domain/Invalid"
import * as Merchant from "@florin/core/domain/Merchant"
import type * as Mode from "@florin/core/domain/Mode"
import * as Money from "@florin/core/domain/Money"
import * as Outflow from "@florin/core/domain/Outflow"
import type * as PageLimit from "@florin/core/domain/PageLimit"
import type * as PartnerLimits from "@florin/core/domain/PartnerLimits"
import * as PaymentId from "@florin/core/domain/PaymentId"
import * as UnclaimedId from "@florin/core/domain/UnclaimedId"
import * as Version from "@florin/core/domain/Version"
import * as Astray from "@florin/core/engine/Astray"
import * as AuditLog from "@florin/core/engine/AuditLog"
import * as Balances from "@florin/core/engine/Balances"
import * as Events from "@florin/core/engine/Events"
import * as Float from "@florin/core/engine/Float"
import * as Keys from "@florin/core/engine/Keys"
import * as Lanes from "@florin/core/engine/Lanes"
import * as LateReturn from "@florin/core/engine/LateReturn"
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
import * as UnclaimedMoney from "@florin/core/engine/UnclaimedMoney"
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

/** Reads an id that an embedder wrote as text, or says what is wrong with it. */
const reader =
  <A extends string>(field: string, is: (text: string) => text is A, form: string) =>
  (text: string): Result.Result<A, Invalid.InvalidInput> =>
    is(text) ? Result.succeed(text) : Invalid.fail(field, `must be ${form}`)

const partnerId = reader("partnerId", Schema.is(Merchant.PartnerId), "the id of a partner, prtn_…")
const merchantId = reader(
  "merchantId",
  Schema.is(Merchant.MerchantId),
  "the id of a merchant, mrch_…",
)
const keyId = reader("keyId", Schema.is(ApiKey.ApiKeyId), "the id of a key, key_…")
const paymentId = reader("paymentId", Schema.is(PaymentId.PaymentId), "the id of a payment, pay_…")
const outflowId = reader("outflowId", Schema.is(Outflow.OutflowId), "the id of an outflow, out_…")
const unclaimedId = reader(
  "unclaimedId",
  Schema.is(UnclaimedId.UnclaimedId),
  "the id of unclaimed money, unc_…",
)
const isQuantity = Schema.is(Money.Quantity)

const chainId = reader("chainId", Schema.is(Caip.ChainId), "a chain, such as eip155:8453")

/** Whose data, and which half of it, with the partner's id as text. */
export interface Whose {
  readonly partnerId: string
  readonly mode: Mode.Mode
}

const whose = ({ mode, partnerId: id }: Whose): Result.Result<Tenant, Invalid.InvalidInput> =>
  Result.map(partnerId(id), (read) => ({ partnerId: read, mode }))

/** A use case whose first argument is text, or has text in it: it is read once, here. */
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

/** What a payment costs its merchant, as a person writes it; a new partner pays nothing for a part that is not named. */
export interface Fees {
  /**
   * For each payment, in minor units of a currency: `{ unit: "iso4217/USD", value: "10" }` is 0.10 USD. It may be stated
   * in several currencies; payments that know none of them have the first one converted.
   */
  readonly fixed?: FixedFee | ReadonlyArray<FixedFee>
  /** Of what was paid: `"0.4"` is 0.4 %. */
  readonly percentage?: string
}

export interface NewPartner {
  readonly name: string
  readonly fees?: Fees
  /** The newest version that is not a preview, unless another is named. */
  readonly versionPin?: Version.Version
  /** What its merchants may owe after refunds, in each mode; the service's default counts in the other one. */
  readonly credit?: Credit.Granted
  /** What bounds its payouts and refunds in each mode: nothing, unless it is named. */
  readonly limits?: PartnerLimits.ByMode
}

export interface KnownPartner extends NewPartner {
  /** Your own name for it, which never changes: its `name` if this is left out. */
  readonly key?: string
}

interface NewKey extends Pick<ApiKey.Restriction, "from"> {
  /** Test and live never mix. */
  readonly mode: Mode.Mode
  /** Epoch milliseconds; a key without it has no end. */
  readonly expiresAt?: number | null
}

export interface NewPartnerKey extends NewKey {
  readonly partnerId: string
  /** What the key is for. */
  readonly name: string
  /** All of them unless some are named: `read`, `pay`, `refund`, `manage`. */
  readonly scopes?: ReadonlyArray<ApiKey.Scope>
}

export interface NewWalletKey extends NewKey {
  /** Shown to merchants as the buyer's wallet, as is the icon. */
  readonly name: string
  readonly iconUrl?: string | null
  readonly versionPin?: Version.Version
  /** The shapes that it is answered in, whatever header its version comes in; without it the header decides. */
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

const feesOf = ({ fixed, percentage }: Fees, catalog: Catalog.Catalog) =>
  Result.gen(function* () {
    const parts: Array<FeeTerms.Fixed> = []
    for (const each of [fixed ?? []].flat()) parts.push(yield* fixedOf(each, catalog))
    return {
      fixed: fixed === undefined ? undefined : yield* FeeTerms.makeFixed(parts),
      percentage:
        percentage === undefined ? undefined : yield* FeeTerms.parsePercentage(percentage),
    }
  })

const termsOf = Effect.fnUntraced(function* (fees: Fees = {}) {
  const named = yield* Effect.fromResult(feesOf(fees, yield* Assets))
  return FeeTerms.changed(FeeTerms.none, named)
})

const createPartner = Effect.fnUntraced(function* ({ fees, ...partner }: NewPartner) {
  return yield* Keys.createPartner({ ...partner, feeTerms: yield* termsOf(fees) })
})

const ensurePartner = Effect.fnUntraced(function* ({ fees, key, ...partner }: KnownPartner) {
  const feeTerms = yield* termsOf(fees)
  return yield* Keys.ensurePartner(key ?? partner.name, { ...partner, feeTerms })
})

const listPartners = Effect.fnUntraced(function* () {
  return yield* (yield* AccountStore).partners
})

const setPartnerFees = Effect.fnUntraced(function* (id: Merchant.PartnerId, fees: Fees) {
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

/** What is done to a merchant, or to all of a partner's. */
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

/** Your own tokens that you moved on chain, and now write down. */
export interface MovedFloat {
  /** The transaction's hash, or whatever else stands for this movement alone: it is written once. */
  readonly key: string
  readonly token: OnChain
  /** The address of the collecting account. */
  readonly collecting: string
  /** In the token's smallest unit. */
  readonly quantity: bigint
}

/** Your own tokens, and where they are to go on their chain. */
export interface SentFloat extends Pick<MovedFloat, "token" | "quantity"> {
  readonly from: string
  readonly to: string
}

const quantityOf = (quantity: bigint): Result.Result<Money.Quantity, Invalid.InvalidInput> =>
  isQuantity(quantity)
    ? Result.succeed(quantity)
    : Invalid.fail("quantity", "must be 0 or more, and less than 2^256")

/** Reads an address as its family writes it. */
const addressOn = (field: string, { address, chainId: chain }: OnChain, catalog: Catalog.Catalog) =>
  Result.mapError(
    Family.parseAccount(catalog, `${chain}:${address}`),
    ({ message }) => new Invalid.InvalidInput({ issues: [Invalid.issue(field, message)] }),
  )

const resumeToken = Effect.fnUntraced(function* (mode: Mode.Mode, token: OnChain) {
  const read = yield* Effect.fromResult(addressOn("token", token, yield* Assets))
  return yield* Lanes.resumeToken(mode, read)
})

/** Reads what the operator moved, and does with it what `useCase` does. */
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

/** Reads where the operator's money is to go, and does with it what `useCase` does. */
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

/** Which of the money that is held; a member that is absent lets everything through. */
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
  return yield* Retry.held({
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
     * The partner that you know by a key of your own, or by its name: created the first time, and from then on returned
     * as it is now. Safe at every start, also when several processes start at the same time.
     */
    ensurePartner: of(ensurePartner),
    /** Every partner, the oldest first. */
    listPartners: of(listPartners),
    /** A partner's key. Its text is in the answer and nowhere else. */
    issueKey: of(issueKey),
    /** A wallet's key, which pays every partner's payments of its mode. */
    issueWalletKey: of(issueWalletKey),
    /** Changes the name and the icon that merchants are shown of a wallet; what is not named stays. */
    changeWalletKey: of(reading(keyId, Keys.changeWallet)),
    rotateKey: of(reading(keyId, Keys.rotate)),
    revokeKey: of(reading(keyId, Keys.revoke)),
    listKeys: of(listKeys),
    setMerchantStatus: of(reading(whose, Merchants.setStatus)),
    /** A suspended merchant takes no new payments. */
    suspendMerchant: of(ofMerchant("suspend")),
    resumeMerchant: of(ofMerchant("resume")),
    /** Live merchants whose name or icon waits for you, and the names of other partners that they look like. */
    waitingMerchants: of(Merchants.waiting),
    /** Approves the name and the icon that you saw: payers see these, and the merchant takes live payments. */
    approveMerchant: of(reading(whose, Merchants.approve)),
    /** Nothing is paid out to a frozen merchant, refunded or returned. */
    freezeMerchant: of(ofMerchant("freeze")),
    unfreezeMerchant: of(ofMerchant("unfreeze")),
    /** The same for all merchants of a partner. */
    suspendPartner: of(ofPartner("suspend")),
    resumePartner: of(ofPartner("resume")),
    freezePartner: of(ofPartner("freeze")),
    unfreezePartner: of(ofPartner("unfreeze")),
    /** What a partner's payments cost from now on; a part that is not named stays. */
    setPartnerFees: of(reading(partnerId, setPartnerFees)),
    /** What a merchant's payments cost from now on; null for its partner's fees. A part that is not named stays. */
    setMerchantFees: of(reading(whose, setMerchantFees)),
    renamePartner: of(reading(partnerId, Merchants.renamePartner)),
    /** The oldest version that a partner's calls are answered in. */
    setPartnerVersion: of(reading(partnerId, Merchants.setPartnerVersion)),
    /** A name that you give needs no approval of yours. */
    renameMerchant: of(reading(whose, Merchants.rename)),
    /** When a partner's merchants are paid out; null for the service's default. */
    setPartnerPayouts: of(reading(partnerId, Merchants.setPartnerPayouts)),
    /** What a partner's merchants may owe in a mode; null for the service's default. */
    setPartnerCredit: of(reading(partnerId, Merchants.setPartnerCredit)),
    /** What bounds a partner's payouts and refunds in a mode; null takes a limit away, and what is not named stays. */
    setPartnerLimits: of(reading(partnerId, Merchants.setPartnerLimits)),
    /** When a merchant is paid out; null for its partner's policy. */
    setMerchantPayouts: of(reading(whose, Merchants.setPayouts)),
    /** Has a change of a merchant's destination take effect now; the account is named as it was looked at. */
    confirmDestination: of(reading(whose, Settlements.confirm)),
    /** Every change of a merchant's destinations, the oldest first. */
    destinationHistory: of(reading(whose, Settlements.history)),
    /** What a merchant was owed, got and was paid over whole days in UTC, token by token. */
    merchantStatement: of(reading(whose, Statements.ofMerchant)),
    retrySettlement: of(reading(paymentId, Settlements.retry)),
    retryRefund: of(reading(paymentId, Refunds.retryHeld)),
    /** Records a payout or refund that the chain has and the ledger does not, by its transaction. */
    recordPaidOut: of(reading(paymentId, PaidOut.record)),
    /** Records a payout of any number of shares that the chain has and the ledger does not, by its transaction. */
    recordPayout: of(PaidOut.recordPayout),
    stuckPayments: of(Refunds.stuck),
    /** What does not go on, why, and since when: money out that is held or waits, and late money in suspense. */
    stuck: of(Stuck.list),
    /** Retries all money out that is held and that a filter lets through. */
    retryHeld: of(retryHeld),
    /** What a held payout, refund or return moved instead is its payment: nothing more is sent. */
    acceptMoved: of(reading(outflowId, Astray.accept)),
    /** What arrived of it is a part of a payout: the rest is sent again. */
    releaseMoved: of(reading(outflowId, Astray.release)),
    returnLateTransfer: of(reading(paymentId, LateReturn.giveBack)),
    /** Money that came and that no payment claims. What is less than one unit of its token is told as a sum. */
    unclaimed: of(UnclaimedMoney.list),
    /** Sends unclaimed money back to the account that it came from; resolves with the outflow's id. */
    returnUnclaimed: of(reading(unclaimedId, UnclaimedMoney.giveBack)),
    /** What is kept of a payment's payers, or of an account (CAIP-10) in all payments. */
    showCollected: of(PersonalData.show),
    /** The same to be handed over, as JSON. */
    exportCollected: of(PersonalData.exported),
    /** Erases it for good, with its keys; resolves with how many records that were. */
    eraseCollected: of(PersonalData.erase),
    /** The chains on which nothing new is sent, with why and since when. */
    haltedChains: of(Lanes.halted),
    /** The tokens of which nothing more is sent, with why and since when. */
    stoppedTokens: of(Lanes.stoppedTokens),
    /** Has a token sent again. */
    resumeToken: of(resumeToken),
    /** What each account of a mode spent on gas in this hour, on chains with `spendPerHour`. */
    gasBudgets: of(gasBudgets),
    /** Lets a chain go on. */
    resumeLanes: of(resumeLanes),
    putFloat: of(moved(Float.put)),
    takeFloat: of(moved(Float.take)),
    /** What partners and operators wrote, the newest entries that pass a filter. */
    auditLog: of(AuditLog.all),
    /** Sends float from one account of the service to another of its chain; resolves with the outflow's id. */
    moveFloat: of(sent(Float.move)),
    /** Sends float or fees to an account of `treasury`; resolves with the outflow's id. */
    withdrawFloat: of(sent(withdrawFloat)),
    cancelFloat: of(reading(outflowId, Float.cancel)),
    /** What waits because its account has too little of the operator's own money, and how much it lacks. */
    shortOutflows: of(Float.short),
    /**
     * What waits, fails, costs or is owed, and whether a person must act. It takes a few seconds at most: a chain that
     * hangs is a finding.
     */
    status: of(Status.look),
    /** What each account of a mode has of each token, on chain and by the ledger, and whose it is. */
    balances: of(Balances.look),
    /** What each account holds of each token, and what of that is owed from it. */
    holdings: of(holdings),
    createWebhook: of(reading(whose, Events.createEndpoint)),
    listWebhooks: of(reading(whose, Events.listEndpoints)),
    disableWebhook: of(reading(whose, Events.disableEndpoint)),
    rotateWebhookSecret: of(reading(whose, Events.rotateSecret)),
    sealWebhookSecrets: of(Events.sealSecrets),
    /** Changes what is named of an endpoint. */
    changeWebhook: of(reading(whose, Events.changeEndpoint)),
    /** Sends an event that says nothing to this endpoint alone. */
    testWebhook: of(reading(whose, Events.testEndpoint)),
    listDeliveries: of(reading(whose, listDeliveries)),
    replayDelivery: of(reading(whose, Events.replay)),
    /** Sends the events of a time again; resolves with how many these were. */
    replayDeliveries: of(reading(whose, Events.replayRange)),
  }
}

export type Operator = ReturnType<typeof make>
