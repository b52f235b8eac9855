/**
 * The ledger: balanced, never on the wrong side of zero, and never paying with other people's money.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Ledger from "@florin/core/domain/money/Ledger"
import * as Change from "@florin/core/domain/payment/Change"
import { floatOf } from "@florin/core/ports/LedgerStore"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Counts from "../Counts.ts"
import * as Fixtures from "../Fixtures.ts"
import { unusedChain } from "./Chains.ts"
import {
  atOnce,
  begin,
  applyEffects,
  failsWith,
  type It,
  lookalikes,
  nonZero,
  range,
  type Scene,
  timeout,
} from "./Scene.ts"

const { now, quantity } = Fixtures

const sumOf = (balances: ReadonlyMap<string, bigint>): bigint =>
  [...balances.values()].reduce((total, each) => total + each, 0n)

/** The world's collecting account and another one, with the world's token. */
const places = ({ world: { name, payTo, token } }: Scene) => ({
  here: { collecting: payTo, token },
  elsewhere: { collecting: Fixtures.address(`elsewhere/${name}`), token },
})

/** All kinds of movements, of a quantity in the world's token. */
const movements = (scene: Scene) => {
  const { world } = scene
  const payer = Fixtures.account(`payer/${world.name}`)
  const { elsewhere, here: held } = places(scene)
  const paid = (net: bigint) => ({
    ...held,
    payer,
    merchantId: world.merchantId,
    partnerId: world.tenant.partnerId,
    charge: { total: quantity(net / 10n + 1n), fixed: quantity(1n), net: quantity(net) },
  })
  const refunded = (net: bigint) => {
    const { charge, ...rest } = paid(net)
    const all = quantity(charge.total + charge.net)
    return { ...rest, quantity: all, own: quantity(0n), fee: charge.total }
  }
  const settled = (sent: bigint, netted: bigint) =>
    Fixtures.settlement({
      ...held,
      merchantId: world.merchantId,
      destination: world.destinationAccount,
      quantity: quantity(sent),
      netted: quantity(netted),
    })
  return {
    fund: (of: bigint) => Ledger.funding({ ...held, quantity: quantity(of) }),
    fundElsewhere: (of: bigint) => Ledger.funding({ ...elsewhere, quantity: quantity(of) }),
    withdraw: (of: bigint) => Ledger.withdrawal({ ...held, quantity: quantity(of) }),
    withdrawElsewhere: (of: bigint) => Ledger.withdrawal({ ...elsewhere, quantity: quantity(of) }),
    collect: (of: bigint) => Ledger.collection(paid(of)),
    refund: (of: bigint) => Ledger.refund({ ...refunded(of), own: quantity(of) }),
    refundLate: (of: bigint) => Ledger.refund(refunded(of)),
    refundKept: (of: bigint) =>
      Ledger.refund({
        ...refunded(of),
        kept: [{ collecting: held.collecting, quantity: quantity(of) }],
      }),
    keep: (of: bigint) =>
      Ledger.keptBack({ ...held, merchantId: world.merchantId, quantity: quantity(of) }),
    settle: (of: bigint) => settled(of, 0n),
    settleNetted: (of: bigint) => settled(of, of),
    net: (of: bigint) =>
      Ledger.netting({ ...held, merchantId: world.merchantId, quantity: quantity(of) }),
    suspend: (of: bigint) => Ledger.suspension({ ...held, payer, quantity: quantity(of) }),
    giveBack: (of: bigint) => Ledger.lateReturn({ ...held, payer, quantity: quantity(of) }),
    lose: (of: bigint) => Ledger.disappearance({ ...held, quantity: quantity(of) }),
    takeBackSettled: (of: bigint) => Ledger.reversal(settled(of, 0n)),
  }
}

const kinds = [
  "fund",
  "fundElsewhere",
  "withdraw",
  "withdrawElsewhere",
  "collect",
  "refund",
  "refundLate",
  "settle",
  "settleNetted",
  "net",
  "suspend",
  "giveBack",
  "lose",
  "takeBackSettled",
] as const

const Written = Schema.Struct({
  kind: Schema.Literals(kinds),
  quantity: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 20n })),
  /** Whether a payment writes it, or the operator. */
  byPayment: Schema.Boolean,
})

/** Why a write was refused, or null if it was not. */
const refusalOf = (write: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.match(write, { onFailure: ({ _tag }) => _tag, onSuccess: () => null })

/** The holdings of the world's accounts, in one order; a storage may contain holdings of other tests. */
const ownHoldings = (holdings: ReadonlyArray<Ledger.Holding>, { world }: Scene) =>
  new Map(
    holdings
      .filter(({ token }) => Caip.sameToken(token, world.token))
      .map(({ collecting, holds, owed }) => [collecting, [holds, owed]]),
  )

/** Whether the ledger may book these together, given what it holds. */
const isAllowed = (
  earlier: ReadonlyArray<Ledger.Transaction>,
  together: ReadonlyArray<Ledger.Transaction>,
): boolean => {
  const after = Ledger.balances([...earlier, ...together])
  return (
    Ledger.unsound(after).length === 0 &&
    together.flatMap(Ledger.drawn).every((held) => Ledger.float(after, held) >= 0n)
  )
}

export const ledgers = (it: It): void => {
  it.effect("starts empty", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world } = scene
      assert.strictEqual(nonZero(yield* ledger.balances("test", world.token)).size, 0)
      assert.strictEqual(yield* floatOf(ledger, "test", places(scene).here), 0n)
    }),
  )

  it.effect("returns the balances of the accounts that it is asked for", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world, post } = scene
      const make = movements(scene)
      for (const each of [make.fund(100n), make.collect(20n), make.suspend(7n), make.settle(5n)]) {
        yield* post(each)
      }
      const all = yield* ledger.balances("test", world.token)
      assert.isAbove(nonZero(all).size, 4)
      const accounts = [...all.values()].map(({ account }) => account)
      assert.deepStrictEqual(yield* ledger.balances("test", world.token, accounts), all)
      for (const [key, each] of all) {
        const only = yield* ledger.balances("test", world.token, [each.account])
        assert.deepStrictEqual(only, new Map([[key, each]]))
        assert.strictEqual((yield* ledger.balances("live", world.token, [each.account])).size, 0)
      }
      assert.strictEqual((yield* ledger.balances("test", world.token, [])).size, 0)
    }),
  )

  it.effect.prop(
    "accepts only movements that overdraw no account and leave the float covered",
    { written: Schema.Array(Written).check(Schema.isMaxLength(40)) },
    ({ written }) =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { payments, ledger, create, post, balances } = scene
        const make = movements(scene)
        const payment = yield* create()
        const taken: Array<Ledger.Transaction> = []
        const ofPayment: Array<Ledger.Transaction> = []
        for (const each of written) {
          const transaction = make[each.kind](each.quantity)
          const refusal = yield* refusalOf(
            each.byPayment
              ? payments.modifyPayment(payment.id, applyEffects({ ledger: [transaction] }))
              : post(transaction),
          )
          if (isAllowed(taken, [transaction])) {
            assert.isNull(refusal, each.kind)
            taken.push(transaction)
            if (each.byPayment) ofPayment.push(transaction)
          } else {
            assert.strictEqual(refusal, "Overdrawn", each.kind)
          }
          const held = yield* balances()
          assert.deepStrictEqual(held, nonZero(Ledger.balances(taken)))
          assert.strictEqual(sumOf(held), 0n)
          for (const place of Object.values(places(scene))) {
            const float = Ledger.float(Ledger.balances(taken), place)
            assert.strictEqual(yield* floatOf(ledger, "test", place), float)
          }
          const holdings = yield* ledger.holdings("test", null)
          assert.deepStrictEqual(
            ownHoldings(holdings, scene),
            ownHoldings(Ledger.holdings(Ledger.balances(taken)), scene),
          )
        }
        assert.deepStrictEqual(yield* ledger.ledgerOf(payment.id), ofPayment)
      }),
    { timeout, arbitrary: { runs: Counts.of({ usual: 20, full: 1000 }) } },
  )

  const guards: ReadonlyArray<{
    readonly name: string
    readonly account: (scene: Scene) => Ledger.Account
    /** Fills the account with 10, and takes more than that from it. */
    readonly fill: (make: ReturnType<typeof movements>) => ReadonlyArray<Ledger.Transaction>
    readonly take: (make: ReturnType<typeof movements>, of: bigint) => Ledger.Transaction
  }> = [
    {
      name: "Collecting",
      account: ({ world }) => ({
        _tag: "Collecting",
        chainId: world.token.chainId,
        address: world.payTo,
      }),
      fill: (make) => [make.fund(10n)],
      take: (make, of) => make.lose(of),
    },
    {
      name: "Owed",
      account: ({ world }) => ({
        _tag: "Owed",
        merchantId: world.merchantId,
        address: world.payTo,
      }),
      fill: (make) => [make.fund(100n), make.collect(10n)],
      take: (make, of) => make.settle(of),
    },
    {
      name: "Kept",
      account: ({ world }) => ({
        _tag: "Kept",
        merchantId: world.merchantId,
        address: world.payTo,
      }),
      fill: (make) => [make.fund(100n), make.collect(10n), make.keep(10n)],
      take: (make, of) => make.refundKept(of),
    },
    {
      name: "Suspense",
      account: ({ world }) => ({ _tag: "Suspense", address: world.payTo }),
      fill: (make) => [make.fund(100n), make.suspend(10n)],
      take: (make, of) => make.giveBack(of),
    },
    {
      name: "Debt",
      account: ({ world }) => ({ _tag: "Debt", merchantId: world.merchantId }),
      fill: (make) => [make.fund(100n), make.refundLate(10n), make.collect(100n)],
      take: (make, of) => make.net(of),
    },
  ]

  it.effect.each(guards)("never overdraws $name", (guard) =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, ledger, world, create, post } = scene
      const make = movements(scene)
      const { id } = yield* create()
      for (const transaction of guard.fill(make)) yield* post(transaction)
      const failure = yield* failsWith(
        "Overdrawn",
        payments.modifyPayment(id, applyEffects({ ledger: [guard.take(make, 11n)] })),
      )
      assert.strictEqual(
        failure._tag === "Overdrawn" && failure.account,
        Ledger.accountKey(guard.account(scene)),
      )
      // Two halves that exceed the balance together are refused.
      yield* failsWith(
        "Overdrawn",
        payments.modifyPayment(
          id,
          applyEffects({ ledger: [guard.take(make, 6n), guard.take(make, 5n)] }),
        ),
      )
      yield* payments.modifyPayment(id, applyEffects({ ledger: [guard.take(make, 10n)] }))
      yield* failsWith("Overdrawn", post(guard.take(make, 1n)))
      assert.strictEqual(
        Ledger.balanceOf(
          yield* ledger.balances("test", world.token),
          guard.account(scene),
          world.token,
        ),
        0n,
      )
    }),
  )

  it.effect.each(guards)(
    "takes the balance of $name only once, even with many concurrent calls",
    (guard) =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { payments: paymentStore, createMany, post } = scene
        const make = movements(scene)
        for (const transaction of guard.fill(make)) yield* post(transaction)
        const payments = yield* createMany(25)
        const outcomes = yield* atOnce(payments, ({ id }) =>
          Effect.result(
            paymentStore.modifyPayment(id, applyEffects({ ledger: [guard.take(make, 2n)] })),
          ),
        )
        assert.strictEqual(outcomes.filter(Result.isSuccess).length, 5, "taken")
        for (const each of outcomes) {
          if (Result.isFailure(each)) assert.strictEqual(each.failure._tag, "Overdrawn")
        }
      }),
  )

  it.effect("S4: uses only the float of each account, even with many concurrent calls", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments: paymentStore, ledger, world, createMany, post } = scene
      const make = movements(scene)
      const { elsewhere, here } = places(scene)
      yield* post(make.fund(100n))
      yield* post(make.fundElsewhere(100n))
      // Of the 100 here, 90 belong to others: what is on another account does not count.
      yield* post(make.collect(50n))
      yield* post(make.lose(56n))
      yield* post(make.suspend(40n))
      yield* post(make.lose(40n))
      for (const [place, float] of [
        [here, 10n],
        [elsewhere, 100n],
      ] as const) {
        const balances = yield* ledger.balances("test", world.token)
        assert.strictEqual(Ledger.float(balances, place), float)
        assert.strictEqual(yield* floatOf(ledger, "test", place), float)
        assert.strictEqual(yield* floatOf(ledger, "live", place), 0n)
      }
      const payments = yield* createMany(60)
      const refusals = yield* atOnce(payments, ({ id }, index) =>
        refusalOf(
          index % 3 === 0
            ? post(make.withdraw(7n))
            : index % 3 === 1
              ? post(make.withdrawElsewhere(7n))
              : // Net 6 and fee 1 go back to the payer, and 6 become debt.
                paymentStore.modifyPayment(id, applyEffects({ ledger: [make.refundLate(6n)] })),
        ),
      )
      const after = yield* ledger.balances("test", world.token)
      const takenFrom = (isElsewhere: boolean) =>
        refusals.filter((refusal, index) => refusal === null && (index % 3 === 1) === isElsewhere)
      assert.strictEqual(takenFrom(false).length, 1)
      assert.strictEqual(takenFrom(true).length, 14)
      assert.strictEqual(Ledger.float(after, here), 3n)
      assert.strictEqual(Ledger.float(after, elsewhere), 2n)
      assert.deepStrictEqual(Ledger.unsound(after), [])
      const failure = yield* failsWith("Overdrawn", post(make.withdraw(7n)))
      assert.strictEqual(failure._tag, "Overdrawn")
    }),
  )

  it.effect("keeps tokens and modes apart", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world, post } = scene
      const make = movements(scene)
      const elsewhere = Fixtures.token(world.next())
      yield* post(make.fund(10n))
      yield* post(
        Ledger.funding({ collecting: world.payTo, token: elsewhere, quantity: quantity(20n) }),
      )
      yield* post(make.fund(5n), "live")
      const account: Ledger.Account = {
        _tag: "Collecting",
        chainId: world.token.chainId,
        address: world.payTo,
      }
      const key = Ledger.balanceKey(account, world.token)
      assert.strictEqual(nonZero(yield* ledger.balances("test", world.token)).get(key), 10n)
      assert.strictEqual(nonZero(yield* ledger.balances("live", world.token)).get(key), 5n)
      assert.strictEqual(nonZero(yield* ledger.balances("live", elsewhere)).size, 0)
      const all = nonZero(yield* ledger.balances("test", null))
      assert.strictEqual(all.get(key), 10n)
      assert.strictEqual(all.get(Ledger.balanceKey(account, elsewhere)), 20n)
      yield* failsWith("Overdrawn", post(make.withdraw(6n), "live"))
      yield* post(make.withdraw(5n), "live")
      yield* post(make.withdraw(10n))
    }),
  )

  it.effect("writes an operator's movement once, even if it is repeated", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world, balances } = scene
      const make = movements(scene)
      const [funding, withdrawal] = [Fixtures.key(world.next()), Fixtures.key(world.next())]
      yield* atOnce(range(20), () => ledger.post("test", funding, make.fund(10n)))
      assert.deepStrictEqual(yield* balances(), nonZero(Ledger.balances([make.fund(10n)])))
      yield* atOnce(range(20), () => ledger.post("test", withdrawal, make.withdraw(10n)))
      // Nothing is left, so nothing can be taken.
      yield* ledger.post("test", withdrawal, make.withdraw(10n))
      yield* ledger.post("test", funding, make.fund(10n))
      assert.strictEqual((yield* balances()).size, 0)
    }),
  )

  it.effect(
    "keeps the postings of every account, in more than one token, as they were written",
    () =>
      Effect.gen(function* () {
        const scene = yield* begin
        const { ledger, world } = scene
        const { merchantId, payTo: address, tenant, token } = world
        const { chainId } = token
        const account = Fixtures.account(`outside/${world.name}`)
        const outside = { ...account, chainId }
        const accounts: ReadonlyArray<readonly [account: Ledger.Account, delta: bigint]> = [
          [{ _tag: "Payer", account: outside }, -9n],
          [{ _tag: "Payer", account: outside }, 9n],
          [{ _tag: "Settled", merchantId, destination: outside }, 7n],
          [{ _tag: "Settled", merchantId, destination: outside }, -7n],
          [{ _tag: "Collecting", chainId, address }, 100n],
          [{ _tag: "Owed", merchantId, address }, -1n],
          [{ _tag: "Kept", merchantId, address }, -2n],
          [{ _tag: "Suspense", address }, -3n],
          [{ _tag: "Fees", partnerId: tenant.partnerId }, -4n],
          [{ _tag: "Debt", merchantId }, 5n],
          [{ _tag: "Loss" }, 6n],
          [{ _tag: "Transit" }, 10n ** 30n],
          [{ _tag: "Operator" }, -101n - 10n ** 30n],
        ]
        const other = { ...token, address: Fixtures.address(`other/${world.name}`) }
        for (const tokens of [[token], [token, other]]) {
          const transaction: Ledger.Transaction = {
            kind: "move",
            postings: accounts.flatMap(([each, delta]) =>
              tokens.map((of) => ({ account: each, token: of, delta })),
            ),
          }
          assert.isTrue(Result.isSuccess(Ledger.transaction("move", transaction.postings)))
          const key = Fixtures.key(world.next())
          yield* ledger.post("test", key, transaction)
          assert.deepStrictEqual(yield* ledger.ledgerOf({ key }), [transaction])
        }
      }),
  )

  it.effect("refuses another movement of the operator with the same key", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world, balances } = scene
      const make = movements(scene)
      const key = Fixtures.key(world.next())
      yield* ledger.post("test", key, make.fund(10n))
      for (const [mode, other] of [
        ["test", make.fund(11n)],
        ["test", make.fundElsewhere(10n)],
        ["test", make.withdraw(10n)],
        ["test", Ledger.reversal(make.withdraw(10n))],
        ["live", make.fund(10n)],
      ] as const) {
        yield* failsWith("IdempotencyConflict", ledger.post(mode, key, other))
      }
      assert.deepStrictEqual(yield* balances(), nonZero(Ledger.balances([make.fund(10n)])))
      assert.strictEqual(nonZero(yield* ledger.balances("live", world.token)).size, 0)
      const both = Fixtures.key(world.next())
      const refusals = yield* atOnce(range(20), (index) =>
        refusalOf(ledger.post("test", both, make.fund(index % 2 === 0 ? 1n : 2n))),
      )
      assert.strictEqual(refusals.filter((each) => each === null).length, 10)
      assert.strictEqual(refusals.filter((each) => each === "IdempotencyConflict").length, 10)
    }),
  )

  it.effect("does not store the key of a movement that it refused", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, world, post } = scene
      const make = movements(scene)
      const key = Fixtures.key(world.next())
      yield* failsWith("Overdrawn", ledger.post("test", key, make.withdraw(10n)))
      yield* post(make.fund(10n))
      yield* ledger.post("test", key, make.withdraw(10n))
      assert.strictEqual(yield* floatOf(ledger, "test", places(scene).here), 0n)
    }),
  )

  it.effect("writes a payment's movements in the mode of the payment", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments, ledger, world, create } = scene
      const { id } = yield* create({ mode: "live" })
      yield* payments.modifyPayment(id, applyEffects({ ledger: [movements(scene).fund(3n)] }))
      assert.strictEqual(nonZero(yield* ledger.balances("live", world.token)).size, 2)
      assert.strictEqual(nonZero(yield* ledger.balances("test", world.token)).size, 0)
    }),
  )

  it.effect("counts quantities of any size exactly", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { post, balances } = scene
      const make = movements(scene)
      const most = 2n ** 256n - 1n
      yield* post(make.fund(most))
      yield* post(make.fundElsewhere(most))
      yield* post(make.withdraw(most - 1n))
      assert.deepStrictEqual(
        [...(yield* balances()).values()].toSorted((left, right) => Number(left - right)),
        [-(most + 1n), 1n, most],
      )
    }),
  )

  it.effect("equals the sum of the payments' ledgers, in the order of writing", () =>
    Effect.gen(function* () {
      const { ledger, world, walk, balances } = yield* begin
      const written: Array<Ledger.Transaction> = []
      for (const stage of Fixtures.stages) {
        const path = world.path(stage, { now })
        const { id } = yield* walk(path)
        const own = path.flatMap(Change.bookedBy).filter(({ paymentId }) => paymentId === id)
        assert.deepStrictEqual(
          yield* ledger.ledgerOf(id),
          own.map(({ transaction }) => transaction),
          stage,
        )
        written.push(...Fixtures.bookedBy(path))
      }
      const held = yield* balances()
      assert.deepStrictEqual(held, nonZero(Ledger.balances(written)))
      assert.strictEqual(sumOf(held), 0n)
    }),
  )

  it.effect("sums everything that many payments write concurrently", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { payments: paymentStore, createMany, balances } = scene
      const make = movements(scene)
      const payments = yield* createMany(20)
      const written = range(80).map((index) =>
        index % 2 === 0 ? make.collect(BigInt(index + 1)) : make.suspend(BigInt(index + 1)),
      )
      yield* atOnce(written, (transaction, index) => {
        const payment = payments[index % payments.length]
        return payment === undefined
          ? Effect.die("no payment")
          : paymentStore.modifyPayment(payment.id, applyEffects({ ledger: [transaction] }))
      })
      assert.deepStrictEqual(yield* balances(), nonZero(Ledger.balances(written)))
    }),
  )

  it.effect("keeps chains separate if two families use the same chain id", () =>
    Effect.gen(function* () {
      const scene = yield* begin
      const { ledger, post } = scene
      const tokens = lookalikes(scene, yield* unusedChain(scene))
      const addresses = lookalikes(scene, tokens[0].chainId)
      const held = range(3).map((index) => ({
        token: tokens[index] ?? assert.fail("no token"),
        collecting: (addresses[index] ?? assert.fail("no place")).address,
        quantity: quantity(10n ** BigInt(index + 1)),
      }))
      yield* Effect.forEach(held, (each) => post(Ledger.funding(each)))
      for (const { collecting, quantity: expected, token } of held) {
        const account: Ledger.Account = {
          _tag: "Collecting",
          chainId: token.chainId,
          address: collecting,
        }
        assert.strictEqual(yield* floatOf(ledger, "test", { collecting, token }), expected)
        const balances = yield* ledger.balances("test", token)
        assert.strictEqual(balances.get(Ledger.balanceKey(account, token))?.balance, expected)
        assert.isTrue([...balances.values()].every((each) => Caip.sameToken(each.token, token)))
      }
      // What is missing on one chain is not taken from another.
      for (const [index, each] of held.entries()) {
        const more = { ...each, quantity: quantity(each.quantity + 1n) }
        yield* failsWith("Overdrawn", post(Ledger.withdrawal(more)))
        yield* post(Ledger.withdrawal(each))
        assert.deepStrictEqual(
          yield* Effect.forEach(held, (place) => floatOf(ledger, "test", place)),
          held.map((rest, place) => (place > index ? rest.quantity : 0n)),
        )
      }
    }),
  )
}
