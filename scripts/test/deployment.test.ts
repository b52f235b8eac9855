/**
 * The image, compose.yaml, the systemd unit and the operators' page agree with the service and with each other. No test
 * runs them.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Setting from "../../packages/florin/src/serve/Setting.ts"
import * as Settings from "../../packages/florin/src/serve/Settings.ts"

const read = (file: string) => readFileSync(file, "utf8")
const [dockerfile, compose, unit, relayers, command, operations] = [
  "Dockerfile",
  "compose.yaml",
  "deploy/florin.service",
  "deploy/relayers.conf",
  "deploy/florin",
  "docs/operations.md",
].map(read)

const matches = (text: string | undefined, pattern: RegExp): ReadonlyArray<string> =>
  Array.from(text?.matchAll(pattern) ?? [], ([, found = ""]) => found)

const inCatalog = (name: string) =>
  matches(read("pnpm-workspace.yaml"), new RegExp(`^ {2}${name}: (\\d.+)$`, "gmu"))

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")

describe("deployment", () => {
  it("uses only variables that florin serve knows", () => {
    const known = new Set(Settings.all.map(Setting.variable))
    for (const text of [dockerfile, compose, unit, relayers, command, operations]) {
      const named = matches(text, /\b(FLORIN_[A-Z_]+)\b/gu)
      assert.isNotEmpty(named)
      assert.deepStrictEqual(
        named.filter((variable) => !known.has(variable)),
        [],
      )
    }
  })

  it("uses the same keys everywhere, each under its setting", () => {
    const keys = matches(compose, /^ {4}file: secrets\/(.+)$/gmu).toSorted()
    assert.lengthOf(keys, 3)
    const [units, credential] = [`${relayers}${unit}`, /^LoadCredential=(.+):/gmu]
    assert.deepStrictEqual(matches(units, credential).toSorted(), keys)
    for (const key of keys) {
      const variable = `FLORIN_${key.toUpperCase().replace("-", "_")}_FILE`
      assert.include(compose, `${variable}: /run/secrets/${key}\n`)
      assert.include(units, `LoadCredential=${key}:/etc/florin/${key}\n`)
      assert.include(units, `Environment=${variable}=%d/${key}\n`)
      assert.include(operations, `> secrets/${key}`)
    }
    for (const key of ["seal-key", "vault-key"]) {
      assert.include(command, `/etc/florin/${key}\n`)
    }
  })

  it("S16: gives the relayers' keys only to workers", () => {
    const [, api = "", worker = ""] = compose?.split(/^ {2}(?:api-1|worker):$/mu) ?? []
    assert.include(worker.split("\nsecrets:")[0], "relayer-keys")
    for (const text of [compose?.split("\nservices:")[0], api, unit, command]) {
      assert.notMatch(text ?? "", /relayer-keys|RELAYER_KEYS/u)
    }
  })

  it("runs the program as it is published, which starts in half the time of its sources", () => {
    for (const text of [dockerfile, unit, command]) {
      assert.match(text ?? "", /packages\/florin\/dist\/bin\/florin\.js/u)
    }
    for (const text of [dockerfile, operations]) assert.include(text, "npm run bundle")
  })

  it("gives a process as long to stop as the operators' page says", () => {
    const seconds = matches(operations, /SIGTERM [^.]* seconds; give it (\d+)\./gu)
    assert.lengthOf(seconds, 1)
    assert.deepStrictEqual(matches(compose, /^ {2}stop_grace_period: (\d+)s$/gmu), seconds)
    assert.deepStrictEqual(matches(unit, /^TimeoutStopSec=(\d+)$/gmu), seconds)
  })
})

describe("the image", () => {
  it("is built with the repository's pnpm and Node", () => {
    assert.deepStrictEqual(matches(dockerfile, /pnpm@([\d.]+)/gu), inCatalog("pnpm"))
    assert.deepStrictEqual(matches(operations, /pnpm@([\d.]+)/gu), inCatalog("pnpm"))
    assert.deepStrictEqual(
      matches(read("pnpm-workspace.yaml"), /^nodeVersion: (\S+)$/gmu),
      inCatalog("node"),
    )
    const [major] = inCatalog("node").map((version) => version.split(".")[0])
    for (const base of matches(dockerfile, /^FROM node:(\S+)/gmu)) {
      assert.strictEqual(base, `${major}-slim`)
    }
  })

  it("is built only from files of the repository", () => {
    const rules = read(".dockerignore").split("\n")
    assert.strictEqual(
      rules.find((rule) => !rule.startsWith("#")),
      "*",
    )
    const taken = matches(read(".dockerignore"), /^!(.+)$/gmu)
    assert.isNotEmpty(taken)
    for (const path of taken) {
      assert.isTrue(
        files.some((file) => file === path || file.startsWith(`${path}/`)),
        path,
      )
    }
  })

  it("contains everything that the packages need", () => {
    type Manifest = {
      readonly dependencies?: { readonly [name: string]: string }
      readonly peerDependencies?: { readonly [name: string]: string }
      readonly peerDependenciesMeta?: { readonly [name: string]: { readonly optional?: boolean } }
    }
    const program: Manifest = JSON.parse(read("packages/florin/package.json"))
    const needed = files
      .filter((file) => /^packages\/[^/]+\/package\.json$/u.test(file))
      .flatMap((file) => {
        const { peerDependencies = {}, peerDependenciesMeta = {} }: Manifest = JSON.parse(
          read(file),
        )
        return Object.keys(peerDependencies).filter(
          (name) =>
            peerDependenciesMeta[name]?.optional !== true ||
            program.dependencies?.[name] !== undefined,
        )
      })
    const brought = matches(dockerfile, /--public-hoist-pattern=(\S+)/gu)
    assert.deepStrictEqual([...new Set(needed)].toSorted(), [...brought].toSorted())
  })
})
