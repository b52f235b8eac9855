import { assert, describe, it } from "@effect/vitest"
import * as Payment from "@florin/core/domain/Payment"
import * as Refunds from "@florin/core/engine/Refunds"
import { Chains } from "@florin/core/ports/Chain"
import * as Collector from "@florin/core/workers/Collector"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { Effect, Result } from "effect"
import * as Scene from "./scene.ts"

const { failsWith, flows, payer, play, shuffling, stranger, tokens, traces } = Scene
const token = tokens.eip3009

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

describe("Sender: refunds", () => {
  for (const flow of flows) {
    it.effect(
      `${flow}: before the share was sent: cancels it in the same decision, and all of it goes back`,
      play((world) =>
        Effect.gen(function* () {
          const { work } = world
          const payment = yield* paid(world, "unsent", tokens[flow])
          yield* world.refund(payment.id)
          assert.strictEqual((yield* world.succeeded(payment.id)).settlement._tag, "Cancelled")
          assert.isNull(yield* work.nextDueAt("settle"))
          const before = yield* world.chain.balanceOf(tokens[flow], payer.address)
          yield* world.finish
          const refund = yield* refundOf(world, payment.id)
          assert.deepInclude(refund, { drawsOnFloat: false, quantity: payment.option.quantity })
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
      `${flow}: after the settlement: waits for the float, visibly, and goes on when there is enough`,
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
            assert.isTrue(waiting.drawsOnFloat)
            assert.strictEqual(yield* world.transfers(back(payment)), 0)
          }
          yield* world.finish
          assert.strictEqual((yield* refundOf(world, payment.id)).state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          const debtor = { _tag: "Debt", merchantId: world.merchant.id } as const
          assert.strictEqual(
            yield* world.ledger.balance("test", debtor, tokens[flow]),
            charge.net + 0n,
          )
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "S24: a refund that was mined and moved something else is not sent again",
    play((world) =>
      Effect.gen(function* () {
        const { id, option } = yield* paid(world, "unsent")
        yield* world.refund(id)
        yield* Sender.drain
        yield* world.chain.setTransferFee(token, 100)
        const before = yield* world.chain.balanceOf(token, option.account.address)
        yield* world.finish
        const { state } = yield* refundOf(world, id)
        assert.deepInclude(state, { _tag: "Held", movedOtherwise: true })
        yield* world.chain.setTransferFee(token, 0)
        const refused = yield* failsWith("RefundNotHeld", Refunds.retryHeld(id))
        assert.match(refused.message, /\(0x[0-9a-f]{64}\), so look at what it moved/u)
        yield* world.finish
        assert.deepStrictEqual((yield* refundOf(world, id)).state, state)
        const received = (yield* world.chain.balanceOf(token, option.account.address)) - before
        assert.strictEqual(received, option.quantity - option.quantity / 100n)
      }),
    ),
  )

  it.effect(
    "M18: of many requests at once one is taken, and one transfer goes back",
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
            assert.strictEqual(each.failure._tag, "AlreadyRefunded")
          }
          yield* world.finish
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          yield* failsWith("AlreadyRefunded", world.refund(payment.id))
          yield* world.audit
        }
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "a payment that did not succeed has nothing to give back",
    play((world) =>
      Effect.gen(function* () {
        const open = yield* world.sign(token)
        const before = yield* traces(open.id)
        yield* failsWith("PaymentNotSucceeded", world.refund(open.id))
        assert.deepStrictEqual(yield* traces(open.id), before)
        yield* world.confirm(open.chosen, open.outputs)
        yield* failsWith("PaymentNotSucceeded", world.refund(open.id))
      }),
    ),
  )

  it.effect(
    "M17: against the settlement: the share is sent or given back, and the books tell which",
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
          const { charge, settlement } = yield* world.succeeded(payment.id)
          outcomes.add(settlement._tag)
          const { settle } = Scene.movementsOf(payment.option, charge.net)
          const refund = yield* refundOf(world, payment.id)
          assert.strictEqual(refund.state._tag, "Succeeded")
          assert.strictEqual(yield* world.transfers(back(payment)), 1)
          const isSent = settlement._tag !== "Cancelled"
          assert.strictEqual(refund.drawsOnFloat, isSent)
          assert.strictEqual(
            yield* world.transfers(settle),
            settlement._tag === "Successful" && settlement.netted === 0n ? 1 : 0,
          )
          yield* world.audit
        }
        assert.isTrue(outcomes.has("Cancelled") && outcomes.size > 1, "both sides win sometimes")
      }),
    ),
    Scene.timeout,
  )

  for (const moment of ["before it is sent", "while it waits for its block"] as const) {
    it.effect(
      `a payer who is blocklisted ${moment}: held, visible, and tried again only on request`,
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

  it.effect(
    "two refunds that the float covers once: one goes back, the other waits for more",
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
    "M12, M18: a refund that a reorganisation takes back is sent again, and arrives once",
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
    "a refund whose nonce went to another transaction stops the chain, and is signed again, once",
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
        `C1, C3: ${kind} fails three times ${when} it had its effect, and one refund arrives`,
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
