/**
 * What payments in `Processing` will take from their accounts, and that no more is accepted.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as PaymentId from "@florin/core/domain/ground/PaymentId"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type * as Change from "@florin/core/domain/payment/Change"
import type * as Payment from "@florin/core/domain/payment/Payment"
import * as PaymentTransition from "@florin/core/domain/payment/PaymentTransition"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import {
  atOnce,
  begin,
  changeInLane,
  reportChange,
  failsWith,
  type It,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now } = Fixtures
const price = Fixtures.quantity(10n)
const flows = ["permit2"]
const rounds = Counts.of({ usual: 2, full: 200 })

const drawOf = (
  available: bigint | null,
  taken: ReadonlyArray<PaymentId.PaymentId> = [],
): Change.Draw => ({
  available: available === null ? null : Fixtures.quantity(available),
  flows,
  taken,
})

type Overrides = Parameters<Scene["world"]["option"]>[1]

/** An account that no other test pays from, and its attempt. */
const beginPaying = Effect.gen(function* () {
  const scene = yield* begin
  const { payments, world } = scene
  const account = Fixtures.account(`allowing/${world.next()}`)

  const signed = (payment: Payment.Payment, overrides: Overrides = {}) =>
    world.attempt(payment, {
      option: { account, flow: "permit2", quantity: price, ...overrides },
    })

  const confirm = (
    payment: Payment.Payment,
    allowance: bigint | null,
    overrides: Overrides = {},
    taken: ReadonlyArray<PaymentId.PaymentId> = [],
  ) =>
    payments.modifyPayment(
      payment.id,
      reportChange((current) =>
        PaymentTransition.confirm(current, signed(payment, overrides), now, undefined, [
          drawOf(allowance, taken),
        ]),
      ),
    )

  const committed = (accounts: ReadonlyArray<Caip.Account> = [account]) =>
    Effect.map(payments.committed(accounts, flows), (options) =>
      options.map((each) => ({
        account: each.account,
        token: each.token,
        quantity: each.quantity,
      })),
    )

  return { ...scene, account, signed, confirm, committed }
})

const ends: ReadonlyArray<{
  readonly name: string
  readonly of: (
    payment: Payment.Payment,
    scene: Scene,
    attempt: Payment.Attempt,
  ) => ReturnType<typeof PaymentTransition.fail>
}> = [
  {
    name: "was collected",
    of: (payment, { world }, attempt) =>
      PaymentTransition.succeed(payment, world.evidence(attempt), null, now),
  },
  { name: "failed", of: (payment) => PaymentTransition.fail(payment, "it ran out", now) },
  { name: "was declined", of: (payment) => PaymentTransition.decline(payment, null, now) },
]

export const draws = (it: It): void => {
  it.effect(
    "S29: accepts a payment that an allowance covers in addition to all open ones, and no more",
    () =>
      Effect.gen(function* () {
        const { committed, confirm, create, payments, account, world } = yield* beginPaying
        const [first, second] = [yield* create(), yield* create()]
        assert.deepStrictEqual(yield* committed(), [])
        // A single attempt was judged before: its approval may not be mined yet.
        yield* confirm(first, 0n)
        yield* failsWith("Uncovered", confirm(second, 19n))
        assert.deepStrictEqual(yield* payments.payment(second.id), second)
        assert.deepStrictEqual(yield* committed(), [
          { account, token: world.token, quantity: price },
        ])
        yield* confirm(second, 20n)
        const one = { account, token: world.token, quantity: price }
        assert.deepStrictEqual(yield* committed([account, account]), [one, one])
      }),
  )

  it.effect("S29: takes no slot of a lane for a payment that no allowance covers", () =>
    Effect.gen(function* () {
      const scene = yield* beginPaying
      const { confirm, create, lanes, payments, signed, world } = scene
      yield* confirm(yield* create(), 10n)
      const second = yield* create()
      const slot = {
        transaction: Fixtures.laneTransaction(world.lane, 0),
        state: yield* lanes.laneState("test", world.lane),
      }
      yield* failsWith(
        "Uncovered",
        changeInLane(scene, second.id, slot, (current) =>
          Result.map(
            PaymentTransition.confirm(current, signed(second), now, undefined, [drawOf(19n)]),
            (change) => ({ result: null, change }),
          ),
        ),
      )
      assert.deepStrictEqual(yield* payments.payment(second.id), second)
      assert.deepStrictEqual(yield* lanes.laneTransactions(world.lane, 0), [])
    }),
  )

  it.effect(
    "S31: accepts a payment without knowing what is available only if it is the only one",
    () =>
      Effect.gen(function* () {
        const { confirm, create } = yield* beginPaying
        yield* confirm(yield* create(), null)
        const second = yield* create()
        yield* failsWith("Uncovered", confirm(second, null))
        yield* confirm(second, 20n)
      }),
  )

  it.effect("S31: does not count payments that have taken their money, though not finally", () =>
    Effect.gen(function* () {
      const { confirm, createMany } = yield* beginPaying
      const [first, second, third] = yield* createMany(3)
      if (first === undefined || second === undefined || third === undefined) return assert.fail()
      yield* confirm(first, null)
      yield* failsWith("Uncovered", confirm(second, 10n))
      yield* confirm(second, 10n, {}, [first.id])
      yield* failsWith("Uncovered", confirm(third, 10n, {}, [first.id]))
      yield* confirm(third, 20n, {}, [first.id])
    }),
  )

  for (const { name, of } of ends) {
    it.effect(`S29: frees the allowance of a payment that ${name}`, () =>
      Effect.gen(function* () {
        const scene = yield* beginPaying
        const { committed, confirm, create, payments, signed } = scene
        const [first, second] = [yield* create(), yield* create()]
        yield* confirm(first, 10n)
        yield* failsWith("Uncovered", confirm(second, 10n))
        yield* payments.modifyPayment(
          first.id,
          reportChange((current) => of(current, scene, signed(first))),
        )
        assert.deepStrictEqual(yield* committed(), [])
        yield* confirm(second, 10n)
      }),
    )
  }

  it.effect(
    "S29: does not count open or cancelled payments, or another account, token or flow",
    () =>
      Effect.gen(function* () {
        const { account, committed, confirm, create, payments, world } = yield* beginPaying
        const other = Fixtures.account(`other/${world.next()}`)
        const elsewhere = { ...account, chainId: Eip155.chainId(1) }
        const token = { ...world.token, address: Fixtures.account(`token/${world.next()}`).address }
        yield* create()
        const cancelled = yield* create()
        yield* payments.modifyPayment(
          cancelled.id,
          reportChange((current) => PaymentTransition.cancel(current, "cancelled_by_user", now)),
        )
        yield* confirm(yield* create(), 10n, { account: other })
        yield* confirm(yield* create(), 10n, {
          account: elsewhere,
          token: { ...world.token, chainId: elsewhere.chainId },
        })
        yield* confirm(yield* create(), 10n, { token })
        yield* confirm(yield* create(), 10n, { flow: "eip3009" })
        assert.deepStrictEqual(yield* committed(), [{ account, token, quantity: price }])
        yield* confirm(yield* create(), 10n)
        assert.lengthOf(yield* committed([account, other, elsewhere]), 4)
        assert.deepStrictEqual(yield* payments.committed([], flows), [])
        assert.deepStrictEqual(yield* payments.committed([account], []), [])
      }),
  )

  it.effect("S17: knows the transaction of an account for which a payment waits", () =>
    Effect.gen(function* () {
      const { account, create, payments, world } = yield* beginPaying
      const txHash = Fixtures.hash(world.next())
      const other = Fixtures.account(`other/${world.next()}`)
      const awaited = payments.isAwaited(account, txHash)
      const naming = (payment: Payment.Payment, outputs: Payment.Attempt["outputs"]) =>
        payments.modifyPayment(
          payment.id,
          reportChange((current) =>
            PaymentTransition.confirm(
              current,
              world.attempt(payment, { option: { account, flow: "transfer" }, outputs }),
              now,
            ),
          ),
        )
      const sent = (hash: string) => ({ _tag: "Sent", txHash: hash, signature: "0x" }) as const
      yield* naming(yield* create(), sent(Fixtures.hash(world.next())))
      const approvals = [txHash]
      yield* naming(yield* create(), { _tag: "Authorized", signature: "0x", approvals })
      assert.isFalse(yield* awaited)
      const payment = yield* create({ mode: "live" })
      yield* naming(payment, sent(txHash))
      assert.isTrue(yield* awaited)
      assert.isFalse(yield* payments.isAwaited(other, txHash))
      const elsewhere = { ...account, chainId: Eip155.chainId(1) }
      assert.isFalse(yield* payments.isAwaited(elsewhere, txHash))
      yield* payments.modifyPayment(
        payment.id,
        reportChange((current) => PaymentTransition.fail(current, "it was not found", now)),
      )
      assert.isFalse(yield* awaited)
    }),
  )

  it.effect("S36: knows every version of our transaction that collects from an account", () =>
    Effect.gen(function* () {
      const scene = yield* beginPaying
      const { account, create, lanes, payments, world } = scene
      const payment = yield* create({ mode: "live" })
      const option = { account, flow: "eip3009", quantity: price } as const
      yield* payments.modifyPayment(
        payment.id,
        reportChange((current) =>
          PaymentTransition.confirm(current, world.attempt(payment, { option }), now),
        ),
      )
      const [hash, earlier] = [Fixtures.hash(world.next()), Fixtures.hash(world.next())]
      const transaction = {
        ...Fixtures.laneTransaction(world.lane, 0),
        hash,
        earlierHashes: [earlier],
      }
      const isAwaited = (txHash: string, by = account) => payments.isAwaited(by, txHash)
      assert.isFalse(yield* isAwaited(hash))
      yield* changeInLane(
        scene,
        payment.id,
        { transaction, state: yield* lanes.laneState("live", world.lane) },
        (current) =>
          Result.succeed({
            result: null,
            change: PaymentTransition.relay(current, Lane.slotOf(transaction), now, now),
          }),
      )
      assert.isTrue(yield* isAwaited(hash))
      assert.isTrue(yield* isAwaited(earlier))
      assert.isFalse(yield* isAwaited(Fixtures.hash(world.next())))
      assert.isFalse(yield* isAwaited(hash, Fixtures.account(`other/${world.next()}`)))
      yield* payments.modifyPayment(
        payment.id,
        reportChange((current) => PaymentTransition.fail(current, "it was cancelled", now)),
      )
      assert.isFalse(yield* isAwaited(hash))
    }),
  )

  it.effect("S29: counts payments of other partners and of the other mode, too", () =>
    Effect.gen(function* () {
      const { confirm, create, world } = yield* beginPaying
      yield* confirm(yield* create({ mode: "live", partnerId: world.other.partnerId }), 10n)
      yield* failsWith("Uncovered", confirm(yield* create(), 10n))
    }),
  )

  it.effect("S29: counts quantities of any size", () =>
    Effect.gen(function* () {
      const { committed, confirm, create } = yield* beginPaying
      const most = Fixtures.quantity(2n ** 256n - 1n)
      yield* confirm(yield* create(), most, { quantity: most })
      yield* failsWith("Uncovered", confirm(yield* create(), most))
      assert.strictEqual((yield* committed())[0]?.quantity, most)
    }),
  )

  it.effect(
    "S29: accepts exactly as many of many concurrent payments as are covered",
    () =>
      Effect.gen(function* () {
        for (const round of range(rounds)) {
          const { committed, confirm, createMany } = yield* beginPaying
          const covered = 1 + (round % 3)
          const results = yield* atOnce(yield* createMany(10), (payment) =>
            Effect.result(confirm(payment, 10n * BigInt(covered))),
          )
          assert.lengthOf(results.filter(Result.isSuccess), covered)
          for (const result of results.filter(Result.isFailure)) {
            assert.strictEqual(result.failure._tag, "Uncovered")
          }
          assert.lengthOf(yield* committed(), covered)
        }
      }),
    timeout,
  )
}
