/**
 * Faults that are put into the service on purpose: the simulation must show each of them, or it proves nothing.
 *
 * @module
 */
import { assert, describe, it } from "@effect/vitest"
import * as Counts from "@florin/testing/Counts"
import { canaries } from "./simulation/Canaries.ts"
import * as Simulation from "./simulation/Simulation.ts"
import * as Steps from "./simulation/Steps.ts"

const stepCount = 200
const seedsMax = 300
/** Where to look first, as a search from the first seed can take a minute. If worlds change, another seed shows the fault. */
const seenLast: Readonly<Record<string, number>> = {
  "a booking is left out": 2,
  "a success is announced and not kept": 2,
  "a worker's lease is neither kept nor checked when it writes": 176,
  "an idempotency key is remembered without its request": 2,
  "anybody may sign where a refund goes": 7,
  "money is final as soon as it is in a block": 3,
}
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

describe("the simulation finds the fault", () => {
  for (const [name, replace] of Object.entries(canaries)) {
    it(
      `${name}`,
      () => {
        const isShown = (seed: number): boolean =>
          Simulation.play(Steps.planOf(seed, stepCount), { replace }).violations.length > 0
        const seeds = Array.from({ length: seedsMax }, (_, index) => index + 1)
        assert.isDefined([seenLast[name] ?? 1, ...seeds].find(isShown), "no seed shows it")
      },
      timeout,
    )
  }
})
