/**
 * Makes a plan that fails shorter: as few troubles and steps as still break the same rule.
 *
 * @module
 */
import * as Simulation from "./Simulation.ts"
import type * as Steps from "./Steps.ts"
import type * as World from "./World.ts"

/** The plans that are tried next, the shortest first. */
const candidates = function* (plan: Steps.Plan, size: number): Generator<Steps.Plan> {
  for (let from = 0; from < plan.steps.length; from += size) {
    yield { ...plan, steps: plan.steps.toSpliced(from, size) }
  }
}

const withoutEach = function* (plan: Steps.Plan): Generator<Steps.Plan> {
  for (const trouble of plan.troubles) {
    yield { ...plan, troubles: plan.troubles.filter((each) => each !== trouble) }
  }
}

/** Tries at most so many plans. */
export const shrink = (
  plan: Steps.Plan,
  rule: string,
  options: Pick<World.Options, "replace">,
  triesMax: number,
): Steps.Plan => {
  let tries = 0
  const breaks = (shorter: Steps.Plan): boolean => {
    if (tries++ >= triesMax) return false
    const { violations } = Simulation.play(shorter, options)
    return violations.some((each) => each.rule === rule)
  }
  const firstOf = (plans: Generator<Steps.Plan>): Steps.Plan | undefined => {
    for (const each of plans) if (breaks(each)) return each
    return undefined
  }
  let found = plan
  for (const each of withoutEach(plan)) {
    const calmer = {
      ...found,
      troubles: found.troubles.filter((kept) => each.troubles.includes(kept)),
    }
    if (breaks(calmer)) found = calmer
  }
  for (let size = Math.ceil(found.steps.length / 2); size >= 1;) {
    const shorter = firstOf(candidates(found, size))
    if (shorter === undefined) size = size === 1 ? 0 : Math.ceil(size / 2)
    else found = shorter
  }
  return found
}
