import { assert, describe, it } from "@effect/vitest"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Limits from "@florin/core/domain/ground/Limits"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import { Chains } from "@florin/core/ports/Chain"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Sender from "@florin/core/workers/Sender"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failsWith, movementOf, payer, play, shuffling, stranger, tokens, traces } = Scene
const token = tokens.transfer

const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }

type Signed = Effect.Success<ReturnType<Scene.World["sign"]>>

const lateOf = (world: Scene.World, id: Payment.Payment["id"]) => world.lateOf(id)

const suspense = (world: Scene.World) =>
  Effect.map(world.ledger.balances("test", token), (balances) =>
    [...balances.values()]
      .filter(({ account }) => account._tag === "Suspense")
      .reduce((total, { balance }) => total + balance, 0n),
  )

const back = (option: PaymentOption.PaymentOption) => {
  const { from, quantity, to } = movementOf(option)
  return { token: option.token, from: to, to: from, quantity }
}

/** Ends a payment whose transfer was sent, before anybody confirmed it. */
const end = (world: Scene.World, { id }: Signed, how: "cancelled" | "expired") =>
  how === "cancelled"
    ? Effect.asVoid(Gateway.cancel(world.caller, id))
    : TestClock.adjust(`${Limits.paymentLifeDefaultInS} seconds`)

/** A transfer in suspense. */
const suspended = Effect.fnUntraced(function* (world: Scene.World) {
  const signed = yield* world.sign(token)
  yield* end(world, signed, "cancelled")
  yield* failsWith("StateRefused", world.confirm(signed.chosen, signed.outputs))
  yield* world.finish
  assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Suspended"])
  const [txHash = ""] = signed.outputs
  return { ...signed, txHash }
})

/** A transfer in suspense that was sent back, and is not mined there yet. */
const sentBack = Effect.fnUntraced(function* (world: Scene.World) {
  const late = yield* suspended(world)
  yield* world.giveBack(late.id)
  yield* Sender.drain
  return late
})

/** It ends with the sender, who got it once. */
const returnedOnce = Effect.fnUntraced(function* (
  world: Scene.World,
  { id, option }: Pick<Signed, "id" | "option">,
  message?: string,
) {
  yield* world.finish
  assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnPaid"], message)
  assert.strictEqual(yield* world.transfers(back(option)), 1, message)
  yield* world.audit
})

describe("late money", () => {
  for (const how of ["cancelled", "expired"] as const) {
    it.effect(
      `M17: for a payment that is ${how} is kept, listed and returned, and never pays it`,
      play((world) =>
        Effect.gen(function* () {
          const { chain, confirm, finish, get, sign, statusOf, typesOf } = world
          const signed = yield* sign(token)
          const { id, option } = signed
          yield* end(world, signed, how)
          const refused = yield* failsWith("StateRefused", confirm(signed.chosen, signed.outputs))
          assert.deepInclude(refused, {
            refusal: how === "expired" ? "payment_expired" : "invalid_state",
          })
          yield* failsWith("StateRefused", confirm(signed.chosen, signed.outputs))
          assert.deepStrictEqual(yield* lateOf(world, id), ["Reported"])
          yield* finish
          assert.deepStrictEqual(yield* lateOf(world, id), ["Suspended"])
          assert.strictEqual(yield* suspense(world), -option.quantity)
          const listed = yield* Inflows.list("test")
          assert.deepStrictEqual(
            listed.flatMap(({ transfers }) => transfers.map(({ hint }) => hint?.paymentId)),
            [id],
          )
          yield* world.audit

          yield* world.giveBack(id)
          yield* finish
          assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnPaid"])
          assert.strictEqual(yield* world.transfers(back(option)), 1)
          assert.strictEqual(yield* suspense(world), 0n)
          assert.strictEqual(yield* chain.balanceOf(token, payer.address), 1_000_000_000_000n)
          assert.deepStrictEqual(yield* Inflows.list("test"), [])
          assert.strictEqual(yield* statusOf(id), how)
          assert.deepStrictEqual(yield* typesOf(id), ["payment.created", `payment.${how}`])
          assert.isNull((yield* get(id)).state._tag === "Succeeded" ? id : null)
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "M17: of a confirm that loses against a cancellation is kept",
    play((world) =>
      Effect.gen(function* () {
        const outcomes = new Set<string>()
        for (let seed = 0; seed < Counts.of({ usual: 30, full: 1000 }); seed++) {
          const signed = yield* world.sign(token)
          const [confirmed] = yield* shuffling(seed)(
            Effect.all(
              [
                Effect.result(world.confirm(signed.chosen, signed.outputs)),
                Effect.result(Gateway.cancel(world.caller, signed.id)),
              ],
              { concurrency: "unbounded" },
            ),
          )
          yield* world.finish
          const status = yield* world.statusOf(signed.id)
          outcomes.add(status)
          assert.strictEqual(status, Result.isSuccess(confirmed) ? "succeeded" : "cancelled")
          assert.deepStrictEqual(
            yield* lateOf(world, signed.id),
            status === "cancelled" ? ["Suspended"] : [],
          )
          yield* world.audit
        }
        assert.strictEqual(outcomes.size, 2, "both sides win sometimes")
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "is kept if it is confirmed after its option expired, and the payment stays open",
    play((world) =>
      Effect.gen(function* () {
        const { chain, choose, confirm, finish, sign, statusOf } = world
        const long = { expiresAt: Scene.now / 1000 + 3600 }
        const signed = yield* sign(token, payer, long)
        yield* TestClock.setTime(signed.option.expiresAt * 1000)
        yield* failsWith("OptionExpired", confirm(signed.chosen, signed.outputs))
        yield* finish
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Suspended"])
        assert.strictEqual(yield* statusOf(signed.id), "requires_action")
        yield* world.audit
        const again = yield* choose(signed.id, tokens.eip3009)
        yield* confirm(again, yield* world.execute(again))
        yield* finish
        assert.strictEqual(yield* statusOf(signed.id), "succeeded")
        yield* world.giveBack(signed.id)
        yield* finish
        assert.strictEqual(yield* chain.balanceOf(token, payer.address), 1_000_000_000_000n)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "S14: of a payer that screening refuses is returned once screening accepts the payer",
    play((world) =>
      Effect.gen(function* () {
        const { confirm, denied, finish, get, sign } = world
        const signed = yield* sign(token)
        denied.add(payer.address)
        yield* confirm(signed.chosen, signed.outputs)
        yield* finish
        const payment = yield* get(signed.id)
        assert.deepInclude(payment.state, { _tag: "Failed", failureCode: "declined_user" })
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Suspended"])
        yield* world.audit
        const returned = world.giveBack(signed.id)
        yield* returned
        yield* finish
        assert.strictEqual(yield* world.transfers(back(signed.option)), 0)
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["ReturnHeld"])
        denied.clear()
        yield* returned
        yield* finish
        assert.strictEqual(yield* world.transfers(back(signed.option)), 1)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "is kept if a payment that is being paid gets a second transfer; the first one pays",
    play((world) =>
      Effect.gen(function* () {
        const { choose, confirm, execute, finish, sign } = world
        const first = yield* sign(token)
        yield* TestClock.adjust("1 second")
        const chosen = yield* choose(first.id, token)
        const outputs = yield* execute(chosen)
        yield* confirm(first.chosen, first.outputs)
        yield* failsWith("StateRefused", confirm(chosen, outputs))
        yield* finish
        const { transfer } = yield* world.succeeded(first.id)
        assert.strictEqual(transfer.txHash, first.outputs[0])
        assert.deepStrictEqual(yield* lateOf(world, first.id), ["Suspended"])
        yield* world.audit
      }),
    ),
  )

  for (const moment of ["processing", "succeeded"] as const) {
    it.effect(
      `is not made of the transfer of a ${moment} payment by another spelling of its confirm`,
      play((world) =>
        Effect.gen(function* () {
          const { confirm, finish, pay, statusOf } = world
          const { chosen, id, outputs } = yield* pay(token)
          if (moment === "succeeded") yield* finish
          const [hash = "", signature = ""] = outputs
          const v = signature.endsWith("1b") ? "00" : "01"
          const before = yield* traces(id)
          assert.strictEqual((yield* confirm(chosen, [hash, signature.slice(0, -2) + v])).id, id)
          assert.deepStrictEqual(yield* traces(id), before)
          yield* world.settleAll
          yield* LateWatcher.drain
          yield* finish
          assert.strictEqual(yield* statusOf(id), "succeeded")
          yield* world.audit
        }),
      ),
    )
  }

  it.effect(
    "pays if its transfer is confirmed in time after it was reported, whichever worker looks first",
    play((world) =>
      Effect.gen(function* () {
        const { chain, choose, confirm, finish, sign, statusOf } = world
        const long = { expiresAt: Scene.now / 1000 + 3600 }
        const signed = yield* sign(token, payer, long)
        yield* TestClock.setTime(signed.option.expiresAt * 1000)
        yield* failsWith("OptionExpired", confirm(signed.chosen, signed.outputs))
        // The same transfer, still waiting for its block, with a statement for a live option.
        const live = yield* choose(signed.id, token)
        const outputs = yield* world.execute(live)
        yield* chain.forget(10, outputs[0] ?? "")
        yield* confirm(live, [signed.outputs[0] ?? "", outputs[1] ?? ""])
        yield* world.settleAll
        yield* LateWatcher.drain
        yield* finish
        assert.strictEqual(yield* statusOf(signed.id), "succeeded")
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Reported"])
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "M7: cannot be reported by a stranger, or by a payer for another payment",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, choose, confirm, create, execute, finish, sign } = world
          const victim = yield* sign(token)
          const attack = yield* create()
          const mine = yield* choose(attack.id, token, stranger)
          const [own = "", statement = ""] = yield* execute(mine, stranger)
          yield* chain.forget(10, own)
          yield* Gateway.cancel(world.caller, attack.id)
          const [hash = "", theirs = ""] = victim.outputs
          const before = yield* traces(attack.id)
          for (const outputs of [
            [hash, statement],
            [hash, theirs],
            [own, theirs],
          ]) {
            yield* failsWith("StateRefused", confirm(mine, outputs))
          }
          assert.deepStrictEqual(yield* traces(attack.id), before)
          yield* confirm(victim.chosen, victim.outputs)
          yield* finish
          assert.strictEqual(yield* world.statusOf(victim.id), "succeeded")
          assert.strictEqual(yield* suspense(world), 0n)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "M6: for two payments is in suspense once",
    play(
      (world) =>
        Effect.gen(function* () {
          const { chain, choose, confirm, create, execute, finish, sign } = world
          const amount = { unit: "iso4217/USD", value: "1000" }
          const first = yield* sign(token, payer, { amount })
          const second = yield* create({ amount })
          const chosen = yield* choose(second.id, token)
          const [other = "", statement = ""] = yield* execute(chosen)
          yield* chain.forget(10, other)
          yield* Gateway.cancel(world.caller, first.id)
          yield* Gateway.cancel(world.caller, second.id)
          yield* failsWith("StateRefused", confirm(first.chosen, first.outputs))
          const claim = [first.outputs[0] ?? "", statement]
          yield* failsWith("StateRefused", confirm(chosen, claim))
          yield* finish
          const late = [...(yield* lateOf(world, first.id)), ...(yield* lateOf(world, second.id))]
          assert.deepStrictEqual(late.toSorted(), ["Reported", "Suspended"])
          assert.strictEqual(yield* suspense(world), -first.option.quantity)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "is not forgotten if the chain does not respond: the confirm fails so that the wallet repeats it",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, sign } = world
        const signed = yield* sign(token)
        yield* Gateway.cancel(world.caller, signed.id)
        yield* chain.fail({ calls: 1, kinds: ["verify"] })
        yield* failsWith("ChainUnavailable", confirm(signed.chosen, signed.outputs))
        yield* failsWith("StateRefused", confirm(signed.chosen, signed.outputs))
        yield* chain.fail({ calls: 5, kinds: ["arrivals"] })
        yield* finish
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Suspended"])
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "is not recorded for signed options and forged ones",
    play((world) =>
      Effect.gen(function* () {
        const { confirm, sign } = world
        const signed = yield* sign(tokens.eip3009)
        yield* Gateway.cancel(world.caller, signed.id)
        const before = yield* traces(signed.id)
        const forged = { id: "forged", option: signed.option }
        for (const chosen of [signed.chosen, forged]) {
          yield* failsWith("StateRefused", confirm(chosen, signed.outputs))
          yield* failsWith("StateRefused", confirm(chosen, ["nonsense"]))
        }
        assert.deepStrictEqual(yield* traces(signed.id), before)
      }),
    ),
  )

  it.effect(
    "is looked for during a week, and then given up, if nobody finds the transfer",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, sign } = world
        const signed = yield* sign(token)
        yield* chain.forget(10, signed.outputs[0] ?? "")
        yield* Gateway.cancel(world.caller, signed.id)
        yield* failsWith("StateRefused", confirm(signed.chosen, signed.outputs))
        const reportedAt = Scene.now
        yield* TestClock.setTime(reportedAt + Limits.lateWatchedInMs)
        yield* LateWatcher.drain
        assert.deepStrictEqual(yield* lateOf(world, signed.id), ["Reported"])
        yield* TestClock.adjust("2 days")
        yield* LateWatcher.drain
        assert.deepStrictEqual(yield* lateOf(world, signed.id), [])
        assert.isNull(yield* world.work.nextDueAt("watch"))
        yield* world.audit
      }),
    ),
  )
})

describe("the return of late money", () => {
  it.effect(
    "sends one transfer if it is asked for several times",
    play((world) =>
      Effect.gen(function* () {
        for (let seed = 0; seed < Counts.of({ usual: 5, full: 100 }); seed++) {
          const { id, option } = yield* suspended(world)
          const [inflow = assert.fail()] = yield* world.inflowsOf(id)
          const results = yield* shuffling(seed)(
            Effect.forEach(
              Array.from({ length: 10 }),
              () => Effect.result(Inflows.giveBack(inflow.id)),
              { concurrency: "unbounded" },
            ),
          )
          const sent = results.filter(Result.isSuccess)
          assert.strictEqual(sent.length, 1)
          yield* world.finish
          assert.strictEqual(yield* world.transfers(back(option)), 1)
          yield* world.audit
        }
      }),
    ),
    Scene.timeout,
  )

  it.effect(
    "sends nothing to an account that cannot be paid; the money stays in suspense",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const late = yield* suspended(world)
        const { id, option } = late
        yield* chain.block(payer.address)
        yield* world.giveBack(id)
        yield* world.finish
        assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnHeld"])
        // Blocklisted only once it was sent: it reverts, and is back in suspense.
        yield* chain.unblock(payer.address)
        yield* world.giveBack(id)
        yield* Sender.drain
        yield* chain.block(payer.address)
        yield* world.finish
        assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnHeld"])
        assert.strictEqual(yield* suspense(world), -option.quantity)
        yield* world.audit
        yield* chain.unblock(payer.address)
        yield* world.giveBack(id)
        yield* returnedOnce(world, late)
      }),
    ),
  )

  it.effect(
    "S7: waits if the transfer reverts while the token is paused, and is sent once it is not",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const late = yield* sentBack(world)
        const { id, option } = late
        yield* chain.pause(option.token)
        for (let round = 0; round < 5; round++) {
          yield* Scene.work
          yield* world.settleAll
          yield* world.toNextWork
        }
        assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnWaiting"])
        const [outflow] = yield* world.outflows.openOutflows("test")
        assert.deepNestedInclude(outflow, { "state.obstacle.code": "paused", reverts: 1 })
        yield* chain.unpause(option.token)
        yield* returnedOnce(world, late)
      }),
    ),
  )

  it.effect(
    "S24: is not sent again if the transfer was mined and moved another amount",
    play((world) =>
      Effect.gen(function* () {
        const { chain } = world
        const { id, option } = yield* sentBack(world)
        yield* chain.setTransferFee(token, 100)
        const before = yield* chain.balanceOf(token, option.account.address)
        yield* world.finish
        yield* chain.setTransferFee(token, 0)
        yield* world.giveBack(id)
        assert.deepStrictEqual(yield* lateOf(world, id), ["ReturnHeld"])
        yield* world.finish
        const received = (yield* chain.balanceOf(token, option.account.address)) - before
        assert.strictEqual(received, option.quantity - option.quantity / 100n)
      }),
    ),
  )

  it.effect(
    "M12: arrives once despite a reorganisation, a lost broadcast and a lost nonce",
    play((world) =>
      Effect.gen(function* () {
        const { chain, lanes } = world
        const fates = ["waits again", "dropped", "replaced", "never broadcast"] as const
        for (const fate of fates) {
          const late = yield* suspended(world)
          const { id, option } = late
          if (fate === "never broadcast") {
            yield* chain.fail({ calls: 1, kinds: ["broadcast"], when: "before" })
          }
          yield* world.giveBack(id)
          yield* Sender.drain
          yield* chain.mine(10)
          const lane = { chainId: token.chainId, sender: option.payTo }
          const ours = (yield* lanes.laneTransactions(lane, 0)).at(-1)
          const movement = { ...back(option), quantity: Fixtures.quantity(10n ** 30n) }
          const port = (yield* Chains).of("test")
          const other = yield* port.sign(lane, ours?.nonce ?? 0, { _tag: "Send", movement })
          yield* chain.reorg(10, 1, {
            drop: fate === "dropped" ? "all" : [],
            conflicting: fate === "replaced" ? [other] : [],
          })
          if (fate === "replaced") yield* world.letGoOn(token.chainId)
          yield* returnedOnce(world, late, fate)
        }
      }),
    ),
  )
})
