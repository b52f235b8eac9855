/**
 * The ground of the gateway's and the workers' tests: a service in memory on chains whose blocks come by hand, a
 * merchant with destinations, and payers with real keys.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Version from "@florin/core/domain/ground/Version"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Payment from "@florin/core/domain/payment/Payment"
import type * as PaymentRequest from "@florin/core/domain/payment/PaymentRequest"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import type * as Keys from "@florin/core/engine/partner/Keys"
import type * as Confirmation from "@florin/core/engine/payment/Confirmation"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import type * as Offers from "@florin/core/engine/payment/Offers"
import * as Payments from "@florin/core/engine/payment/Payments"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { Chains } from "@florin/core/ports/Chain"
import { DueWork, type Lease } from "@florin/core/ports/DueWork"
import { InflowStore } from "@florin/core/ports/InflowStore"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import { ResponseStore } from "@florin/core/ports/ResponseStore"
import { Screening } from "@florin/core/ports/Screening"
import * as Auditor from "@florin/core/workers/Auditor"
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Payer from "@florin/core/workers/Payer"
import * as Scanner from "@florin/core/workers/Scanner"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Harbour from "@florin/testing/harbour/Harbour"
import * as Service from "@florin/testing/Service"
import * as Shares from "@florin/testing/Shares"
import { type Options, SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import * as Wallet from "@florin/testing/Wallet"
import { Cause, Clock, Context, Effect, Exit, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"

export const now = Fixtures.now
/** For tests that repeat themselves. */
export const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })
export type Ports = Layer.Success<ReturnType<typeof Service.layer>>

const tokenOf = (symbol: string, chainId: number): Caip.Token => {
  const found = BuiltIn.catalog.assets.find(
    (each) => each.symbol === symbol && each.token.chainId === Eip155.chainId(chainId),
  )
  return found?.token ?? assert.fail(`there is no ${symbol} on ${chainId}`)
}

/** One token of each way to pay: the scene's chain takes USDC on 10 by `transfer`, and USDT on 137 by `permit`. */
export const tokens = {
  eip3009: tokenOf("USDC", 8453),
  permit2: tokenOf("USDT", 1),
  transfer: tokenOf("USDC", 10),
  permit: tokenOf("USDT", 137),
  paxos: tokenOf("PYUSD", 1),
} as const
export const flows = Eip155.flows

export const payer = Wallet.make(1)
export const stranger = Wallet.make(3)
export const treasury = Wallet.make(2)

/** Everything that is due now, by every worker of payments. */
export const work = Effect.gen(function* () {
  yield* Expirer.drain
  yield* Collector.drain
  yield* Payer.drain
  yield* Sender.drain
  // As its own rounds do, it begins again where it failed.
  yield* Effect.ignore(Scanner.drain)
  yield* LateWatcher.drain
  yield* Auditor.drain
})

/** Gathers the shares that are due, and sends all money that waits to go out. */
export const payOut = Effect.andThen(Payer.drain, Sender.drain)

/** Fails unless the effect fails with this tag; answers the failure. */
export const failsWith = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R>(
  tag: E["_tag"],
  effect: Effect.Effect<A, E, R>,
) {
  const result = yield* Effect.result(effect)
  if (Result.isSuccess(result)) return assert.fail(`expected ${tag}, and it succeeded`)
  assert.strictEqual(result.failure._tag, tag)
  return result.failure
})

export type Tap = Stores.Tap

/** Runs an effect whose calls to storage and chain pass through `tap`. */
export const tapping =
  (tap: Tap) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const stores = yield* Stores.wrapAll((store) => Stores.tapped(store, tap))
      const chains = yield* Chains
      return yield* effect.pipe(
        Effect.provideContext(stores),
        Effect.provideService(Chains, { of: (mode) => Stores.tapped(chains.of(mode), tap) }),
      )
    })

/** Whether a call is part of another one, which a database would undo as a whole. Memory cannot undo it. */
const IsWithin = Context.Reference<boolean>("florin/test/IsWithin", { defaultValue: () => false })

/**
 * A process that dies at one of its calls to storage or chain, before or after it had its effect. Nothing that it began
 * goes on after that.
 */
export const dying = (at: number, when: "before" | "after") => {
  let calls = 0
  let isDead = false
  const tap: Tap = (_, call) =>
    Effect.gen(function* () {
      if (yield* IsWithin) return yield* call
      if (isDead) return yield* Effect.interrupt
      const whole = Effect.provideService(call, IsWithin, true)
      if (calls++ < at) return yield* whole
      isDead = true
      if (when === "after") yield* whole
      return yield* Effect.interrupt
    })
  return {
    isDead: () => isDead,
    calls: () => calls,
    /** Runs an effect in the process; where it died, nothing runs. Answers whether the effect came to its end. */
    run: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.map(Effect.exit(tapping(tap)(effect)), (exit) => {
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause) && !isDead) {
          assert.fail(Cause.pretty(exit.cause))
        }
        return !isDead
      }),
  }
}

/** Numbers below `limit` that follow from a seed. */
export const drawing = (seed: number) => {
  let state = (seed + 1) >>> 0
  return (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

/** Before each call, other fibers get a chance: how often follows from a seed. */
export const shuffling = (seed: number) => {
  const draw = drawing(seed)
  return tapping((_, call) =>
    Effect.suspend(() =>
      Effect.andThen(
        Effect.forEach(Array.from({ length: draw(5) }), () => Effect.yieldNow),
        call,
      ),
    ),
  )
}

/** What is kept of a payment and around it: equal before and after where nothing was written. */
export const traces = (id: PaymentId.PaymentId) =>
  Effect.gen(function* () {
    const payments = yield* PaymentStore
    const dueWork = yield* DueWork
    const ledger = yield* LedgerStore
    const outbox = yield* Outbox
    return {
      payment: yield* payments.payment(id),
      events: yield* outbox.eventsOf(id),
      ledger: yield* ledger.ledgerOf(id),
      collected: yield* payments.collected(id),
      due: yield* Effect.forEach([...moneyKinds, "expire" as const], dueWork.nextDueAt),
    }
  })

const moneyKinds: ReadonlyArray<Lease["kind"]> = [
  "collect",
  "settle",
  "send",
  "watch",
  "audit",
  "recheck",
]
const roundsMax = 400

const begin = Effect.fnUntraced(function* (denied: Set<Caip.Address>) {
  yield* TestClock.setTime(now)
  const accountStore = yield* AccountStore
  const answers = yield* ResponseStore
  const payments = yield* PaymentStore
  const outflows = yield* OutflowStore
  const lanes = yield* LaneStore
  const dueWork = yield* DueWork
  const ledger = yield* LedgerStore
  const outbox = yield* Outbox
  const chain = yield* SimulatedChain
  const fixtures = Fixtures.make("w")
  const { tenant } = fixtures
  const partner = fixtures.partner()
  const otherPartner = fixtures.partner({ id: fixtures.other.partnerId, name: "Another" })
  yield* Stores.putPartner(accountStore, partner)
  yield* Stores.putPartner(accountStore, otherPartner)
  const merchant = fixtures.merchant({ id: fixtures.merchantId })
  yield* accountStore.addMerchant(merchant)
  const added = Object.values(tokens).map((token) =>
    fixtures.destination({
      merchantId: merchant.id,
      token,
      destination: treasury.account(token.chainId),
    }),
  )
  yield* accountStore.addDestinations(merchant.id, () => Result.succeed({ added }), now)

  const caller: Keys.Caller = {
    _tag: "Wallet",
    mode: tenant.mode,
    name: "A wallet",
    iconUrl: null,
    versionPin: Version.newestStable,
  }

  const create = (
    request: Partial<PaymentRequest.Request> = {},
    merchantId: MerchantId.MerchantId = merchant.id,
  ) =>
    Effect.map(
      Payments.create({
        partner,
        mode: tenant.mode,
        merchantId,
        request: {
          referenceId: "order 1",
          amount: { unit: "iso4217/USD", value: "1000" },
          ...request,
        },
      }),
      ({ payment }) => payment,
    )

  const options = (
    id: PaymentId.PaymentId,
    accounts: ReadonlyArray<string>,
    includePaymentInfo = false,
    refresh: ReadonlyArray<string> = [],
  ) => Gateway.options(caller, id, { accounts, includePaymentInfo, refresh })

  /** The option to pay with a token. */
  const choose = Effect.fnUntraced(function* (
    id: PaymentId.PaymentId,
    token: Caip.Token,
    wallet: Wallet.Payer = payer,
    flow?: PaymentOption.Flow,
  ) {
    const answer = yield* options(id, [Eip155.formatAccount(wallet.account(token.chainId))])
    const chosen = answer.options?.find(
      ({ option }) =>
        Caip.sameToken(option.token, token) && (flow === undefined || option.flow === flow),
    )
    return chosen ?? assert.fail("the token was not offered")
  })

  /** Executes the steps of an option as its payer's wallet; what that sends waits for a block. */
  const execute = Effect.fnUntraced(function* (
    chosen: Offers.Offered,
    wallet: Wallet.Payer = payer,
  ) {
    const actions = yield* Gateway.fetch(caller, chosen.option.paymentId, {
      optionId: chosen.id,
      data: "",
    })
    return yield* wallet.execute(actions, chain.node)
  })

  const confirm = (
    chosen: Pick<Offers.Offered, "id" | "option">,
    outputs: ReadonlyArray<string>,
    overrides: Partial<Confirmation.Confirm> = {},
  ) =>
    Gateway.confirm(caller, chosen.option.paymentId, {
      optionId: chosen.id,
      results: [{ data: outputs }],
      excludeFromRelayer: false,
      ...overrides,
    })

  /** Each payment asks for a cent more than the one before, so that their transfers are told apart. */
  let cents = 1000
  const nextAmount = () => ({ amount: { unit: "iso4217/USD", value: `${++cents}` } })

  /** A payment with a signed or sent attempt that nobody confirmed yet. */
  const sign = Effect.fnUntraced(function* (
    token: Caip.Token,
    wallet: Wallet.Payer = payer,
    request: Partial<PaymentRequest.Request> = {},
    merchantId: MerchantId.MerchantId = merchant.id,
  ) {
    const created = yield* create({ ...nextAmount(), ...request }, merchantId)
    const chosen = yield* choose(created.id, token, wallet)
    const outputs = yield* execute(chosen, wallet)
    return { id: created.id, chosen, option: chosen.option, outputs }
  })

  /** A payment whose confirm was accepted. */
  const pay = Effect.fnUntraced(function* (
    token: Caip.Token,
    wallet: Wallet.Payer = payer,
    request: Partial<PaymentRequest.Request> = {},
    merchantId: MerchantId.MerchantId = merchant.id,
  ) {
    const signed = yield* sign(token, wallet, request, merchantId)
    // What a wallet approves is mined before it confirms.
    if (signed.option.flow === "permit2") yield* chain.settle(token.chainId)
    const confirmed = yield* confirm(signed.chosen, signed.outputs)
    assert.strictEqual(confirmed.state._tag, "Processing")
    return signed
  })

  const get = (id: PaymentId.PaymentId) => payments.payment(id)
  const statusOf = (id: PaymentId.PaymentId) =>
    Effect.map(Effect.all([payments.payment(id), Clock.currentTimeMillis]), ([payment, at]) =>
      Payment.status(payment, at),
    )
  const typesOf = (id: PaymentId.PaymentId) =>
    Effect.map(outbox.eventsOf(id), (events) => events.map((event) => event.type))
  const succeeded = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
    const { state } = yield* payments.payment(id)
    if (state._tag !== "Succeeded") return assert.fail(`the payment is ${state._tag}`)
    const share = Shares.ofEntry(state.entry)
    return { ...state, share, refund: state.refunds.at(-1) ?? null }
  })
  const refund = (id: PaymentId.PaymentId) => Refunds.request(tenant, { paymentId: id })
  let refundCount = 0
  /** Refunds so many cents of a payment in dollars. */
  const refundPart = (id: PaymentId.PaymentId, value: bigint) =>
    Refunds.request(tenant, {
      paymentId: id,
      amount: { unit: "iso4217/USD", value: value.toString() },
      idempotencyKey: `part-${++refundCount}`,
    })

  /** When the next work on money is due, or null. Reports that nothing is found for are looked at for days. */
  const nextDueAt = Effect.gen(function* () {
    const soon = (yield* Clock.currentTimeMillis) + 31_000
    const times = yield* Effect.forEach(moneyKinds, (kind) =>
      Effect.map(dueWork.nextDueAt(kind), (at) =>
        at === null || (kind === "watch" && at > soon) ? [] : [at],
      ),
    )
    const [first = null] = times.flat().toSorted((left, right) => left - right)
    return first
  })

  const chains = [...new Set(Object.values(tokens).map((token) => token.chainId)), Harbour.chainId]
  const settleAll = Effect.forEach(chains, chain.settle, { discard: true })
  yield* Effect.forEach(chains, (chainId) => Scanner.moveScan("test", chainId, {}, 0))

  /** Money that was reported for a payment, and that it does not take. */
  const inflowsOf = Effect.fnUntraced(function* (paymentId: PaymentId.PaymentId) {
    return yield* (yield* InflowStore).inflows({ _tag: "Payment", paymentId })
  })
  /** What became of it: the state of each report and inflow, and of the outflow that returns one. */
  const lateOf = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
    const { reports } = yield* payments.payment(id)
    const found = yield* Effect.forEach(yield* inflowsOf(id), ({ state }) =>
      state._tag === "Returning"
        ? Effect.map(
            findOutflow(outflows, state.outflowId),
            (outflow) => `Return${outflow.state._tag}`,
          )
        : Effect.succeed(state._tag),
    )
    return [...reports.map(() => "Reported"), ...found]
  })
  /** An operator returns all of it, again if that failed. */
  const giveBack = Effect.fnUntraced(function* (id: PaymentId.PaymentId) {
    for (const inflow of yield* inflowsOf(id)) {
      if (inflow.state._tag === "Suspended") yield* Inflows.giveBack(inflow.id)
      else if (inflow.state._tag === "Returning") yield* Retry.outflow(inflow.state.outflowId)
    }
  })

  /** Moves the clock to the next work that is due, if there is some. */
  const toNextWork = Effect.gen(function* () {
    const at = yield* nextDueAt
    if (at !== null && at > (yield* Clock.currentTimeMillis)) yield* TestClock.setTime(at)
    return at !== null
  })

  /** Works, makes blocks final and lets time pass, until nothing is left to do. */
  const live = Effect.fnUntraced(function* <E, R>(
    round: Effect.Effect<void, E, R>,
    isOver: Effect.Effect<boolean, E, R>,
  ) {
    for (let count = 0; count < roundsMax; count++) {
      yield* round
      if (yield* isOver) return
      yield* settleAll
      if (!(yield* toNextWork)) return
    }
    return assert.fail("the work never ends")
  })
  const finish = live(work, Effect.succeed(false))
  const finishUntil = (isThere: (payment: Payment.Payment) => boolean, id: PaymentId.PaymentId) =>
    live(work, Effect.map(Effect.orDie(payments.payment(id)), isThere))

  /** Works until a chain is stopped, and lets it go on as an operator does who knows why. */
  const letGoOn = Effect.fnUntraced(function* (chainId: Caip.ChainId) {
    const isStopped = Effect.map(Lanes.listHalted(tenant.mode), (all) =>
      all.some((each) => each.chainId === chainId),
    )
    yield* live(work, isStopped)
    assert.isTrue(yield* Lanes.resume(tenant.mode, chainId), `chain ${chainId} is not stopped`)
  })

  /** The operator puts money of its own on a collecting account. */
  const fund = Effect.fnUntraced(function* (
    token: Caip.Token,
    collecting: Caip.Address,
    quantity: bigint,
  ) {
    yield* chain.mint(token, collecting, quantity)
    yield* ledger.post(
      tenant.mode,
      Fixtures.key(fixtures.next()),
      Ledger.funding({ token, collecting, quantity: Fixtures.quantity(quantity) }),
    )
  })

  /** How many canonical transfers are exactly this movement. */
  const transfers = (movement: Transfer.Movement) =>
    Effect.map(
      chain.history(movement.token.chainId),
      (history) =>
        history
          .flatMap((each) => each.logs)
          .filter(
            (log) =>
              Caip.sameToken(log.token, movement.token) &&
              log.from === movement.from &&
              log.to === movement.to &&
              log.quantity === movement.quantity,
          ).length,
    )

  /** Ledger and chain must agree when nothing is on its way. */
  const auditBooks = Effect.gen(function* () {
    const report = yield* Reconciler.check(tenant.mode)
    assert.deepStrictEqual(report.differences, [])
    assert.deepStrictEqual(report.unsound, [])
    const balances = yield* ledger.balances(tenant.mode, null)
    assert.deepStrictEqual(Ledger.unsound(balances), [])
    const sums = new Map<string, bigint>()
    for (const { balance, token } of balances.values()) {
      const key = Caip.tokenKey(token)
      sums.set(key, (sums.get(key) ?? 0n) + balance)
    }
    assert.deepStrictEqual(
      [...sums.values()].filter((sum) => sum !== 0n),
      [],
    )
  })

  /** The same, and the lanes: every transaction that was stored is on the chain. */
  const audit = Effect.gen(function* () {
    yield* auditBooks
    // Every nonce of a lane is used once, in order, and none is left open.
    for (const { lane } of yield* chain.lanes) {
      const stored = yield* lanes.laneTransactions(lane, 0)
      assert.deepStrictEqual(
        stored.map((each) => each.nonce),
        stored.map((_, index) => index),
      )
      const history = yield* chain.history(lane.chainId)
      const mined = history.filter((each) => each.transaction.sender === lane.sender)
      assert.deepStrictEqual(
        mined.map((each) => each.transaction.nonce),
        stored.map((each) => each.nonce),
      )
    }
  })

  return {
    accounts: accountStore,
    answers,
    payments,
    outflows,
    lanes,
    work: dueWork,
    ledger,
    outbox,
    chain,
    fixtures,
    tenant,
    partner,
    otherPartner,
    merchant,
    caller,
    denied,
    create,
    options,
    choose,
    execute,
    confirm,
    sign,
    pay,
    get,
    statusOf,
    typesOf,
    succeeded,
    refund,
    refundPart,
    settleAll,
    nextDueAt,
    toNextWork,
    live,
    finish,
    finishUntil,
    letGoOn,
    inflowsOf,
    lateOf,
    giveBack,
    fund,
    transfers,
    auditBooks,
    audit,
  }
})

export type World = Effect.Success<ReturnType<typeof begin>>

const chainOptions: Options = {
  blocks: "manual",
  unseenBalance: 1_000_000,
  flow: ({ flow, token }) => flows.find((each) => Caip.sameToken(token, tokens[each])) ?? flow,
}

/** A test in a world of its own; `denied` are the addresses that screening refuses. */
export const play =
  <A, E>(body: (world: World) => Effect.Effect<A, E, Ports>, chain: Options = {}) =>
  () =>
    Effect.suspend(() => {
      const denied = new Set<Caip.Address>()
      return begin(denied).pipe(
        Effect.flatMap(body),
        Effect.provideService(Screening, {
          refused: (accounts) =>
            Effect.sync(() => accounts.filter((account) => denied.has(account.address))),
        }),
        Effect.provide(Service.layer({ chain: { ...chainOptions, ...chain } })),
      )
    })

/** The movement that pays by an option. */
export const movementOf = (option: PaymentOption.PaymentOption): Transfer.Movement => ({
  token: option.token,
  from: option.account.address,
  to: option.payTo,
  quantity: option.quantity,
})

/** The movements that pay a payment and settle it, as its option says. */
export const movementsOf = (
  option: PaymentOption.PaymentOption,
  net: Transfer.Movement["quantity"],
) => ({
  collect: movementOf(option),
  settle: { token: option.token, from: option.payTo, to: treasury.address, quantity: net },
})

/** Paid once by a transfer that is canonical, settled once, and the books agree. */
export const paidOnce = Effect.fnUntraced(function* (
  world: World,
  { id, option }: Pick<Effect.Success<ReturnType<World["pay"]>>, "id" | "option">,
) {
  const { charge, share, transfer } = yield* world.succeeded(id)
  assert.strictEqual(share.status, "paid")
  const { collect, settle } = movementsOf(option, charge.net)
  assert.deepStrictEqual(transfer.movement, collect)
  assert.strictEqual(yield* world.transfers(collect), 1)
  assert.strictEqual(yield* world.transfers(settle), 1)
  const history = yield* world.chain.history(option.token.chainId)
  const mined = history.find((each) => each.hash === transfer.txHash)
  assert.strictEqual(mined?.blockHash, transfer.blockHash)
  assert.deepStrictEqual(yield* world.typesOf(id), [
    "payment.created",
    "payment.processing",
    "payment.succeeded",
    "payment.settled",
  ])
  yield* world.audit
})

/** It failed, the payer still has everything, and nothing of it is in the books. */
export const failedUnpaid = Effect.fnUntraced(function* (
  world: World,
  { id, option }: Pick<Effect.Success<ReturnType<World["pay"]>>, "id" | "option">,
) {
  assert.deepStrictEqual(yield* world.typesOf(id), [
    "payment.created",
    "payment.processing",
    "payment.failed",
  ])
  assert.strictEqual(yield* world.transfers(movementOf(option)), 0)
  assert.deepStrictEqual(yield* world.ledger.ledgerOf(id), [])
  yield* world.audit
})
