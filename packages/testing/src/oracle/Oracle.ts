/**
 * Judges a service by what outsiders saw of it: every rule, in one table.
 *
 * @example
 * assert.deepStrictEqual(Oracle.judge(evidence), [])
 *
 * @module
 */
import * as Announcements from "./Announcements.ts"
import type * as Evidence from "./Evidence.ts"
import * as Histories from "./Histories.ts"
import * as Lists from "./Lists.ts"
import * as Money from "./Money.ts"
import * as Order from "./Order.ts"

export const rules: Readonly<Record<string, (evidence: Evidence.Evidence) => Iterable<string>>> = {
  ...Money.rules,
  ...Histories.rules,
  ...Order.rules,
  ...Announcements.rules,
  ...Lists.rules,
}

/** Everything that contradicts a rule. */
export const judge = (evidence: Evidence.Evidence): ReadonlyArray<Evidence.Violation> =>
  Object.entries(rules).flatMap(([rule, check]) =>
    Array.from(check(evidence), (what) => ({ rule, what })),
  )
