/**
 * Money on its way: sent, seen, final, and every way in which it may fail to arrive.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import * as Money from "@florin/core/domain/ground/Money"
import * as Payment from "@florin/core/domain/payment/Payment"
import * as Effect from "effect/Effect"
import * as Fixtures from "../Fixtures.ts"
import type { Kit } from "../Kit.ts"
import {
  begin,
  collectedRoles,
  evidenceOf,
  failsWith,
  had,
  type It,
  named,
  plain,
  price,
  type Scene,
  tag,
  walletOf,
} from "./Scene.ts"

export const testMoving = (it: It, kit: Kit): void => {
  for (const role of had(kit, plain)) {
    it.effect(
      `${named[role]} payment is unseen, then included, then final, and moves exactly once`,
      () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const { chain, harness, attempted, sent, look, held, payTo, payer, lane, tokenOf } = scene
          const token = tokenOf(role)
          const before = {
            payer: yield* held(payer.address, token),
            payTo: yield* held(payTo, token),
          }
          const floor = yield* chain.nonceFloor(lane)
          const attempt = yield* attempted(role)
          const isSent = role === "sent"
          const relayed = isSent ? null : yield* sent({ _tag: "Collect", attempt })
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Unseen")

          yield* harness.mine(1)
          const included = yield* look(attempt, relayed)
          assert.strictEqual(tag(included), "Included")
          assert.deepStrictEqual(yield* look(attempt, relayed), included)
          const evidence = evidenceOf(included)
          assert.deepStrictEqual(evidence.movement, Payment.movement(attempt))
          assert.strictEqual(
            evidence.txHash,
            attempt.outputs._tag === "Sent" ? attempt.outputs.txHash : relayed?.hash,
          )
          if (relayed !== null) assert.strictEqual(evidence.txNonce, relayed.nonce)

          yield* harness.mine(harness.finalityDepth - 1)
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Included")
          yield* harness.mine(1)
          const final = yield* look(attempt, relayed)
          assert.deepStrictEqual(final, { _tag: "Final", evidence })
          assert.deepStrictEqual(yield* look(attempt, relayed), final)
          yield* harness.mine(3)
          assert.deepStrictEqual(yield* look(attempt, relayed), final)

          assert.strictEqual(yield* held(payer.address, token), before.payer - price)
          assert.strictEqual(yield* held(payTo, token), before.payTo + price)
          yield* scene.isCounted(floor, isSent ? 0 : 1)
        }),
    )
  }

  it.effect("counts confirmations until a transaction is final, if its policy counts them", () =>
    Effect.gen(function* () {
      const { chain, harness, sent, payout } = yield* begin
      const movement = yield* payout()
      const { hash } = yield* sent({ _tag: "Send", movement })
      const other = hash.replace(/.$/u, (last) => (last === "1" ? "2" : "1"))
      const progress = chain.progress({ ...movement, hashes: [other, hash] })
      assert.deepStrictEqual(yield* progress, { hash: other, blocks: null })
      yield* harness.mine(1)
      const isCounting = (yield* progress).blocks !== null
      const needed = harness.finalityDepth
      const at = (confirmed: number) => ({
        hash,
        blocks: isCounting ? { confirmed, needed } : null,
      })
      for (let onTop = 0; onTop <= needed + 1; onTop += 1) {
        assert.deepStrictEqual(yield* progress, at(Math.min(onTop, needed)))
        yield* harness.mine(1)
      }
    }),
  )

  it.effect("signing sends nothing", () =>
    Effect.gen(function* () {
      const { chain, settle, signed, lookOwn, payout, lane } = yield* begin
      const movement = yield* payout()
      const floor = yield* chain.nonceFloor(lane)
      const relayed = yield* signed({ _tag: "Send", movement })
      assert.deepStrictEqual(relayed.lane, lane)
      if (floor !== null) assert.strictEqual(relayed.nonce, floor)
      yield* settle
      assert.strictEqual(tag(yield* lookOwn(movement, relayed)), "Unseen")
      assert.strictEqual(yield* chain.nonceFloor(lane), floor)
    }),
  )

  it.effect("broadcasting the same bytes again is harmless at any time", () =>
    Effect.gen(function* () {
      const { chain, harness, sent, settle, lookOwn, payout, held } = yield* begin
      const movement = yield* payout()
      const relayed = yield* sent({ _tag: "Send", movement })
      yield* chain.broadcast(relayed)
      yield* harness.mine(1)
      yield* chain.broadcast(relayed)
      yield* settle
      const final = yield* lookOwn(movement, relayed)
      assert.strictEqual(tag(final), "Final")
      yield* chain.broadcast(relayed)
      yield* settle
      assert.deepStrictEqual(yield* lookOwn(movement, relayed), final)
      assert.strictEqual(yield* held(movement.to), price)
    }),
  )

  if (kit.isNumbered)
    it.effect("a later nonce waits for the ones before it", () =>
      Effect.gen(function* () {
        const { chain, settle, isCounted, lookOwn, next, payout, lane } = yield* begin
        const movements = [yield* payout(), yield* payout(), yield* payout()] as const
        const floor = yield* next
        const [first, second, third] = yield* Effect.forEach(movements, (movement, index) =>
          chain.sign(lane, floor + index, { _tag: "Send", movement }),
        )
        assert.isDefined(first)
        assert.isDefined(second)
        assert.isDefined(third)
        yield* chain.broadcast(third)
        yield* chain.broadcast(first)
        yield* settle
        assert.strictEqual(tag(yield* lookOwn(movements[0], first)), "Final")
        assert.strictEqual(tag(yield* lookOwn(movements[2], third)), "Unseen")
        yield* isCounted(floor, 1)
        yield* chain.broadcast(second)
        yield* chain.broadcast(third)
        yield* settle
        assert.strictEqual(tag(yield* lookOwn(movements[1], second)), "Final")
        assert.strictEqual(tag(yield* lookOwn(movements[2], third)), "Final")
        yield* isCounted(floor, 3)
      }),
    )

  if (kit.isNumbered)
    it.effect(
      "a transaction is replaced once another one with its nonce is final, and not before",
      () =>
        Effect.gen(function* () {
          const { chain, harness, signed, lookOwn, payout, held } = yield* begin
          const winner = yield* payout()
          const loser = yield* payout()
          const ours = yield* signed({ _tag: "Send", movement: winner })
          const late = yield* signed({ _tag: "Send", movement: loser })
          assert.strictEqual(late.nonce, ours.nonce)
          yield* chain.broadcast(ours)
          yield* harness.mine(1)
          assert.strictEqual(tag(yield* lookOwn(loser, late)), "Unseen")
          // A node may refuse a used nonce or drop it silently. Neither proves anything.
          yield* Effect.ignore(chain.broadcast(late))
          yield* harness.mine(harness.finalityDepth)
          assert.strictEqual(tag(yield* lookOwn(loser, late)), "Replaced")
          assert.strictEqual(tag(yield* lookOwn(winner, ours)), "Final")
          assert.strictEqual(yield* held(loser.to), 0n)
        }),
    )

  it.effect("one of our transactions is found, no matter which of its versions was mined", () =>
    Effect.gen(function* () {
      const { harness, sent, lookOwn, payout } = yield* begin
      const movement = yield* payout()
      const mined = yield* sent({ _tag: "Send", movement })
      const next = {
        ...mined,
        hash: kit.hash(mined.hash),
        earlierHashes: [kit.hash("an even earlier one"), mined.hash],
      }
      assert.strictEqual(tag(yield* lookOwn(movement, next)), "Unseen")
      yield* harness.mine(1)
      assert.strictEqual(evidenceOf(yield* lookOwn(movement, next)).txHash, mined.hash)
      yield* harness.mine(harness.finalityDepth)
      const final = yield* lookOwn(movement, next)
      assert.strictEqual(tag(final), "Final")
      assert.strictEqual(evidenceOf(final).txHash, mined.hash)
    }),
  )

  it.effect("equal transfers of the service are each seen by their own transaction", () =>
    Effect.gen(function* () {
      const { chain, settle, lookOwn, next, payout, held, lane } = yield* begin
      const movement = yield* payout()
      yield* payout()
      const floor = yield* next
      const relayed = yield* Effect.forEach([0, 1], (index) =>
        chain.sign(lane, floor + index, { _tag: "Send", movement }),
      )
      for (const each of relayed) yield* chain.broadcast(each)
      yield* settle
      const logs = new Set<string>()
      for (const each of relayed) {
        const evidence = evidenceOf(yield* lookOwn(movement, each))
        assert.strictEqual(evidence.txHash, each.hash)
        logs.add(`${evidence.txHash}:${evidence.logIndex}`)
      }
      assert.strictEqual(logs.size, 2)
      assert.strictEqual(yield* held(movement.to), 2n * price)
    }),
  )

  it.effect("one of our transfers that reverted is impossible, but only once that is final", () =>
    Effect.gen(function* () {
      const { chain, harness, isCounted, sent, lookOwn, payout, held, lane } = yield* begin
      const movement = yield* payout()
      yield* harness.block(movement.token, movement.to, true)
      const floor = yield* chain.nonceFloor(lane)
      const relayed = yield* sent({ _tag: "Send", movement })
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* lookOwn(movement, relayed)), "Unseen")
      yield* harness.mine(harness.finalityDepth)
      const observation = yield* lookOwn(movement, relayed)
      assert.deepInclude(observation, { _tag: "Impossible", txHash: relayed.hash })
      assert.notProperty(observation, "movedOtherwise")
      assert.strictEqual(yield* held(movement.to), 0n)
      yield* isCounted(floor, 1)
      yield* harness.block(movement.token, movement.to, false)
    }),
  )

  const otherMovements: ReadonlyArray<{
    readonly name: string
    readonly instead: (scene: Scene) => Partial<Transfer.Movement>
  }> = [
    {
      name: "less than was sought",
      instead: () => ({ quantity: Money.Quantity.make(price + 1n) }),
    },
    {
      name: "more than was sought",
      instead: () => ({ quantity: Money.Quantity.make(price - 1n) }),
    },
    { name: "to another account", instead: () => ({ to: walletOf(kit).address }) },
    { name: "another token", instead: ({ tokenOf }) => ({ token: tokenOf("allowed") }) },
  ]
  for (const { name, instead } of kit.flows.allowed === undefined
    ? otherMovements.slice(0, -1)
    : otherMovements) {
    it.effect(
      `S24: one of our transfers that succeeded and moved ${name} is reported as such, once final`,
      () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const { harness, sent, lookOwn, payout } = scene
          const movement = yield* payout()
          const sought = { ...movement, ...instead(scene) }
          const relayed = yield* sent({ _tag: "Send", movement })
          yield* harness.mine(1)
          assert.strictEqual(tag(yield* lookOwn(sought, relayed)), "Unseen")
          yield* harness.mine(harness.finalityDepth)
          const observation = yield* lookOwn(sought, relayed)
          assert.deepInclude(observation, {
            _tag: "Impossible",
            movedOtherwise: true,
            txHash: relayed.hash,
          })
          const moved = observation._tag === "Impossible" ? observation.moved : undefined
          const { quantity, to, token } = movement
          const isSameToken = Caip.sameToken(sought.token, token)
          const isSamePayee = isSameToken && sought.to === to
          assert.deepStrictEqual(moved?.left, isSameToken ? quantity : Money.zero)
          assert.deepStrictEqual(moved?.transfers, isSameToken ? [{ to, quantity }] : [])
          assert.deepStrictEqual(moved?.transfer.movement, {
            ...sought,
            quantity: isSamePayee ? quantity : Money.zero,
          })
          assert.strictEqual(moved?.transfer.txHash, relayed.hash)
        }),
    )
  }

  it.effect("payments with different amounts each move their own amount", () =>
    Effect.gen(function* () {
      const { attempted, sent, settle, look, held, payTo } = yield* begin
      const before = yield* held(payTo)
      const prices = [1n, price - 7n, price + 9n].map((each) => Money.Quantity.make(each))
      const made = yield* Effect.forEach(
        prices,
        Effect.fnUntraced(function* (quantity) {
          const attempt = yield* attempted("direct", { quantity })
          const relayed = yield* sent({ _tag: "Collect", attempt })
          yield* settle
          return { attempt, relayed }
        }),
      )
      for (const { attempt, relayed } of made) {
        const final = yield* look(attempt, relayed)
        assert.strictEqual(tag(final), "Final")
        assert.deepStrictEqual(evidenceOf(final).movement, Payment.movement(attempt))
      }
      assert.strictEqual(yield* held(payTo), before + prices.reduce((sum, each) => sum + each, 0n))
    }),
  )

  it.effect(
    "reports the sender and recipient of money that our account moved in a transaction",
    () =>
      Effect.gen(function* () {
        const { attempted, chain, sent, settle, payout } = yield* begin
        const movement = yield* payout()
        const relayed = yield* sent({ _tag: "Send", movement })
        yield* settle
        const [moved, ...others] = yield* chain.outgoing(relayed.hash)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual({ ...movement, ...moved }, movement)
        assert.isDefined(moved)
        const incoming = yield* sent({ _tag: "Collect", attempt: yield* attempted("direct") })
        yield* settle
        // Incoming money is not our outgoing money.
        assert.deepStrictEqual(yield* chain.outgoing(incoming.hash), [])
        assert.deepStrictEqual(yield* chain.outgoing(kit.hash("of nobody")), [])
      }),
  )

  for (const orphans of ["forgotten", "waiting"] as const) {
    it.effect(
      `after a reorganisation with its transaction ${orphans}, a payment is paid once`,
      () =>
        Effect.gen(function* () {
          const { chain, harness, attempted, sent, settle, look, held, payTo } = yield* begin
          const before = yield* held(payTo)
          const attempt = yield* attempted("direct")
          const relayed = yield* sent({ _tag: "Collect", attempt })
          for (let depth = 1; depth <= harness.finalityDepth; depth++) {
            yield* harness.mine(depth)
            assert.strictEqual(tag(yield* look(attempt, relayed)), "Included")
            yield* harness.reorg(depth, orphans)
            assert.strictEqual(tag(yield* look(attempt, relayed)), "Unseen")
            assert.strictEqual(yield* held(payTo), before)
            // Send the same bytes, whether a node still has them or not.
            yield* chain.broadcast(relayed)
          }
          yield* settle
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Final")
          assert.strictEqual(yield* held(payTo), before + price)
        }),
    )
  }

  it.effect("a reorganisation within the finality depth leaves what is final", () =>
    Effect.gen(function* () {
      const { harness, attempted, sent, settle, look } = yield* begin
      const attempt = yield* attempted("direct")
      const relayed = yield* sent({ _tag: "Collect", attempt })
      yield* settle
      const final = yield* look(attempt, relayed)
      assert.strictEqual(tag(final), "Final")
      yield* harness.reorg(harness.finalityDepth, "forgotten")
      assert.deepStrictEqual(yield* look(attempt, relayed), final)
    }),
  )

  it.effect("an authorization that somebody else submitted has paid, in that transaction", () =>
    Effect.gen(function* () {
      const { chain, harness, attempted, signed, settle, look, held, payTo } = yield* begin
      const before = yield* held(payTo)
      const attempt = yield* attempted("direct")
      const relayed = yield* signed({ _tag: "Collect", attempt })
      const txHash = yield* harness.submitAuthorization(attempt.option, attempt.outputs.signature)
      yield* harness.mine(1)
      assert.strictEqual(evidenceOf(yield* look(attempt, relayed)).txHash, txHash)
      assert.strictEqual(evidenceOf(yield* look(attempt, null)).txHash, txHash)
      // Our transaction comes too late, and changes nothing.
      yield* Effect.ignore(chain.broadcast(relayed))
      yield* settle
      const final = yield* look(attempt, relayed)
      assert.strictEqual(tag(final), "Final")
      assert.strictEqual(evidenceOf(final).txHash, txHash)
      yield* chain.verify(attempt)
      assert.strictEqual(yield* held(payTo), before + price)
    }),
  )

  it.effect("an authorization whose transaction reverted is impossible, once that is final", () =>
    Effect.gen(function* () {
      const { harness, attempted, sent, look, payer, held } = yield* begin
      const attempt = yield* attempted("direct")
      yield* harness.block(attempt.option.token, payer.address, true)
      const relayed = yield* sent({ _tag: "Collect", attempt })
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* look(attempt, relayed)), "Unseen")
      yield* harness.mine(harness.finalityDepth)
      assert.strictEqual(tag(yield* look(attempt, relayed)), "Impossible")
      yield* harness.block(attempt.option.token, payer.address, false)
      assert.strictEqual(yield* held(payer.address), 10n * price)
    }),
  )

  it.effect("a revoked authorization is impossible, but only once that is final", () =>
    Effect.gen(function* () {
      const { chain, harness, attempted, look, payer } = yield* begin
      const attempt = yield* attempted("direct")
      yield* chain.verify(attempt)
      yield* harness.cancelAuthorization(attempt.option, payer)
      yield* harness.mine(1)
      assert.strictEqual(tag(yield* look(attempt, null)), "Unseen")
      yield* harness.mine(harness.finalityDepth)
      assert.strictEqual(tag(yield* look(attempt, null)), "Impossible")
    }),
  )

  for (const role of had(kit, collectedRoles)) {
    it.effect(
      `${named[role]} authorization that has expired is impossible, once the time of a final block is past it`,
      () =>
        Effect.gen(function* () {
          const { harness, attempted, settle, look, signed } = yield* begin
          const attempt = yield* attempted(role)
          const relayed = yield* signed({ _tag: "Collect", attempt })
          const endsAt = PaymentOption.authorizationEndsAt(attempt.option)
          // Ten seconds for a slow machine.
          yield* harness.pass(endsAt - (yield* harness.nowInS) - 10)
          yield* settle
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Unseen")
          yield* harness.pass(11)
          yield* harness.mine(1)
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Unseen")
          yield* harness.mine(harness.finalityDepth)
          assert.strictEqual(tag(yield* look(attempt, relayed)), "Impossible")
          assert.strictEqual(tag(yield* look(attempt, null)), "Impossible")
        }),
    )

    it.effect(`${named[role]} authorization of one payment pays no other`, () =>
      Effect.gen(function* () {
        const { attempted, sent, settle, look } = yield* begin
        const first = yield* attempted(role)
        const relayed = yield* sent({ _tag: "Collect", attempt: first })
        yield* settle
        const second = yield* attempted(role)
        assert.deepStrictEqual(Payment.movement(second), Payment.movement(first))
        assert.strictEqual(tag(yield* look(first, relayed)), "Final")
        assert.strictEqual(tag(yield* look(second, null)), "Unseen")
      }),
    )
  }

  if (kit.flows.sent !== undefined)
    it.effect(
      "of several equal transfers by a payer, each attempt is paid by the one that it names",
      () =>
        Effect.gen(function* () {
          const { attempted, settle, look } = yield* begin
          const attempts = [yield* attempted("sent"), yield* attempted("sent")]
          yield* settle
          for (const attempt of attempts) {
            const final = yield* look(attempt, null)
            assert.strictEqual(tag(final), "Final")
            const hash = attempt.outputs._tag === "Sent" ? attempt.outputs.txHash : ""
            assert.strictEqual(evidenceOf(final).txHash, hash)
          }
        }),
    )

  const others: ReadonlyArray<{
    readonly name: string
    readonly instead: (scene: Scene) => Partial<PaymentOption.PaymentOption>
  }> = [
    { name: "of less", instead: () => ({ quantity: Money.Quantity.make(price - 1n) }) },
    { name: "of more", instead: () => ({ quantity: Money.Quantity.make(price + 1n) }) },
    { name: "to another", instead: () => ({ payTo: walletOf(kit).address }) },
    { name: "of another token", instead: ({ tokenOf }) => ({ token: tokenOf("allowed") }) },
  ]
  const possible = kit.flows.allowed === undefined ? others.slice(0, -1) : others
  for (const { name, instead } of possible) {
    if (kit.flows.sent !== undefined)
      it.effect(
        `a transfer ${name} does not pay: the attempt is impossible once that transfer is final`,
        () =>
          Effect.gen(function* () {
            const scene = yield* begin
            const { harness, executed, optionOf, look } = scene
            const option = yield* optionOf("sent")
            const attempt = Fixtures.attemptOf(
              option,
              yield* executed({ ...option, ...instead(scene) }),
            )
            yield* harness.mine(1)
            assert.strictEqual(tag(yield* look(attempt, null)), "Unseen")
            yield* harness.mine(harness.finalityDepth)
            assert.strictEqual(tag(yield* look(attempt, null)), "Impossible")
          }),
      )
  }

  const { calls } = kit
  if (calls !== undefined)
    it.effect("another account's transfer pays nobody else's attempt", () =>
      Effect.gen(function* () {
        const { harness, optionOf, settle, submitted, look, payTo, chainId } = yield* begin
        const { direct } = harness.tokens
        const stranger = walletOf(kit)
        yield* harness.fund(direct, stranger.address, price)
        const txHash = yield* submitted(
          {
            chainId,
            from: stranger.address,
            to: direct.address,
            data: calls.transfer(payTo, price),
          },
          stranger,
        )
        yield* settle
        const option = yield* optionOf("sent")
        const attempt = Fixtures.attemptOf(option, { _tag: "Sent", txHash, signature: "0x" })
        assert.strictEqual(tag(yield* look(attempt, null)), "Impossible")
      }),
    )

  if (kit.flows.sent !== undefined)
    it.effect("an unknown transaction is unseen, and stays possible", () =>
      Effect.gen(function* () {
        const { chain, optionOf, settle, look } = yield* begin
        const option = yield* optionOf("sent")
        const txHash = kit.hash("nobody knows")
        yield* settle
        const attempt = Fixtures.attemptOf(option, { _tag: "Sent", txHash, signature: "0x" })
        assert.strictEqual(tag(yield* look(attempt, null)), "Unseen")
        assert.strictEqual(tag(yield* chain.lookLate({ txHash, option })), "Unseen")
      }),
    )

  if (kit.flows.sent !== undefined)
    it.effect("late money is found by its hash, and is final only when its block is", () =>
      Effect.gen(function* () {
        const { chain, harness, attempted, payTo, payer } = yield* begin
        const { option, outputs } = yield* attempted("sent")
        const txHash = outputs._tag === "Sent" ? outputs.txHash : ""
        assert.strictEqual(tag(yield* chain.lookLate({ txHash, option })), "Unseen")
        yield* harness.mine(1)
        assert.strictEqual(tag(yield* chain.lookLate({ txHash, option })), "Included")
        yield* harness.mine(harness.finalityDepth)
        const final = yield* chain.lookLate({ txHash, option })
        assert.strictEqual(tag(final), "Final")
        assert.deepStrictEqual(evidenceOf(final).movement, {
          token: option.token,
          from: payer.address,
          to: payTo,
          quantity: price,
        })
        const foreign = { ...option, account: walletOf(kit).account(option.token.chainId) }
        assert.strictEqual(tag(yield* chain.lookLate({ txHash, option: foreign })), "Impossible")
      }),
    )

  if (kit.flows.sent !== undefined) {
    /**
     * Attempts of equal options that all name one transaction, in which the payer's contract moved this much each time.
     */
    const inOne = Effect.fnUntraced(function* (
      scene: Scene,
      batch: NonNullable<Scene["harness"]["batch"]>,
      quantities: ReadonlyArray<bigint>,
    ) {
      const { harness, optionOf, payer, payTo, signatureOf } = scene
      const moved = quantities.map((each) => Money.Quantity.make(each))
      const txHash = yield* batch(payer, harness.tokens.direct, payTo, moved)
      const naming = (option: PaymentOption.PaymentOption) => {
        const signature = signatureOf(payer, option)
        return Fixtures.attemptOf(option, { _tag: "Sent", txHash, signature })
      }
      return { one: naming(yield* optionOf("sent")), two: naming(yield* optionOf("sent")), txHash }
    })

    it.effect("S17: equal transfers in one transaction pay as many attempts, by a log each", () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { chain, harness, look } = scene
        if (harness.batch === undefined) return
        const { one, two, txHash } = yield* inOne(scene, harness.batch, [price, price])
        for (const attempt of [one, two]) yield* chain.verify(attempt)
        yield* harness.mine(1)
        assert.strictEqual(tag(yield* look(one, null)), "Included")
        yield* harness.mine(harness.finalityDepth)
        const sought = { movement: Payment.movement(two), relayed: null, attempt: two }
        const first = evidenceOf(yield* look(one, null))
        const last = evidenceOf(yield* chain.look({ ...sought, except: [first] }))
        assert.notStrictEqual(last.logIndex, first.logIndex)
        assert.deepStrictEqual(last, { ...first, logIndex: last.logIndex })
        const none = yield* chain.look({ ...sought, except: [first, last] })
        assert.deepInclude(none, { _tag: "Impossible", txHash })
        yield* chain.verify({ ...two, except: [first] })
        yield* failsWith(chain.verify({ ...two, except: [last, first] }), "AttemptRefused")
        const late = { txHash, option: two.option }
        assert.deepStrictEqual(
          evidenceOf(yield* chain.lookLate({ ...late, except: [first] })),
          last,
        )
        const nothing = yield* chain.lookLate({ ...late, except: [first, last] })
        assert.strictEqual(tag(nothing), "Impossible")
        // A log with the same index in another transaction is a different log.
        const elsewhere = { ...first, txHash: kit.hash("elsewhere") }
        assert.deepStrictEqual(
          evidenceOf(yield* chain.look({ ...sought, except: [elsewhere] })),
          first,
        )
      }),
    )

    it.effect(
      "S17: of late transfers in one transaction, the one that was asked for comes first",
      () =>
        Effect.gen(function* () {
          const scene = yield* begin
          const { chain, harness, settle } = scene
          if (harness.batch === undefined) return
          const { one, txHash } = yield* inOne(scene, harness.batch, [price - 1n, price])
          yield* settle
          const { quantity: _, ...unpriced } = one.option
          const exact = evidenceOf(yield* chain.lookLate({ txHash, option: one.option }))
          assert.strictEqual(exact.movement.quantity, price)
          const rest = yield* chain.lookLate({ txHash, option: one.option, except: [exact] })
          assert.strictEqual(evidenceOf(rest).movement.quantity, price - 1n)
          assert.deepStrictEqual(yield* chain.lookLate({ txHash, option: unpriced }), rest)
        }),
    )
  }
}
