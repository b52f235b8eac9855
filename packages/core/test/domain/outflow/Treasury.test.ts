import { assert, describe, it } from "@effect/vitest"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Treasury from "@florin/core/domain/outflow/Treasury"
import * as Counts from "@florin/testing/Counts"
import * as Fixtures from "@florin/testing/Fixtures"
import { Schema } from "effect"

const quantity = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 50n }))
const Place = Schema.Struct({
  float: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -20n, maximum: 100n })),
  wanted: quantity,
  coming: quantity,
  isLeaving: Schema.Boolean,
})

const place = (address: string, of: Partial<Treasury.Place>): Treasury.Place => ({
  address: Caip.Address.make(address),
  float: 0n,
  wanted: 0n,
  coming: 0n,
  isLeaving: false,
  ...of,
})

const move = (from: string, to: string, of: bigint) => ({
  from: Caip.Address.make(from),
  to: Caip.Address.make(to),
  quantity: Fixtures.quantity(of),
})

describe("Treasury.moves", () => {
  it("moves what is missing from the accounts with the most to spare", () => {
    const places = [
      place("a", { float: 10n, wanted: 100n }),
      place("b", { float: 60n }),
      place("c", { float: 80n, wanted: 10n }),
    ]
    assert.deepStrictEqual(Treasury.moves(places), [move("c", "a", 70n), move("b", "a", 20n)])
  })

  it("counts what is on its way, and does not touch what is being moved already", () => {
    const wanting = place("a", { wanted: 100n, coming: 100n })
    assert.deepStrictEqual(Treasury.moves([wanting, place("b", { float: 100n })]), [])
    const busy = place("b", { float: 100n, isLeaving: true })
    assert.deepStrictEqual(Treasury.moves([place("a", { wanted: 5n }), busy]), [])
  })

  it("does not replace a loss by itself", () => {
    assert.deepStrictEqual(
      Treasury.moves([place("a", { float: -5n }), place("b", { float: 100n })]),
      [],
    )
  })

  it.prop(
    "S4: never takes money that is waited for on its account, moves nothing twice, and no more than is missing",
    [Schema.Array(Place).check(Schema.isMaxLength(6))],
    ([drawn]) => {
      const places = drawn.map((each, index) => place(`${index}`, each))
      const moves = Treasury.moves(places)
      for (const { address, coming, float, isLeaving, wanted } of places) {
        const out = moves.filter(({ from }) => from === address)
        const into = moves.filter(({ to }) => to === address)
        assert.isAtMost(out.length, isLeaving ? 0 : 1)
        const brought = into.reduce((sum, each) => sum + each.quantity, 0n)
        for (const each of out) {
          assert.isTrue(each.quantity > 0n && each.quantity <= float - wanted)
          assert.strictEqual(into.length, 0)
        }
        assert.isTrue(brought === 0n || float + coming + brought <= wanted)
      }
    },
    { arbitrary: { runs: Counts.of({ usual: 500, full: 50_000 }) } },
  )
})

describe("Treasury.excess", () => {
  it("S6: is what exceeds waiting outflows and the limit", () => {
    const limit = Fixtures.quantity(30n)
    const excess = (of: Partial<Treasury.Place>) => Treasury.excess(place("a", of), limit)
    assert.strictEqual(excess({ float: 100n, wanted: 20n }), 50n)
    assert.strictEqual(excess({ float: 30n }), 0n)
    assert.strictEqual(excess({ float: -1n }), 0n)
    assert.strictEqual(excess({ float: 100n, isLeaving: true }), 0n)
  })
})

describe("Treasury.mayLeave", () => {
  const [base, other] = [Fixtures.chainId, Fixtures.otherChainId]
  const [hot, second, cold, listed, stranger] = [
    "treasury/hot",
    "treasury/second",
    "treasury/cold",
    "treasury/listed",
    "treasury/stranger",
  ].map((name) => Fixtures.account(name))
  assert(hot !== undefined && second !== undefined && cold !== undefined)
  assert(listed !== undefined && stranger !== undefined)

  const own = [hot, second]
  const sweep: Treasury.Sweep = { to: [cold], hotMax: 100, everyInMs: 1000 }
  const policy: Treasury.Policy = { accounts: [listed], sweep }
  const to = (
    account: Caip.Account,
    tag: "Move" | "Withdraw" | "Sweep",
    { accounts = own, by = policy, on = base } = {},
  ) =>
    Treasury.mayLeave(
      {
        movement: {
          token: Fixtures.token("treasury", on),
          from: hot.address,
          to: account.address,
          quantity: Fixtures.quantity(1n),
        },
        purpose: { _tag: tag },
      },
      by,
      accounts,
    )

  it("S6: allows moves only to another of our accounts on the same chain", () => {
    assert.isTrue(to(second, "Move"))
    assert.isFalse(to(hot, "Move"), "it is there already")
    for (const account of [cold, listed, stranger]) assert.isFalse(to(account, "Move"))
    assert.isFalse(to(second, "Move", { on: other }), "ours, on another chain")
  })

  it("S6: allows withdrawals only to accounts that the settings list for the chain", () => {
    assert.isTrue(to(listed, "Withdraw"))
    for (const account of [hot, second, cold, stranger]) assert.isFalse(to(account, "Withdraw"))
    assert.isFalse(to(listed, "Withdraw", { on: other }))
  })

  it("S6: allows sweeps only to the account that the settings name for the chain", () => {
    assert.isTrue(to(cold, "Sweep"))
    for (const account of [hot, second, listed, stranger]) assert.isFalse(to(account, "Sweep"))
    assert.isFalse(to(cold, "Sweep", { on: other }))
  })

  it("S6: allows only moves by default, nothing out of the service", () => {
    const by = Treasury.closedPolicy
    assert.isTrue(to(second, "Move", { by }))
    for (const account of [hot, second, cold, listed, stranger]) {
      assert.isFalse(to(account, "Withdraw", { by }))
      assert.isFalse(to(account, "Sweep", { by }))
    }
  })

  it("S6: refuses our own accounts as the operator's, on any chain, because their keys are hot", () => {
    const listing = (account: Caip.Account): Treasury.Policy => ({
      accounts: [account],
      sweep: { ...sweep, to: [account] },
    })
    for (const by of [listing(second), listing({ ...second, chainId: other })]) {
      for (const on of [base, other]) {
        assert.isFalse(to(second, "Withdraw", { by, on }))
        assert.isFalse(to(second, "Sweep", { by, on }))
      }
    }
  })

  it("allows payouts and refunds, whose destinations the storage decides", () => {
    const { outflow } = Fixtures.statesAfter(Fixtures.make("mayLeave").path("gathered"))
    assert(outflow !== null)
    assert.isTrue(Treasury.mayLeave(outflow, Treasury.closedPolicy, own))
  })
})
