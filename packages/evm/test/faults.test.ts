import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Faults from "../test-support/faults.ts"
import * as Payers from "../test-support/payers.ts"
import * as Seed from "../test-support/seed.ts"
import * as Shop from "../test-support/shop.ts"

const plans = Counts.of({ usual: 3, full: 100 })
/** Each plan has a chain and a service of its own: a machine with much else to do takes minutes. */
const timeout = Counts.of({ usual: 900_000, full: 7_200_000 })

const lastsInMs = 4000
const betweenBlocksInMs = 100
const untilAuthorizationsEndInS = 700
/** Of all that is asked, so much goes wrong. */
const share = { least: 0.1, most: 0.25 }

/** What becomes of a payment's money after the confirm; what the wallet sent itself stays. */
const fates = ["stays", "stays", "goes", "is revoked"] as const
const fateOf = (plan: number, index: number, { flow }: Shop.Order) =>
  flow === "transfer" ? "stays" : fates[Math.floor(Seed.at(plan, `fate ${index}`) * fates.length)]

const shareOf = (plan: number) => share.least + Seed.at(plan, "share") * (share.most - share.least)

const run = Effect.fnUntraced(function* (plan: number) {
  let faulty: Faults.Faulty | undefined
  const shop = yield* Shop.make({
    everyInMs: betweenBlocksInMs,
    urlOf: (local) =>
      Effect.map(Faults.make(local, plan, shareOf(plan)), (made) => {
        faulty = made
        return made.url
      }),
    // A busy machine must get its work done within two thirds of it.
    florin: { worker: { idleInMs: 50, leaseInMs: 10_000 } },
  })
  if (faulty === undefined) return assert.fail("there is no node")
  const { befell, begin, end } = faulty
  yield* Effect.promise(() => shop.florin.workers.start())
  const orders = yield* Effect.forEach(
    [...Shop.flows, ...Shop.flows, "eip3009", "permit2"] as const,
    (flow) => shop.order(flow),
  )
  for (const { flow, payer, token } of orders) {
    if (flow !== "permit2") continue
    yield* shop.sendAs(payer, token.address, Payers.call.approve(Shop.price))
  }

  const staying = orders.filter((each, index) => fateOf(plan, index, each) === "stays")

  begin()
  const paid = Effect.gen(function* () {
    const paying = yield* Effect.forEach(
      orders,
      (each, index) =>
        Effect.gen(function* () {
          const confirmed = yield* shop.insisted(each)
          const fate = fateOf(plan, index, each)
          if (fate === "goes") yield* shop.spend(each)
          if (fate === "is revoked") yield* shop.revoke(confirmed)
        }),
      { concurrency: "unbounded", discard: true },
    ).pipe(Effect.forkScoped)
    yield* Effect.sleep(lastsInMs)
    end()
    yield* Fiber.join(paying)
    yield* shop.over(staying)
    // Money that went elsewhere is waited for as long as its authorization is good.
    yield* shop.local.pass(untilAuthorizationsEndInS)
    yield* shop.over(orders)
  })
  const watching = shop.believed(orders).pipe(Effect.repeat(Schedule.spaced(50)))
  yield* Effect.raceFirst(paid, watching)
  for (const each of staying) {
    assert.strictEqual(yield* shop.statusOf(each.id), "succeeded", each.id)
  }
  yield* shop.agreed(orders)
  yield* shop.contiguous
  return befell
}, Effect.scoped)

describe("an unreliable node", () => {
  it.live(
    `makes no payment succeed or fail against the chain: ${plans} plans`,
    () =>
      Effect.gen(function* () {
        const seen = new Set<Faults.Fault>()
        yield* Effect.forEach(
          Array.from({ length: plans }, (_, index) => Seed.ofRun + index),
          (plan) =>
            run(plan).pipe(
              Effect.tap((befell) =>
                Effect.sync(() => [...befell.keys()].map((fault) => seen.add(fault))),
              ),
              Effect.tapCause(() => Effect.logError("this plan failed", { plan })),
            ),
          { concurrency: 5, discard: true },
        )
        assert.isAbove(seen.size, Faults.faults.length / 2, "there were faults of many kinds")
      }),
    timeout,
  )
})
