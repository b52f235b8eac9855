/**
 * Requests that meet. A round is one race of fibers over a storage whose calls let the others go first, as often as the
 * round's seed says; every allowed end must be seen, and no other. Pairs in several server processes: processes/races.test.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import { AccountStore } from "@florin/core/ports/AccountStore"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import { Outbox } from "@florin/core/ports/Outbox"
import * as Reconciler from "@florin/core/workers/Reconciler"
import * as Counts from "@florin/testing/Counts"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Stores from "@florin/testing/Stores"
import type * as Wallet from "@florin/testing/Wallet"
import { Cause, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Drawing from "../test-support/drawing.ts"
import * as Pausing from "./pausing.ts"
import * as Scene from "./scene.ts"
import * as Sessions from "./sessions.ts"
import * as TestStorage from "./storage.ts"
import * as World from "./world.ts"

const alone = (draw: Drawing.Draw) => {
  const beforeStorage = Layer.effectContext(
    Stores.wrapAll((store) => Pausing.paused(store, World.pause(draw))),
  )
  return Layer.provideMerge(Scene.layer({ beforeStorage }), TestClock.layer())
}

const usualRounds = TestStorage.isDatabase ? 3 : 10
const roundsMin = Counts.of({ usual: usualRounds, full: 200 })
/** A rare end is waited for however few rounds are played: on a database who comes first is up to the machine, too. */
const roundsMax = Math.max(10 * roundsMin, 400)
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

/** Plays a race once per round, and on until it came to enough ends. Answers these. */
const races = Effect.fnUntraced(function* <E>(
  race: (draw: Drawing.Draw) => Effect.Effect<string, E, Scene.Ports>,
  isEnough: (ends: ReadonlySet<string>) => boolean,
) {
  const ends = new Set<string>()
  for (let seed = 0; seed < roundsMin || (!isEnough(ends) && seed < roundsMax); seed++) {
    const draw = Drawing.make(seed)
    const end = yield* race(draw).pipe(
      Effect.provide(alone(draw)),
      Effect.catchCause((cause) =>
        Effect.die(new Error(`the race of seed ${seed} went wrong: ${Cause.pretty(cause)}`)),
      ),
    )
    ends.add(end)
  }
  return ends
})

/** Fails unless the races came to these ends only, and to each of them. */
const endIn = <E>(
  expected: ReadonlyArray<string>,
  race: (draw: Drawing.Draw) => Effect.Effect<string, E, Scene.Ports>,
) =>
  Effect.map(
    races(race, (ends) => ends.size >= expected.length),
    (ends) => assert.sameMembers([...ends], [...expected]),
  )

const atOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

const times = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

/** The responses with a status, and the others. */
const split = (answers: ReadonlyArray<Scene.Reply>, status: number) => ({
  those: answers.filter((each) => each.status === status),
  others: answers.filter((each) => each.status !== status),
})

const areEqual = (answers: ReadonlyArray<Scene.Reply>) => {
  for (const { body } of answers) assert.deepStrictEqual(body, answers[0]?.body)
}

const areProblems = (answers: ReadonlyArray<Scene.Reply>, status: number, code: string) => {
  for (const answer of answers) Scene.isProblem(answer, status, code)
}

const eventsOf = Effect.fnUntraced(function* (id: string) {
  const outbox = yield* Outbox
  const events = yield* outbox.eventsOf(PaymentId.PaymentId.make(id))
  assert.deepStrictEqual(
    events.map(({ stateVersion }) => stateVersion),
    events.map((_, index) => index),
  )
  return events.map(({ type }): string => type)
})

/** Works until nothing is left to do, and looks whether the books are sound and agree with the chain. */
const finish = Effect.gen(function* () {
  const chain = yield* SimulatedChain
  for (let round = 0; round < 4; round++) {
    yield* Scene.work
    yield* chain.settle(Scene.chains.eip3009)
    yield* World.pass("30 seconds")
  }
  yield* Scene.work
  const { differences, unsound } = yield* Reconciler.check("test")
  assert.deepStrictEqual(differences, [])
  assert.deepStrictEqual(unsound, [])
})

/** The outcome of a payment: its status, its events, and the number of bookings. */
interface Outcome {
  readonly status: string
  readonly events: ReadonlyArray<string>
  readonly booked: number
}

const outcomeOf = Effect.fnUntraced(function* (key: string, merchantId: string, id: string) {
  const details = yield* Scene.send({
    path: `/v1/payments/${id}`,
    key,
    headers: { "Merchant-Id": merchantId },
  })
  const ledger = yield* LedgerStore
  const outcome: Outcome = {
    status: Scene.text(details.body, "status"),
    events: yield* eventsOf(id),
    booked: (yield* ledger.ledgerOf(PaymentId.PaymentId.make(id))).length,
  }
  return outcome
})

const created = "payment.created"
const cancelledOutcome: Outcome = {
  status: "cancelled",
  events: [created, "payment.cancelled"],
  booked: 0,
}
const expiredOutcome: Outcome = {
  status: "expired",
  events: [created, "payment.expired"],
  booked: 0,
}
/** Paid, and owed to a merchant without a destination. */
const paidOutcome: Outcome = {
  status: "succeeded",
  events: [created, "payment.processing", "payment.succeeded"],
  booked: 1,
}

/** A payment that a wallet has signed for, and the requests about it. */
const signed = Effect.gen(function* () {
  const { own, walletKey } = yield* Scene.make
  const { key, merchantId } = own
  const id = yield* Scene.createPayment(key, merchantId)
  const sign = Effect.fnUntraced(function* (wallet: Wallet.Wallet) {
    const account = Scene.accountOf(wallet, Scene.chains.eip3009)
    const option = yield* Scene.firstOption(walletKey, id, account)
    return yield* Scene.confirmBody(walletKey, id, option, wallet)
  })
  const confirmWith = (body: Scene.Json) =>
    Scene.send({ path: `/v1/gateway/payment/${id}/confirm`, key: walletKey, body })
  const body = yield* sign(Scene.payer)
  return {
    id,
    key,
    merchantId,
    sign,
    confirmWith,
    confirm: confirmWith(body),
    cancelAsPayer: Scene.send({
      method: "POST",
      path: `/v1/gateway/payment/${id}/cancel`,
      key: walletKey,
    }),
    cancelAsMerchant: Scene.send({ method: "POST", path: `/v1/payments/${id}/cancel`, key }),
    refund: Scene.send({ path: "/v1/refunds", key, body: { paymentId: id } }),
    outcome: outcomeOf(key, merchantId, id),
  }
})

describe("racing confirms", () => {
  it.effect(
    "M17: are one transition, and 200 each time",
    () =>
      endIn(["paid"], (draw) =>
        Effect.gen(function* () {
          const { confirm, id, outcome } = yield* signed
          const answers = yield* atOnce(times(50, () => Effect.andThen(World.pause(draw), confirm)))
          assert.deepStrictEqual(split(answers, 200).others, [])
          areEqual(answers)
          assert.deepStrictEqual(yield* eventsOf(id), [created, "payment.processing"])
          yield* finish
          assert.deepStrictEqual(yield* outcome, paidOutcome)
          return "paid"
        }),
      ),
    timeout,
  )

  it.effect(
    "M17: do not wait for a collection in progress",
    () =>
      Effect.gen(function* () {
        const ends = yield* races(
          (draw) =>
            Effect.gen(function* () {
              const { confirm, outcome } = yield* signed
              const chain = yield* SimulatedChain
              const collect = Effect.gen(function* () {
                yield* World.pause(draw)
                yield* World.drain("collector")
                yield* chain.settle(Scene.chains.eip3009)
                yield* World.pass("5 seconds")
              })
              const [answers] = yield* Effect.all(
                [
                  atOnce(times(20, () => Effect.andThen(World.pause(draw), confirm))),
                  Effect.repeat(collect, { times: 20 }),
                ],
                { concurrency: "unbounded" },
              )
              assert.deepStrictEqual(
                split(answers, 200).others.map(({ text }) => text),
                [],
              )
              yield* finish
              assert.deepStrictEqual(yield* outcome, paidOutcome)
              return answers.some(({ body }) => Scene.at(body, "status") === "succeeded")
                ? "succeeded"
                : "processing"
            }),
          (seen) => seen.has("succeeded"),
        )
        assert.isTrue(ends.has("succeeded"), "none came after the money: there was no race")
      }),
    timeout,
  )

  it.effect(
    "M17: of two payers: one is accepted, the other gets 400",
    () =>
      endIn(["first", "second"], (draw) =>
        Effect.gen(function* () {
          const { confirm, confirmWith, outcome, sign } = yield* signed
          const other = yield* sign(Scene.stranger)
          const answers = yield* atOnce([
            Effect.andThen(World.pause(draw), confirm),
            Effect.andThen(World.pause(draw), confirmWith(other)),
          ])
          const { others, those } = split(answers, 200)
          assert.strictEqual(those.length, 1)
          areProblems(others, 400, "invalid_state")
          yield* finish
          assert.deepStrictEqual(yield* outcome, paidOutcome)
          return answers[0]?.status === 200 ? "first" : "second"
        }),
      ),
    timeout,
  )

  for (const [who, cancelling] of [
    ["payer", "cancelAsPayer"],
    ["merchant", "cancelAsMerchant"],
  ] as const) {
    it.effect(
      `M17: and a cancel by the ${who}: one of them wins completely`,
      () =>
        endIn(["paid", "cancelled"], (draw) =>
          Effect.gen(function* () {
            const { confirm, outcome, [cancelling]: cancel } = yield* signed
            const late = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
              Effect.andThen(World.pause(draw), effect)
            const [confirms, cancels] = yield* Effect.all(
              [atOnce(times(3, () => late(confirm))), atOnce(times(3, () => late(cancel)))],
              { concurrency: "unbounded" },
            )
            const isPaid = confirms[0]?.status === 200
            const [winners, losers] = isPaid ? [confirms, cancels] : [cancels, confirms]
            assert.deepStrictEqual(split(winners, 200).others, [])
            areEqual(winners)
            areProblems(losers, 400, "invalid_state")
            yield* finish
            assert.deepStrictEqual(yield* outcome, isPaid ? paidOutcome : cancelledOutcome)
            return isPaid ? "paid" : "cancelled"
          }),
        ),
      timeout,
    )
  }

  it.effect(
    "M17: and the payment's expiry: accepted, or refused as too late",
    () =>
      endIn(["paid", "expired"], (draw) =>
        Effect.gen(function* () {
          const { confirm, outcome } = yield* signed
          const timeIsOver = Effect.gen(function* () {
            yield* World.pause(draw)
            yield* World.pass(300_000)
            yield* World.drain("expirer")
          })
          const [[first, second]] = yield* Effect.all(
            [atOnce([confirm, Effect.andThen(World.pause(draw), confirm)]), timeIsOver],
            { concurrency: "unbounded" },
          )
          const answers = [first, second].filter((each) => each !== undefined)
          const { others, those } = split(answers, 200)
          areProblems(others, 410, "payment_expired")
          yield* finish
          const isPaid = those.length > 0
          assert.deepStrictEqual(yield* outcome, isPaid ? paidOutcome : expiredOutcome)
          return isPaid ? "paid" : "expired"
        }),
      ),
    timeout,
  )
})

describe("racing people", () => {
  it.effect(
    "S40: of those who use one sign-in link at the same time sign in one only",
    () =>
      endIn(["one"], () =>
        Effect.gen(function* () {
          const { own } = yield* Scene.make
          const link = yield* Sessions.ofPartner(own, { use: "sign_in" })
          const answers = yield* atOnce(
            times(4, () => Scene.send({ method: "POST", path: "/v1/session", key: link.text })),
          )
          const { others, those } = split(answers, 201)
          areProblems(others, 401, "invalid_api_key")
          const keys = yield* (yield* AccountStore).keys(own.partner.id, Scene.now)
          assert.lengthOf(
            keys.filter(({ use }) => use !== undefined),
            1,
          )
          return those.length === 1 ? "one" : `${those.length}`
        }),
      ),
    timeout,
  )
})

describe("racing cancels", () => {
  it.effect(
    "M17: by both sides: both get the same reason",
    () =>
      endIn(["cancelled_by_user", "cancelled_by_merchant"], (draw) =>
        Effect.gen(function* () {
          const { cancelAsMerchant, cancelAsPayer, outcome } = yield* signed
          const answers = yield* atOnce(
            times(10, (index) =>
              Effect.andThen(World.pause(draw), index % 2 === 0 ? cancelAsPayer : cancelAsMerchant),
            ),
          )
          assert.deepStrictEqual(split(answers, 200).others, [])
          areEqual(answers)
          yield* finish
          assert.deepStrictEqual(yield* outcome, cancelledOutcome)
          return Scene.text(answers[0]?.body, "cancelledReason")
        }),
      ),
    timeout,
  )
})

/** A payment that has just succeeded: nothing was sent to its merchant yet. */
const succeeded = Effect.gen(function* () {
  const paid = yield* signed
  const registered = yield* Scene.send({
    path: `/v1/merchants/${paid.merchantId}/settlements/crypto`,
    key: paid.key,
    headers: { "Idempotency-Key": "destination" },
    body: {
      settlements: [
        {
          asset: "eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
          destination: Scene.accountOf(Scene.treasury, Scene.chains.eip3009),
        },
      ],
    },
  })
  assert.strictEqual(registered.status, 201, registered.text)
  yield* paid.confirm
  const chain = yield* SimulatedChain
  yield* World.drain("collector")
  yield* chain.settle(Scene.chains.eip3009)
  yield* World.pass("30 seconds")
  yield* World.drain("collector")
  assert.strictEqual((yield* paid.outcome).status, "succeeded")
  return paid
})

const refundedOnce = (answers: ReadonlyArray<Scene.Reply>) => {
  const { others, those } = split(answers, 200)
  assert.strictEqual(those.length, 1)
  areProblems(others, 409, "already_refunded")
}

const succeededEvents = [created, "payment.processing", "payment.succeeded"]

describe("racing refunds", () => {
  it.effect(
    "M17, M18: 100 of one payment: one accepted, 99 refused",
    () =>
      endIn(["refunded"], (draw) =>
        Effect.gen(function* () {
          const { outcome, refund } = yield* succeeded
          refundedOnce(yield* atOnce(times(100, () => Effect.andThen(World.pause(draw), refund))))
          yield* finish
          const { events, status } = yield* outcome
          assert.strictEqual(status, "succeeded")
          assert.deepStrictEqual(events, [
            ...succeededEvents,
            "refund.pending",
            "refund.processing",
            "refund.succeeded",
          ])
          return "refunded"
        }),
      ),
    timeout,
  )

  it.effect(
    "M17: and the settlement: the money is paid once",
    () =>
      endIn(["to the payer", "to the merchant"], (draw) =>
        Effect.gen(function* () {
          const { outcome, refund } = yield* succeeded
          const refunds = atOnce(times(5, () => Effect.andThen(World.pause(draw), refund)))
          const payout = World.pause(draw).pipe(
            Effect.andThen(World.drain("payer")),
            Effect.andThen(World.pause(draw)),
            Effect.andThen(World.drain("sender")),
          )
          // A payout is gathered and then sent: a refund may come at any step of it. How many pauses that takes is up to
          // the storage, so that in some rounds it comes when all is done.
          const later = Effect.forEach(
            times(1 + draw(400), () => World.pause(draw)),
            (each) => each,
          )
          const answers =
            draw(5) === 0
              ? yield* Effect.andThen(payout, refunds)
              : (yield* Effect.all([Effect.andThen(later, refunds), payout], {
                  concurrency: "unbounded",
                }))[0]
          refundedOnce(answers)
          yield* finish
          const { events } = yield* outcome
          const isSettled = events.includes("payment.settled")
          // Without money of the operator's own the refund of what was settled waits, visibly.
          assert.sameMembers(
            [...events],
            isSettled
              ? [...succeededEvents, "refund.pending", "payment.settled"]
              : [...succeededEvents, "refund.pending", "refund.processing", "refund.succeeded"],
          )
          return isSettled ? "to the merchant" : "to the payer"
        }),
      ),
    timeout,
  )
})
