import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Outgoing from "@florin/core/domain/books/Outgoing"
import * as OwnMoney from "@florin/core/domain/books/OwnMoney"
import * as Payouts from "@florin/core/domain/books/Payouts"
import * as Terms from "@florin/core/domain/books/Terms"
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import * as PartnerId from "@florin/core/domain/ground/PartnerId"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as Credit from "@florin/core/domain/money/Credit"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as DailyLimit from "@florin/core/domain/outflow/DailyLimit"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Merchant from "@florin/core/domain/partner/Merchant"
import type * as Change from "@florin/core/domain/payment/Change"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Keeping from "@florin/core/engine/books/Keeping"
import * as Refunds from "@florin/core/engine/books/Refunds"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Merchants from "@florin/core/engine/partner/Merchants"
import { AccountStore, findPartner, type Tenant } from "@florin/core/ports/AccountStore"
import { debtsOf, LedgerStore } from "@florin/core/ports/LedgerStore"
import { OutflowStore, findOutflow } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import * as Stores from "@florin/testing/Stores"
import { Effect, Result } from "effect"
import { drawing, timeout } from "./scene.ts"

const { quantity } = Fixtures
const steps = Counts.of({ usual: 3_000, full: 100_000 })
const seed = Number(globalThis.process.env["FLORIN_SEED"] ?? Date.now() % 1_000_000)

/** Two dollar tokens that count in cents, and in hundredths of them. */
const assets: ReadonlyArray<Asset.Asset> = [2, 4].map((decimals) => ({
  token: Fixtures.token(`credit${decimals}`),
  symbol: "TUSD",
  name: "Test dollar",
  decimals,
  peg: "USD",
  flow: "eip3009",
  details: {},
}))
const find = (token: Caip.Token) => assets.find((each) => Caip.sameToken(each.token, token))
const inHundredths = (token: Caip.Token, of: bigint): bigint =>
  of * 10n ** BigInt(4 - (find(token)?.decimals ?? assert.fail("an unknown token")))

const centsMost = 20_000

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const dollars = (cents: bigint): Credit.Credit => ({
  _tag: "Limited",
  amounts: [{ currency: "USD", quantity: quantity(cents) }],
})

/** The payment, if it succeeded at that time. */
const succeedingAt = (write: Change.Write, succeededAt: number): Change.Write => ({
  ...write,
  payments: write.payments.map((change) => {
    const { payment } = change
    return payment.state._tag === "Succeeded"
      ? { ...change, payment: { ...payment, state: { ...payment.state, succeededAt } } }
      : change
  }),
})

/** What a partner's merchants brought in and got out of us, on chain, in one token each; of one that nets them, together. */
interface Flow {
  readonly partnerId: PartnerId.PartnerId
  readonly token: Caip.Token
  balance: bigint
}

const lostBy = ({ balance, token }: Flow): bigint =>
  balance < 0n ? inHundredths(token, -balance) : 0n

/** Lives through so many steps. Answers how far the loss was beyond the credit at most, and what happened. */
const live = (count: number, isChecked: boolean) =>
  Effect.gen(function* () {
    const draw = drawing(seed)
    let now: number = Fixtures.now
    const [accounts, payments, outflows, ledger] = [
      yield* AccountStore,
      yield* PaymentStore,
      yield* OutflowStore,
      yield* LedgerStore,
    ]
    const world = Fixtures.make("c")
    const oneOf = <A>(items: ReadonlyArray<A>): A =>
      items[draw(items.length)] ?? assert.fail("there is nothing to choose from")
    /** Mostly a young one: the old ones are over. */
    const young = <A>(items: ReadonlyArray<A>): A | undefined =>
      items[items.length - 1 - draw(Math.min(items.length, 40))]

    const netting = { partnerId: PartnerId.PartnerId.make("prtn_netting"), mode: "test" } as const
    const tenants: ReadonlyArray<Tenant> = [world.tenant, world.other, netting]
    const credits = new Map<PartnerId.PartnerId, { now: bigint; most: bigint }>()
    for (const { partnerId: id } of tenants) {
      const limits = { test: { netsMerchants: id === netting.partnerId } }
      yield* Stores.putPartner(accounts, world.partner({ id, limits }))
      credits.set(id, { now: 0n, most: 0n })
    }
    const another = Fixtures.address("another of our accounts")
    for (const { token } of assets) {
      for (const collecting of [world.payTo, another]) {
        const most = { collecting, token, quantity: quantity(10n ** 15n) }
        yield* ledger.post("test", Fixtures.key(world.next()), Ledger.funding(most))
      }
    }
    const merchants: Array<Merchant.Merchant> = []
    const known: Array<PaymentId.PaymentId> = []
    const waiting: Array<OutflowId.OutflowId> = []
    const sent: Array<OutflowId.OutflowId> = []
    const held: Array<OutflowId.OutflowId> = []
    const own: Array<OutflowId.OutflowId> = []
    const sentToday = new Map<string, Array<{ id: string; at: number; of: bigint }>>()
    const flows = new Map<string, Flow>()
    const losses = new Map<PartnerId.PartnerId, bigint>()
    const counts = {
      lent: 0,
      kept: 0,
      across: 0,
      refused: 0,
      reversed: 0,
      moved: 0,
      limited: 0,
      nearly: 0,
      lost: 0,
      parts: 0,
    }

    const note = (payment: Payment.Payment, token: Caip.Token, delta: bigint) => {
      const { merchantId, partnerId } = payment
      const whose = partnerId === netting.partnerId ? partnerId : merchantId
      const key = `${whose} ${Caip.tokenKey(token)}`
      const flow = flows.get(key) ?? { partnerId: payment.partnerId, token, balance: 0n }
      const before = lostBy(flow)
      flow.balance += delta
      flows.set(key, flow)
      const lost = losses.get(flow.partnerId) ?? 0n
      losses.set(flow.partnerId, lost + lostBy(flow) - before)
    }

    /** What an outflow took from us, or gave back, for each merchant. */
    const noteOutflow = Effect.fnUntraced(function* (
      { movement: { quantity: all, token }, purpose }: Outflow.Outflow,
      sign: 1n | -1n,
    ) {
      if (purpose._tag === "Refund") {
        note(yield* payments.payment(purpose.paymentId), token, -all * sign)
      }
      if (purpose._tag !== "Settle") return
      for (const share of purpose.shares) {
        note(yield* payments.payment(share.paymentId), token, -share.quantity * sign)
      }
    })

    const open = Effect.gen(function* () {
      const tenant = oneOf(tenants)
      const merchant = world.merchant(tenant)
      yield* accounts.addMerchant(merchant)
      merchants.push(merchant)
    })

    const pay = Effect.gen(function* () {
      const merchant = young(merchants)
      if (merchant === undefined) return
      const { token } = oneOf(assets)
      const paid = quantity(BigInt(100 + draw(5_000)))
      const { id: merchantId, partnerId } = merchant
      const path = world.path(
        "settlementPending",
        { merchantId, partnerId },
        {
          token,
          quantity: paid,
          ...(draw(3) === 0 && { payTo: another }),
        },
      )
      for (const write of path) {
        yield* Fixtures.store({ ...payments, ...outflows }, succeedingAt(write, now))
      }
      const payment = Fixtures.paymentAfter(path)
      known.push(payment.id)
      note(payment, token, paid)
    })

    const refund = Effect.gen(function* () {
      const id = young(known)
      if (id === undefined) return
      const payment = yield* payments.payment(id)
      const asked = yield* Effect.result(Refunds.request(payment, { paymentId: id }))
      if (Result.isSuccess(asked)) waiting.push(asked.success.refund.outflowId)
    })

    const limitsOf = (id: PartnerId.PartnerId) =>
      Effect.map(findPartner(accounts, id), (partner) => Merchant.limitsOf(partner, "test"))

    /** What was sent in the last day, of what is counted together. */
    const today = (outflow: Outflow.Outflow) => {
      const counted = DailyLimit.countedOf(outflow)
      if (counted === null) return null
      const key = DailyLimit.countedKey(counted)
      const all = (sentToday.get(key) ?? []).filter(({ at }) => at > now - day)
      sentToday.set(key, all)
      return all
    }

    const gather = Effect.gen(function* () {
      const id = young(known)
      const group = id === undefined ? null : Balance.groupOf(yield* payments.payment(id))
      if (group === null) return
      const shares = yield* outflows.waitingShares({ _tag: "Group", group, now }, 1 + draw(5))
      const limits = yield* limitsOf(group.partnerId)
      const asset = find(group.token)
      const bounds = { limits, most: DailyLimit.payoutMost(limits, asset) }
      const owners = shares.map(({ merchantId }) => merchantId)
      // A worker that is late knows nothing of the refunds that wait.
      if (draw(2) === 0) {
        const inNeed = yield* Keeping.listWaiting(group, group.token, owners)
        for (const each of inNeed) yield* Keeping.forRefund(each)
      }
      const debts = yield* debtsOf(ledger, group.mode, group.token, owners)
      const outflowId = world.outflowId()
      const isMade = yield* outflows
        .modify(
          { outflows: [], payments: shares.map(({ paymentId }) => paymentId) },
          (shown) => {
            const write = Payouts.gather(
              shown.payments,
              group,
              { debts, lasts: shown.destinations },
              outflowId,
              now,
              bounds,
            )
            return Result.succeed({ result: (write?.outflows ?? []).length > 0, write })
          },
          null,
        )
        .pipe(Effect.catchTag("Overdrawn", () => Effect.succeed(false)))
      if (!isMade) {
        // What is held back is not gathered with others for that time.
        for (const { paymentId } of shares) {
          yield* Stores.modifyPayment(outflows)(paymentId, (payment) => {
            const from = Terms.payableAt(payment, limits, now)
            const change = from > now ? Balance.holdBack(payment, { from, dueAt: from }, now) : null
            return Result.succeed({ result: null, change })
          })
        }
        return
      }
      waiting.push(outflowId)
      const { purpose } = yield* findOutflow(outflows, outflowId)
      const carried = purpose._tag === "Settle" ? purpose.shares : []
      for (const share of carried) {
        const { state } = yield* payments.payment(share.paymentId)
        if (state._tag !== "Succeeded") assert.fail("it did not succeed")
        const { charge, entry, succeededAt } = state
        const { payoutDelayInMs = 0, reserve } = limits
        assert.isAtLeast(now, succeededAt + payoutDelayInMs, "the delay is over")
        const sizes = entry.parts.map((part) => ({
          of: part.netted + ("quantity" in part ? part.quantity : 0n),
          isPaid: part._tag !== "Netted",
        }))
        const gone = sizes.reduce((sum, { of }) => sum + of, 0n)
        assert.isTrue(gone <= charge.net, "no share is paid twice")
        if (sizes.filter(({ isPaid }) => isPaid).length > 1) counts.parts++
        if (reserve === undefined || now >= succeededAt + reserve.forInMs) continue
        const paid = sizes.reduce((sum, { isPaid, of }) => (isPaid ? sum + of : sum), 0n)
        const most = charge.net - (charge.net * BigInt(reserve.percentage)) / 100_000_000n
        assert.isTrue(paid <= most, "the reserve is kept")
      }
    })

    /** Runs a step of an outflow with all of its payments. */
    const step = (
      outflow: Outflow.Outflow,
      decide: (current: Outgoing.Current) => ReturnType<typeof Outgoing.pay>,
    ) =>
      outflows.modify(
        { outflows: [outflow.id], payments: Outflow.paymentIds(outflow) },
        Fixtures.decideOn(decide),
        null,
      )

    const send = Effect.gen(function* () {
      const id = young(waiting)
      if (id === undefined) return
      const outflow = yield* findOutflow(outflows, id)
      if (outflow.state._tag !== "Waiting") return
      const { partnerId, purpose } = outflow
      if (purpose._tag === "Refund" && draw(2) > 0) yield* Keeping.forRefund(purpose.paymentId)
      const cents = (partnerId === undefined ? undefined : credits.get(partnerId))?.now ?? 0n
      const terms: Credit.Terms = { credit: dollars(cents), assets: { find } }
      const limits = partnerId === undefined ? {} : yield* limitsOf(partnerId)
      const counted = DailyLimit.countedOf(outflow)
      const limit = counted === null ? null : DailyLimit.drawOf(counted, limits, terms.assets, now)
      const slot = world.sent()
      const commit =
        purpose._tag === "Refund" && isChecked ? Outgoing.sendOnCredit(terms) : Outgoing.send
      const done = yield* Effect.result(
        step(outflow, (current) => Outgoing.sendWithin(limit, commit)(current, slot, now)),
      )
      if (Result.isSuccess(done) && done.success) {
        sent.push(id)
        yield* noteOutflow(outflow, 1n)
        const all = today(outflow)
        const { quantity: all_, token } = outflow.movement
        all?.push({ id, at: now, of: inHundredths(token, all_) })
        const total = all?.reduce((sum, { of }) => sum + of, 0n) ?? 0n
        const most = limit?.credit._tag === "Limited" ? limit.credit.amounts[0]?.quantity : null
        if (most !== null && most !== undefined) {
          assert.isTrue(total <= most * 100n, "a day sends no more than its limit")
          if (total > most * 50n) counts.nearly++
        }
        if (purpose._tag !== "Refund") return
        const refunded = yield* payments.payment(purpose.paymentId)
        const kept = Payment.refundOf(refunded)?.kept
        if (kept === undefined) counts.lent++
        else if (partnerId === netting.partnerId) counts.across++
        else counts.kept++
      } else if (
        Result.isFailure(done) &&
        done.failure._tag === "Overdrawn" &&
        done.failure.isOfLimit
      ) {
        counts.limited++
      } else if (purpose._tag === "Settle") {
        yield* step(outflow, (current) => Outgoing.regather(current, now, now))
      } else counts.refused++
    })

    const end = Effect.gen(function* () {
      const id = young(sent)
      if (id === undefined) return
      const outflow = yield* findOutflow(outflows, id)
      if (outflow.state._tag !== "Sent") return
      if (draw(3) > 0) {
        yield* step(outflow, (current) =>
          Outgoing.pay(current, world.evidenceOf(outflow.movement), now),
        )
        return
      }
      // What was netted by it may have been lent again: then it stays where it is.
      const done = yield* Effect.result(
        step(outflow, (current) =>
          Outgoing.hold(current, { reason: "it reverted", code: "lost" }, now),
        ),
      )
      if (Result.isFailure(done)) return
      counts.reversed++
      yield* noteOutflow(outflow, -1n)
      const all = today(outflow)
      const index = all?.findIndex((each) => each.id === id) ?? -1
      if (index >= 0) all?.splice(index, 1)
      held.push(id)
    })

    const retry = Effect.gen(function* () {
      const id = young(held)
      if (id === undefined) return
      yield* Retry.outflow(id)
      const { state } = yield* findOutflow(outflows, id)
      if (state._tag === "Waiting") waiting.push(id)
    })

    /** The operator's own money goes from one account of ours to the other, or out. */
    const begin = Effect.gen(function* () {
      const { token } = oneOf(assets)
      const [from, other] = draw(2) === 0 ? [world.payTo, another] : [another, world.payTo]
      const isMove = draw(2) === 0
      const movement = {
        token,
        from,
        to: isMove ? other : world.destinationAccount.address,
        quantity: quantity(BigInt(1 + draw(1_000_000))),
      }
      const id = world.outflowId()
      const purpose = isMove ? "Move" : "Withdraw"
      const write = OwnMoney.request({ id, mode: "test", movement, purpose }, [], now)
      const done = yield* Effect.result(
        outflows.modify(
          { outflows: [], payments: [] },
          () => Result.succeed({ result: id, write }),
          null,
        ),
      )
      if (Result.isSuccess(done)) own.push(id)
    })

    const move = Effect.gen(function* () {
      const id = own[0]
      if (id === undefined) return yield* begin
      const outflow = yield* findOutflow(outflows, id)
      if (outflow.state._tag === "Waiting") {
        const slot = world.sent()
        yield* Effect.ignore(step(outflow, (current) => Outgoing.send(current, slot, now)))
        return
      }
      yield* step(outflow, (current) =>
        Outgoing.pay(current, world.evidenceOf(outflow.movement), now),
      )
      own.shift()
      counts.moved++
    })

    const bound = Effect.gen(function* () {
      if (draw(20) > 0 || !isChecked) return
      const { partnerId } = oneOf(tenants)
      const maybe = <A>(value: A): A | null => (draw(2) === 0 ? value : null)
      const percentage = Result.getOrThrow(Fees.parsePercentage(`${1 + draw(60)}`))
      yield* Merchants.changePartner(partnerId, {
        limits: {
          test: {
            payoutDelayInMs: maybe(draw(6) * hour),
            reserve: maybe({ percentage, forInMs: draw(24) * hour }),
            payoutsPerDay: maybe(dollars(BigInt(10_000 + draw(100_000)))),
            refundsPerDay: maybe(dollars(BigInt(5_000 + draw(50_000)))),
          },
        },
      })
    })

    const remove = Effect.gen(function* () {
      const merchant = young(merchants)
      if (merchant === undefined || draw(4) > 0) return
      yield* Merchants.remove(merchant, merchant.id)
    })

    const grant = Effect.sync(() => {
      const credit = credits.get(oneOf(tenants).partnerId)
      if (credit === undefined || draw(20) > 0 || !isChecked) return
      credit.now = BigInt(draw(centsMost))
      if (credit.now > credit.most) credit.most = credit.now
    })

    const out = [gather, gather, gather, send, send, send, send, send, end, end, end]
    const usual = [...out, refund, refund, retry, remove, grant, move, bound]
    let beyond = 0n
    yield* open
    for (let at = 0; at < count; at++) {
      if (!isChecked && beyond > 0n) break
      now += draw(4 * minute)
      // Nobody pays for a while now and then: then all is paid out, and refunded.
      const busy = at % 300 < 150 ? [pay, pay, pay, pay] : []
      yield* draw(merchants.length < 6 ? 100 : 1_000) === 0 ? open : oneOf([...busy, ...usual])
      for (const [partnerId, { most }] of credits) {
        const lost = losses.get(partnerId) ?? 0n
        if (lost > 0n) counts.lost++
        const loss = lost - most * 100n
        if (loss > beyond) beyond = loss
        if (isChecked) {
          assert.isTrue(loss <= 0n, `step ${at} of seed ${seed}: ${loss} is lost beyond credit`)
        }
      }
    }
    assert.deepStrictEqual(Ledger.unsound(yield* ledger.balances("test", null)), [])
    for (const { holds, owed } of yield* ledger.holdings("test", null)) assert.isTrue(holds >= owed)
    return { beyond, counts }
  }).pipe(Effect.provide(Service.layer()))

describe("credit over many lives", () => {
  it.effect(
    "S3: limits the operator's loss to the credit that it granted, whatever partners do",
    () =>
      Effect.gen(function* () {
        const { counts } = yield* live(steps, true)
        // So that each rule was tried at all.
        const { across, kept, lent, moved } = counts
        assert.isTrue(lent > 0 && kept + across > 0 && moved > 0)
        if (!Counts.full) return
        for (const [what, count] of Object.entries(counts)) assert.isAbove(count, 0, what)
      }),
    timeout,
  )

  it.effect(
    "S3: without the check of the credit, the same histories lose money",
    () =>
      Effect.gen(function* () {
        // It ends with the first loss.
        const { beyond } = yield* live(20 * steps, false)
        assert.isTrue(beyond > 0n)
      }),
    timeout,
  )
})
