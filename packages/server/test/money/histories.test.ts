/**
 * Long histories under every payout policy: payments of many shops come in batches, and between the batches happens what
 * goes wrong with money. In the end the entries, the ledger and the chain must agree.
 */
import { stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Money from "@florin/core/domain/ground/Money"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as Collector from "@florin/core/workers/Collector"
import * as Counts from "@florin/testing/Counts"
import * as Oracle from "@florin/testing/oracle/Oracle"
import * as Reading from "@florin/testing/oracle/Reading"
import * as Wallet from "@florin/testing/Wallet"
import { Effect } from "effect"
import * as Actors from "../simulation/Actors.ts"
import * as Simulation from "../simulation/Simulation.ts"
import * as Town from "./Town.ts"

const stranger = Wallet.make(191).address

const counts = Counts.full
  ? { payments: 1000, shops: 20, batch: 25 }
  : { payments: 40, shops: 4, batch: 8 }

/** One of each kind: immediately, after a time, and after a time or from a quantity on. */
const policies: { readonly [name: string]: PayoutPolicy.PayoutPolicy } = {
  immediate: PayoutPolicy.immediate,
  "15m": { _tag: "Batched", everyInMs: 15 * Town.minute },
  "60m/20": { _tag: "Batched", everyInMs: 60 * Town.minute, atUnits: 20 },
}

const hook = "https://hooks.example.com/town"

/** What was sent back of a payment, in whole or in parts. */
const returned = (town: Town.Town, paid: Town.Paid): bigint =>
  Town.sum(
    Reading.list(town.details(paid), "refunds")
      .filter((refund) => Reading.text(refund, "status") === "succeeded")
      .map((refund) => Reading.amount(refund, "amount").quantity),
  )

/** Not each payment is: if the service has stopped, or others before it wait, nobody collects it, and it expires. */
const isPaid = (town: Town.Town, paid: Town.Paid): boolean => town.statusOf(paid) === "succeeded"

const historyOf = (payouts: PayoutPolicy.PayoutPolicy): Town.Property =>
  Effect.fnUntraced(function* (seed, replace) {
    const town = yield* Town.open(seed, { replace, payouts, shops: counts.shops })
    const { chain, draw, machine, operator, shops, token } = town
    const { chainId } = token
    const { key } = town.keys.test
    const whose = { partnerId: town.partnerId, mode: "test" } as const
    town.expect(201, { path: "/v1/webhooks", key, idempotencyKey: "hook", body: { url: hook } })
    yield* town.fund()
    town.watch()
    const all: Array<Town.Paid> = []
    const seen = { refunds: 0, restores: 0 }
    /** Payouts of which only the chain knew. */
    const recorded = new Set<string>()

    const refundOf = (paid: Town.Paid): Parameters<typeof town.ask>[0] => {
      const value = draw(2) === 0 ? null : `${1 + draw(Number(paid.quantity / 10_000n))}`
      return {
        ...town.refunding(paid),
        idempotencyKey: `refund ${seen.refunds++}`,
        body: {
          paymentId: paid.id,
          ...(value !== null && { amount: { unit: "iso4217/USD", value }, reason: "a part" }),
        },
      }
    }
    /** Of payments that are paid out, that wait, or that are on their way. */
    const refundSome = () => {
      town.meet(
        Town.shuffled(draw, all)
          .slice(0, 1 + draw(4))
          .map(refundOf),
      )
    }
    const reverts = () => town.act(chain.lanes).reduce((sum, lane) => sum + lane.reverted, 0)
    /** A payout that is signed fails in its block: the token's issuer blocked the destination meanwhile. */
    const revertSome = () => {
      unblockAll()
      const shop = Town.oneOf(draw, shops)
      const { treasury } = shop
      const paid = town.create(shop, 100 + draw(2000))
      town.confirm(paid)
      all.push(paid)
      for (let tries = 0; tries < 10 && !isPaid(town, paid); tries++) {
        town.world.work(Collector.drain)
        machine.runUntil(machine.now() + 1000)
        town.settle()
        town.rest()
      }
      // Everything is due, and signed in the first turns.
      machine.runUntil(machine.now() + 70 * Town.minute)
      town.meet([])
      town.act(chain.block(treasury))
      town.settle()
      town.rest()
    }
    const unblockAll = () => {
      for (const { treasury } of shops) town.act(chain.unblock(treasury))
    }
    /** Nodes forget what waits, and a block is replaced. */
    const reorganise = () => {
      const drop = town.act(chain.pending(chainId)).filter(() => draw(2) === 0)
      town.act(chain.reorg(chainId, 1, { drop }))
    }
    const die = () => {
      const dying = town.world.anyServer()
      dying.dies = { calls: draw(25), isCarriedOut: draw(2) === 0 }
      town.meet([])
      for (const server of town.world.servers) server.dies = null
    }
    const pass = () => town.round(draw(70) * Town.minute)
    const troubles = [refundSome, refundSome, revertSome, unblockAll, reorganise, die, pass, pass]

    /** As after a restore to an older backup: the chain shows payouts that the ledger does not know. */
    const restore = Effect.fnUntraced(function* () {
      const shop = Town.oneOf(draw, shops)
      unblockAll()
      yield* town.done(operator.merchants.freeze({ merchantId: shop.id }))
      const unknown = town.take(shop, 2)
      all.push(...unknown)
      const lost = unknown.map((paid) => {
        const txId = Reading.text(town.details(paid), "info", "txId")
        const from = town.transfers().find((each) => each.hash === txId)?.to ?? assert.fail()
        const quantity = Money.Quantity.make(paid.quantity)
        return { paid, hash: town.act(chain.transfer(from, token, shop.treasury, quantity)) }
      })
      town.settle()
      town.rest()
      if (draw(2) === 0) town.meet(unknown.slice(1).map(refundOf))
      for (const { hash, paid } of Town.shuffled(draw, lost)) {
        const isRecorded = operator.outflows
          .recordForPayment({ paymentId: paid.id, txId: hash })
          .then(
            () => true,
            () => false,
          )
        // What a debt or the refund of a part took from the share meanwhile was paid in advance.
        if (!(yield* town.done(isRecorded)))
          yield* town.done(operator.outflows.record({ txId: hash }))
        recorded.add(hash)
      }
      yield* town.done(operator.merchants.unfreeze({ merchantId: shop.id }))
      seen.restores++
    })

    /**
     * A payout that reverted may succeed on the branch that remained, when its shares were paid by another long ago. Only
     * a comparison of ledger and chain shows it: the operator records it, and its merchant owes it.
     */
    const recordUnknown = Effect.fnUntraced(function* () {
      const known = new Set([
        ...town.payouts().map((payout) => Reading.text(payout, "txId")),
        ...all.flatMap((paid) =>
          Reading.list(town.details(paid), "refunds").map((refund) => Reading.text(refund, "txId")),
        ),
        ...recorded,
      ])
      for (const { hash } of shops.flatMap(({ treasury }) => town.sentTo(treasury))) {
        if (known.has(hash)) continue
        yield* town.done(operator.outflows.record({ txId: hash }))
        recorded.add(hash)
      }
    })

    /** The operator looks after what stopped, and time passes until nothing is left to do. */
    const comeToRest = Effect.fnUntraced(function* () {
      unblockAll()
      town.quiet(4, 20 * Town.minute)
      yield* town.done(operator.chains.resume({ chainId, mode: "test" }))
      yield* town.done(operator.outflows.retryAll(whose))
      town.quiet(6, 70 * Town.minute)
      town.watch()
    })

    const isSound = () => {
      town.agrees()
      assert.deepStrictEqual(Simulation.contradictionsIn(town.world), [])
      for (const shop of shops) {
        const { debt, kept, owed } = town.bookOf(shop)
        const ours = all.filter((paid) => paid.shop.id === shop.id && isPaid(town, paid))
        const brought = Town.sum(ours.map(({ quantity }) => quantity))
        const back = Town.sum(ours.map((paid) => returned(town, paid)))
        for (const paid of ours) assert.isTrue(returned(town, paid) <= paid.quantity)
        assert.strictEqual(
          town.receivedBy(shop.treasury) + owed + kept,
          brought - back + debt,
          "the law of a shop's money",
        )
      }
    }

    /** The service stops when it sees what a restore took out of its ledger, and its operator has looked by then. */
    const resume = Effect.suspend(() =>
      seen.restores === 0
        ? Effect.void
        : town.done(operator.chains.resume({ chainId, mode: "test" })),
    )

    /** A payment that succeeds, after all that stands before it in the queue of its account. */
    const pay = Effect.fnUntraced(function* () {
      yield* resume
      const paid = town.create(Town.oneOf(draw, shops), 100 + draw(2000))
      town.confirm(paid)
      for (let tries = 0; tries < 20 && !isPaid(town, paid); tries++) {
        town.round(10_000)
        yield* resume
      }
      assert.strictEqual(town.statusOf(paid), "succeeded", JSON.stringify(town.details(paid)))
      all.push(paid)
    })

    const batches = counts.payments / counts.batch
    for (let batch = 0; batch < batches; batch++) {
      for (let each = 0; each < counts.batch; each++) {
        yield* pay()
        if (draw(4) === 0) Town.oneOf(draw, troubles)()
      }
      pass()
      town.watch()
      if (batch === Math.floor(batches / 2)) yield* restore()
    }
    yield* comeToRest()
    isSound()
    const known = all.map(({ id, shop }) => ({
      id,
      merchantId: shop.id,
      partner: { key },
    }))
    const evidence = Simulation.gather({ known, partners: [{ hook, key }], world: town.world })
    assert.deepStrictEqual(Oracle.judge(evidence), [])

    const reverted = reverts()
    // Deeper than the chain's policy: the last payers spend their money elsewhere on the new branch.
    const gone = all.slice(-3)
    const drop = gone.map((paid) => Reading.text(town.details(paid), "info", "txId"))
    const head = town.act(chain.head(chainId))?.number ?? 0
    town.act(chain.reorg(chainId, head, { drop }))
    for (const { address } of Actors.payers) {
      town.act(chain.transfer(address, token, stranger, town.act(chain.balanceOf(token, address))))
    }
    town.settle()
    town.rest()
    for (let passed = 0; passed < 8; passed++) {
      town.round(6 * 60 * Town.minute)
      town.watch()
    }
    yield* recordUnknown()
    yield* comeToRest()
    isSound()

    const mined = new Set(town.transfers().map(({ hash }) => hash))
    const missing = all.filter(
      (paid) => isPaid(town, paid) && !mined.has(Reading.text(town.details(paid), "info", "txId")),
    )
    const lost = town.balances().find(({ account }) => account._tag === "Loss")?.balance ?? 0n
    assert.strictEqual(
      lost,
      Town.sum(missing.map(({ quantity }) => quantity)),
      "the operator bears the loss",
    )

    // So that everything was tried at all.
    const states = all.map((paid) => Reading.list(town.details(paid), "refunds"))
    const tried = {
      refunded: states.flat().filter((each) => Reading.text(each, "status") === "succeeded").length,
      refundedTwice: states.filter((each) => each.length > 1).length,
      reverted,
      payouts: town.payouts().length,
      lost: missing.length,
    }
    stdout.write(`${PayoutPolicy.format(payouts)}: ${JSON.stringify(tried)}\n`)
    if (Counts.full)
      for (const [what, count] of Object.entries(tried)) assert.isAbove(count, 0, what)
  })

describe("A long history of many shops", () => {
  it.effect.each(Object.keys(policies))(
    "leaves entries, ledger and chain equal if payouts are %s",
    (name) => Town.holds(historyOf(policies[name] ?? assert.fail()), 1, 1),
    Town.timeout,
  )
})
