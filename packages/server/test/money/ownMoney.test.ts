/** The operator's own money on the accounts that also hold the merchants'. */
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { TreasuryPolicy } from "@florin/core/ports/TreasuryPolicy"
import { collectingWallets } from "@florin/testing/SimulatedChain"
import * as Wallet from "@florin/testing/Wallet"
import { Context, Effect } from "effect"
import * as Actors from "../simulation/Actors.ts"
import * as World from "../simulation/World.ts"
import * as Town from "./Town.ts"

const treasury = Wallet.make(170).address
/** The operator may withdraw to its treasury. */
const policy = {
  accounts: Actors.chainIds.map((chainId) => ({ chainId, address: treasury })),
  sweep: null,
}

/**
 * Of several withdrawals from one account in one token, one is accepted, and the next one after it is done. What the
 * account owes to others never leaves with them.
 */
const oneAtATime: Town.Property = Effect.fnUntraced(function* (seed) {
  const town = yield* Town.open(seed, {
    replace: (ports) => Context.add(ports, TreasuryPolicy, policy),
  })
  const { draw, machine, operator, token, world } = town
  const [shop = assert.fail()] = town.shops
  const float = 100_000_000n
  yield* town.fund(float)
  const all = town.take(shop, 3)
  const withdrawn = () => town.sentTo(treasury)
  for (let round = 0; round < 6; round++) {
    const before = withdrawn()
    world.setRates({ ...World.calm, pause: 1000 })
    // Any two of these are more than an account has.
    const begun = collectingWallets.flatMap(({ address: from }) =>
      Array.from({ length: 1 + draw(3) }, async () => {
        const quantity = float / 2n + BigInt(1 + draw(1_000_000))
        const accountOf = (address: typeof from) =>
          Eip155.formatAccount({ chainId: token.chainId, address })
        const going = {
          mode: "test",
          from: accountOf(from),
          to: accountOf(treasury),
          amount: { unit: `caip19/${Eip155.formatToken(token)}`, value: String(quantity) },
        } as const
        return operator.float.withdraw(going).then(
          () => ({ from, isAccepted: true }),
          () => ({ from, isAccepted: false }),
        )
      }),
    )
    town.meet([])
    const ended = yield* Effect.promise(() => Promise.all(begun))
    for (const { address } of collectingWallets) {
      const accepted = ended.filter(({ from, isAccepted }) => isAccepted && from === address)
      assert.isAtMost(accepted.length, 1, "one movement of an account at a time")
    }
    town.settle()
    town.rest()
    for (const { address } of collectingWallets) {
      const sent = withdrawn()
        .slice(before.length)
        .filter(({ from }) => from === address)
      assert.isAtMost(sent.length, 1, "one movement of an account at a time")
    }
    if (draw(2) === 0) machine.runUntil(machine.now() + Town.minute)
  }
  town.quiet()
  assert.isAbove(withdrawn().length, 0, "something is withdrawn")
  for (const { address } of collectingWallets) {
    const sent = withdrawn().filter(({ from }) => from === address)
    const sum = Town.sum(sent.map(({ quantity }) => quantity))
    assert.isTrue(sum <= float, "only the operator's own money is withdrawn")
  }
  town.isLawful(shop, all, town.receivedBy(shop.treasury))
  assert.strictEqual(town.bookOf(shop).owed, 0n, "merchants are paid in full")
  town.agrees()
})

describe("The operator's own money", () => {
  it.effect(
    "leaves an account in one movement at a time, and never exceeds the balance",
    () => Town.holds(oneAtATime, 6),
    Town.timeout,
  )
})
