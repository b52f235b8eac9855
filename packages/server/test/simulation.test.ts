/**
 * Simulated worlds that follow from a seed, judged by what outsiders see. `pnpm sim` plays more of them.
 *
 * @module
 */
import { randomInt } from "node:crypto"
import { env, stdout } from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Counts from "@florin/testing/Counts"
import * as Reading from "@florin/testing/oracle/Reading"
import { Result } from "effect"
import * as Simulation from "./simulation/Simulation.ts"
import * as Steps from "./simulation/Steps.ts"
import * as World from "./simulation/World.ts"

const stepCount = 200
const timeout = Counts.of({ usual: 240_000, full: 3_600_000 })

describe("a simulated world", () => {
  it(
    "M22: breaks no rule, whatever happens",
    () => {
      const first = Number(env["FLORIN_SEED"] ?? randomInt(1_000_000_000))
      // CI plays 200 more with `pnpm sim`.
      const seeds = Counts.of({ usual: 5, full: 2000 })
      for (let seed = first; seed < first + seeds; seed++) {
        const { violations } = Simulation.play(Steps.planOf(seed, stepCount))
        const how = `pnpm sim --seeds 1 --seed ${seed} --steps ${stepCount} --explain`
        assert.deepStrictEqual(violations, [], how)
      }
      stdout.write(`simulated seeds ${first} to ${first + seeds - 1}\n`)
    },
    timeout,
  )

  it("is the same for the same seed", () => {
    const play = () => Simulation.digest(Simulation.play(Steps.planOf(7, stepCount)))
    assert.strictEqual(play(), play())
  })

  it("resumes a request that yielded to others", () => {
    const world = World.make({ seed: 1, processes: 2, finalityDepth: 1 })
    world.setRates({ ...World.calm, pause: 1000 })
    const random = new Uint8Array(ApiKey.randomBytesMin)
    const key = Result.getOrThrow(ApiKey.make("test", "partner", random))
    world.outside.run(world.call({ path: "/v1/merchants", key }))
    world.machine.rest()
    const statuses = world.exchanges.map(({ response }) => response?.status)
    assert.deepStrictEqual(statuses, [401])
  })

  it("covers what the rules are about", () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 10; seed++) {
      const { evidence } = Simulation.play(Steps.planOf(seed, stepCount))
      for (const { response } of evidence.exchanges) seen.add(`${response?.status}`)
      for (const { details, feed } of evidence.books) {
        for (const each of details) seen.add(Reading.text(each, "status"))
        for (const each of feed) seen.add(Reading.text(each, "type"))
      }
    }
    const expected =
      "undefined 200 201 400 409 410 422 451 502 503 succeeded failed expired cancelled payment.settled refund.succeeded"
    assert.includeMembers([...seen], expected.split(" "))
  })
})
