/**
 * What README.md and the guides of docs/ show is real: their code compiles, their programs print what stands beneath
 * them, their suites pass, and their links lead somewhere.
 *
 * @module
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { execPath } from "node:process"
import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Webhook from "../../packages/core/src/domain/Webhook.ts"

const read = (file: string) => readFileSync(file, "utf8")

const pages = [
  "README.md",
  "packages/server/README.md",
  ...readdirSync("docs").flatMap((name) => `docs/${name}`),
].filter((page) => page.endsWith(".md"))

/** Their first module is a program, whose output stands beneath it as text. */
const programs = ["docs/quick-start-developer.md", "docs/wallet-guide.md"]

/** What stands in a page's fences of one language. */
const fences = (page: string, language: string): ReadonlyArray<string> =>
  Array.from(
    read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gmu")),
    ([, text = ""]) => text,
  )

const withoutIndents = (code: string): string => code.replaceAll(/^ +/gmu, "")

/** Code that is copied from an example is checked there. */
const examples = withoutIndents(
  execFileSync("git", ["ls-files", "examples/*.ts"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(read)
    .join("\n"),
)

/**
 * A page's modules: a fence that begins with an import begins one, the others go on with it. Before the first, a page of
 * reference may show fragments.
 */
const modulesOf = (page: string): ReadonlyArray<string> =>
  fences(page, "ts")
    .filter((code) => !examples.includes(withoutIndents(code)))
    .map((code) => (code.startsWith("import ") ? `\0${code}` : code))
    .join("\n")
    .split("\0")
    .slice(1)

/** A place that sees the packages as those see them who install them. */
const open = () => {
  const directory = mkdtempSync(join(tmpdir(), "florin-guides-"))
  symlinkSync(resolve("packages/florin/node_modules"), join(directory, "node_modules"))
  writeFileSync(join(directory, "package.json"), JSON.stringify({ type: "module" }))
  const files = pages.flatMap((page) =>
    modulesOf(page).map((code, index) => {
      const file = join(directory, `${page.replaceAll("/", "-")}-${index + 1}.ts`)
      writeFileSync(file, code)
      return { page, code, file }
    }),
  )
  const config = join(directory, "tsconfig.json")
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve("tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        composite: false,
        declaration: false,
        declarationMap: false,
        lib: ["ES2024", "DOM", "DOM.Iterable"],
        types: ["node"],
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
        noUnusedLocals: false,
      },
      files: files.map(({ file }) => file),
    }),
  )
  return { directory, config, files }
}

const { directory, config, files } = open()
afterAll(() => rmSync(directory, { recursive: true }))

/** Whether a text is what is shown, with anything but the end of a line in place of each `…`. */
const fits = (shown: string, text: string): boolean => {
  const literally = shown.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&")
  return new RegExp(`^${literally.replaceAll("…", ".+")}$`, "u").test(text)
}

describe("the code of the guides", () => {
  it("compiles, as strictly as ours", () => {
    assert.isAbove(files.length, 10)
    const { status, stdout } = spawnSync("tsc", ["-p", config], { encoding: "utf8" })
    assert.strictEqual(status, 0, stdout)
  })

  for (const page of programs) {
    it(`${page} prints what it says`, () => {
      const program = files.find((each) => each.page === page)
      const ran = spawnSync(execPath, [program?.file ?? ""], { encoding: "utf8" })
      assert.strictEqual(ran.status, 0, ran.stderr)
      const shown = fences(page, "text").join("").trim()
      assert.isNotEmpty(shown)
      assert.isTrue(fits(shown, ran.stdout.trim()), `${ran.stdout}\nis not\n${shown}`)
    })
  }
})

for (const { code, file } of files) if (code.includes(".suite(")) await import(file)

describe("the webhook check of docs/api.md", async () => {
  const { file } = files.find(({ page }) => page === "docs/api.md") ?? assert.fail("no code")
  const { isGenuine }: { isGenuine: (secret: string, headers: Headers, body: string) => boolean } =
    await import(file)
  const [secret, other] = ["a", "b"].map((letter) =>
    Webhook.Secret.make(`whsec_${letter.repeat(32)}`),
  )
  if (secret === undefined || other === undefined) assert.fail("no secrets")
  const body = '{"type":"payment.succeeded"}'
  const sent = (at: number, current = secret) =>
    new Headers({
      ...Result.getOrThrow(Webhook.headers([current], "evt_1", body, at)),
    })

  it("takes what the service signed, and nothing else", () => {
    const now = Date.now()
    assert.isTrue(isGenuine(secret, sent(now), body))
    assert.isFalse(isGenuine(secret, sent(now), `${body} `))
    assert.isFalse(isGenuine(secret, sent(now, other), body))
    assert.isFalse(isGenuine(secret, sent(now - 400_000), body))
    assert.isFalse(isGenuine(secret, new Headers(), body))
  })
})

describe("the links of the guides", () => {
  for (const page of pages) {
    it(page, () => {
      const links = Array.from(read(page).matchAll(/\]\(([^)\s]+)\)/gu), ([, link = ""]) => link)
      const missing = links
        .filter((link) => !/^(?:https?:|#)/u.test(link))
        .filter((link) => !existsSync(join(dirname(page), link.replace(/#.*$/u, ""))))
      assert.deepStrictEqual(missing, [])
    })
  }
})
