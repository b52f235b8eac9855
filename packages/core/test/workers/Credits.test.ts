import { assert, describe, it } from "@effect/vitest"
import type * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import type * as Credit from "@florin/core/domain/Credit"
import * as Ledger from "@florin/core/domain/Ledger"
import type * as Merchant from "@florin/core/domain/Merchant"
import * as Outflow from "@florin/core/domain/Outflow"
import * as Outgoing from "@florin/core/domain/Outgoing"
import * as Payment from "@florin/core/domain/Payment"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import * as SettlementMatching from "@florin/core/domain/SettlementMatching"
import * as Debts from "@florin/core/engine/Debts"
import * as Keeping from "@florin/core/engine/Keeping"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Retry from "@florin/core/engine/Retry"
import { AccountStore, type Tenant } from "@florin/core/ports/AccountStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import { PaymentStore } from "@florin/core/ports/PaymentStore"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Service from "@florin/testing/Service"
import { Effect, Result } from "effect"
import { drawing, timeout } from "./scene.ts"

const { now, quantity } = Fixtures
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

/** What a partner's merchants brought in and got out of us, on chain, in one token each. */
interface Flow {
  readonly partnerId: Merchant.PartnerId
  readonly token: Caip.Token
  balance: bigint
}

const lostBy = ({ balance, token }: Flow): bigint =>
  balance < 0n ? inHundredths(token, -balance) : 0n

describe("credit over many lives", () => {
  it.effect(
    "S3: whatever partners do, the operator can lose no more than the credit that it granted",
    () =>
      Effect.gen(function* () {
        const draw = drawing(seed)
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

        const tenants: ReadonlyArray<Tenant> = [world.tenant, world.other]
        const credits = new Map<Merchant.PartnerId, { now: bigint; most: bigint }>()
        for (const { partnerId: id } of tenants) {
          yield* accounts.putPartner(world.partner({ id }))
          credits.set(id, { now: 0n, most: 0n })
        }
        const another = Fixtures.address("another account of ours")
        for (const { token } of assets) {
          for (const collecting of [world.payTo, another]) {
            const most = { collecting, token, quantity: quantity(10n ** 15n) }
            yield* ledger.post("test", Fixtures.key(world.next()), Ledger.funded(most))
          }
        }
        const merchants: Array<Merchant.Merchant> = []
        const known: Array<PaymentId.PaymentId> = []
        const waiting: Array<Outflow.OutflowId> = []
        const sent: Array<Outflow.OutflowId> = []
        const held: Array<Outflow.OutflowId> = []
        const flows = new Map<string, Flow>()
        const losses = new Map<Merchant.PartnerId, bigint>()
        const counts = { lent: 0, kept: 0, refused: 0, reversed: 0 }

        const note = (payment: Payment.Payment, token: Caip.Token, delta: bigint) => {
          const key = `${payment.merchantId} ${Caip.tokenKey(token)}`
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
          yield* accounts.createMerchant(merchant, world.once(), "{}", now)
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
          for (const write of path) yield* Fixtures.store({ ...payments, ...outflows }, write)
          const payment = Fixtures.reached(path)
          known.push(payment.id)
          note(payment, token, paid)
        })

        const refund = Effect.gen(function* () {
          const id = young(known)
          if (id === undefined) return
          const payment = yield* payments.payment(id)
          const asked = yield* Effect.result(Refunds.request(payment, undefined, id))
          if (Result.isSuccess(asked)) waiting.push(asked.success.refund.outflowId)
        })

        const gather = Effect.gen(function* () {
          const id = young(known)
          const group =
            id === undefined ? null : SettlementMatching.groupOf(yield* payments.payment(id))
          if (group === null) return
          const shares = yield* outflows.pendingShares(group, 1 + draw(5))
          const owners = shares.map(({ merchantId }) => merchantId)
          // A worker that is late knows nothing of the refunds that wait.
          if (draw(2) === 0) {
            const inNeed = yield* outflows.refundsInNeed(group.mode, group.token, owners)
            for (const each of inNeed) yield* Keeping.forRefund(each)
          }
          const debts = yield* Debts.of(group.mode, group.token, owners)
          const outflowId = world.outflowId()
          const isMade = yield* outflows
            .modify(
              { outflows: [], payments: shares.map(({ paymentId }) => paymentId) },
              (shown) => {
                const write = SettlementMatching.gather(
                  shown.payments,
                  group,
                  { debts, lasts: shown.destinations },
                  outflowId,
                  now,
                )
                return Result.succeed({ answer: (write?.outflows ?? []).length > 0, write })
              },
              null,
            )
            .pipe(Effect.catchTag("Overdrawn", () => Effect.succeed(false)))
          if (isMade) waiting.push(outflowId)
        })

        /** Runs a step of an outflow with all of its payments. */
        const step = (
          outflow: Outflow.Outflow,
          decide: (current: Outgoing.Current) => ReturnType<typeof Outgoing.pay>,
        ) =>
          outflows.modify(
            { outflows: [outflow.id], payments: Outflow.paymentIds(outflow) },
            Outgoing.deciding((current) => {
              const write = decide(current)
              return { answer: write !== null, write }
            }, false),
            null,
          )

        const send = Effect.gen(function* () {
          const id = young(waiting)
          if (id === undefined) return
          const outflow = yield* outflows.outflow(id)
          if (outflow.state._tag !== "Waiting") return
          const { partnerId, purpose } = outflow
          if (purpose._tag === "Refund" && draw(2) > 0) yield* Keeping.forRefund(purpose.paymentId)
          const cents = (partnerId === undefined ? undefined : credits.get(partnerId))?.now ?? 0n
          const terms: Credit.Terms = {
            credit: {
              _tag: "Limited",
              amounts: [{ currency: "USD", quantity: quantity(cents) }],
            },
            assets: { find },
          }
          const slot = world.sent()
          const done = yield* Effect.result(
            step(outflow, (current) => Outgoing.sendOnCredit(terms)(current, slot, now)),
          )
          if (Result.isSuccess(done) && done.success) {
            sent.push(id)
            yield* noteOutflow(outflow, 1n)
            if (purpose._tag !== "Refund") return
            const kept = Payment.refundOf(yield* payments.payment(purpose.paymentId))?.kept
            if (kept !== undefined) counts.kept++
            else counts.lent++
          } else if (purpose._tag === "Settle") {
            yield* step(outflow, (current) => Outgoing.regather(current, now, now))
          } else counts.refused++
        })

        const end = Effect.gen(function* () {
          const id = young(sent)
          if (id === undefined) return
          const outflow = yield* outflows.outflow(id)
          if (outflow.state._tag !== "Sent") return
          if (draw(3) > 0) {
            yield* step(outflow, (current) =>
              Outgoing.pay(current, world.evidenceOf(outflow.movement), now),
            )
            return
          }
          // What was netted by it may have been lent again: then it stays where it is.
          const done = yield* Effect.result(
            step(outflow, (current) => Outgoing.hold(current, { reason: "it reverted" }, now)),
          )
          if (Result.isFailure(done)) return
          counts.reversed++
          yield* noteOutflow(outflow, -1n)
          held.push(id)
        })

        const retry = Effect.gen(function* () {
          const id = young(held)
          if (id === undefined) return
          yield* Retry.outflow(id)
          const { state } = yield* outflows.outflow(id)
          if (state._tag === "Waiting") waiting.push(id)
        })

        const remove = Effect.gen(function* () {
          const merchant = young(merchants)
          if (merchant === undefined || draw(4) > 0) return
          yield* Merchants.remove(merchant, merchant.id)
        })

        const grant = Effect.sync(() => {
          const credit = credits.get(oneOf(tenants).partnerId)
          if (credit === undefined || draw(20) > 0) return
          credit.now = BigInt(draw(centsMost))
          if (credit.now > credit.most) credit.most = credit.now
        })

        const all = [pay, pay, pay, pay, gather, gather, gather, send, send, send, send, send]
        const rest = [refund, refund, end, end, end, retry, remove, grant]
        yield* open
        for (let count = 0; count < steps; count++) {
          yield* draw(merchants.length < 6 ? 100 : 1_000) === 0 ? open : oneOf([...all, ...rest])
          for (const [partnerId, { most }] of credits) {
            const loss = losses.get(partnerId) ?? 0n
            assert.isTrue(
              loss <= most * 100n,
              `step ${count} of seed ${seed}: ${loss} is lost, and ${most * 100n} was lent`,
            )
          }
        }
        assert.deepStrictEqual(Ledger.unsound(yield* ledger.balances("test", null)), [])
        // So that the rule was tried at all.
        const { refused, ...others } = counts
        for (const [what, count] of Object.entries(others)) assert.isAbove(count, 0, what)
        if (Counts.full) assert.isAbove(refused, 0)
      }).pipe(Effect.provide(Service.layer())),
    timeout,
  )
})
