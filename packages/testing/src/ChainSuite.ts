/**
 * The contract of the chain port as tests: every adapter runs the same ones.
 *
 * Each rule has its own payer, so that all of them can run on one chain. They sign with the chain's first collecting
 * account, so nothing else may send from it in the meantime.
 *
 * @module
 */
import { describe, layer } from "@effect/vitest"
import type { Chain } from "@florin/core/ports/Chain"
import type * as Layer from "effect/Layer"
import { testArriving } from "./chain/Arriving.ts"
import { testJudging } from "./chain/Judging.ts"
import { testMoving } from "./chain/Moving.ts"
import { testPermitting } from "./chain/Permitting.ts"
import { testReading } from "./chain/Reading.ts"
import { timeout } from "./chain/Scene.ts"
import type { ChainHarness } from "./ChainHarness.ts"
import * as Eip155Kit from "./Eip155Kit.ts"
import type { Kit } from "./Kit.ts"

/**
 * Registers the suite for an adapter, with the rules for the flows of its kit. The layer is built once.
 *
 * @example
 * ChainSuite.suite("anvil", anvilLayer)
 */
export const suite = (
  name: string,
  chain: Layer.Layer<Chain | ChainHarness, unknown>,
  kit: Kit = Eip155Kit.kit,
): void =>
  // Adapters that talk to a real node need the real clock; the harness moves the chain's time.
  layer(chain, { excludeTestServices: true, timeout })(`Chain: ${name}`, (it) => {
    describe("what is read", () => {
      testReading(it, kit)
    })
    describe("what is checked", () => {
      testJudging(it, kit)
    })
    describe("transactions", () => {
      testMoving(it, kit)
      testPermitting(it, kit)
      testArriving(it, kit)
    })
  })
