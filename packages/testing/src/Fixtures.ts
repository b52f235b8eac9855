/**
 * Valid domain objects without clock or randomness: the same calls return the same objects, including ids.
 *
 * @module
 */
import * as Balance from "@florin/core/domain/books/Balance"
import * as Incoming from "@florin/core/domain/books/Incoming"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as Payouts from "@florin/core/domain/books/Payouts"
import type * as ActionResult from "@florin/core/domain/chain/ActionResult"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import type * as Likeness from "@florin/core/domain/partner/Likeness"
import type * as Merchant from "@florin/core/domain/partner/Merchant"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Refund from "@florin/core/domain/payment/Refund"
import type { Tenant } from "@florin/core/ports/AccountStore"
import type { OutflowStore, Shown, Subjects } from "@florin/core/ports/OutflowStore"
import type { PaymentStore } from "@florin/core/ports/PaymentStore"
import type { Once } from "@florin/core/ports/ResponseStore"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** The time of every fixture, in epoch milliseconds. */
export const now = 1_790_000_000_000

/** The part of Unicode's table of confusables that tests use. */
const looksLike: { readonly [character: string]: string } = {
  "0": "O",
  "1": "l",
  I: "l",
  m: "rn",
  а: "a",
  о: "o",
  р: "p",
  у: "y",
}

export const confusables: Likeness.Confusables = (text) =>
  [...text].map((each) => looksLike[each] ?? each).join("")

const digest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** 32 bytes of hex derived from a name, for a transaction or a block. */
export const hash = (name: string): string => `0x${digest(`hash/${name}`)}`

export const address = (name: string): Caip.Address =>
  Caip.Address.make(`0x${digest(`address/${name}`).slice(0, 40)}`)

/** The default chain of fixtures: a local one. */
export const chainId = Eip155.chainId(31_337)

/** Another chain, to test that chains are not mixed up. */
export const otherChainId = Eip155.chainId(31_338)

export const account = (name: string, on: Caip.ChainId = chainId): Caip.Account => ({
  chainId: on,
  address: address(name),
})

/** A token that no asset table lists, so a test alone determines its ledger balances. */
export const token = (name: string, on: Caip.ChainId = chainId): Caip.Token => ({
  chainId: on,
  address: address(`token/${name}`),
})

export const lane = (name: string, on: Caip.ChainId = chainId): Lane.Lane => ({
  chainId: on,
  sender: address(`lane/${name}`),
})

export const quantity = (value: bigint): Money.Quantity => Money.Quantity.make(value)

/** A transaction that has only the form of a signed one. */
export const laneTransaction = (
  on: Lane.Lane,
  nonce: number,
  overrides: Partial<Lane.Transaction> = {},
): Lane.Transaction => ({
  lane: on,
  nonce,
  hash: hash(`${on.chainId}/${on.sender}/${nonce}`),
  raw: `0x02${digest(`raw/${on.sender}/${nonce}`)}`,
  signedAt: now,
  ...overrides,
})

/** An accepted confirm of exactly this option, at the time of its quote. */
export const attemptOf = (
  option: PaymentOption.PaymentOption,
  outputs: ActionResult.Outputs,
): Payment.Attempt => ({
  option,
  outputs,
  excludeFromRelayer: false,
  buyer: { accountText: option.accountText, providerName: null, providerIconUrl: null },
  confirmedAt: option.issuedAt * 1000,
  fingerprint: option.paymentId,
})

/** 1 %, and nothing fixed. Refunds return it, so that what a refund needs of its merchant is just the payment's share. */
export const feeTerms: Fees.FeeTerms = {
  fixed: [{ currency: "USD", quantity: Money.zero }],
  percentage: Fees.Percentage.make(1_000_000),
  returned: "withRefund",
}

export const fingerprint = (body: Schema.Json): Idempotency.Fingerprint =>
  Result.getOrThrow(Idempotency.fingerprint(body))

export const key = (text: string): Idempotency.IdempotencyKey =>
  Result.getOrThrow(Idempotency.parseKey(text))

export interface PaymentOverrides
  extends Partial<PaymentRequest.Request>, Partial<PaymentRequest.Terms> {}

export interface OptionOverrides extends Partial<PaymentOption.PaymentOption> {}

export interface AttemptOverrides extends Partial<Omit<Payment.Attempt, "option">> {
  readonly option?: OptionOverrides
}

/** The stages of a payment, each named after what it waits for or how it ended. */
export const stages = [
  "created",
  "confirmed",
  "relayed",
  "owed",
  "settlementPending",
  "gathered",
  "settling",
  "settled",
  "netted",
  "settlementHeld",
  "refundPending",
  "refundWaiting",
  "refunding",
  "refunded",
  "refundHeld",
  "refundAfterSettlement",
  "failed",
  "declined",
  "declinedUnconfirmed",
  "expired",
  "cancelledByUser",
  "cancelledByMerchant",
  "lateReported",
  "lateSuspended",
  "lateReturning",
  "lateReturnSent",
  "lateReturned",
] as const
export type Stage = (typeof stages)[number]

/** A payment at a stage, and the newest outflow that carries its money. */
export interface Reached {
  readonly payment: Payment.Payment
  readonly outflow: Outflow.Outflow | null
  /** Money that arrived for it, and that it does not take. */
  readonly inflow?: Inflow.Inflow
}

type Outcome = Change.Change | Change.Write | null

type Step = (before: Reached) => Outcome | Result.Result<Outcome, { readonly message: string }>

/** The result of the writes of a path. */
export const statesAfter = (path: ReadonlyArray<Change.Write>): Reached => {
  const payment = path.findLast(({ payments }) => payments.length > 0)?.payments[0]?.payment
  if (payment === undefined) throw new Error("a path begins with the creation of a payment")
  const outflow = path.findLast(({ outflows }) => outflows.length > 0)?.outflows[0]?.outflow
  const inflow = path.findLast(({ inflows = [] }) => inflows.length > 0)?.inflows?.[0]?.inflow
  return { payment, outflow: outflow ?? null, ...(inflow !== undefined && { inflow }) }
}

/** The payment after the writes of a path. */
export const paymentAfter = (path: ReadonlyArray<Change.Write>): Payment.Payment =>
  statesAfter(path).payment

/** The records that a write changes, which a decision on them must read. */
export const subjectsOf = ({ inflows = [], outflows, payments }: Change.Write): Subjects => ({
  outflows: outflows.flatMap(({ outflow }) => (outflow.revision === 0 ? [] : [outflow.id])),
  payments: payments.map(({ payment }) => payment.id),
  inflows: inflows.flatMap(({ inflow }) => (inflow.revision === 0 ? [] : [inflow.id])),
})

/** Stores one write of a path: the creation of a payment, or an earlier decision. */
export const store = Effect.fnUntraced(function* (
  stores: Pick<PaymentStore["Service"], "createPayment"> & Pick<OutflowStore["Service"], "modify">,
  write: Change.Write,
) {
  const [change] = write.payments
  if (change?.payment.revision === 1) yield* stores.createPayment(change, null, "{}", now)
  else {
    const decision = Result.succeed({ result: null, write })
    yield* stores.modify(subjectsOf(write), () => decision, null)
  }
})

/** What the writes of a path book, in order. */
export const bookedBy = (path: ReadonlyArray<Change.Write>): ReadonlyArray<Ledger.Transaction> =>
  path.flatMap(({ inflows = [], outflows, payments }) => [
    ...payments.flatMap(({ ledger }) => ledger),
    ...outflows.flatMap(({ ledger }) => ledger.map(({ transaction }) => transaction)),
    ...inflows.flatMap(({ ledger }) => ledger),
  ])

/** A change of one payment as a write. */
export const writeOf = (change: Change.Change): Change.Write => ({
  payments: [change],
  outflows: [],
})

type ToMerchant = Parameters<typeof Ledger.payout>[0] & { readonly quantity: Money.Quantity }

/** A share goes to its merchant: `netted` more of what it was owed pays its debt. */
export const settlement = ({
  netted,
  quantity: sent,
  ...to
}: ToMerchant & { readonly netted: Money.Quantity }): Ledger.Transaction =>
  Ledger.payout(to, [
    [Ledger.owedFrom(to.merchantId, to), sent + netted],
    [Ledger.debt(to.merchantId), -netted],
  ])

/** More goes to a merchant than it was owed. */
export const advance = ({ quantity: lent, ...to }: ToMerchant): Ledger.Transaction =>
  Ledger.payout(to, [[Ledger.debt(to.merchantId), lent]])

/**
 * A world for one test: two partners in both modes, and as many objects as needed. Worlds with different names share no
 * id, token, lane or transaction.
 *
 * @param name letters and digits; ids contain it
 */
export const make = (name: string) => {
  let count = 0
  /** The next number, as text that sorts like it. */
  const next = (): string => `${name}x${(++count).toString().padStart(6, "0")}`

  const partnerId = (which: string) => PartnerId.PartnerId.make(`prtn_${name}${which}`)
  const tenantOf = (which: string, mode: Mode.Mode): Tenant => ({
    partnerId: partnerId(which),
    mode,
  })
  const tenant = tenantOf("A", "test")
  const merchantId = MerchantId.MerchantId.make(`mrch_${name}A`)
  const ownToken = token(name)
  const ownLane = lane(name)
  const payTo = address(`payTo/${name}`)

  const partner = (overrides: Partial<Merchant.Partner> = {}): Merchant.Partner => ({
    id: tenant.partnerId,
    name: "A partner",
    versionPin: Version.newestStable,
    feeTerms,
    ...overrides,
  })

  const merchant = (overrides: Partial<Merchant.Merchant> = {}): Merchant.Merchant => {
    const id = MerchantId.MerchantId.make(`mrch_${next()}`)
    return {
      id,
      ...tenant,
      name: "A merchant",
      email: "shop@example.com",
      iconUrl: null,
      status: "active",
      createdAt: now,
      deletedAt: null,
      ...overrides,
    }
  }

  const destination = (
    overrides: Partial<SettlementDestination.SettlementDestination> = {},
  ): SettlementDestination.SettlementDestination => {
    const id = next()
    const to = account(`destination/${id}`)
    return {
      id: SettlementDestination.SettlementDestinationId.make(`crypto_${id}`),
      merchantId,
      token: ownToken,
      destination: to,
      assetText: Eip155.formatToken(ownToken),
      destinationText: Eip155.formatAccount(to),
      createdAt: now,
      ...overrides,
    }
  }

  const apiKey = (overrides: Partial<ApiKey.ApiKey> = {}): ApiKey.ApiKey => {
    const id = next()
    return {
      id: ApiKey.ApiKeyId.make(`key_${id}`),
      hash: ApiKey.hash(id),
      hint: "flr_test_pk_abcd…",
      mode: "test",
      owner: { _tag: "Partner", partnerId: tenant.partnerId },
      name: "A key",
      createdAt: now,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      rotation: null,
      ...overrides,
    }
  }

  /** A change that creates a payment of 10 USD. */
  const createPayment = (overrides: PaymentOverrides = {}): Change.Change =>
    Result.getOrThrow(
      PaymentRequest.create(
        {
          referenceId: overrides.referenceId ?? "order 1",
          amount: overrides.amount ?? { unit: "iso4217/USD", value: "1000" },
          expiresAt: overrides.expiresAt,
          checkout: overrides.checkout,
          metadata: overrides.metadata,
        },
        {
          id: overrides.id ?? PaymentId.PaymentId.make(`pay_${next()}`),
          partnerId: overrides.partnerId ?? tenant.partnerId,
          merchantId: overrides.merchantId ?? merchantId,
          mode: overrides.mode ?? tenant.mode,
          feeTerms: overrides.feeTerms ?? feeTerms,
          now: overrides.now ?? now,
        },
        BuiltIn.catalog,
      ),
    )

  const option = (
    payment: Pick<Payment.Payment, "id" | "createdAt" | "expiresAt">,
    overrides: OptionOverrides = {},
  ): PaymentOption.PaymentOption => {
    const from = overrides.account ?? account(`payer/${payment.id}`)
    return {
      paymentId: payment.id,
      account: from,
      accountText: Eip155.formatAccount(from),
      token: ownToken,
      flow: "eip3009",
      quantity: quantity(10_000_000n),
      fixedFee: Money.zero,
      payTo,
      issuedAt: Math.floor(payment.createdAt / 1000),
      expiresAt: payment.expiresAt,
      ...overrides,
    }
  }

  /** A confirm with a signature that is only valid in form. */
  const attempt = (
    payment: Pick<Payment.Payment, "id" | "createdAt" | "expiresAt">,
    overrides: AttemptOverrides = {},
  ): Payment.Attempt => {
    const chosen = option(payment, overrides.option)
    const outputs = overrides.outputs ?? {
      _tag: "Authorized",
      signature: `0x${"ab".repeat(65)}`,
      approvals: [],
    }
    return {
      outputs,
      excludeFromRelayer: false,
      buyer: { accountText: chosen.accountText, providerName: "A wallet", providerIconUrl: null },
      confirmedAt: payment.createdAt,
      fingerprint: Payment.fingerprint(JSON.stringify([chosen.account, chosen.issuedAt]), [
        outputs.signature,
      ]),
      ...overrides,
      option: chosen,
    }
  }

  const evidenceOf = (
    movement: Transfer.Movement,
    overrides: Partial<Transfer.Evidence> = {},
  ): Transfer.Evidence => {
    const id = next()
    return {
      movement,
      txHash: hash(`transfer/${id}`),
      logIndex: 3,
      blockNumber: 100,
      blockHash: hash(`block/${id}`),
      txNonce: 0,
      ...overrides,
    }
  }

  /** The transfer that pays an attempt, as found on the chain. Every call returns a different one. */
  const evidence = (of: Payment.Attempt, overrides: Partial<Transfer.Evidence> = {}) =>
    evidenceOf(Payment.movement(of), overrides)

  const outflowId = () => OutflowId.OutflowId.make(`out_${next()}`)

  /** The first slot of a lane that nothing else uses. */
  const sent = () => Lane.slotOf(laneTransaction(lane(next()), 0))

  const endpoint = (overrides: Partial<Webhook.Endpoint> = {}): Webhook.Endpoint => {
    const id = next()
    return {
      id: Webhook.EndpointId.make(`whk_${id}`),
      ...tenant,
      url: `https://hooks.example.com/${id}`,
      types: "all",
      secrets: {
        current: Webhook.sealedOf(sha256(utf8ToBytes(id))),
        previous: null,
      },
      createdAt: now,
      disabledAt: null,
      ...overrides,
    }
  }

  /** A request with an idempotency key. Default: a new key. */
  const once = (
    named?: string,
    body: Schema.Json = {},
    scope: Partial<Idempotency.Scope> = {},
  ): Once => ({
    scope: { ...tenant, endpoint: "POST /v1/merchants", ...scope },
    key: key(named ?? next()),
    fingerprint: fingerprint(body),
  })

  const session = (of: string) => PayerSession.ofBytes(sha256(utf8ToBytes(`session/${of}`)))

  const collected = (overrides: Partial<Change.Collected> = {}): Change.Collected => ({
    account: account(`payer/${name}`),
    session: session(name),
    sealed: sha256(utf8ToBytes(name)),
    key: sha256(utf8ToBytes(`key/${name}`)),
    deleteAt: now + 1000,
    ...overrides,
  })

  const to = account(`settled/${name}`)

  /** The steps of a payment to each stage, with the given option. */
  const stepsFor = (chosen: OptionOverrides): { readonly [S in Stage]: ReadonlyArray<Step> } => {
    const attemptFor = (payment: Payment.Payment): Payment.Attempt =>
      Payment.attemptOf(payment) ?? attempt(payment, { option: chosen })
    /** A step of the payment only. */
    const own =
      (
        step: (
          payment: Payment.Payment,
        ) =>
          | Change.Change
          | null
          | Result.Result<Change.Change | null, { readonly message: string }>,
      ): Step =>
      ({ payment }) =>
        step(payment)
    /** A step of the outflow that carries the payment's money. */
    const carried =
      (step: (current: Outgoing.Current) => Change.Write | null): Step =>
      ({ outflow, payment }) =>
        outflow === null ? null : step({ outflow, payments: [payment] })

    const confirmed = own((payment) =>
      PaymentTransition.confirm(payment, attemptFor(payment), payment.createdAt),
    )
    const relay = own((payment) => PaymentTransition.relay(payment, sent(), now + 1000, now))
    const succeedTo = (where: Caip.Account | null) =>
      own((payment) =>
        PaymentTransition.succeed(payment, evidence(attemptFor(payment)), where, now),
      )
    const gatheredWith =
      (debt: Money.Quantity): Step =>
      ({ payment }) => {
        const group = Balance.groupOf(payment)
        return group === null
          ? null
          : Payouts.gather(
              [payment],
              group,
              { debts: new Map([[payment.merchantId, debt]]), lasts: [] },
              outflowId(),
              now,
            )
      }
    const gathered = gatheredWith(Money.zero)
    const send = carried((current) => Outgoing.send(current, sent(), now))
    /** The outflow's transfer, found as expected. */
    const pay = carried((current) =>
      Outgoing.pay(current, evidenceOf(current.outflow.movement), now),
    )
    const hold = (reason: string) =>
      carried((current) => Outgoing.hold(current, { reason, code: "lost" }, now))
    const netted: Step = ({ payment, outflow }) => {
      const net = payment.state._tag === "Succeeded" ? payment.state.charge.net : Money.zero
      const all = gatheredWith(net)({ payment, outflow })
      if (all === null || Result.isResult(all) || "payment" in all) return all
      const [change] = all.payments
      const { token: paidIn } = attemptFor(payment).option
      // Until now the merchant owed nothing.
      const lent = Ledger.transaction("fund", [
        { account: { _tag: "Debt", merchantId: payment.merchantId }, token: paidIn, delta: net },
        { account: { _tag: "Operator" }, token: paidIn, delta: -net },
      ])
      return change === undefined || Result.isFailure(lent)
        ? all
        : { ...all, payments: [{ ...change, ledger: [lent.success, ...change.ledger] }] }
    }
    const refund: Step = ({ outflow, payment }) =>
      Outgoing.refund(
        payment,
        {
          refund: Refund.RefundId.make(`rfnd_${payment.id.slice("pay_".length)}`),
          outflow: outflowId(),
        },
        outflow === null ? null : { outflow, payments: [payment] },
        now,
      )
    const waiting = carried((current) =>
      Outgoing.wait(current, { code: "float", reason: "the float is short" }, now, now),
    )
    const expired = own((payment) => PaymentTransition.expire(payment, payment.expiresAt * 1000))
    const lateOf = (payment: Payment.Payment) => ({
      txHash: hash(`late/${payment.id}`),
      option: attemptFor(payment).option,
    })
    const lateReported = own((payment) =>
      PaymentTransition.reportLate(payment, { ...lateOf(payment), isFirm: false }, now),
    )
    const lateFound: Step = ({ payment }) => {
      const { txHash } = lateOf(payment)
      return Incoming.suspend(payment.mode, evidence(attemptFor(payment), { txHash }), now)
    }
    const lateSuspended: Step = ({ inflow, payment }) =>
      inflow === undefined ? null : Incoming.recognize(inflow, payment, lateOf(payment), now)
    const lateReturning: Step = ({ inflow }) =>
      inflow === undefined ? null : Incoming.giveBack(inflow, outflowId(), now)

    const paid = [
      confirmed,
      relay,
      succeedTo({ ...to, chainId: (chosen.token ?? ownToken).chainId }),
    ]
    const late = [expired, lateReported, lateFound, lateSuspended]
    return {
      created: [],
      confirmed: [confirmed],
      relayed: [confirmed, relay],
      owed: [confirmed, relay, succeedTo(null)],
      settlementPending: paid,
      gathered: [...paid, gathered],
      settling: [...paid, gathered, send],
      settled: [...paid, gathered, send, pay],
      netted: [...paid, netted],
      settlementHeld: [...paid, gathered, send, hold("blocklisted")],
      refundPending: [...paid, refund],
      refundWaiting: [...paid, refund, waiting],
      refunding: [...paid, refund, send],
      refunded: [...paid, refund, send, pay],
      refundHeld: [...paid, refund, send, hold("blocked")],
      refundAfterSettlement: [...paid, gathered, send, pay, refund],
      failed: [
        confirmed,
        relay,
        own((payment) => PaymentTransition.fail(payment, "it reverted", now)),
      ],
      declined: [confirmed, own((payment) => PaymentTransition.decline(payment, null, now))],
      declinedUnconfirmed: [
        own((payment) => PaymentTransition.decline(payment, null, payment.createdAt)),
      ],
      expired: [expired],
      cancelledByUser: [
        own((payment) => PaymentTransition.cancel(payment, "cancelled_by_user", payment.createdAt)),
      ],
      cancelledByMerchant: [
        own((payment) =>
          PaymentTransition.cancel(payment, "cancelled_by_merchant", payment.createdAt),
        ),
      ],
      lateReported: [expired, lateReported],
      lateSuspended: late,
      lateReturning: [...late, lateReturning],
      lateReturnSent: [...late, lateReturning, send],
      lateReturned: [...late, lateReturning, send, pay],
    }
  }

  /** Every write of a payment up to a stage, starting with its creation. */
  const path = (
    stage: Stage,
    overrides: PaymentOverrides = {},
    chosen: OptionOverrides = {},
  ): ReadonlyArray<Change.Write> => {
    const writes = [writeOf(createPayment(overrides))]
    for (const step of stepsFor(chosen)[stage]) {
      const outcome = step(statesAfter(writes))
      const done = Result.isResult(outcome) ? Result.getOrThrow(outcome) : outcome
      if (done === null) throw new Error(`the path to ${stage} has a step that changes nothing`)
      writes.push("payment" in done ? writeOf(done) : done)
    }
    return writes
  }

  return {
    name,
    next,
    tenant,
    /** The same partner in live mode. */
    live: tenantOf("A", "live"),
    other: tenantOf("B", "test"),
    otherLive: tenantOf("B", "live"),
    merchantId,
    token: ownToken,
    lane: ownLane,
    payTo,
    destinationAccount: to,
    partner,
    merchant,
    destination,
    apiKey,
    createPayment,
    option,
    attempt,
    evidence,
    evidenceOf,
    outflowId,
    sent,
    endpoint,
    once,
    collected,
    session,
    path,
  }
}

export type Fixtures = ReturnType<typeof make>

/** Makes a decision on one outflow that storage can run; its result is what it writes. */
export const decideOn =
  <W extends Change.Write | null>(decide: (current: Outgoing.Current) => W) =>
  ({ inflows, outflows: [outflow], payments }: Shown) => {
    const write = outflow === undefined ? null : decide({ outflow, payments, inflows })
    return Result.succeed({ result: write, write })
  }
