/**
 * Every property test of a run uses the seed that vitest.workspace.ts printed.
 *
 * @module
 */
import { env } from "node:process"
import * as Arbitrary from "effect/Arbitrary"

Arbitrary.configureGlobal({ check: { seed: env["FLORIN_SEED"] } })
