/**
 * Checks of a running service over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Doctor"
import * as Checklist from "@florin/core/engine/status/Checklist"
import * as Effect from "effect/Effect"
import * as Checkup from "./Checkup.ts"
import * as Operation from "./Operation.ts"

export const operator = Operation.operator(Contract.group, {
  check: () =>
    Effect.map(Checkup.look, (findings) => ({ checks: findings.map(Checklist.toCheck) })),
})
