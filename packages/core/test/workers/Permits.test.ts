import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Limits from "@florin/core/domain/ground/Limits"
import * as Gateway from "@florin/core/engine/payment/Gateway"
import { Settings } from "@florin/core/ports/Settings"
import * as Collector from "@florin/core/workers/Collector"
import * as Fixtures from "@florin/testing/Fixtures"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Scene from "./scene.ts"

const { failedUnpaid, failsWith, movementOf, paidOnce, payer, play, stranger, tokens } = Scene

const token = tokens.permit
const { chainId } = token
const asset = BuiltIn.catalog.find(token) ?? assert.fail()
const [only = assert.fail()] = collectingWallets
const oneLane = { collectingAccounts: () => [only.address] }
const sameAmount = { amount: { unit: "iso4217/USD", value: "5000" } }

type Paid = Pick<Effect.Success<ReturnType<Scene.World["pay"]>>, "id" | "option" | "outputs">

/** What the collecting account may take of the payer still. */
const allowedAfter = Effect.fnUntraced(function* (world: Scene.World, { option }: Paid) {
  // Whoever may take nothing of it is offered the token again.
  const { id } = yield* world.create()
  const { options } = yield* world.options(id, [option.accountText])
  return options?.some((each) => each.option.flow === "permit") === true ? 0 : 1
})

const callsOn = (world: Scene.World) =>
  Effect.map(world.chain.history(chainId), (history) =>
    history.map(({ succeeded, transaction: { call } }) => `${call._tag}${succeeded ? "" : "!"}`),
  )

/** One round of the collector, and a block for what it sent. */
const round = (world: Scene.World) =>
  Effect.gen(function* () {
    yield* Collector.drain
    yield* world.chain.mine(chainId)
    yield* world.toNextWork
  })

/** The payer approves the collecting account by a transaction of its own. */
const approve = (world: Scene.World, { option }: Pick<Paid, "option">, quantity: bigint) =>
  world.chain.node.send(
    {
      chainId,
      from: payer.address,
      to: token.address,
      data: Actions.approveData(option.payTo, Fixtures.quantity(quantity)),
    },
    payer,
  )

describe("A permit", () => {
  it.effect(
    "is submitted first, which is not yet a payment: then the transfer is made, exactly once",
    play(
      (world) =>
        Effect.gen(function* () {
          const paid = yield* world.pay(token)
          yield* round(world)
          assert.deepStrictEqual(yield* callsOn(world), ["Permit"])
          yield* world.chain.mine(chainId, 5)
          assert.strictEqual(yield* world.statusOf(paid.id), "processing")
          assert.strictEqual(yield* world.transfers(movementOf(paid.option)), 0)
          yield* world.finish
          assert.deepStrictEqual(yield* callsOn(world), ["Permit", "Take", "Transfer"])
          yield* paidOnce(world, paid)
          assert.strictEqual(yield* allowedAfter(world, paid), 0)
        }),
      { finalityDepth: 3 },
    ),
  )

  it.effect(
    "that was submitted pays nothing if the payer's money is gone: the payment fails when its time is over",
    play((world) =>
      Effect.gen(function* () {
        const paid = yield* world.pay(token)
        yield* round(world)
        const held = yield* world.chain.balanceOf(token, payer.address)
        yield* world.chain.transfer(payer.address, token, stranger.address, held)
        yield* world.chain.mine(chainId)
        yield* world.finish
        assert.deepStrictEqual(yield* callsOn(world), ["Permit", "Transfer"])
        yield* failedUnpaid(world, paid)
        // What it left behind is used for no other payment, nor offered to be.
        yield* world.chain.transfer(stranger.address, token, payer.address, held)
        yield* world.settleAll
        assert.strictEqual(yield* allowedAfter(world, paid), 1)
        yield* world.audit
      }),
    ),
  )

  it.effect(
    "asks for one signature, with the account's current permit nonce",
    play((world) =>
      Effect.gen(function* () {
        for (const nonce of [0n, 1n]) {
          const paid = yield* world.pay(token)
          assert.strictEqual(paid.option.permitNonce, nonce)
          assert.strictEqual(paid.outputs.length, 1)
          const data = Actions.typedData({ option: paid.option, asset }) ?? assert.fail()
          assert.deepStrictEqual(data.message, {
            owner: payer.address,
            spender: paid.option.payTo,
            value: paid.option.quantity.toString(),
            nonce: nonce.toString(),
            deadline: PaymentOption.authorizationEndsAt(paid.option).toString(),
          })
          assert.isUndefined(data.domain.chainId)
          assert.isDefined(data.domain.salt)
          yield* world.finish
          yield* paidOnce(world, paid)
        }
      }),
    ),
  )

  for (const moment of ["before we send it", "while ours waits for its block"] as const) {
    it.effect(
      `that a stranger submits ${moment} works like one that we submit`,
      play((world) =>
        Effect.gen(function* () {
          const paid = yield* world.pay(token)
          const [signature = ""] = paid.outputs
          const isSent = moment !== "before we send it"
          if (isSent) {
            yield* world.chain.fail({ calls: 1, kinds: ["broadcast"], when: "before" })
            yield* Collector.drain
          }
          yield* world.chain.submitAuthorization(paid.option, signature, stranger.address)
          yield* world.chain.mine(chainId)
          yield* world.finish
          assert.deepStrictEqual(
            yield* callsOn(world),
            isSent ? ["Permit", "Permit!", "Take", "Transfer"] : ["Permit", "Take", "Transfer"],
          )
          yield* paidOnce(world, paid)
          assert.strictEqual(yield* allowedAfter(world, paid), 0)
        }),
      ),
    )
  }

  it.effect(
    "whose nonce the payer uses for something else fails the payment once that is final",
    play(
      (world) =>
        Effect.gen(function* () {
          const paid = yield* world.pay(token)
          yield* world.chain.cancelAuthorization(paid.option)
          yield* world.chain.mine(chainId)
          yield* Collector.drain
          assert.strictEqual(yield* world.statusOf(paid.id), "processing")
          yield* world.finish
          yield* failedUnpaid(world, paid)
          assert.deepStrictEqual(yield* callsOn(world), ["Cancel"])
        }),
      { finalityDepth: 3 },
    ),
  )

  it.effect(
    "that the payer revokes after it was submitted fails the payment, and takes nothing",
    play((world) =>
      Effect.gen(function* () {
        const paid = yield* world.pay(token)
        yield* round(world)
        yield* approve(world, paid, 0n)
        yield* world.chain.mine(chainId)
        yield* world.finish
        yield* failedUnpaid(world, paid)
      }),
    ),
  )

  it.effect(
    "takes exactly its amount, whatever else the payer approved meanwhile",
    play((world) =>
      Effect.gen(function* () {
        const paid = yield* world.pay(token)
        yield* approve(world, paid, Limits.maxQuantity)
        yield* world.chain.mine(chainId)
        yield* world.finish
        yield* paidOnce(world, paid)
        assert.strictEqual(yield* allowedAfter(world, paid), 0)
      }),
    ),
  )

  it.effect(
    "is neither offered nor accepted while the collecting account has an allowance",
    play((world) =>
      Effect.gen(function* () {
        const signed = yield* world.sign(token)
        yield* approve(world, signed, 1n)
        yield* world.chain.mine(chainId)
        assert.strictEqual(yield* allowedAfter(world, signed), 1)
        yield* failsWith("AttemptRefused", world.confirm(signed.chosen, signed.outputs))
        assert.strictEqual(yield* world.statusOf(signed.id), "requires_action")
        yield* approve(world, signed, 0n)
        yield* world.chain.mine(chainId)
        yield* world.confirm(signed.chosen, signed.outputs)
        yield* world.finish
        yield* paidOnce(world, signed)
      }),
    ),
  )

  it.effect(
    "that was signed for one payment pays no other with the same terms",
    play(
      (world) =>
        Effect.gen(function* () {
          const one = yield* world.sign(token, payer, sameAmount)
          const other = yield* world.sign(token, payer, sameAmount)
          assert.deepStrictEqual(one.outputs, other.outputs)
          const results = yield* Effect.forEach(
            [one, other],
            ({ chosen, outputs }) => Effect.result(world.confirm(chosen, outputs)),
            { concurrency: "unbounded" },
          )
          assert.deepStrictEqual(results.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
          const [failed = assert.fail()] = results.flatMap((each) =>
            each._tag === "Failure" ? [each.failure] : [],
          )
          assert.strictEqual(failed._tag, "AttemptRefused")
          yield* world.finish
          const statuses = yield* Effect.forEach([one, other], ({ id }) => world.statusOf(id))
          assert.deepStrictEqual(statuses.toSorted(), ["requires_action", "succeeded"])
          assert.strictEqual(yield* world.transfers(movementOf(one.option)), 1)
          yield* world.audit
        }),
      oneLane,
    ),
  )

  it.effect(
    "is refused while another one of the account is not collected, and accepted after that",
    play(
      (world) =>
        Effect.gen(function* () {
          const { sealKey } = yield* Settings
          const early = yield* world.sign(token, payer, sameAmount)
          const first = yield* world.pay(token, payer, sameAmount)
          yield* failsWith("AttemptRefused", world.confirm(early.chosen, early.outputs))
          yield* round(world)
          // The first permit landed. Whoever forged an option with the next nonce would be refused, too.
          const { id } = yield* world.create(sameAmount)
          assert.strictEqual(yield* allowedAfter(world, first), 1)
          const option = { ...first.option, paymentId: id, permitNonce: Fixtures.quantity(1n) }
          const data = Actions.typedData({ option, asset })
          const signature = payer.signTypedData(data ?? assert.fail())
          const forged = { id: PaymentOption.id(option, sealKey), option }
          yield* failsWith("AttemptRefused", world.confirm(forged, [signature]))
          yield* round(world)
          assert.deepStrictEqual(yield* callsOn(world), ["Permit", "Take"])
          assert.strictEqual(yield* world.statusOf(first.id), "processing")
          const second = yield* world.pay(token, payer, sameAmount)
          yield* round(world)
          // All of it is taken back, and comes again in the order of the lane.
          yield* world.chain.reorg(chainId, 3, { drop: "all" })
          yield* world.finish
          for (const each of [first, second]) {
            assert.strictEqual(yield* world.statusOf(each.id), "succeeded")
          }
          assert.strictEqual(yield* world.transfers(movementOf(first.option)), 2)
          assert.strictEqual(yield* allowedAfter(world, second), 0)
          yield* world.audit
        }),
      { ...oneLane, finalityDepth: 6 },
    ),
  )

  it.effect(
    "whose nonce was used for something else takes nothing of the next one's allowance",
    play(
      (world) =>
        Effect.gen(function* () {
          const lost = yield* world.pay(token, payer, sameAmount)
          yield* world.chain.cancelAuthorization(lost.option)
          yield* world.chain.mine(chainId)
          const next = yield* world.pay(token, payer, sameAmount)
          assert.strictEqual(next.option.permitNonce, 1n)
          yield* round(world)
          assert.deepStrictEqual(yield* callsOn(world), ["Cancel", "Permit"])
          yield* world.finish
          assert.strictEqual(yield* world.statusOf(lost.id), "failed")
          assert.strictEqual(yield* world.statusOf(next.id), "succeeded")
          assert.strictEqual(yield* world.transfers(movementOf(next.option)), 1)
          assert.deepStrictEqual(yield* callsOn(world), ["Cancel", "Permit", "Take", "Transfer"])
          yield* world.audit
        }),
      { ...oneLane, finalityDepth: 4 },
    ),
  )

  it.effect(
    "is collected once after a reorganisation removes it, its transfer, or both",
    play(
      (world) =>
        Effect.gen(function* () {
          for (const drop of ["all", [], "Permit", "Take"] as const) {
            for (const depth of [1, 2, 3]) {
              const paid = yield* world.pay(token)
              yield* round(world)
              yield* round(world)
              const history = yield* world.chain.history(chainId)
              const dropped =
                drop === "Permit" || drop === "Take"
                  ? history
                      .filter(({ transaction }) => transaction.call._tag === drop)
                      .map(({ hash }) => hash)
                  : drop
              yield* world.chain.reorg(chainId, depth, { drop: dropped })
              yield* world.finish
              yield* paidOnce(world, paid)
              assert.strictEqual(yield* allowedAfter(world, paid), 0)
            }
          }
        }),
      { finalityDepth: 4 },
    ),
  )

  it.effect(
    "is submitted until just before the margin of its deadline, and its allowance is not used within it",
    play((world) =>
      Effect.gen(function* () {
        const { chain, confirm, finish, sign } = world
        const margin = Limits.authorizationSendMarginInS
        for (const [wallet, early, calls] of [
          [payer, margin, []],
          [stranger, margin + 1, ["Permit"]],
        ] as const) {
          const signed = yield* sign(token, wallet)
          yield* confirm(signed.chosen, signed.outputs)
          const endsAt = PaymentOption.authorizationEndsAt(signed.option)
          yield* TestClock.setTime((endsAt - early) * 1000)
          yield* Collector.drain
          yield* chain.mine(chainId)
          yield* TestClock.adjust("1 second")
          yield* finish
          assert.deepStrictEqual(yield* callsOn(world), [...calls])
          yield* failedUnpaid(world, signed)
        }
      }),
    ),
  )

  it.effect(
    "that was submitted is not used if screening refuses the payer meanwhile",
    play((world) =>
      Effect.gen(function* () {
        const paid = yield* world.pay(token)
        yield* round(world)
        world.denied.add(payer.address)
        yield* world.finish
        const { state } = yield* world.get(paid.id)
        assert.deepInclude(state, { _tag: "Failed", failureCode: "declined_user" })
        yield* failedUnpaid(world, paid)
      }),
    ),
  )

  it.effect(
    "is offered next to other ways to pay, with the same steps that fetch returns",
    play(
      (world) =>
        Effect.gen(function* () {
          const { id } = yield* world.create()
          const account = `${chainId}:${payer.address}`
          const { options } = yield* world.options(id, [account])
          assert.deepStrictEqual(
            options
              ?.filter(({ option }) => Caip.sameToken(option.token, token))
              .map(({ option }) => option.flow),
            ["permit", "transfer", "permit2"],
          )
          const chosen = yield* world.choose(id, token, payer, "permit")
          const request = { optionId: chosen.id, data: "" }
          assert.deepStrictEqual(
            yield* Gateway.fetch(world.caller, id, request),
            chosen.actions.filter((each) => each._tag === "WalletRpc"),
          )
        }),
      { flow: () => ["transfer", "permit2", "permit"] },
    ),
  )
})
