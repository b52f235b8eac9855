import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/Caip"
import type * as Outflow from "@florin/core/domain/Outflow"
import * as Payment from "@florin/core/domain/Payment"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import * as PaymentState from "@florin/core/domain/PaymentState"
import * as Gateway from "@florin/core/engine/Gateway"
import * as Lanes from "@florin/core/engine/Lanes"
import * as LateReturn from "@florin/core/engine/LateReturn"
import type * as Offers from "@florin/core/engine/Offers"
import * as Payments from "@florin/core/engine/Payments"
import * as Refunds from "@florin/core/engine/Refunds"
import * as Settlements from "@florin/core/engine/Settlements"
import * as Counts from "@florin/testing/Counts"
import * as Delivery from "@florin/testing/simulated/Delivery"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Cause, Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { onChains, versionOf } from "./bidding.ts"
import * as Scene from "./scene.ts"

const { drawing, dying, movementOf, play, shuffling, stranger, tokens, treasury } = Scene

const paymentsPerSeed = 12
const stepsPerSeed = 120
const payers = [Wallet.make(11), Wallet.make(12), Wallet.make(13)]
const allTokens = Object.values(tokens)
const chainIds = [...new Set(allTokens.map(({ chainId }) => chainId))]
const unseen = 1_000_000_000_000n

interface Known {
  readonly id: PaymentId.PaymentId
  readonly chosen: Offers.Offered
  readonly outputs: ReadonlyArray<string>
}

/** Lives of many payments at once, in a world where everything that may go wrong does: all of it follows from the seed. */
const simulate = (seed: number) =>
  play(
    (world) =>
      Effect.gen(function* () {
        const { chain, confirm, denied, payments: paymentStore, lanes: laneStore, outbox } = world
        const draw = drawing(seed)
        const oneOf = <A>(items: ReadonlyArray<A>): A =>
          items[draw(items.length)] ?? assert.fail("there is nothing to choose from")
        const known: Array<Known> = []
        const ids: Array<PaymentId.PaymentId> = []
        let process = dying(Number.MAX_SAFE_INTEGER, "before")

        const open = Effect.gen(function* () {
          if (ids.length >= paymentsPerSeed) return
          const value = `${100 + draw(2000)}`
          const { id } = yield* world.create({ amount: { unit: "iso4217/USD", value } })
          ids.push(id)
          const wallet = oneOf(payers)
          const accounts = chainIds.map((each) => `${each}:${wallet.address}`)
          const answer = yield* world.options(id, accounts)
          const options = (answer.options ?? []).filter(({ option }) =>
            allTokens.some((token) => token.address === option.token.address),
          )
          if (options.length === 0) return
          const chosen = oneOf(options)
          const outputs = yield* world.execute(chosen, wallet)
          known.push({ id, chosen, outputs })
          if (draw(5) > 0) yield* confirm(chosen, outputs)
        })

        /** A call about a payment of which the wallet signed something. */
        const about = (call: (each: Known) => Effect.Effect<unknown, unknown, Scene.Ports>) =>
          Effect.suspend(() => (known.length === 0 ? Effect.void : call(oneOf(known))))

        const cancel = about(({ id }) =>
          draw(2) === 0
            ? Gateway.cancel(world.caller, id)
            : Payments.cancel(world.tenant, undefined, id),
        )
        const letGoOn = Effect.forEach(chainIds, (each) => Lanes.resume("test", each))
        const giveBack = about(({ id, outputs: [txHash = ""] }) => LateReturn.giveBack(id, txHash))

        /** A stranger copies what is in our broadcast transaction. */
        const frontRun = about(({ id, outputs: [signature = ""] }) =>
          Effect.flatMap(world.get(id), ({ state }) =>
            state._tag === "Processing" &&
            state.slot !== null &&
            state.attempt.option.flow === "eip3009"
              ? chain.submitAuthorization(state.attempt.option, signature, stranger.address)
              : Effect.succeed(""),
          ),
        )

        /** Only what is ours may be forgotten: nobody but a wallet sends its transaction again. */
        const ours = Effect.gen(function* () {
          const lanes = yield* chain.lanes
          const sent = yield* Effect.forEach(lanes, ({ lane }) =>
            laneStore.laneTransactions(lane, 0),
          )
          return sent.flat().map(({ hash }) => hash)
        })
        const reorg = Effect.gen(function* () {
          const drop = draw(2) === 0 ? yield* ours : []
          yield* chain.reorg(oneOf(chainIds), 1 + draw(chain.finalityDepth), { drop })
        })

        /** Nodes tell too high a nonce for a while, and transactions of ours wait for a higher fee. */
        const met = { gaps: 0, bids: 0 }
        const mayTellAhead = seed % 4 > 0
        let toldAhead = 0
        const onRoughChains = onChains((port) => ({
          nonceFloor: (lane) =>
            Effect.map(port.nonceFloor(lane), (floor) => (floor ?? 0) + toldAhead),
          outbid: (last) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              if (draw(5) > 0) return null
              met.bids += 1
              return versionOf(last, now, 1 + draw(3))
            }),
          fill: (lane, nonce) =>
            Effect.tap(port.fill(lane, nonce), () => {
              met.gaps += 1
              return Effect.void
            }),
        }))

        /** A process works until it dies at some call; then another one is started. */
        const work = Effect.gen(function* () {
          if (process.isDead() || draw(20) === 0) {
            process = dying(10 + draw(150), draw(2) === 0 ? "before" : "after")
          }
          const shuffled = shuffling(draw(1000))
          yield* onRoughChains(process.run(draw(2) === 0 ? shuffled(Scene.work) : Scene.work))
        })

        // Our tokens let nobody but us hand in an authorization. Where strangers can, one whose own transaction failed
        // for a blocklist could still be collected by them afterwards: the two are not played at once.
        const hasStrangers = seed % 2 === 0
        const blockable = [
          treasury.address,
          ...(hasStrangers ? [] : payers.map(({ address }) => address)),
        ]
        const steps: ReadonlyArray<
          readonly [number, Effect.Effect<unknown, unknown, Scene.Ports>]
        > = [
          [12, open],
          [40, work],
          [20, Effect.suspend(() => chain.mine(oneOf(chainIds), 1 + draw(3)))],
          [10, Effect.suspend(() => TestClock.adjust(draw(20_000)))],
          [2, Effect.suspend(() => TestClock.adjust(draw(200_000)))],
          [8, about(({ chosen, outputs }) => confirm(chosen, outputs))],
          [4, cancel],
          [6, about(({ id }) => world.refund(id))],
          [4, giveBack],
          [mayTellAhead ? 3 : 0, letGoOn],
          [mayTellAhead ? 2 : 0, Effect.sync(() => void (toldAhead = draw(4)))],
          [2, Effect.sync(() => void (toldAhead = 0))],
          [10, reorg],
          [hasStrangers ? 8 : 0, frontRun],
          [2, about(({ chosen: { option } }) => chain.cancelAuthorization(option))],
          [3, Effect.suspend(() => chain.disturb({ seed: draw(1000), perMille: draw(400) }))],
          [3, chain.disturb(null)],
          [2, Effect.suspend(() => chain.lag(oneOf(chainIds), draw(3)))],
          [2, Effect.suspend(() => chain.deliver(oneOf(Delivery.styles)))],
          [1, Effect.suspend(() => chain.halt(oneOf(chainIds)))],
          [2, chain.heal],
          [1, Effect.suspend(() => chain.block(oneOf(blockable)))],
          [2, Effect.suspend(() => chain.unblock(oneOf(blockable)))],
          [1, Effect.sync(() => denied.add(oneOf(payers).address))],
          [2, Effect.sync(() => denied.clear())],
        ]
        const choices = steps.flatMap(([weight, step]) =>
          Array.from({ length: weight }, () => step),
        )
        for (let count = 0; count < stepsPerSeed; count++) {
          // What is refused here is refused: only what is written counts.
          yield* Effect.result(oneOf(choices))
        }

        // The world becomes well again, and operators do what is theirs to do.
        yield* chain.disturb(null)
        yield* chain.heal
        yield* chain.deliver("whole")
        denied.clear()
        yield* Effect.forEach(blockable, (address) => chain.unblock(address))
        // Wallets that sent something say so in the end, in time or late.
        for (const { chosen, outputs } of known) yield* Effect.result(confirm(chosen, outputs))
        const funded = 10n ** 12n
        for (const token of allTokens) {
          for (const { address } of collectingWallets) yield* world.fund(token, address, funded)
        }
        const halted = yield* Lanes.listHalted("test")
        if (!mayTellAhead)
          assert.deepStrictEqual(halted, [], "nobody sends from our accounts but us")
        yield* letGoOn
        yield* world.finish
        const now = yield* Clock.currentTimeMillis
        yield* TestClock.setTime(now + 600_000)
        yield* world.finish
        for (const id of ids) {
          yield* Effect.result(Settlements.retry(id))
          yield* Effect.result(Refunds.retryHeld(id))
          for (const late of (yield* world.get(id)).late) {
            if (late._tag === "Suspended") yield* LateReturn.giveBack(id, late.transfer.txHash)
          }
        }
        yield* world.finish
        yield* world.auditBooks
        assert.deepStrictEqual(yield* paymentStore.stuckPayments("test"), [])
        assert.deepStrictEqual(yield* world.outflows.openOutflows("test"), [])

        // Each payment ended; what moved for it moved once, and is on the chain.
        const payments = yield* Effect.forEach(ids, world.get)
        const seen = new Set<string>()
        const spent = new Map<string, bigint>()
        const earned = new Map<string, bigint>()
        const add = (sums: Map<string, bigint>, key: string, quantity: bigint) =>
          sums.set(key, (sums.get(key) ?? 0n) + quantity)
        const keyOf = ({ account, token }: PaymentOption.PaymentOption) =>
          `${token.chainId}:${token.address}:${account.address}`
        const isCanonical = Effect.fnUntraced(function* (
          token: Caip.Token,
          { blockHash, logIndex, txHash }: { blockHash: string; logIndex: number; txHash: string },
        ) {
          const name = `${token.chainId}:${txHash}:${logIndex}`
          assert.isFalse(seen.has(name), "a transfer stands for one thing only")
          seen.add(name)
          const history = yield* chain.history(token.chainId)
          const mined = history.find((each) => each.hash === txHash)
          assert.strictEqual(mined?.blockHash, blockHash)
        })
        const paid = new Set<Outflow.OutflowId>()
        /** One outflow may have paid several shares, by one transfer of all of them. */
        const isPaid = Effect.fnUntraced(function* (id: Outflow.OutflowId) {
          if (paid.has(id)) return
          paid.add(id)
          const { movement, purpose, state } = yield* world.outflows.outflow(id)
          if (state._tag !== "Paid") return assert.fail(`the outflow is ${state._tag}`)
          assert.deepStrictEqual(state.transfer.movement, movement)
          if (purpose._tag === "Settle") {
            const sum = purpose.shares.reduce((total, { quantity }) => total + quantity, 0n)
            assert.strictEqual(sum, movement.quantity + 0n)
          }
          yield* isCanonical(movement.token, state.transfer)
        })
        for (const payment of payments) {
          const { state } = payment
          const status = Payment.status(payment, yield* Clock.currentTimeMillis)
          assert.isTrue(PaymentState.isFinal(status), `the payment is ${status}`)
          for (const late of payment.late) {
            assert.oneOf(late._tag, ["Returned", "Unfounded"])
            if (late._tag === "Returned") {
              yield* isCanonical(late.transfer.movement.token, late.transfer)
              yield* isPaid(late.outflowId)
            }
          }
          const events = yield* outbox.eventsOf(payment.id)
          assert.deepStrictEqual(
            events.map(({ stateVersion }) => stateVersion),
            events.map((_, index) => index),
          )
          if (state._tag !== "Succeeded") continue
          const { option } = state.attempt
          assert.deepStrictEqual(state.transfer.movement, movementOf(option))
          yield* isCanonical(option.token, state.transfer)
          const refund = Payment.refundOf(payment)
          if (refund === null) add(spent, keyOf(option), option.quantity)
          else if (refund.state._tag === "Succeeded") {
            yield* isPaid(refund.outflowId)
          } else assert.fail(`the refund is ${refund.state._tag}`)
          const { settlement } = state
          if (settlement._tag === "Successful") {
            yield* isPaid(settlement.outflowId)
            const key = `${option.token.chainId}:${option.token.address}`
            add(earned, key, settlement.quantity)
          } else if (settlement._tag === "Cancelled") assert.isNotNull(refund)
          else assert.strictEqual(settlement._tag, "Netted")
        }
        // Told without the ledger: payers lost what they paid and did not get back, and nothing else.
        for (const token of allTokens) {
          const name = `${token.chainId}:${token.address}`
          for (const { address } of payers) {
            assert.strictEqual(
              yield* chain.balanceOf(token, address),
              unseen - (spent.get(`${name}:${address}`) ?? 0n),
            )
          }
          assert.strictEqual(
            yield* chain.balanceOf(token, treasury.address),
            unseen + (earned.get(name) ?? 0n),
          )
        }
        return { met, halted, payments }
      }),
    { finalityDepth: 1 + (seed % 3) },
  )()

describe("whole lives of payments", () => {
  it.effect(
    "M22: whatever happens, all of it ends, and every unit is where the books say",
    () =>
      Effect.gen(function* () {
        const reached = new Map<string, number>()
        const note = (what: string) => reached.set(what, (reached.get(what) ?? 0) + 1)
        for (let seed = 0; seed < Counts.of({ usual: 40, full: 2000 }); seed++) {
          const { halted, met, payments } = yield* simulate(seed).pipe(
            Effect.catchCause((cause) =>
              Effect.die(
                new Error(`the simulation of seed ${seed} failed: ${Cause.pretty(cause)}`),
              ),
            ),
          )
          if (met.gaps > 0) note("a gap was filled")
          if (met.bids > 0) note("more was bid")
          if (halted.length > 0) note("a chain was stopped")
          for (const { late, state } of payments) {
            note(state._tag)
            for (const each of late) note(`late ${each._tag}`)
            if (state._tag === "Succeeded") {
              note(state.settlement._tag)
              if (state.refund !== null) note("refunded")
            }
          }
        }
        // A simulation that only ever sees the usual proves little.
        const expected = [
          "Succeeded",
          "Failed",
          "Expired",
          "Cancelled",
          "Successful",
          "refunded",
          "late Returned",
          "a gap was filled",
          "more was bid",
          "a chain was stopped",
        ]
        assert.deepStrictEqual(
          expected.filter((each) => !reached.has(each)),
          [],
        )
      }),
    Scene.timeout,
  )
})
