import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Credit from "@florin/core/domain/money/Credit"
import type * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Treasury from "@florin/core/domain/outflow/Treasury"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Float from "@florin/core/engine/books/Float"
import * as Retry from "@florin/core/engine/books/Retry"
import * as Lanes from "@florin/core/engine/chain/Lanes"
import { findOutflow } from "@florin/core/ports/OutflowStore"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import * as Collector from "@florin/core/workers/Collector"
import * as Sender from "@florin/core/workers/Sender"
import * as Treasurer from "@florin/core/workers/Treasurer"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Effect, Result } from "effect"
import { floatOf } from "../../src/ports/LedgerStore.ts"
import * as Scene from "./scene.ts"

const { failsWith, play, tokens } = Scene
const token = tokens.eip3009
const own = collectingWallets.map(({ address }) => address)

/** A payment that is collected by one account of ours; which one takes a payment is drawn for each option. */
const payTo = Effect.fnUntraced(function* (
  world: Scene.World,
  account: Caip.Address,
  merchantId = world.merchant.id,
) {
  const request = { amount: { unit: "iso4217/USD", value: "100000" } }
  for (;;) {
    const created = yield* world.create(request, merchantId)
    const chosen = yield* world.choose(created.id, token)
    if (chosen.option.payTo !== account) continue
    yield* world.confirm(chosen, yield* world.execute(chosen))
    return created.id
  }
})

/** Another merchant of the partner, which is paid out like the first one. */
const anotherMerchant = Effect.fnUntraced(function* ({ accounts, fixtures }: Scene.World) {
  const merchant = fixtures.merchant()
  yield* accounts.addMerchant(merchant)
  const destination = Scene.treasury.account(token.chainId)
  const added = [fixtures.destination({ merchantId: merchant.id, token, destination })]
  const decide = () => Result.succeed({ added })
  yield* accounts.addDestinations(merchant.id, decide, Scene.now)
  return merchant.id
})

/** A refund is asked for on one account, which holds another merchant's money; the float for it is on the other. */
const shortOn = Effect.fnUntraced(function* (world: Scene.World) {
  const [left = assert.fail(), right = assert.fail()] = own
  const first = yield* payTo(world, left)
  yield* world.finish
  yield* world.fund(token, right, 1_000_000_000n)
  const honest = yield* payTo(world, left, yield* anotherMerchant(world))
  yield* world.live(
    Collector.drain,
    Effect.map(Effect.orDie(world.get(honest)), ({ state }) => state._tag === "Succeeded"),
  )
  yield* world.refund(first)
  return { first, honest, left, right }
})

const isHeldMove = ({ purpose, state }: Outflow.Outflow): boolean =>
  purpose._tag === "Move" && state._tag === "Held"

const look = Treasurer.round(null)

const given = <A>(value: A | undefined): A => value ?? assert.fail("it is not there")

describe("Money that is missing on one account", () => {
  it.effect(
    "S4: makes a refund wait, instead of using money that another payment left on the account",
    play((world) =>
      Effect.gen(function* () {
        const { first, honest, left } = yield* shortOn(world)
        yield* Sender.drain
        const refund = Payment.refundOf(yield* world.get(first))
        assert.deepStrictEqual(refund?.state, { _tag: "Pending", waitsForFloat: true })
        for (let round = 0; round < 5; round++) {
          yield* Scene.work
          yield* world.settleAll
          yield* world.toNextWork
        }
        assert.strictEqual((yield* world.succeeded(honest)).share.status, "paid")
        const [short] = yield* Float.short("test")
        assert.strictEqual(short?.outflow.movement.from, left)
        assert.isTrue(given(short).missing > 0n)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S4: is moved there once from the service's own money on another account, and the refund is paid",
    play((world) =>
      Effect.gen(function* () {
        const { first, honest, left, right } = yield* shortOn(world)
        yield* Sender.drain
        const [short] = yield* Float.short("test")
        const missing = given(short).missing
        // Several processes look at the same time.
        yield* Effect.all([look, look, look], { concurrency: "unbounded" })
        yield* look
        const isMove = ({ purpose }: Outflow.Outflow) => purpose._tag === "Move"
        const [move, ...others] = (yield* world.outflows.openOutflows("test")).filter(isMove)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(given(move).movement, {
          from: right,
          to: left,
          quantity: Fixtures.quantity(missing),
        })
        assert.isUndefined(given(move).partnerId)
        yield* Sender.drain
        // What is on its way is nobody's to spend.
        const transit = { _tag: "Transit" } as const
        assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", transit, token), missing)
        yield* world.finish
        const refund = Payment.refundOf(yield* world.get(first))
        assert.strictEqual(refund?.state._tag, "Succeeded")
        assert.strictEqual((yield* world.succeeded(honest)).share.status, "paid")
        assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", transit, token), 0n)
        assert.deepStrictEqual(yield* Float.short("test"), [])
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S5: is paid by the operator, who gets the money that was kept for the refund on another account",
    play((world) =>
      Effect.gen(function* () {
        const [left = assert.fail(), right = assert.fail()] = own
        const first = yield* payTo(world, left)
        yield* world.finish
        yield* Stores.putPartner(world.accounts, {
          ...world.partner,
          credit: { test: Credit.none },
        })
        yield* world.refund(first)
        const later = yield* payTo(world, right)
        for (let round = 0; round < 5; round++) {
          yield* Scene.work
          yield* world.settleAll
          yield* world.toNextWork
        }
        const kept = { _tag: "Kept", merchantId: world.merchant.id, address: right } as const
        const { charge, refund } = yield* world.succeeded(first)
        if (refund === null) return assert.fail("no refund")
        assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", kept, token), -charge.net)
        assert.deepStrictEqual(refund.kept, [{ collecting: right, quantity: charge.net }])
        assert.deepStrictEqual(refund.state, { _tag: "Pending", waitsForFloat: true })
        // It leaves the account that was paid, so all of it is missing there, less the fees.
        const [short] = yield* Float.short("test")
        const there = yield* floatOf(world.ledger, "test", { collecting: left, token })
        assert.strictEqual(given(short).missing, refund.quantity - there)
        const before = yield* floatOf(world.ledger, "test", { collecting: right, token })
        yield* world.fund(token, right, 1_000_000_000n)
        yield* look
        yield* world.finish
        assert.strictEqual((yield* world.succeeded(first)).refund?.state._tag, "Succeeded")
        assert.strictEqual((yield* world.succeeded(later)).share.status, "netted")
        assert.strictEqual(yield* Stores.balanceOf(world.ledger, "test", kept, token), 0n)
        assert.strictEqual(
          yield* floatOf(world.ledger, "test", { collecting: right, token }),
          before + 1_000_000_000n - given(short).missing + charge.net,
        )
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S4: returns to the account that it left if the move failed on chain",
    play((world) =>
      Effect.gen(function* () {
        const { left, right } = yield* shortOn(world)
        const before = yield* floatOf(world.ledger, "test", { collecting: right, token })
        yield* Sender.drain
        yield* look
        yield* Sender.drain
        yield* world.chain.block(left, token)
        yield* world.live(
          Scene.work,
          Effect.map(Effect.orDie(world.outflows.openOutflows("test")), (all) =>
            all.some(isHeldMove),
          ),
        )
        const open = yield* world.outflows.openOutflows("test")
        assert.strictEqual(open.filter(isHeldMove).length, 1)
        assert.strictEqual(
          yield* floatOf(world.ledger, "test", { collecting: right, token }),
          before,
        )
        // It is not tried again by itself.
        yield* look
        assert.strictEqual((yield* world.outflows.openOutflows("test")).length, open.length)
      }),
    ),
  )
})

/** The service with a cold account, of which an account keeps 100 units, and a list of accounts of the operator. */
const cold = Scene.treasury.account(token.chainId)
const policy: Treasury.Policy = {
  accounts: [cold],
  sweep: { to: [cold], hotMax: 100, everyInMs: 24 * 60 * 60 * 1000 },
}
const units = (of: bigint) => of * 1_000_000n

describe("The operator's own money", () => {
  const [left = assert.fail(), right = assert.fail()] = own
  const going = (quantity: bigint, to: Caip.Address = cold.address) => ({
    token,
    from: left,
    to,
    quantity: Fixtures.quantity(quantity),
  })

  const withdraw = (asked: Transfer.Movement, settings = policy) =>
    Effect.provideService(Float.withdraw("test", asked), TreasuryPolicy, settings)

  it.effect(
    "S6: is withdrawn through the lane, to an account that the settings list",
    play((world) =>
      Effect.gen(function* () {
        yield* world.fund(token, left, units(500n))
        const asked = going(units(200n))
        const id = yield* withdraw(asked)
        // One at a time from an account: the money that is left is counted once.
        const busy = yield* failsWith("FloatRefused", withdraw(asked))
        assert.deepInclude(busy, { reason: "busy" })
        // A worker whose settings do not list it leaves it to others.
        yield* Sender.drain.pipe(Effect.provideService(TreasuryPolicy, Treasury.closedPolicy))
        assert.strictEqual((yield* findOutflow(world.outflows, id)).state._tag, "Waiting")
        yield* world.finish
        assert.strictEqual((yield* findOutflow(world.outflows, id)).state._tag, "Paid")
        assert.strictEqual(yield* world.transfers(asked), 1)
        assert.strictEqual(
          yield* floatOf(world.ledger, "test", { collecting: left, token }),
          units(300n),
        )
        assert.deepStrictEqual(yield* Lanes.listHalted("test"), [])
        yield* world.audit
      }).pipe(Effect.provideService(TreasuryPolicy, policy)),
    ),
  )

  it.effect(
    "S7: is retried one after the other, and does not stop others from being retried",
    play((world) =>
      Effect.gen(function* () {
        yield* world.fund(token, left, units(500n))
        const asked = going(units(200n))
        const held: Array<Outflow.Outflow["id"]> = []
        for (let count = 0; count < 2; count++) {
          held.push(yield* withdraw(asked))
          world.denied.add(cold.address)
          yield* Sender.drain
          world.denied.delete(cold.address)
        }
        const [first = assert.fail(), second = assert.fail()] = held
        assert.deepStrictEqual(
          (yield* Retry.retryHeld({})).map(({ isRetried, outflow }) => [outflow.id, isRetried]),
          [
            [first, true],
            [second, false],
          ],
        )
        assert.include((yield* failsWith("Conflict", Retry.held(second))).message, "in progress")
        yield* world.finish
        yield* Retry.held(second)
        yield* world.finish
        assert.strictEqual(yield* world.transfers(asked), 2)
        yield* world.audit
      }).pipe(Effect.provideService(TreasuryPolicy, policy)),
    ),
  )

  it.effect(
    "S6: is not withdrawn if it is owed, or to an account that is not listed or one of our own",
    play((world) =>
      Effect.gen(function* () {
        yield* world.fund(token, left, units(500n))
        const refusals = [
          [withdraw(going(units(501n))), "short"],
          [withdraw(going(1n, Scene.stranger.address)), "destination"],
          // Booked as taken out, it would still be here.
          [
            withdraw(going(1n, right), {
              ...policy,
              accounts: [{ chainId: token.chainId, address: right }],
            }),
            "destination",
          ],
          [withdraw({ ...going(1n), from: cold.address }), "account"],
          [Float.move("test", going(1n)), "destination"],
          [Float.move("test", going(1n, left)), "destination"],
        ] as const
        for (const [asked, reason] of refusals) {
          assert.deepInclude(yield* failsWith("FloatRefused", asked), { reason })
        }
        world.denied.add(cold.address)
        const screened = yield* failsWith("FloatRefused", withdraw(going(1n)))
        assert.deepInclude(screened, { reason: "destination" })
        assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [])
      }),
    ),
  )

  it.effect(
    "S6: is swept once per period, except for what is owed and what an account keeps",
    play((world) =>
      Effect.gen(function* () {
        const id = yield* payTo(world, left)
        yield* world.live(
          Collector.drain,
          Effect.map(Effect.orDie(world.get(id)), ({ state }) => state._tag === "Succeeded"),
        )
        yield* world.fund(token, left, units(350n))
        yield* world.fund(token, right, units(100n))
        const fee = (yield* world.succeeded(id)).charge.total
        const sweep = Treasurer.round(7)
        yield* Effect.all([sweep, sweep, sweep], { concurrency: "unbounded" })
        const [swept, ...others] = yield* world.outflows.openOutflows("test")
        assert.deepStrictEqual(others, [])
        assert.strictEqual(swept?.purpose._tag, "Sweep")
        assert.deepInclude(given(swept).movement, {
          from: left,
          to: cold.address,
          quantity: Fixtures.quantity(units(250n) + fee),
        })
        yield* world.finish
        yield* world.fund(token, left, units(50n))
        yield* sweep
        assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [])
        yield* Treasurer.round(8)
        yield* world.finish
        assert.strictEqual(
          yield* floatOf(world.ledger, "test", { collecting: left, token }),
          units(100n),
        )
        assert.strictEqual((yield* world.succeeded(id)).share.status, "paid")
        yield* world.audit
      }).pipe(Effect.provideService(TreasuryPolicy, policy)),
    ),
  )

  it.effect(
    "S4, S6: arrives once, at whichever call the process dies",
    () =>
      Effect.forEach(
        ["before", "after"] as const,
        (when) =>
          Effect.gen(function* () {
            for (let at = 0, isOver = false; !isOver; at += 3) {
              isOver = yield* Effect.scoped(
                Effect.suspend(play((world) => diesAt(world, at, when))),
              )
            }
          }),
        { discard: true },
      ),
    Scene.timeout,
  )
})

/** Answers whether the process came to its end. */
const diesAt = Effect.fnUntraced(function* (
  world: Scene.World,
  at: number,
  when: "before" | "after",
) {
  const { first, honest } = yield* shortOn(world)
  yield* Sender.drain
  const process = Scene.dying(at, when)
  yield* process.run(Effect.andThen(look, Sender.drain))
  yield* look
  yield* world.finish
  yield* look
  yield* world.finish
  assert.strictEqual(Payment.refundOf(yield* world.get(first))?.state._tag, "Succeeded")
  assert.strictEqual((yield* world.succeeded(honest)).share.status, "paid")
  yield* world.audit
  return !process.isDead()
})
