import { assert, describe, it } from "@effect/vitest"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Refund from "@florin/core/domain/payment/Refund"
import * as Astray from "@florin/core/engine/books/Astray"
import * as Refunds from "@florin/core/engine/books/Refunds"
import { Chains } from "@florin/core/ports/Chain"
import * as Collector from "@florin/core/workers/Collector"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import { Clock, Effect, Result } from "effect"
import * as Scene from "./scene.ts"

const { failsWith, flows, payer, play, shuffling, stranger, tokens, traces, treasury } = Scene
const token = tokens.eip3009
const [only = assert.fail()] = collectingWallets

const isSucceeded = ({ state }: Payment.Payment) => state._tag === "Succeeded"

/** A payment that succeeded; its share is unsent, or settled. */
const paid = Effect.fnUntraced(function* (
  world: Scene.World,
  share: "unsent" | "settled",
  of = token,
) {
  const signed = yield* world.pay(of)
  if (share === "settled") yield* world.finish
  else {
    yield* world.live(Collector.drain, Effect.map(Effect.orDie(world.get(signed.id)), isSucceeded))
  }
  return signed
})

const back = ({ option }: Effect.Success<ReturnType<typeof paid>>) => ({
  token: option.token,
  from: option.payTo,
  to: option.account.address,
  quantity: option.quantity,
})

const refundOf = (world: Scene.World, id: Payment.Payment["id"]) =>
  Effect.map(
    world.get(id),
    (payment) => Payment.refundOf(payment) ?? assert.fail("there is no refund"),
  )

const refundTypes = ["refund.pending", "refund.processing", "refund.succeeded"] as const

/** What is in the way of all money that goes out, and passes by itself. */
const obstacles = [
  {
    name: "the token is paused",
    code: "paused",
    begin: ({ chain }: Scene.World) => chain.pause(token),
    end: ({ chain }: Scene.World) => chain.unpause(token),
  },
  {
    name: "the token blocks our account",
    code: "blocked",
    begin: ({ chain }: Scene.World) => chain.block(only.address, token),
    end: ({ chain }: Scene.World) => chain.unblock(only.address, token),
  },
  {
    name: "the node fails",
    code: "node",
    begin: ({ chain }: Scene.World) => chain.disturb({ seed: 1, perMille: 1000 }),
    end: ({ chain }: Scene.World) => chain.disturb(null),
  },
] as const

/** Why the transaction of a refund reverts, and what happens to the refund then. */
const revertings = [
  {
    name: "waits because the token was paused",
    begin: ({ chain }: Scene.World) => chain.pause(token),
    end: ({ chain }: Scene.World) => chain.unpause(token),
    after: () => Effect.void,
  },
  {
    name: "is held because the payer was blocked",
    begin: ({ chain }: Scene.World) => chain.block(payer.address),
    end: ({ chain }: Scene.World) => chain.unblock(payer.address),
    after: Effect.fnUntraced(function* (world: Scene.World, id: Payment.Payment["id"]) {
      yield* world.chain.block(payer.address)
      yield* Sender.drain
      yield* world.chain.unblock(payer.address)
      assert.strictEqual((yield* refundOf(world, id)).state._tag, "Held")
      yield* world.audit
      yield* Refunds.retryHeld(id)
    }),
  },
]

/** A payout and a refund, both of them due. */
const twoDue = Effect.fnUntraced(function* (world: Scene.World) {
  const settled = yield* world.pay(token)
  const refunded = yield* world.pay(token)
  const both = Effect.forEach([settled, refunded], ({ id }) => Effect.orDie(world.get(id)))
  yield* world.live(
    Collector.drain,
    Effect.map(both, (all) => all.every(isSucceeded)),
  )
  yield* world.refund(refunded.id)
  return { settled, refunded }
})

describe("Sender, with obstacles that go away", () => {
  for (const { begin, code, end, name } of obstacles) {
    for (const moment of ["before it is sent", "while it waits for its block"] as const) {
      // A node that fails makes nothing revert.
      if (code === "node" && moment === "while it waits for its block") continue
      it.effect(
        `S7: ${name} ${moment}: payouts and refunds wait, show the reason and since when, and all are paid`,
        play(
          (world) =>
            Effect.gen(function* () {
              const { refunded, settled } = yield* twoDue(world)
              if (moment === "while it waits for its block") yield* Scene.payOut
              else yield* Payer.drain
              yield* begin(world)
              for (let round = 0; round < 12; round++) {
                yield* Effect.ignore(Sender.drain)
                yield* Effect.ignore(world.settleAll)
                yield* world.toNextWork
              }
              const open = yield* world.outflows.openOutflows("test")
              assert.strictEqual(open.length, 2)
              for (const { state } of open) {
                if (state._tag !== "Waiting") return assert.fail(`it is ${state._tag}`)
                assert.strictEqual(state.obstacle?.code, code)
                assert.isAbove(state.obstacle?.reason.length ?? 0, 5)
                assert.isAbove(state.obstacle?.since ?? 0, Scene.now)
              }
              assert.strictEqual((yield* refundOf(world, refunded.id)).state._tag, "Pending")
              assert.deepStrictEqual(yield* world.payments.stuckPayments("test"), [])
              yield* end(world)
              yield* world.finish
              const { charge, share } = yield* world.succeeded(settled.id)
              assert.strictEqual(share.status, "paid")
              const { settle } = Scene.movementsOf(settled.option, charge.net)
              assert.strictEqual(yield* world.transfers(settle), 1)
              assert.strictEqual((yield* refundOf(world, refunded.id)).state._tag, "Succeeded")
              assert.strictEqual(yield* world.transfers(back(refunded)), 1)
              for (const { id } of [settled, refunded]) {
                const types = yield* world.typesOf(id)
                for (const type of ["settlement.held", "refund.held"])
                  assert.notInclude(types, type)
              }
              yield* world.audit
            }),
          { collectingAccounts: () => [only.address] },
        ),
      )
    }
  }

  it.effect(
    "S9: reports a failing node to the worker, which pauses that chain",
    play((world) =>
      Effect.gen(function* () {
        yield* paid(world, "unsent")
        yield* Payer.drain
        yield* world.chain.disturb({ seed: 1, perMille: 1000 })
        const now = yield* Clock.currentTimeMillis
        const claim = world.work.claimDueOutflows("send", { limit: 1, leaseInMs: 30_000, now })
        const [claimed = assert.fail()] = yield* claim
        yield* failsWith("ChainUnavailable", Sender.handle(claimed))
        const [waiting] = yield* world.outflows.openOutflows("test")
        assert.isTrue(waiting !== undefined && Outflow.isHindered(waiting, "node"))
      }),
    ),
  )

  it.effect(
    "S7: pauses longer each time, and writes the obstacle once",
    play((world) =>
      Effect.gen(function* () {
        yield* paid(world, "unsent")
        yield* world.chain.pause(token)
        yield* Payer.drain
        yield* Sender.drain
        const [first = assert.fail()] = yield* world.outflows.openOutflows("test")
        const pauses: Array<number> = []
        for (let round = 0; round < 9; round++) {
          const at = yield* Clock.currentTimeMillis
          yield* world.toNextWork
          pauses.push((yield* Clock.currentTimeMillis) - at)
          yield* Sender.drain
        }
        assert.deepStrictEqual(pauses, [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000])
        assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [first])
      }),
    ),
  )

  it.effect(
    "S7: holds a payout that reverts repeatedly for no known reason, because each attempt costs gas",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* paid(world, "unsent")
          for (let round = 0; round < 30; round++) {
            yield* Scene.payOut
            // The destination takes the money whenever it is asked, and never when it is sent.
            yield* world.chain.block(treasury.address, token)
            yield* world.settleAll
            yield* world.chain.unblock(treasury.address, token)
            yield* world.toNextWork
          }
          const { share } = yield* world.succeeded(id)
          assert.deepInclude(share, { status: "held", code: "reverting" })
          const lane = { chainId: token.chainId, sender: only.address }
          // One collected the money, and three paid for nothing.
          assert.strictEqual((yield* world.lanes.laneTransactions(lane, 0)).length, 4)
          yield* world.audit
        }),
      { collectingAccounts: () => [only.address] },
    ),
  )
})

describe("Sender, with refunds", () => {
  for (const flow of flows) {
    it.effect(
      `${flow}: a refund before the payout cancels the share, and returns the whole amount`,
      play((world) =>
        Effect.gen(function* () {
          const { work } = world
          const payment = yield* paid(world, "unsent", tokens[flow])
          yield* world.refund(payment.id)
          assert.strictEqual((yield* world.succeeded(payment.id)).share.status, "cancelled")
          assert.isNull(yield* work.nextDueAt("settle"))
          const before = yield* world.chain.balanceOf(tokens[flow], payer.address)
          yield* world.finish
          const refund = yield* refundOf(world, payment.id)
          assert.isFalse(Refund.drawsOnFloat(refund))
          assert.strictEqual(refund.quantity, payment.option.quantity)
          assert.strictEqual(refund.state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          assert.strictEqual(
            yield* world.chain.balanceOf(tokens[flow], payer.address),
            before + payment.option.quantity,
          )
          assert.deepStrictEqual(yield* world.typesOf(payment.id), [
            "payment.created",
            "payment.processing",
            "payment.succeeded",
            ...refundTypes,
          ])
          assert.strictEqual(yield* world.statusOf(payment.id), "succeeded")
          yield* world.audit
        }),
      ),
    )

    it.effect(
      `${flow}: a refund after the payout waits for the float, and continues when there is enough`,
      play((world) =>
        Effect.gen(function* () {
          const payment = yield* paid(world, "settled", tokens[flow])
          yield* world.refund(payment.id)
          const { charge } = yield* world.succeeded(payment.id)
          const missing = payment.option.quantity - charge.total
          for (const given of [0n, missing - 1n, 1n]) {
            if (given > 0n) yield* world.fund(tokens[flow], payment.option.payTo, given)
            for (let round = 0; round < 3; round++) {
              yield* Scene.work
              yield* world.settleAll
              yield* world.toNextWork
            }
            if (given === 1n) break
            const waiting = yield* refundOf(world, payment.id)
            assert.deepStrictEqual(waiting.state, { _tag: "Pending", waitsForFloat: true })
            assert.isTrue(Refund.drawsOnFloat(waiting))
            assert.strictEqual(yield* world.transfers(back(payment)), 0)
          }
          yield* world.finish
          assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
          assert.strictEqual(
            yield* Stores.balanceOf(world.ledger, "test", debtor, tokens[flow]),
            charge.net + 0n,
          )
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "S24: does not send a refund again that was mined and moved another amount",
    play((world) =>
      Effect.gen(function* () {
        const payment = yield* paid(world, "unsent")
        const { id, option } = payment
        yield* world.refund(id)
        yield* Sender.drain
        yield* world.chain.setTransferFee(token, 100)
        const before = yield* world.chain.balanceOf(token, option.account.address)
        yield* world.finish
        const { state } = yield* refundOf(world, id)
        assert.deepInclude(state, { _tag: "Held", movedOtherwise: true })
        yield* world.chain.setTransferFee(token, 0)
        const refused = yield* failsWith("Conflict", Refunds.retryHeld(id))
        assert.match(refused.message, /\(0x[0-9a-f]{64}\), so look at what it moved/u)
        yield* world.finish
        assert.deepStrictEqual((yield* refundOf(world, id)).state, state)
        const received = (yield* world.chain.balanceOf(token, option.account.address)) - before
        assert.strictEqual(received, option.quantity - option.quantity / 100n)
        yield* world.audit
        const { outflowId } = yield* refundOf(world, id)
        // It is not sent in parts.
        yield* failsWith("Conflict", Astray.release(outflowId))
        yield* Astray.accept(outflowId)
        assert.strictEqual((yield* refundOf(world, id)).state._tag, "Succeeded")
        assert.strictEqual(yield* world.transfers(back(payment)), 0)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "M18: accepts one of many refund requests at the same time, and sends one transfer",
    play((world) =>
      Effect.gen(function* () {
        for (let seed = 0; seed < Counts.of({ usual: 3, full: 100 }); seed++) {
          const payment = yield* paid(world, "unsent")
          const results = yield* shuffling(seed)(
            Effect.forEach(
              Array.from({ length: 100 }),
              () => Effect.result(world.refund(payment.id)),
              { concurrency: "unbounded" },
            ),
          )
          assert.strictEqual(results.filter(Result.isSuccess).length, 1)
          for (const each of results.filter(Result.isFailure)) {
            assert.strictEqual(each.failure._tag, "RefundRefused")
          }
          yield* world.finish
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          yield* failsWith("RefundRefused", world.refund(payment.id))
          yield* world.audit
        }
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "refuses to refund a payment that has not succeeded",
    play((world) =>
      Effect.gen(function* () {
        const open = yield* world.sign(token)
        const before = yield* traces(open.id)
        yield* failsWith("RefundRefused", world.refund(open.id))
        assert.deepStrictEqual(yield* traces(open.id), before)
        yield* world.confirm(open.chosen, open.outputs)
        yield* failsWith("RefundRefused", world.refund(open.id))
      }),
    ),
  )

  it.effect(
    "M17: either pays the share out or refunds it if both are asked for at the same time",
    play((world) =>
      Effect.gen(function* () {
        const outcomes = new Set<string>()
        for (let seed = 0; seed < Counts.of({ usual: 30, full: 1000 }); seed++) {
          const payment = yield* paid(world, "unsent")
          yield* world.fund(token, payment.option.payTo, payment.option.quantity)
          // It is asked for at another step of the payout each time.
          const later = Effect.forEach(Array.from({ length: seed * 3 }), () => Effect.yieldNow)
          yield* shuffling(seed)(
            Effect.all([Scene.payOut, Effect.andThen(later, world.refund(payment.id))], {
              concurrency: "unbounded",
              discard: true,
            }),
          )
          yield* world.finish
          const { charge, share } = yield* world.succeeded(payment.id)
          outcomes.add(share.status)
          const { settle } = Scene.movementsOf(payment.option, charge.net)
          const refund = yield* refundOf(world, payment.id)
          assert.strictEqual(refund.state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          const isSent = share.status !== "cancelled"
          assert.strictEqual(Refund.drawsOnFloat(refund), isSent)
          assert.strictEqual(
            yield* world.transfers(settle),
            share.status === "paid" && share.netted === 0n ? 1 : 0,
          )
          yield* world.audit
        }
        assert.isTrue(outcomes.has("cancelled") && outcomes.size > 1, "both sides win sometimes")
      }),
    ),
    Scene.timeout,
  )

  for (const moment of ["before it is sent", "while it waits for its block"] as const) {
    it.effect(
      `holds the refund of a payer that is blocked ${moment}, and retries it only on request`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, payments } = world
          const payment = yield* paid(world, "unsent")
          yield* world.refund(payment.id)
          if (moment === "while it waits for its block") yield* Sender.drain
          yield* chain.block(payer.address)
          yield* world.finish
          assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Held")
          assert.deepStrictEqual(
            (yield* payments.stuckPayments("test")).map(({ id }) => id),
            [payment.id],
          )
          yield* world.audit
          yield* chain.unblock(payer.address)
          yield* world.finish
          assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Held")
          yield* Refunds.retryHeld(payment.id)
          yield* world.finish
          assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          assert.deepStrictEqual(yield* payments.stuckPayments("test"), [])
          yield* world.audit
        }),
      ),
    )
  }

  for (const { after, begin, end, name } of revertings) {
    it.effect(
      `a refund ${name} keeps what its merchant paid back of the debt meanwhile`,
      play((world) =>
        Effect.gen(function* () {
          const payment = yield* paid(world, "settled")
          const { id, option } = payment
          yield* world.fund(token, option.payTo, option.quantity)
          yield* world.refund(id)
          yield* Sender.drain
          yield* begin(world)
          yield* world.settleAll
          yield* end(world)
          const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
          const debt = Stores.balanceOf(world.ledger, "test", debtor, token)
          const lent = yield* debt
          const amount = { unit: "iso4217/USD", value: "400" }
          const { id: later } = yield* world.pay(token, payer, { amount })
          yield* world.live(
            Collector.drain,
            Effect.map(Effect.orDie(world.get(later)), isSucceeded),
          )
          yield* Payer.drain
          const repaid = (yield* world.succeeded(later)).share.netted
          assert.isAbove(Number(repaid), 0)
          assert.strictEqual(yield* debt, lent - repaid)
          yield* after(world, id)
          yield* world.finish
          const refund = yield* refundOf(world, id)
          assert.strictEqual(refund.state._tag, "Succeeded")
          assert.strictEqual(Refund.keptOf(refund), repaid)
          assert.strictEqual(yield* debt, lent - repaid)
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "pays one of two refunds if the float covers only one, and the other one waits",
    play(
      (world) =>
        Effect.gen(function* () {
          const first = yield* paid(world, "settled")
          const second = yield* paid(world, "settled")
          yield* world.fund(token, first.option.payTo, second.option.quantity)
          yield* world.refund(first.id)
          yield* world.refund(second.id)
          for (let round = 0; round < 8; round++) {
            yield* Scene.work
            yield* world.settleAll
            yield* world.toNextWork
          }
          const states = yield* Effect.forEach([first, second], ({ id }) =>
            Effect.map(refundOf(world, id), ({ state }) => state._tag),
          )
          assert.deepStrictEqual(states.toSorted(), ["Pending", "Succeeded"])
          yield* world.audit
          yield* world.fund(token, first.option.payTo, second.option.quantity)
          yield* world.finish
          for (const each of [first, second]) {
            assert.strictEqual((yield* refundOf(world, each.id)).state._tag, "Succeeded")
            assert.strictEqual(yield* world.transfers(back(each)), 1)
          }
          yield* world.audit
        }),
      { collectingAccounts: () => [stranger.address] },
    ),
  )

  it.effect(
    "M12, M18: sends a refund again that a reorganisation removed, and it arrives once",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain } = world
          for (const depth of [1, 2, 3]) {
            for (const drop of [[], "all"] as const) {
              const payment = yield* paid(world, "unsent")
              yield* world.refund(payment.id)
              yield* Sender.drain
              yield* chain.mine(token.chainId, depth)
              yield* world.toNextWork
              yield* Sender.drain
              yield* chain.reorg(token.chainId, depth, { drop })
              assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Processing")
              yield* world.finish
              assert.strictEqual(yield* world.transfers(back(payment)), 1)
              yield* world.audit
            }
          }
        }),
      { finalityDepth: 3 },
    ),
  )

  it.effect(
    "halts the chain if another transaction used the nonce of a refund, and signs it again once",
    play((world) =>
      Effect.gen(function* () {
        const { chain, lanes } = world
        const payment = yield* paid(world, "unsent")
        yield* world.refund(payment.id)
        yield* Sender.drain
        const lane = { chainId: token.chainId, sender: payment.option.payTo }
        const ours = (yield* lanes.laneTransactions(lane, 0)).at(-1)
        yield* chain.mine(token.chainId)
        const movement = { ...back(payment), quantity: Fixtures.quantity(10n ** 30n) }
        const port = (yield* Chains).of("test")
        const other = yield* port.sign(lane, ours?.nonce ?? 0, { _tag: "Send", movement })
        yield* chain.reorg(token.chainId, 1, { conflicting: [other] })
        yield* world.letGoOn(token.chainId)
        assert.strictEqual(yield* world.transfers(back(payment)), 0)
        yield* world.finish
        assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Succeeded")
        assert.strictEqual(yield* world.transfers(back(payment)), 1)
        assert.strictEqual((yield* lanes.laneTransactions(lane, 0)).length, 3)
        yield* world.audit
      }),
    ),
  )

  for (const when of ["before", "after"] as const) {
    for (const kind of ["look", "rehearse", "nonceFloor", "sign", "broadcast"] as const) {
      it.effect(
        `C1, C3: sends one refund if ${kind} of the chain fails three times, ${when} its effect`,
        play((world) =>
          Effect.gen(function* () {
            const payment = yield* paid(world, "unsent")
            yield* world.refund(payment.id)
            yield* world.chain.fail({ calls: 3, kinds: [kind], when })
            yield* world.finish
            yield* world.chain.heal
            assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Succeeded")
            assert.strictEqual(yield* world.transfers(back(payment)), 1)
            yield* world.audit
          }),
        ),
      )
    }
  }
})
