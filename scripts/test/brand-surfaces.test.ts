/**
 * The shades of a brand color are computed for the background that the pages have.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as BrandColor from "../../packages/core/src/domain/partner/BrandColor.ts"

const styles = readFileSync("packages/pages/src/style/tokens.css", "utf8")

describe("the surface of the pages", () => {
  it("is the one that the contrast of brand colors is computed for", () => {
    const found = [...styles.matchAll(/--surface: (#[0-9a-f]{6});/gu)].map(([, color]) => color)
    assert.deepStrictEqual(found, [BrandColor.surfaces.light, BrandColor.surfaces.dark])
  })
})
