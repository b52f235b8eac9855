import { execFileSync } from "node:child_process"
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execPath } from "node:process"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Project from "../src/Project.ts"

const ownFolder = "packages/create-florin"
const versions: Project.Options["versions"] = {
  "@florin/api": "0.1.0",
  "@florin/client": "0.1.0",
  "@florin/core": "0.1.0",
  "@florin/embed": "0.1.0",
  "@florin/pages": "0.1.0",
  "@florin/server": "0.1.0",
  "@florin/testing": "0.1.0",
  "@types/node": "24.19.2",
  effect: "4.1.0",
  typescript: "7.0.2",
}
const names = Object.keys(versions)
const florin = names.filter((name) => name.startsWith("@florin/"))

interface Manifest {
  readonly name: string
  readonly dependencies?: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

describe("a new project", () => {
  let home = ""
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "create-florin-"))
  })
  afterEach(() => rmSync(home, { recursive: true }))

  const create = (name: string, options: Partial<Project.Options> = {}) => {
    const folder = join(home, name)
    Project.create({
      folder,
      template: "shop",
      templatesFolder: `${ownFolder}/templates`,
      versions,
      packs: undefined,
      ...options,
    })
    return folder
  }

  it("has the files of its template, and those of npm, TypeScript and git", () => {
    for (const template of ["shop", "embed"] as const) {
      const files = readdirSync(create(template, { template }))
      const own = readdirSync(`${ownFolder}/templates/${template}`)
      assert.sameMembers(files, [...own, "package.json", "tsconfig.json", ".gitignore"])
    }
  })

  it("installs what it imports from the registry, from this release on", () => {
    const { dependencies, name } = manifestOf(create("My Shop"))
    assert.strictEqual(name, "my-shop")
    assert.deepStrictEqual(dependencies, {
      "@florin/client": "^0.1.0",
      "@florin/pages": "^0.1.0",
      "@florin/server": "^0.1.0",
      "@florin/testing": "^0.1.0",
      effect: "4.1.0",
    })
  })

  it("installs all of Florin from tarballs, by a relative path", () => {
    const packs = join(home, "packs")
    mkdirSync(packs)
    for (const name of florin) {
      writeFileSync(join(packs, `${name.slice(1).replace("/", "-")}-0.1.0.tgz`), "")
    }
    assert.isTrue(Project.hasPacks(packs, versions))
    const { dependencies = {} } = manifestOf(create("shops/mine", { packs }))
    assert.deepStrictEqual(
      florin.map((name) => dependencies[name]),
      florin.map((name) => `file:../../packs/${name.slice(1).replace("/", "-")}-0.1.0.tgz`),
    )
  })

  it("is not created from a folder without this release's tarballs", () => {
    assert.isFalse(Project.hasPacks(home, versions))
    assert.throws(() => create("mine", { packs: home }), /does not have the tarballs/u)
    assert.isEmpty(readdirSync(home))
  })

  it("never overwrites a file", () => {
    writeFileSync(join(home, "notes.txt"), "mine")
    assert.throws(() => create("."), /is not empty/u)
    assert.throws(() => create("notes.txt"), /is a file/u)
    assert.deepStrictEqual(readdirSync(home), ["notes.txt"])
  })

  it("is refused with a reason if the disk refuses it", () => {
    writeFileSync(join(home, "notes.txt"), "mine")
    const refusal = /cannot be written \(ENOTDIR\)\. Choose another folder\./u
    assert.throws(() => create("notes.txt/shop"), refusal)
  })

  it("names every Florin package that npm must find, with its version", () => {
    const needed = new Set<string>()
    const add = (name: string): void => {
      if (!name.startsWith("@florin/") || needed.has(name)) return
      needed.add(name)
      const folder = globSync("packages/*").find((each) => manifestOf(each).name === name)
      for (const each of Object.keys(manifestOf(folder ?? "").dependencies ?? {})) add(each)
    }
    for (const name of ["@florin/client", "@florin/pages", "@florin/server", "@florin/testing"]) {
      add(name)
    }
    assert.sameMembers([...needed], florin)
    assert.includeMembers(Object.keys(manifestOf(ownFolder).devDependencies), names)
  })

  it("imports only what it installs", () => {
    const { dependencies } = manifestOf(create("mine"))
    const sources = globSync(`${ownFolder}/templates/*/*.ts`)
    assert.isNotEmpty(sources)
    for (const source of sources) {
      const imports = readFileSync(source, "utf8").matchAll(
        / from "(?<name>@[^/]+\/[^/"]+|[a-z][^/":]*)[/"]/gu,
      )
      for (const { groups } of imports) {
        assert.property(dependencies, groups?.["name"] ?? "", source)
      }
    }
  })
})

describe("create-florin", () => {
  const run = (...args: ReadonlyArray<string>) => {
    try {
      return execFileSync(execPath, [`${ownFolder}/src/main.ts`, ...args], {
        encoding: "utf8",
        stdio: "pipe",
      })
    } catch (error) {
      return String(Object(error).stderr)
    }
  }

  it("prints its help in 80 columns", () => {
    const help = run("--help")
    for (const name of Object.keys(Project.templates)) assert.include(help, `${name}: `)
    assert.isAtMost(Math.max(...help.split("\n").map(({ length }) => length)), 80)
  })

  it("reports wrong arguments", () => {
    assert.include(run(), "Name one folder")
    assert.include(run("one", "two"), "Name one folder")
    assert.include(run("mine", "--template", "bank"), "choose shop or embed")
    assert.include(run("mine", "--twice"), "--twice")
    assert.include(run("mine"), "Run npm run pack")
  })
})
