/** Money that was sent, or may have been: whatever happens later, it counts once. */
import { assert, describe, it } from "@effect/vitest"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import * as Reading from "@florin/testing/oracle/Reading"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Actors from "../simulation/Actors.ts"
import * as Faults from "./Faults.ts"
import * as Town from "./Town.ts"

const elsewhere = Wallet.make(190).address
const stranger = Wallet.make(191).address

/**
 * Once a payout is signed, only the chain can end it: refunds, changes of the destination, a freeze, nodes that forget its
 * transaction, and processes that die never have its shares paid again.
 */
const mayBeSent: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace })
  const { chain, draw, operator, token } = town
  const [shop = assert.fail()] = town.shops
  yield* town.fund()
  const all = town.take(shop, 2 + draw(3))
  town.meet([])
  const { chainId } = token
  const waiting = () => town.act(chain.pending(chainId))
  const steps: ReadonlyArray<() => Effect.Effect<unknown>> = [
    () => Effect.sync(() => town.meet([town.refunding(Town.oneOf(draw, all))])),
    () =>
      Effect.sync(() =>
        town.meet([town.moving(shop, Town.oneOf(draw, [elsewhere, shop.treasury]))]),
      ),
    () => town.done(operator.merchants.freeze({ merchantId: shop.id })),
    () => town.done(operator.merchants.unfreeze({ merchantId: shop.id })),
    () => Effect.sync(() => town.act(chain.reorg(chainId, 1, { drop: waiting() }))),
    () => Effect.sync(() => town.act(chain.mine(chainId))),
    () => Effect.sync(() => town.act(chain.disturb({ seed: draw(1000), perMille: 300 }))),
    () => Effect.sync(() => town.meet([])),
  ]
  for (let step = 0; step < 10; step++) {
    yield* Town.oneOf(draw, steps)()
    const dying = town.world.anyServer()
    if (draw(4) === 0) dying.dies = { calls: draw(25), isCarriedOut: draw(2) === 0 }
    town.meet([])
    for (const server of town.world.servers) server.dies = null
  }
  town.act(chain.disturb(null))
  town.act(chain.heal)
  yield* town.done(operator.merchants.unfreeze({ merchantId: shop.id }))
  town.quiet(8, 10 * Town.minute)
  const received = town.receivedBy(shop.treasury) + town.receivedBy(elsewhere)
  town.isLawful(shop, all, received)
  town.agrees()
})

/**
 * Payouts that the chain has and the ledger does not, as after a restore to an older backup. Their payments may be
 * refunded before an operator records them.
 */
const restored: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace })
  const { chain, draw, operator, token } = town
  const [shop = assert.fail()] = town.shops
  yield* town.fund()
  yield* town.done(operator.merchants.freeze({ merchantId: shop.id }))
  const all = town.take(shop, 1 + draw(3))
  const lost = all.map((paid) => {
    const txId = Reading.text(town.details(paid), "info", "txId")
    const from = town.transfers().find((each) => each.hash === txId)?.to ?? assert.fail()
    const quantity = Money.Quantity.make(paid.quantity)
    const hash = town.act(chain.transfer(from, token, shop.treasury, quantity))
    return { paid, hash }
  })
  town.settle()
  town.rest()
  const early = all.filter(() => draw(2) === 0)
  for (const paid of early) town.refund(paid)
  town.meet([])
  for (const { hash, paid } of Town.shuffled(draw, lost)) {
    yield* town.done(operator.outflows.recordForPayment({ paymentId: paid.id, txId: hash }))
  }
  for (const paid of all) if (!early.includes(paid) && draw(2) === 0) town.refund(paid)
  yield* town.done(operator.merchants.unfreeze({ merchantId: shop.id }))
  yield* town.done(operator.chains.resume({ chainId: token.chainId, mode: "test" }))
  town.quiet(8, 10 * Town.minute)
  for (const { hash, paid } of lost) {
    const settled = Reading.text(town.details(paid), "settlement", "successful", "txId")
    assert.strictEqual(settled, hash, "what was recorded settles its payment")
  }
  town.isLawful(shop, all, town.receivedBy(shop.treasury))
  town.agrees()
})

/**
 * A token keeps a part of what the service sends, which nobody could foresee. What moved is not what was to move, so the
 * payout or refund is held, and neither a retry nor anything else sends it again. Only an operator who looked may say what
 * it was.
 */
const movedOtherwise: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace })
  const { chain, draw, operator, token } = town
  const [shop = assert.fail()] = town.shops
  const whose = { partnerId: town.partnerId, mode: "test" } as const
  yield* town.fund()
  const [paid = assert.fail()] = town.take(shop, 1)
  const isRefund = draw(2) === 0
  if (isRefund) town.refund(paid)
  yield* town.done(
    operator.partners.change({ partnerId: town.partnerId, credit: { test: "none" } }),
  )
  town.meet([])
  town.act(chain.setTransferFee(token, 1 + draw(500)))
  town.settle()
  town.rest()
  town.act(chain.setTransferFee(token, 0))
  town.quiet()
  const sent = () => {
    const payees = [shop.treasury, elsewhere, ...Actors.payers.map(({ address }) => address)]
    return payees.flatMap((address) => town.sentTo(address))
  }
  const [first = assert.fail(), ...others] = sent()
  assert.deepStrictEqual(others, [])
  const details = town.details(paid)
  const held = isRefund
    ? Reading.at(details, "refund", "held")
    : Reading.at(details, "settlementHeld")
  assert.strictEqual(Reading.text(held, "reason"), "moved", JSON.stringify(details))
  // Nobody may have it sent again by accident: no retry, no refund, no other destination.
  const steps: ReadonlyArray<() => Effect.Effect<unknown>> = [
    () => town.done(operator.outflows.retrySettlement({ paymentId: paid.id }).catch(() => null)),
    () => town.done(operator.outflows.retryRefunds({ paymentId: paid.id }).catch(() => null)),
    () => town.done(operator.outflows.retryAll(whose).catch(() => null)),
    () => Effect.sync(() => town.meet([town.moving(shop, elsewhere)])),
    () => Effect.sync(() => town.meet([town.refunding(paid)])),
    () =>
      town.done(operator.chains.resumeToken({ asset: Eip155.formatToken(token), mode: "test" })),
    () => Effect.sync(() => town.meet([])),
  ]
  for (let step = 0; step < 8; step++) yield* Town.oneOf(draw, steps)()
  yield* town.done(operator.chains.resumeToken({ asset: Eip155.formatToken(token), mode: "test" }))
  town.quiet(6, 10 * Town.minute)
  assert.deepStrictEqual(sent(), [first], "what moved otherwise is not sent again")
  town.agrees()
})

/**
 * A reorganisation deeper than the chain's policy takes the transfers of payers back, and on the new branch they spend
 * their money elsewhere. Their payments stay succeeded, the merchants are paid, and the operator bears the loss.
 */
const lostPayment: Town.Property = Effect.fnUntraced(function* (seed, replace) {
  const town = yield* Town.open(seed, { replace })
  const { chain, draw, operator, token } = town
  const [shop = assert.fail()] = town.shops
  yield* town.fund()
  town.watch()
  yield* town.done(operator.merchants.freeze({ merchantId: shop.id }))
  const all = town.take(shop, 1 + draw(3))
  town.watch()
  const isPaidOut = draw(2) === 0
  if (isPaidOut) {
    yield* town.done(operator.merchants.unfreeze({ merchantId: shop.id }))
    town.quiet()
    town.watch()
  }
  const drop = all.map((paid) => Reading.text(town.details(paid), "info", "txId"))
  const head = town.act(chain.head(token.chainId))?.number ?? 0
  town.act(chain.reorg(token.chainId, head, { drop }))
  for (const { address } of Actors.payers) {
    town.act(chain.transfer(address, token, stranger, town.act(chain.balanceOf(token, address))))
  }
  town.settle()
  town.rest()
  town.watch()
  const areSucceeded = () => {
    for (const paid of all) {
      assert.strictEqual(Reading.text(town.details(paid), "status"), "succeeded")
    }
  }
  for (let passed = 0; passed < 8; passed++) {
    town.round(6 * 60 * Town.minute)
    town.watch()
    areSucceeded()
  }
  yield* town.done(operator.merchants.unfreeze({ merchantId: shop.id }).catch(() => null))
  yield* town.done(operator.chains.resume({ chainId: token.chainId, mode: "test" }))
  for (const paid of all)
    yield* town.done(operator.outflows.retrySettlement({ paymentId: paid.id }).catch(() => null))
  town.quiet(8, 10 * Town.minute)
  areSucceeded()
  const brought = Town.sum(all.map(({ quantity }) => quantity))
  assert.strictEqual(town.receivedBy(shop.treasury), brought, "a lost payment is paid out")
  const lost = town.balances().find(({ account }) => account._tag === "Loss")?.balance ?? 0n
  assert.strictEqual(lost, brought, "the operator bears the loss")
  town.agrees()
})

describe("Money that may have been sent", () => {
  it.effect("is never freed to be sent again", () => Town.holds(mayBeSent, 6), Town.timeout)

  it.effect("would be sent twice if sent money counted as waiting", () =>
    Town.isSeen(mayBeSent, Faults.sentLooksWaiting, "the law of a shop's money"),
  )
})

describe("A payout that a restore removed from the ledger", () => {
  it.effect(
    "is recorded, even if a refund cancelled its share meanwhile",
    () => Town.holds(restored, 6),
    Town.timeout,
  )

  it.effect("would not be recorded if a cancelled share lost its destination", () =>
    Town.isSeen(restored, Faults.cancelledSharesForget, "Conflict"),
  )
})

describe("Money that was moved another way", () => {
  it.effect("is never released", () => Town.holds(movedOtherwise, 6), Town.timeout)

  it.effect("would be released if it was held like any other", () =>
    Town.isSeen(movedOtherwise, Faults.movedLooksHeld, "is not sent again"),
  )
})

describe("A payment whose transfer a reorganisation removed", () => {
  it.effect("stays paid, and its merchant is paid", () => Town.holds(lostPayment, 6), Town.timeout)

  it.effect("would break the rule if the merchant lost its share", () =>
    Town.isSeen(lostPayment, Faults.lostPaymentsAreNotOwed, "is paid out"),
  )
})
