/**
 * All packages have one version, CHANGELOG.md describes it, and docs/releasing.md leads to the next one.
 *
 * @module
 */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Release from "../../packages/florin/src/terminal/Release.ts"
import { run } from "../command.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: { readonly [name: string]: string }
}

const manifestsIn = (root: string): ReadonlyArray<Manifest> =>
  globSync("packages/*/package.json", { cwd: root }).map((file) =>
    JSON.parse(readFileSync(join(root, file), "utf8")),
  )

const manifests = manifestsIn(".")
const page = readFileSync("docs/releasing.md", "utf8")

describe("a release", () => {
  it("has one version, which the program prints", () => {
    assert.isAbove(manifests.length, 10)
    for (const { name, version } of manifests) {
      assert.strictEqual(version, Release.version(), name)
    }
  })

  it("is the first entry of CHANGELOG.md", () => {
    const [newest] = /(?<=^## )\S+/mu.exec(readFileSync("CHANGELOG.md", "utf8")) ?? []
    assert.strictEqual(newest, Release.version())
  })
})

describe("docs/releasing.md", () => {
  it("raises the version of all packages if one changed", async () => {
    assert.include(page, "npx pnpm changeset version")
    const root = mkdtempSync(join(tmpdir(), "florin-release-"))
    try {
      const copied = [".changeset/config.json", "package.json", "pnpm-workspace.yaml"]
      for (const file of [...copied, ...globSync("packages/*/package.json")]) {
        cpSync(file, join(root, file))
      }
      writeFileSync(
        join(root, ".changeset/change.md"),
        '---\n"@florin/signers": minor\n---\n\nAdded something.\n',
      )
      await run("git", ["init", "--quiet"], { cwd: root })
      await run("changeset", ["version"], { cwd: root })
      const [major = "", minor = ""] = Release.version().split(".")
      for (const { name, version } of manifestsIn(root)) {
        assert.strictEqual(version, `${major}.${Number(minor) + 1}.0`, name)
      }
      const changelog = readFileSync(join(root, "packages/signers/CHANGELOG.md"), "utf8")
      assert.include(changelog, "Added something.")
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  it("publishes every package after its dependencies", () => {
    const [list = ""] = /(?<=^for name in )[^;]+/mu.exec(page) ?? []
    const order = [...list.split(" ").map((name) => `@florin/${name}`), "florin", "create-florin"]
    assert.sameMembers(
      order,
      manifests.map(({ name }) => name),
    )
    for (const { dependencies = {}, name } of manifests) {
      const ours = Object.keys(dependencies).filter((each) => order.includes(each))
      for (const each of ours) assert.isBelow(order.indexOf(each), order.indexOf(name), name)
    }
  })

  it("names existing commands", () => {
    const { scripts }: { readonly scripts: object } = JSON.parse(
      readFileSync("package.json", "utf8"),
    )
    const named = [...page.matchAll(/(?:npm run|npx pnpm) (?<name>[\w:]+)/gu)].map(
      ({ groups }) => groups?.["name"] ?? "",
    )
    assert.isNotEmpty(named)
    for (const name of named) assert.property({ ...scripts, changeset: "" }, name)
  })
})
