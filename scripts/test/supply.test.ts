/**
 * What is checked of the files that we publish: no secrets in them, and no licences that a user must think about.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ApiKey from "../../packages/core/src/domain/partner/ApiKey.ts"
import * as billOfMaterials from "../bill-of-materials.ts"
import * as secrets from "../secrets.ts"

/** Put together here, so that this file has none. */
const letters = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f"
const planted = [
  Result.getOrThrow(ApiKey.make("live", "partner", new Uint8Array(ApiKey.randomBytesMin).fill(7))),
  `npm_${letters.slice(0, 36)}`,
  `ghp_${letters.slice(0, 36)}`,
  `AKIA${letters.slice(0, 16).toUpperCase()}`,
  `-----BEGIN PRIVATE KEY-----\n${letters}`,
  `//registry/:_authToken=${letters}`,
]

const found = (text: string): ReadonlyArray<string> => {
  const folder = mkdtempSync(join(tmpdir(), "florin-secrets-"))
  try {
    const file = join(folder, "file.ts")
    writeFileSync(file, text)
    return secrets.find([file]).map((each) => each.slice(folder.length + 1))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const withLicences = (...licenses: ReadonlyArray<string>): billOfMaterials.Bill => ({
  metadata: { timestamp: "" },
  dependencies: [],
  components: [
    { name: "left-pad", version: "1.0.0", licenses: licenses.map((id) => ({ license: { id } })) },
  ],
})

describe("the scan for secrets", () => {
  it("finds each kind, and says the line without the secret", () => {
    for (const secret of planted) {
      const [complaint = "", ...others] = found(`const a = 1\nconst b = "${secret}"\n`)
      assert.match(complaint, /^file\.ts:2: a/u, secret)
      assert.notInclude(complaint, letters)
      assert.deepStrictEqual(others, [])
    }
  })

  it("passes over a key of Florin with a wrong checksum, as documents have it", () => {
    assert.deepStrictEqual(found(`flr_live_pk_${"0".repeat(38)}`), [])
  })

  it("finds nothing in the files that git tracks", async () => {
    assert.deepStrictEqual(secrets.find(await secrets.tracked()), [])
  })
})

describe("the list of licences", () => {
  it("accepts those that ask only for a notice, and a choice that has one of them", () => {
    for (const licence of ["MIT", "Apache-2.0", "MIT OR GPL-3.0-only", "(MIT AND ISC)"]) {
      assert.deepStrictEqual(billOfMaterials.refused(withLicences(licence)), [], licence)
    }
  })

  it("refuses others, and packages without one", () => {
    for (const licence of ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Custom"]) {
      assert.deepStrictEqual(billOfMaterials.refused(withLicences(licence)), [
        `left-pad@1.0.0 has the license ${licence}`,
      ])
    }
    assert.deepStrictEqual(billOfMaterials.refused(withLicences()), [
      "left-pad@1.0.0 has the license unknown",
    ])
  })
})
