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
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

describe("the simulation finds the fault", () => {
  for (const [name, replace] of Object.entries(canaries)) {
    it(
      `${name}`,
      () => {
        const isShown = (seed: number): boolean =>
          Simulation.play(Steps.planOf(seed, stepCount), { replace }).violations.length > 0
        const seeds = Array.from({ length: seedsMax }, (_, index) => index + 1)
        assert.isDefined(seeds.find(isShown), "no seed shows it")
      },
      timeout,
    )
  }
})
