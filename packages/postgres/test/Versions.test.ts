import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const src = fileURLToPath(new URL("../src", import.meta.url))

/** What a statement of ours cannot say, and the first version that understands it. */
const newer = [
  ["MERGE within WITH", 17, /\bMERGE INTO\b/u],
  ["OLD and NEW in RETURNING", 18, /\bRETURNING\s+(?:OLD|NEW)\b/iu],
  ["JSON_TABLE", 17, /\bJSON_TABLE\s*\(/iu],
  ["uuidv7", 18, /\buuidv7\(/u],
] as const

describe("statements of PostgreSQL 15", () => {
  for (const [what, version, pattern] of newer) {
    it(`have no ${what}, which needs PostgreSQL ${version}`, () => {
      const files = globSync("**/*.ts", { cwd: src })
      const found = files.filter((file) => pattern.test(readFileSync(`${src}/${file}`, "utf8")))
      assert.isAbove(files.length, 40)
      assert.deepStrictEqual(found, [])
    })
  }
})
