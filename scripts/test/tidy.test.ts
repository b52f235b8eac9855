/**
 * Rules that no other tool checks: forbidden text, names, headings and the reasons for dependencies.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => existsSync(file))
const read = (file: string) => readFileSync(file, "utf8")
const code = files.filter((file) => /\.(?:ts|js|mjs|html|css)$/u.test(file))
const core = files.filter((file) => /^packages\/core\/src\/.+\.ts$/u.test(file))
const domain = core.filter((file) => file.startsWith("packages/core/src/domain/"))

interface Config {
  readonly include: ReadonlyArray<string>
  readonly references: ReadonlyArray<{ readonly path: string }>
}

/** Every line of the files that matches, as `file:line: text`. */
const lines = (among: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  among.flatMap((file) =>
    read(file)
      .split("\n")
      .flatMap((line, index) =>
        pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  )

/** Outside comments: a comment may say what the code may not do. */
const uncommented = (pattern: RegExp) =>
  new RegExp(`^(?!\\s*(?:\\*|//|/\\*)).*${pattern.source}`, "u")

/** How many titles a page has, outside code. */
const titles = (page: string) =>
  read(page)
    .replaceAll(/^```[^]*?^```/gmu, "")
    .match(/^# /gmu)?.length ?? 0

describe("tidy", () => {
  it("has files to look at", () => {
    assert.isNotEmpty(domain)
    assert.include(files, "package.json")
  })

  it("no clock, randomness, throw or promise in pure code", () => {
    const impure = uncommented(
      /(?:Date\.now|new Date\(\)|Math\.random|randomUUID|getRandomValues)/u,
    )
    const adapter = /\/(?:ports\/Identifiers)\.ts$/u
    assert.deepStrictEqual(
      lines(
        core.filter((file) => !adapter.test(file)),
        impure,
      ),
      [],
    )
    assert.deepStrictEqual(lines(domain, uncommented(/\b(?:throw|await|Promise)\b/u)), [])
  })

  it("no test is skipped or run alone, and nothing is marked for later", () => {
    assert.deepStrictEqual(lines(code, /\b(?:TO[D]O|FIX[M]E)\b/u), [])
    assert.deepStrictEqual(
      lines(code, /\b(?:it|test|describe|layer)\.(?:\w+\.)*(?:skip|only|todo|fails)\b/u),
      [],
    )
  })

  it("a file of core is named after its concept, in PascalCase", () => {
    const misnamed = core.filter((file) => !/^[A-Z][A-Za-z0-9]*\.ts$/u.test(basename(file)))
    assert.deepStrictEqual(misnamed, [])
    const vague = /^(?:utils?|helpers?|common|types|index|misc)\.ts$/iu
    assert.deepStrictEqual(
      code.filter((file) => vague.test(basename(file))),
      [],
    )
  })

  it("one run of the compiler checks every source and every test", () => {
    const { references }: Config = JSON.parse(read("tsconfig.tests.json"))
    const configs = references.map(({ path }) =>
      path.endsWith(".json") ? path : `${path}/tsconfig.json`,
    )
    const seen = new Set(
      [...configs, "tsconfig.tests.json"].flatMap((config) => {
        const { include }: Config = JSON.parse(read(config))
        const paths = include.map((path) => join(dirname(config), path))
        return globSync(paths.flatMap((path) => [path, `${path}/**`]))
      }),
    )
    assert.deepStrictEqual(
      files.filter(
        (file) => /^packages\/[\w-]+\/(?:src|test)\/.+\.tsx?$/u.test(file) && !seen.has(file),
      ),
      [],
    )
  })

  it("a file's documentation comes first", () => {
    const late = files.filter((file) => {
      if (!/\.tsx?$/u.test(file)) return false
      const text = read(file)
      return /^import /mu.test(text.slice(0, Math.max(0, text.indexOf("\n * @module\n"))))
    })
    assert.deepStrictEqual(late, [])
  })

  it("a page has exactly one title", () => {
    const pages = files.filter((file) => file.endsWith(".md") && !file.startsWith(".changeset/"))
    assert.deepStrictEqual(
      pages.filter((page) => titles(page) !== 1),
      [],
    )
  })

  it("no path of a machine and no address of a package registry", () => {
    assert.deepStrictEqual(lines(files, /(?<![\w.\]])\/(?:work|root|home|Users)\/\w/u), [])
    assert.deepStrictEqual(
      lines(files, /https?:\/\/[^\s"')]*(?:registry|artifactory|nexus|verdaccio)/u),
      [],
    )
    assert.deepStrictEqual(lines(["pnpm-lock.yaml"], /tarball:/u), [])
  })
})

describe("dependencies", () => {
  const kinds = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
  ] as const
  type Manifest = { readonly [K in (typeof kinds)[number]]?: { readonly [name: string]: string } }
  const declared = files
    .filter((file) => basename(file) === "package.json")
    .flatMap((file) => {
      const manifest: Manifest = JSON.parse(read(file))
      return kinds.flatMap((kind) =>
        Object.entries(manifest[kind] ?? {}).map(([name, version]) => ({
          file,
          kind,
          name,
          version,
        })),
      )
    })
  const ours = /^(?:florin|@florin\/.+)$/u
  /** These are no projects of the workspace: each is installed alone, next to the tarballs. */
  const isAlone = (file: string) => file.startsWith("examples/from-npm/")
  const alone = declared.filter(({ file }) => isAlone(file))
  const together = declared.filter(({ file }) => !isAlone(file))
  const foreignOf = (dependencies: typeof declared) =>
    new Set(dependencies.map(({ name }) => name).filter((name) => !ours.test(name)))
  const reasons = read("docs/decisions/dependencies.md")
    .split("\n")
    .filter((line) => line.startsWith("- `"))
  const reasoned = new Set(
    reasons.flatMap((line) =>
      Array.from(line.split(": ")[0]?.matchAll(/`([^`]+)`/gu) ?? [], ([, name = ""]) => name),
    ),
  )

  it("are versioned in the catalog, or belong to the repository", () => {
    const usual = (kind: string) => (kind === "peerDependencies" ? "catalog:peers" : "catalog:")
    const loose = together.filter(
      ({ kind, name, version }) => version !== (ours.test(name) ? "workspace:*" : usual(kind)),
    )
    assert.deepStrictEqual(loose, [])
  })

  /** A section of the catalogs: each line of it is a name and a version. */
  const sectionOf = (head: RegExp) =>
    new Map(
      Array.from(
        (head.exec(read("pnpm-workspace.yaml"))?.groups?.["entries"] ?? "").matchAll(
          /^ +"?([^":]+)"?: (.+)$/gmu,
        ),
        ([, name = "", version = ""]) => [name, version] as const,
      ),
    )
  const catalog = sectionOf(/^catalog:\n(?<entries>(?: .+\n)+)/mu)

  it("are exact in the catalog, and all used", () => {
    assert.deepStrictEqual(
      [...catalog].filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/u.test(version)),
      [],
    )
    assert.deepStrictEqual(new Set(catalog.keys()), foreignOf(together))
  })

  it("of an example that is installed alone are exact", () => {
    assert.isNotEmpty(alone)
    const loose = alone.filter(
      ({ name, version }) => !(ours.test(name) ? /^\*$/u : /^\d+\.\d+\.\d+$/u).test(version),
    )
    assert.deepStrictEqual(loose, [])
  })

  it("that users install are ranges that include the tested version", () => {
    const peers = sectionOf(/^ {2}peers:\n(?<entries>(?: {4}.+\n)+)/mu)
    const used = declared.filter(({ kind }) => kind === "peerDependencies")
    assert.deepStrictEqual(new Set(peers.keys()), new Set(used.map(({ name }) => name)))
    for (const [name, range] of peers) {
      const [from, tested] = [range.slice(1), catalog.get(name) ?? ""].map((version) =>
        version.split(".").map(Number),
      )
      const isIncluded =
        /^\^\d+\.\d+\.\d+$/u.test(range) &&
        from?.[0] === tested?.[0] &&
        range.slice(1).localeCompare(catalog.get(name) ?? "", "en", { numeric: true }) <= 0
      assert.isTrue(isIncluded, `${name}: ${range}`)
    }
  })

  it("have a reason in docs/decisions/dependencies.md, which lists no others", () => {
    assert.deepStrictEqual(
      reasons.filter((line) => !/: \S.{10,}/u.test(line)),
      [],
    )
    assert.deepStrictEqual(
      new Set([...reasoned].toSorted()),
      new Set([...foreignOf(declared)].toSorted()),
    )
  })
})
