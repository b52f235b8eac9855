import { assert, describe, it } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Lane from "@florin/core/domain/outflow/Lane"
import { Chains, TransferRefused } from "@florin/core/ports/Chain"
import * as Collector from "@florin/core/workers/Collector"
import * as Counts from "@florin/testing/Counts"
import * as Eip155Kit from "@florin/testing/Eip155Kit"
import * as Fixtures from "@florin/testing/Fixtures"
import * as Transaction from "@florin/testing/simulated/Transaction"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const {
  failedUnpaid,
  failsWith,
  flows,
  movementOf,
  paidOnce,
  payer,
  play,
  shuffling,
  stranger,
  tokens,
} = Scene

/** How many transactions of ours a payment takes, with the one that settles it. */
const sentFor = { eip3009: 2, paxos: 2, permit2: 2, permit: 3, transfer: 1 } as const
const signedFlows = ["eip3009", "permit2", "permit"] as const

/** One collecting account, so that every payment shares its lane. */
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }

const laneOf = (option: PaymentOption.PaymentOption): Lane.Lane => ({
  chainId: option.token.chainId,
  sender: option.payTo,
})

describe("Collector, from confirm to payout", () => {
  for (const flow of [...flows, "paxos"] as const) {
    it.effect(
      `${flow}: collects once, pays out once, and the books match the chain`,
      play((world) =>
        Effect.gen(function* () {
          const paid = yield* world.pay(tokens[flow])
          yield* world.finish
          yield* paidOnce(world, paid)
          const { charge } = yield* world.succeeded(paid.id)
          assert.strictEqual(charge.net + charge.total, paid.option.quantity)
          const sent = sentFor[flow]
          assert.deepStrictEqual(yield* world.chain.lanes, [
            { lane: laneOf(paid.option), broadcast: sent, mined: sent, reverted: 0 },
          ])
        }),
      ),
    )

    it.effect(
      `${flow}: keeps the payment processing until the transfer is final, and no block longer`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { chain, pay, statusOf, toNextWork } = world
            const { id, option } = yield* pay(tokens[flow])
            yield* Collector.drain
            // A permit is mined before the money is taken.
            for (let block = flow === "permit" ? -1 : 0; block < 4; block++) {
              assert.strictEqual(yield* statusOf(id), "processing")
              yield* chain.mine(option.token.chainId)
              yield* toNextWork
              yield* Collector.drain
            }
            assert.strictEqual(yield* statusOf(id), "succeeded")
          }),
        { finalityDepth: 3 },
      ),
    )
  }

  it.effect(
    "stores and broadcasts a transaction as soon as it is signed",
    play((world) =>
      Effect.gen(function* () {
        const { chain, pay, lanes } = world
        const { option } = yield* pay(tokens.eip3009)
        yield* Collector.drain
        const stored = yield* lanes.laneTransactions(laneOf(option), 0)
        assert.deepStrictEqual(
          stored.map(({ hash }) => hash),
          yield* chain.pending(8453),
        )
        assert.strictEqual(stored.length, 1)
      }),
    ),
  )

  /** A chain whose token refuses every transfer, for this reason. */
  const refusing = <A, E, R>(reason: TransferRefused["reason"], doing: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Chains, (chains) =>
      Effect.provideService(
        doing,
        Chains,
        Chains.of({
          of: (mode) => ({
            ...chains.of(mode),
            rehearse: () => Effect.fail(new TransferRefused({ reason, message: reason })),
          }),
        }),
      ),
    )

  for (const flow of signedFlows) {
    it.effect(
      `S27: ${flow}: fails the payment immediately if the token has blocked the payer, and sends nothing`,
      play((world) =>
        Effect.gen(function* () {
          const { id, option } = yield* world.pay(tokens[flow])
          yield* refusing("blocked", Collector.drain)
          assert.strictEqual(yield* world.statusOf(id), "processing")
          yield* world.toNextWork
          yield* refusing("barred", Collector.drain)
          assert.strictEqual(yield* world.statusOf(id), "failed")
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(id), "failed")
          assert.deepStrictEqual(yield* world.lanes.laneTransactions(laneOf(option), 0), [])
        }),
      ),
    )

    it.effect(
      `S27: ${flow}: waits while one of our transactions is unconfirmed, even if the token has blocked the payer`,
      play((world) =>
        Effect.gen(function* () {
          const { id, option } = yield* world.pay(tokens[flow])
          yield* Collector.drain
          // Of a permit, the transaction that takes the money is due then, and rehearsed.
          if (flow === "permit") yield* world.chain.mine(option.token.chainId)
          yield* world.toNextWork
          yield* refusing("barred", Collector.drain)
          assert.strictEqual(yield* world.statusOf(id), "processing")
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(id), "succeeded")
        }),
      ),
    )
  }

  it.effect(
    "resets, approves and collects USDT if an allowance is left over",
    play((world) =>
      Effect.gen(function* () {
        yield* world.chain.setAllowance(tokens.permit2, payer.address, 1n)
        const paid = yield* world.pay(tokens.permit2)
        assert.strictEqual(paid.outputs.length, 3)
        yield* world.finish
        yield* paidOnce(world, paid)
      }),
    ),
  )

  it.effect(
    "M10: collects nothing and fails the payment if the approval never comes",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, sign } = world
        const signed = yield* sign(tokens.permit2)
        yield* confirm(signed.chosen, signed.outputs)
        yield* chain.forget(1, signed.outputs[0] ?? "")
        yield* finish
        yield* failedUnpaid(world, signed)
        assert.deepStrictEqual(yield* chain.lanes, [])
      }),
    ),
  )
})

describe("Collector, with transactions of strangers", () => {
  for (const first of ["in the same block", "before we look"] as const) {
    it.effect(
      `M4: pays once with the stranger's transaction if a stranger submits the authorization ${first}`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, finish, pay, succeeded } = world
          const paid = yield* pay(tokens.eip3009)
          const [signature = ""] = paid.outputs
          const hash = yield* chain.submitAuthorization(paid.option, signature, stranger.address)
          if (first === "in the same block") yield* Collector.drain
          else yield* chain.mine(8453)
          yield* finish
          assert.strictEqual((yield* succeeded(paid.id)).transfer.txHash, hash)
          yield* paidOnce(world, paid)
        }),
      ),
    )
  }

  for (const flow of ["eip3009", "paxos"] as const) {
    it.effect(
      `M5: ${flow}: fails the payment if the authorization was used without a transfer`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, finish, pay } = world
          const paid = yield* pay(tokens[flow])
          yield* chain.cancelAuthorization(paid.option)
          yield* Collector.drain
          yield* finish
          yield* failedUnpaid(world, paid)
          // Paxos tokens answer success and do nothing; the others revert.
          const [lane] = yield* chain.lanes
          assert.deepInclude(lane, { mined: 1, reverted: flow === "paxos" ? 0 : 1 })
        }),
      ),
    )
  }

  it.effect(
    "M6: pays one of several payments that claim the same transfer",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, choose, confirm, create, execute, finish, statusOf, transfers } = world
          for (let seed = 0; seed < Counts.of({ usual: 2, full: 50 }); seed++) {
            const real = yield* world.sign(tokens.transfer)
            const [hash = ""] = real.outputs
            const value = `${real.option.quantity / 10_000n}`
            const amount = { unit: "iso4217/USD", value }
            const claims = yield* Effect.forEach(Array.from({ length: 20 }), () =>
              Effect.gen(function* () {
                const { id } = yield* create({ amount })
                const chosen = yield* choose(id, tokens.transfer)
                const statement = (yield* execute(chosen, payer).pipe(
                  Effect.tap(([sent = ""]) => chain.forget(10, sent)),
                )).at(-1)
                return { id, chosen, outputs: [hash, statement ?? ""] }
              }),
            )
            const all = [...claims, real]
            const before = yield* transfers(movementOf(real.option))
            yield* shuffling(seed)(
              Effect.gen(function* () {
                yield* Effect.forEach(all, (each) => confirm(each.chosen, each.outputs), {
                  concurrency: "unbounded",
                })
                yield* finish
              }),
            )
            assert.strictEqual(yield* transfers(movementOf(real.option)), before + 1)
            const statuses = yield* Effect.forEach(all, ({ id }) => statusOf(id))
            assert.strictEqual(statuses.filter((each) => each === "succeeded").length, 1)
            assert.strictEqual(statuses.filter((each) => each === "failed").length, 20)
            yield* world.audit
          }
        }),
      oneLane,
    ),
    Scene.timeout,
  )

  const stolen = ["before it was sent", "while it waits", "after it was confirmed"] as const
  for (const moment of stolen) {
    it.effect(
      `M7: pays only the other payer's payment with a transfer that was claimed ${moment}`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { chain, choose, confirm, create, execute, finish, statusOf } = world
            const victim = yield* create()
            const theirs = yield* choose(victim.id, tokens.transfer)
            const attack = yield* create()
            const mine = yield* choose(attack.id, tokens.transfer, stranger)
            assert.strictEqual(mine.option.payTo, theirs.option.payTo)
            const own = yield* execute(mine, stranger)
            yield* chain.forget(10, own[0] ?? "")
            const { payTo, quantity, token } = theirs.option
            const { hash } = Transaction.encode(Eip155Kit.kit, {
              chainId: token.chainId,
              sender: payer.address,
              nonce: 0,
              call: Eip155Kit.kit.callOf(token.address, Actions.transferData(payTo, quantity)),
            })
            const claim = [hash, own[1] ?? ""]
            if (moment === "before it was sent") yield* confirm(mine, claim)
            const outputs = yield* execute(theirs)
            assert.strictEqual(outputs[0], hash)
            if (moment === "while it waits") {
              yield* failsWith("AttemptRefused", confirm(mine, claim))
            }
            yield* confirm(theirs, outputs)
            if (moment === "after it was confirmed") {
              yield* chain.settle(10)
              yield* failsWith("AttemptRefused", confirm(mine, claim))
            }
            // Nor with the victim's own statement, which names another payment.
            yield* Effect.flip(confirm(mine, outputs))
            yield* finish
            assert.strictEqual(yield* statusOf(victim.id), "succeeded")
            assert.strictEqual(
              yield* statusOf(attack.id),
              moment === "before it was sent" ? "failed" : "requires_action",
            )
            yield* paidOnce(world, { id: victim.id, option: theirs.option })
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "M8: refuses or fails a payment whose transaction is not the transfer that was asked for",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, confirm, statusOf } = world
          const amount = { unit: "iso4217/USD", value: "1000" }
          const sign = (token: Caip.Token) => world.sign(token, payer, { amount })
          const { option } = yield* sign(tokens.transfer)
          const { payTo, quantity, token } = option
          const paid = Fixtures.quantity(quantity - 1n)
          const usdcOnBase = tokens.eip3009
          const wrong = [
            chain.transfer(payer.address, token, payTo, paid),
            chain.transfer(payer.address, token, payTo, Fixtures.quantity(quantity + 1n)),
            chain.transfer(payer.address, token, stranger.address, quantity),
            chain.transfer(stranger.address, token, payTo, quantity),
            chain.transfer(payer.address, usdcOnBase, payTo, quantity),
          ]
          for (const send of wrong) {
            const hash = yield* send
            yield* world.settleAll
            const signed = yield* sign(tokens.transfer)
            yield* chain.forget(10, signed.outputs[0] ?? "")
            const outputs = [hash, signed.outputs[1] ?? ""]
            const result = yield* Effect.result(confirm(signed.chosen, outputs))
            // A transaction of another chain is not known here: only its absence tells, in the end.
            if (Result.isFailure(result)) {
              assert.strictEqual(result.failure._tag, "AttemptRefused")
              assert.strictEqual(yield* statusOf(signed.id), "requires_action")
            }
            yield* world.live(Scene.work, Effect.succeed(true))
            assert.notStrictEqual(yield* statusOf(signed.id), "succeeded")
          }
        }),
      oneLane,
    ),
  )
})

describe("Collector, with reorganisations", () => {
  const finalityDepth = 3
  /** Mines a transfer, buries it under some blocks, and takes back as many as it says. */
  const cases = [1, 2, 3].flatMap((depth) =>
    [0, 1, 2].map((buried) => ({ depth, buried, name: `${depth} deep, ${buried} on top` })),
  )
  for (const flow of flows) {
    for (const fate of flow === "transfer"
      ? (["waits again"] as const)
      : (["waits again", "dropped"] as const)) {
      it.effect(
        `M12: ${flow}: at every depth and moment before finality, the removed transaction is ${fate}`,
        play(
          (world) =>
            Effect.gen(function* () {
              for (const { buried, depth, name } of cases) {
                const { chain, settleAll, statusOf, toNextWork } = world
                const signed = yield* world.sign(tokens[flow])
                const { chainId } = signed.option.token
                // An approval is not what this is about.
                if (flow === "permit2") yield* settleAll
                yield* world.confirm(signed.chosen, signed.outputs)
                const strike = Effect.gen(function* () {
                  yield* Scene.work
                  yield* chain.mine(chainId, 1 + buried)
                  yield* toNextWork
                  yield* Scene.work
                  yield* chain.reorg(chainId, depth, fate === "dropped" ? { drop: "all" } : {})
                  yield* Scene.work
                })
                // Once while it is collected, and once while it is settled.
                yield* strike
                assert.strictEqual(yield* statusOf(signed.id), "processing", name)
                yield* world.finishUntil(({ state }) => state._tag === "Succeeded", signed.id)
                yield* strike
                yield* world.finish
                yield* paidOnce(world, signed)
              }
            }),
          { finalityDepth },
        ),
      )
    }
  }

  it.effect(
    "M12: pays nothing out while a reorganisation may still remove the collection",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, pay, statusOf, toNextWork } = world
          const { id, option } = yield* pay(tokens.eip3009)
          for (let round = 0; round < 8; round++) {
            yield* Scene.work
            yield* chain.mine(8453, 1 + (round % finalityDepth))
            yield* toNextWork
            yield* Scene.work
            yield* chain.reorg(8453, finalityDepth, round % 2 === 0 ? { drop: "all" } : {})
            assert.strictEqual(yield* statusOf(id), "processing")
            const stored = yield* world.lanes.laneTransactions(laneOf(option), 0)
            assert.strictEqual(stored.length, 1)
          }
          yield* world.finish
          yield* paidOnce(world, { id, option })
        }),
      { finalityDepth },
    ),
  )

  for (const stage of ["collection", "settlement"] as const) {
    it.effect(
      `halts the chain if another transaction used the nonce of a ${stage}, and signs it again once`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, finish, finishUntil, pay, lanes } = world
          const paid = yield* pay(tokens.eip3009)
          if (stage === "settlement") {
            yield* finishUntil(({ state }) => state._tag === "Succeeded", paid.id)
          }
          yield* Scene.work
          const lane = laneOf(paid.option)
          const stored = yield* lanes.laneTransactions(lane, 0)
          const ours = stored.at(-1) ?? assert.fail("nothing was sent")
          yield* chain.mine(8453)
          // Another transaction of the same account takes the nonce on the other branch; it moves nothing.
          const port = (yield* Chains).of("test")
          const movement = {
            token: paid.option.token,
            from: lane.sender,
            to: stranger.address,
            quantity: Fixtures.quantity(10n ** 30n),
          }
          const other = yield* port.sign(lane, ours.nonce, { _tag: "Send", movement })
          yield* chain.reorg(8453, 1, { conflicting: [other] })
          yield* world.letGoOn(paid.option.token.chainId)
          assert.strictEqual((yield* lanes.laneTransactions(lane, 0)).length, stored.length)
          yield* finish
          yield* paidOnce(world, paid)
          const after = yield* lanes.laneTransactions(lane, 0)
          assert.strictEqual(after.length, 3)
        }),
      ),
    )
  }
})

describe("Collector, with a chain that fails", () => {
  for (const when of ["before", "after"] as const) {
    for (const kind of ["look", "rehearse", "nonceFloor", "sign", "broadcast"] as const) {
      for (const flow of flows) {
        it.effect(
          `C1, C3: ${flow}: sends nothing twice if ${kind} of the chain fails three times, ${when} its effect`,
          play((world) =>
            Effect.gen(function* () {
              const { chain, finish, finishUntil, pay } = world
              const paid = yield* pay(tokens[flow])
              yield* chain.fail({ calls: 3, kinds: [kind], when })
              yield* finishUntil(({ state }) => state._tag === "Succeeded", paid.id)
              yield* chain.fail({ calls: 3, kinds: [kind], when })
              yield* finish
              yield* chain.heal
              yield* paidOnce(world, paid)
              const [lane] = yield* chain.lanes
              assert.deepInclude(lane, { broadcast: sentFor[flow], reverted: 0 })
            }),
          ),
        )
      }
    }
  }

  it.effect(
    "C1: reaches the same end with a node that is behind, flaps or responds twice",
    play(
      (world) =>
        Effect.gen(function* () {
          const styles = [
            "tip-first",
            "blocks-first",
            "skipping",
            "duplicated",
            "lagging",
            "flapping",
          ] as const
          for (const style of styles) {
            yield* world.chain.deliver(style)
            for (const flow of flows) {
              const paid = yield* world.pay(tokens[flow])
              yield* world.finish
              yield* paidOnce(world, paid)
            }
          }
        }),
      { finalityDepth: 2 },
    ),
  )

  it.effect(
    "C5: fails, ends and sends nothing again while the chain produces no blocks",
    play((world) =>
      Effect.gen(function* () {
        const { chain, finish, pay, statusOf } = world
        const paid = yield* pay(tokens.eip3009)
        yield* Scene.work
        // Mined in time, and never final for longer than the authorization lives.
        yield* chain.mine(8453)
        yield* chain.halt(8453)
        for (let minute = 0; minute < 30; minute++) {
          yield* TestClock.adjust("1 minute")
          yield* Scene.work
          assert.strictEqual(yield* statusOf(paid.id), "processing")
        }
        yield* chain.resume(8453)
        yield* finish
        yield* paidOnce(world, paid)
      }),
    ),
  )
})

describe("Collector, with an authorization that expires", () => {
  for (const flow of signedFlows) {
    it.effect(
      `M16, C4, C5: ${flow}: fails the payment when the chain's time reaches the end, not our clock`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, finish, settleAll, sign, statusOf } = world
          const signed = yield* sign(tokens[flow])
          yield* settleAll
          const { chainId } = signed.option.token
          yield* world.confirm(signed.chosen, signed.outputs)
          yield* chain.halt(chainId)
          yield* Scene.work
          const endsAt = PaymentOption.authorizationEndsAt(signed.option)
          yield* TestClock.setTime((endsAt + 3600) * 1000)
          yield* Scene.work
          assert.strictEqual(yield* statusOf(signed.id), "processing")
          yield* chain.resume(chainId)
          yield* finish
          yield* failedUnpaid(world, signed)
          const [lane] = yield* chain.lanes
          assert.deepInclude(lane, { broadcast: 1, mined: 1, reverted: 1 })
        }),
      ),
    )

    // A permit's own two are told apart in Permits.test.ts.
    if (flow === "permit") continue
    it.effect(
      `M16: ${flow}: sends nothing within the margin before the end, and still sends just before it`,
      play(
        (world) =>
          Effect.gen(function* () {
            const { chain, finish, settleAll, sign } = world
            const margin = Limits.authorizationSendMarginInS
            for (const early of [margin, margin + 1]) {
              const signed = yield* sign(tokens[flow])
              yield* settleAll
              yield* world.confirm(signed.chosen, signed.outputs)
              const endsAt = PaymentOption.authorizationEndsAt(signed.option)
              yield* TestClock.setTime((endsAt - early) * 1000)
              yield* Collector.drain
              const stored = yield* world.lanes.laneTransactions(laneOf(signed.option), 0)
              assert.strictEqual(stored.length, early === margin ? 0 : 1)
              yield* finish
              if (early === margin) yield* failedUnpaid(world, signed)
              else yield* paidOnce(world, signed)
              assert.isTrue((yield* chain.lanes).every(({ reverted }) => reverted === 0))
            }
          }),
        oneLane,
      ),
    )
  }

  it.effect(
    "M13: leaves no gap in the lane if a collection was forgotten by the nodes until it expired",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, finish, pay } = world
          const lost = yield* pay(tokens.eip3009)
          yield* chain.fail({ calls: 1, kinds: ["broadcast"], when: "before" })
          yield* Collector.drain
          yield* chain.fail({ calls: 1000, kinds: ["broadcast", "look"], when: "before" })
          const endsAt = PaymentOption.authorizationEndsAt(lost.option)
          yield* TestClock.setTime((endsAt + 60) * 1000)
          yield* chain.heal
          yield* world.settleAll
          yield* Scene.work
          assert.strictEqual(yield* world.statusOf(lost.id), "failed")
          const next = yield* pay(tokens.eip3009)
          yield* finish
          yield* failedUnpaid(world, lost)
          yield* paidOnce(world, next)
        }),
      oneLane,
    ),
  )

  it.effect(
    "M13: leaves no gap in the lane if a stranger's transaction made a collection needless",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, finish, pay } = world
          const paid = yield* pay(tokens.eip3009)
          yield* chain.fail({ calls: 1, kinds: ["broadcast"], when: "before" })
          yield* Collector.drain
          const [signature = ""] = paid.outputs
          yield* chain.submitAuthorization(paid.option, signature, stranger.address)
          yield* chain.settle(8453)
          yield* finish
          yield* paidOnce(world, paid)
        }),
      oneLane,
    ),
  )
})

describe("Collector, with a payer that screening refuses", () => {
  for (const flow of signedFlows) {
    it.effect(
      `${flow}: declines the payment and moves nothing if nothing was sent yet`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, denied, finish, get, pay } = world
          const paid = yield* pay(tokens[flow])
          denied.add(payer.address)
          yield* finish
          const { state } = yield* get(paid.id)
          assert.deepInclude(state, { _tag: "Failed", failureCode: "declined_user" })
          yield* failedUnpaid(world, paid)
          assert.deepStrictEqual(yield* chain.lanes, [])
        }),
      ),
    )

    if (flow === "permit") continue
    it.effect(
      `${flow}: completes the payment if the transaction was sent already`,
      play((world) =>
        Effect.gen(function* () {
          const { denied, finish, pay } = world
          const paid = yield* pay(tokens[flow])
          yield* Collector.drain
          denied.add(payer.address)
          yield* finish
          yield* paidOnce(world, paid)
        }),
      ),
    )
  }
})

describe("Collector, with transfers that wallets send", () => {
  it.effect(
    "fails the payment once the wallet's replacement of the transaction is final",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, sign, statusOf } = world
        const signed = yield* sign(tokens.transfer)
        yield* confirm(signed.chosen, signed.outputs)
        yield* chain.forget(10, signed.outputs[0] ?? "")
        yield* chain.transfer(
          payer.address,
          tokens.transfer,
          stranger.address,
          Fixtures.quantity(1n),
        )
        yield* chain.mine(10)
        yield* Scene.work
        assert.strictEqual(yield* statusOf(signed.id), "processing")
        yield* finish
        yield* failedUnpaid(world, signed)
      }),
    ),
  )

  it.effect(
    "fails the payment after a day, not earlier, if nobody finds the transfer",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, sign, statusOf } = world
        const signed = yield* sign(tokens.transfer)
        yield* chain.forget(10, signed.outputs[0] ?? "")
        const confirmed = yield* confirm(signed.chosen, signed.outputs)
        yield* TestClock.setTime(confirmed.updatedAt + Limits.sentAwaitedInMs - 1)
        yield* Collector.drain
        assert.strictEqual(yield* statusOf(signed.id), "processing")
        yield* TestClock.adjust("1 minute")
        yield* Collector.drain
        assert.strictEqual(yield* statusOf(signed.id), "failed")
        // It is looked for as late money from then on, and that ends as well.
        assert.deepStrictEqual(yield* world.lateOf(signed.id), ["Reported"])
        yield* TestClock.adjust("8 days")
        yield* finish
        assert.deepStrictEqual(yield* world.lateOf(signed.id), [])
        yield* failedUnpaid(world, signed)
      }),
    ),
  )

  for (const looksBefore of [0, 1]) {
    it.effect(
      `S26: waits longer than a day if one of two nodes shows the transfer, after ${looksBefore} looks`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, confirm, finish, sign, statusOf } = world
          const signed = yield* sign(tokens.transfer)
          const confirmed = yield* confirm(signed.chosen, signed.outputs)
          yield* chain.mine(10)
          for (let looks = 0; looks < looksBefore; looks++) yield* Collector.drain
          yield* chain.deliver("flapping")
          yield* TestClock.setTime(confirmed.updatedAt + Limits.sentAwaitedInMs)
          yield* Collector.drain
          assert.notStrictEqual(yield* statusOf(signed.id), "failed")
          yield* chain.mine(10)
          yield* finish
          assert.strictEqual(yield* statusOf(signed.id), "succeeded")
        }),
      ),
    )
  }

  it.effect(
    "M11: fails the payment if the token kept a fee of the transfer, and keeps what arrived for the payer",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, get, sign, typesOf } = world
        yield* chain.setTransferFee(tokens.transfer, 10)
        const signed = yield* sign(tokens.transfer)
        yield* confirm(signed.chosen, signed.outputs)
        yield* finish
        const { state } = yield* get(signed.id)
        assert.strictEqual(state._tag, "Failed")
        assert.deepStrictEqual(yield* typesOf(signed.id), [
          "payment.created",
          "payment.processing",
          "payment.failed",
        ])
        const [first] = yield* world.inflowsOf(signed.id)
        assert.deepNestedInclude(first, {
          "state._tag": "Suspended",
          "transfer.movement.quantity": signed.option.quantity - signed.option.quantity / 1000n,
        })
        yield* world.audit
      }),
    ),
  )

  for (const flow of signedFlows) {
    for (const moment of ["before it is collected", "while it waits for its block"] as const) {
      it.effect(
        `M11: ${flow}: fails the payment if a fee is switched on ${moment}, and can return what arrived`,
        play((world) =>
          Effect.gen(function* () {
            const { chain, finish, get, pay, typesOf } = world
            const token = tokens[flow]
            const before = yield* chain.balanceOf(token, payer.address)
            const { id, option } = yield* pay(token)
            if (moment === "while it waits for its block") yield* Collector.drain
            yield* chain.setTransferFee(token, 10)
            yield* finish
            yield* chain.setTransferFee(token, 0)
            const received = option.quantity - option.quantity / 1000n
            const { state } = yield* get(id)
            assert.strictEqual(state._tag, "Failed")
            assert.deepStrictEqual(yield* world.lateOf(id), ["Suspended"])
            const [first] = yield* world.inflowsOf(id)
            assert.deepStrictEqual(first?.transfer.movement, {
              ...movementOf(option),
              quantity: received,
            })
            yield* world.auditBooks
            yield* world.giveBack(id)
            yield* finish
            assert.deepStrictEqual(yield* world.lateOf(id), ["ReturnPaid"])
            assert.strictEqual(
              yield* chain.balanceOf(token, payer.address),
              before - option.quantity + received,
            )
            assert.deepStrictEqual(yield* typesOf(id), [
              "payment.created",
              "payment.processing",
              "payment.failed",
            ])
            yield* world.audit
          }),
        ),
      )
    }
  }

  it.effect(
    "M11: looks for money in the transaction that a payment failed by, and books none if it moved none to us",
    play((world) =>
      Effect.gen(function* () {
        const signed = yield* world.pay(tokens.eip3009)
        yield* world.chain.cancelAuthorization(signed.option)
        yield* world.settleAll
        yield* world.finish
        assert.deepStrictEqual(yield* world.lateOf(signed.id), ["Reported"])
        yield* failedUnpaid(world, signed)
      }),
    ),
  )
})
