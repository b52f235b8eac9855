import { assert, describe, it } from "@effect/vitest"
import * as Balance from "@florin/core/domain/books/Balance"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Credit from "@florin/core/domain/money/Credit"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OutflowState from "@florin/core/domain/outflow/OutflowState"
import * as PartnerLimits from "@florin/core/domain/partner/PartnerLimits"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Evidence from "@florin/core/engine/Evidence"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Retry from "@florin/core/engine/Retry"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Stuck from "@florin/core/engine/Stuck"
import * as Verdict from "@florin/core/engine/Verdict"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { play, tokens, treasury } = Scene
const [only = assert.fail()] = collectingWallets
const token = tokens.eip3009
const reserve = Result.getOrThrow(PartnerLimits.parseReserve("50% 7d"))

const seeds = Array.from(
  { length: Number(process.env["SEEDS"] ?? 60) },
  (_, i) => i + Number(process.env["FROM"] ?? 0),
)

describe("random", () => {
  for (const seed of seeds) {
    it.effect(
      `seed ${seed}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const draw = Scene.drawing(seed * 7919)
            for (let i = 0; i < 5; i++) draw(10)
            let partner: typeof world.partner = world.partner
            const set = (change: Partial<typeof world.partner>) => {
              partner = { ...partner, ...change }
              return Stores.putPartner(world.accounts, partner)
            }
            const hasDust = draw(3) === 0
            const nets = process.env["NETS"] ? true : draw(3) === 0
            yield* set({ credit: { test: Credit.none }, limits: { test: { netsMerchants: nets } } })
            const shops = [world.fixtures.merchant(), world.fixtures.merchant()]
            for (const each of shops) {
              yield* world.accounts.createMerchant(each, world.fixtures.once(), "{}", Scene.now)
              yield* Merchants.changeAsOperator(world.tenant, each.id, {
                fees: {
                  returned: draw(4) === 0 ? "withRefund" : "never",
                  fixed: {
                    fixed: { currency: "USD", quantity: Fixtures.quantity(BigInt(draw(2) * 50)) },
                  },
                },
              })
            }
            let keys = 0
            const register = (shop: number) =>
              Effect.ignore(
                Settlements.create({
                  tenant: world.tenant,
                  merchantId: shops[shop]!.id,
                  settlements: [
                    {
                      asset: Eip155.formatToken(token),
                      destination: Eip155.formatAccount({
                        ...treasury.account(token.chainId),
                        address: Fixtures.address(["q", "r", "s", "u"][shop * 2 + draw(2)]!),
                      }),
                    },
                  ],
                  idempotencyKey: `k${++keys}`,
                }),
              )
            const remove = (shop: number) =>
              Effect.gen(function* () {
                for (const { id } of yield* Settlements.list(world.tenant, shops[shop]!.id)) {
                  yield* Effect.ignore(Settlements.remove(world.tenant, shops[shop]!.id, id))
                }
              })
            if (draw(2) === 0) yield* register(0)
            if (draw(2) === 0) yield* register(1)
            const ids: Array<PaymentId.PaymentId> = []
            const log: Array<string> = []
            const step = Effect.gen(function* () {
              const shop = draw(2)
              const what = draw(20)
              const id = ids[draw(Math.max(1, ids.length))]
              log.push(`${what}:${shop}:${id}`)
              if (process.env["TRACE"]) {
                for (const [n, one] of ids.entries()) {
                  const p = yield* world.get(one)
                  if (p.state._tag === "Succeeded")
                    log.push(
                      `[${n} shop${shops.findIndex((x) => x.id === p.merchantId)} dest=${p.state.entry.destination === null ? "-" : "D"} ${p.state.entry.parts.map((x) => x._tag)} of ${p.state.entry.quantity} due ${Balance.tokenOfWaiting(p) !== null} refunds ${p.state.refunds.map((r) => r.state._tag)}]\n`,
                    )
                }
                log.push(
                  `next ${yield* world.work.nextDueAt("settle")} now ${yield* Clock.currentTimeMillis}\n`,
                )
              }
              switch (what) {
                case 0:
                case 1:
                case 2: {
                  world.denied.delete(Scene.payer.address)
                  const value = hasDust && draw(4) === 0 ? 40 : 60 + draw(2000)
                  const paid = yield* world.pay(
                    token,
                    Scene.payer,
                    { amount: { unit: "iso4217/USD", value: `${value}` } },
                    shops[shop]!.id,
                  )
                  ids.push(paid.id)
                  if (draw(2) === 0) {
                    yield* Collector.drain
                    yield* world.settleAll
                    yield* Collector.drain
                  }
                  return
                }
                case 3:
                case 4:
                  if (id !== undefined) yield* Effect.ignore(world.refund(id))
                  return
                case 5:
                case 6:
                  if (id !== undefined)
                    yield* Effect.ignore(world.refundPart(id, BigInt(1 + draw(1000))))
                  return
                case 7:
                  return yield* Payer.drain
                case 8:
                  return yield* Sender.drain
                case 9:
                  return yield* register(shop)
                case 10:
                  return yield* remove(shop)
                case 11: {
                  const credit = [
                    Credit.none,
                    Credit.unlimited,
                    {
                      _tag: "Limited" as const,
                      amounts: [
                        {
                          currency: "USD" as const,
                          quantity: Fixtures.quantity(BigInt(1 + draw(500))),
                        },
                      ],
                    },
                  ][draw(3)]!
                  return yield* set({ credit: { test: credit } })
                }
                case 12: {
                  const limits = [{}, { reserve }, { payoutDelayInMs: 3_600_000 }][draw(3)]!
                  return yield* set({ limits: { test: { ...limits, netsMerchants: nets } } })
                }
                case 13: {
                  const address = [
                    Fixtures.address(["q", "r", "s", "u"][draw(4)]!),
                    Scene.payer.address,
                  ][draw(2)]!
                  if (draw(2) === 0) world.denied.add(address)
                  else world.denied.delete(address)
                  return
                }
                case 14: {
                  const open = yield* world.outflows.openOutflows("test")
                  for (const each of open)
                    if (each.state._tag === "Held") yield* Effect.ignore(Retry.outflow(each.id))
                  return
                }
                case 15: {
                  if (draw(2) === 0)
                    yield* world.chain.reorg(
                      token.chainId,
                      1 + draw(3),
                      draw(2) === 0 ? { drop: "all" } : {},
                    )
                  return
                }
                default:
                  yield* Scene.work
                  yield* world.settleAll
                  yield* world.toNextWork
                  yield* TestClock.adjust("1 second")
              }
            })
            const checkAll = Effect.gen(function* () {
              const balances = yield* world.ledger.balances("test", null)
              assert.deepStrictEqual(Ledger.unsound(balances), [])
              let zero = 0n
              for (const { balance } of balances.values()) zero += balance
              assert.strictEqual(zero, 0n, "sum")
              for (const { id: merchantId } of shops) {
                let owed = 0n
                for (const id of ids) {
                  const payment = yield* world.get(id)
                  if (payment.merchantId !== merchantId) continue
                  const named = [...Payment.outflowIds(payment)]
                  const found = yield* world.outflows.outflowsById(named)
                  owed += Balance.owed(payment, (one) => {
                    const outflow = found.find((each) => each.id === one)
                    return outflow !== undefined && OutflowState.isBooked[Outflow.status(outflow)]
                  })
                }
                const account = { _tag: "Owed", merchantId, address: only.address } as const
                assert.strictEqual(
                  owed,
                  -Ledger.balanceOf(balances, account, token),
                  "entries = ledger",
                )
              }
              for (const id of ids) {
                const payment = yield* world.get(id)
                if (payment.state._tag !== "Succeeded") continue
                const { refunds, attempt, entry } = payment.state
                const total = refunds.reduce((sum, each) => sum + each.quantity, 0n)
                assert.isTrue(total <= attempt.option.quantity)
                const parts = entry.parts.reduce(
                  (sum, part) => sum + part.netted + ("quantity" in part ? part.quantity : 0n),
                  0n,
                )
                assert.isTrue(parts <= entry.quantity)
                for (const { fee, kept = [], own, quantity } of refunds) {
                  assert.isTrue(
                    fee + own + kept.reduce((sum, each) => sum + each.quantity, 0n) <= quantity,
                  )
                  if (payment.feeTerms.returned === undefined) assert.strictEqual(fee, 0n as never)
                }
              }
            })
            const run = Effect.gen(function* () {
              for (let i = 0; i < 40; i++) {
                yield* step
                if (i % 8 === 0) yield* checkAll
              }
              // The end: everything is granted.
              world.denied.clear()
              const isPoor = seed % 2 === 1
              yield* set({
                credit: { test: isPoor ? Credit.none : Credit.unlimited },
                limits: { test: { netsMerchants: nets } },
              })
              yield* world.fund(token, only.address, 1_000_000_000n)
              yield* register(0)
              yield* register(1)
              if (isPoor) {
                for (const shop of [0, 1, 0, 1, 0, 1]) {
                  const paid = yield* world.pay(
                    token,
                    Scene.payer,
                    { amount: { unit: "iso4217/USD", value: `${9000 + draw(900)}` } },
                    shops[shop]!.id,
                  )
                  ids.push(paid.id)
                }
              }
              for (let i = 0; i < 90; i++) {
                const open = yield* world.outflows.openOutflows("test")
                for (const each of open)
                  if (each.state._tag === "Held") yield* Effect.ignore(Retry.outflow(each.id))
                yield* Effect.ignore(Lanes.resume("test", token.chainId))
                yield* Scene.work
                yield* world.settleAll
                if (!(yield* world.toNextWork)) break
                yield* TestClock.adjust("1 second")
              }
              yield* checkAll
              yield* world.auditBooks
              for (const id of ids) {
                const payment = yield* world.get(id)
                if (payment.state._tag !== "Succeeded") continue
                for (const { state } of payment.state.refunds)
                  assert.strictEqual(state._tag, "Succeeded", id)
                if (Balance.tokenOfWaiting(payment) !== null) {
                  console.log(
                    JSON.stringify(
                      {
                        r: payment.revision,
                        s: payment.state,
                        v: Verdict.judge(yield* Evidence.gather(id)).text,
                        due: yield* world.nextDueAt,
                        now: yield* Clock.currentTimeMillis,
                      },
                      (_, v) => (typeof v === "bigint" ? `${v}` : v),
                      1,
                    ),
                  )
                }
                assert.isNull(Balance.tokenOfWaiting(payment), `waits ${id}`)
                const { text } = Verdict.judge(yield* Evidence.gather(id))
                assert.include(text, "nothing open", id)
              }
              assert.deepStrictEqual(yield* Stuck.list(world.tenant.mode), [])
              // What each merchant got is what it sold less fees and refunds.
              for (const { id: merchantId } of shops) {
                let expected = 0n
                for (const id of ids) {
                  const payment = yield* world.get(id)
                  if (payment.merchantId !== merchantId || payment.state._tag !== "Succeeded")
                    continue
                  expected += BigInt(payment.state.charge.net)
                  for (const { fee, quantity } of payment.state.refunds) expected -= quantity - fee
                }
                const index = shops.findIndex(({ id }) => id === merchantId)
                let got = 0n
                for (const name of [
                  ["q", "r"],
                  ["s", "u"],
                ][index]!) {
                  got += (yield* world.chain.balanceOf(token, Fixtures.address(name))) - base
                }
                const debt = yield* Stores.balanceOf(
                  world.ledger,
                  "test",
                  { _tag: "Debt", merchantId },
                  token,
                )
                if (!nets) assert.strictEqual(got - debt, expected, `merchant ${index}`)
              }
            })
            const base = yield* world.chain.balanceOf(token, Fixtures.address("q"))
            yield* run.pipe(
              Effect.onError(() =>
                Effect.sync(() =>
                  console.log(`seed ${seed}`, { hasDust, nets }, log.slice(-400).join(" ")),
                ),
              ),
            )
          }),
        { collectingAccounts: () => [only.address] },
      ),
      240_000,
    )
  }
})
