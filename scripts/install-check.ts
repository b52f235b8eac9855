/**
 * Installs the tarballs into empty projects with plain npm, and checks that they work there: on every supported version
 * of Node, on Bun and Deno, with two versions of TypeScript, and with each module resolution. Then it runs `florin init`
 * in fresh apps, and the examples that install more from npm. It takes some minutes.
 *
 * Words run only these parts: `pnpm install:check Next medusa`. Without npm's registry, it says what it skipped.
 *
 * @module
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import process, { arch, argv, env, platform } from "node:process"
import * as apps from "./apps.ts"
import { run } from "./command.ts"
import * as fromNpm from "./fromNpm.ts"
import * as installed from "./installed.ts"
import * as project from "./project.ts"
import * as tarballs from "./tarballs.ts"

const nodes = ["20.20.2", "22.23.3", "24.21.0"]

/** Other runtimes, from npm, with the script that fetches the program and the words that run a file. */
const runtimes = {
  bun: { version: "1.4.5", fetch: "install.js", run: ["run"] },
  deno: { version: "2.9.6", fetch: "install.cjs", run: ["run", "--allow-all"] },
}

/** By the name under which each is installed. */
const typeScripts = { "typescript-5.9": "npm:typescript@5.9.3", typescript: "7.0.2" }

/** A project also has the peer dependencies of our packages, and the packages that types need. */
const others = {
  ...typeScripts,
  "@effect/vitest": "4.0.5",
  "@types/node": "24.19.2",
  "@types/react": "19.3.0",
  effect: "4.1.0",
  react: "19.3.1",
  vite: "8.3.8",
  vitest: "5.1.0",
}

/** node16 does not read the types of viem's own dependency `ox`, whichever package imports them. */
const resolutions = [
  ["--module", "nodenext", "--skipLibCheck", "false"],
  ["--module", "esnext", "--moduleResolution", "bundler", "--skipLibCheck", "false"],
  ["--module", "node16", "--skipLibCheck", "true"],
]

const strict = [
  "--noEmit",
  "--strict",
  "--target",
  "es2022",
  "--lib",
  "es2022,dom",
  "--types",
  "node",
]

const checkTypes = async ({ folder, specifiers }: installed.Installed): Promise<void> => {
  const lines = specifiers.map((each, index) => `export * as m${index} from "${each}"\n`)
  writeFileSync(join(folder, "all.ts"), lines.join(""))
  for (const typeScript of Object.keys(typeScripts)) {
    const tsc = join(folder, "node_modules", typeScript, "bin/tsc")
    for (const resolution of resolutions) {
      await run("node", [tsc, ...strict, ...resolution, "all.ts"], { cwd: folder })
      console.log(`✓ types: ${typeScript} ${resolution.join(" ")}`)
    }
  }
}

/** A PATH on which a given version of Node comes first; an npm package provides it. */
const pathOf = async (version: string, folder: string): Promise<string> => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), "{}")
  await run("npm", ["install", `node-${platform}-${arch}@${version}`], { cwd: folder })
  return [join(folder, "node_modules", `node-${platform}-${arch}`, "bin"), env["PATH"]].join(
    delimiter,
  )
}

/** The contract suites need a test runner, and a command runs when it is imported. */
const importable = ({ specifiers }: installed.Installed): string =>
  specifiers
    .filter((each) => !each.endsWith("Suite"))
    .map((each) => `await import("${each}")\n`)
    .join("")

/** Takes a payment in an installation, on a runtime that is not Node. */
const tryRuntimes = async (folder: string, programs: string): Promise<void> => {
  for (const [name, { fetch, run: words, version }] of Object.entries(runtimes)) {
    const home = join(programs, name)
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, "package.json"), "{}")
    await run("npm", ["install", "--ignore-scripts", `${name}@${version}`], { cwd: home })
    await run("node", [fetch], { cwd: join(home, "node_modules", name) })
    await run(join(home, "node_modules/.bin", name), [...words, payment], { cwd: folder })
    console.log(`✓ ${name} ${version}: a payment with storage in memory, and in a directory`)
  }
}

const payment = "embedded-payment.js"

/** Everything that users of the packages run, in one installation. */
const checkPackages = async (
  packed: ReadonlyArray<tarballs.Tarball>,
  temporary: string,
): Promise<void> => {
  const shop = await project.create("shop", packed, temporary)
  const all = await installed.install(join(temporary, "all"), packed, others)
  console.log(`✓ installed: ${packed.length} packages, ${all.specifiers.length} modules`)
  await checkTypes(all)
  cpSync(join(import.meta.dirname, payment), join(all.folder, payment))
  await tryRuntimes(all.folder, temporary)
  for (const version of nodes) {
    const path = await pathOf(version, join(temporary, version))
    const on = { cwd: all.folder, env: { PATH: path } }
    await run("node", ["--input-type=module", "--eval", importable(all)], on)
    await run("node", [payment], on)
    await run("npx", ["florin", "dev", "--once", "--storage", "embedded", "--chains", "8453"], on)
    await project.tryShop(shop, path)
    console.log(`✓ Node ${version}: all modules, florin dev --once, and the shop`)
  }
}

/** The parts, by the names of the command line. */
const parts = new Map([
  ["packages", checkPackages],
  ...apps.names.map(
    (name) =>
      [
        name,
        (packed: ReadonlyArray<tarballs.Tarball>, home: string) => apps.check(name, packed, home),
      ] as const,
  ),
  ...fromNpm.names.map(
    (name) =>
      [
        name,
        async (packed: ReadonlyArray<tarballs.Tarball>, home: string) => {
          await fromNpm.check(name, packed, home)
          console.log(`✓ examples/from-npm/${name}: types and its own check`)
        },
      ] as const,
  ),
])

/** Whether npm can fetch what is not in its cache. */
const isOnline = (): Promise<boolean> =>
  run("npm", ["view", "effect", "version"]).then(
    () => true,
    () => false,
  )

const wanted = argv.length > 2 ? argv.slice(2) : [...parts.keys()]
const unknown = wanted.filter((name) => !parts.has(name))
if (unknown.length > 0) {
  throw new Error(`no part is called ${unknown.join(", ")}: use ${[...parts.keys()].join(", ")}`)
}
const temporary = mkdtempSync(join(tmpdir(), "florin-install-"))
try {
  if (await isOnline()) {
    const packed = await tarballs.write(join(temporary, "packs"))
    for (const name of wanted) {
      try {
        await parts.get(name)?.(packed, temporary)
      } catch (error) {
        console.error(`✗ ${name}:`, error)
        process.exitCode = 1
      }
    }
  } else {
    console.error(`✗ SKIPPED, because npm's registry cannot be reached: ${wanted.join(", ")}`)
  }
} finally {
  rmSync(temporary, { recursive: true })
}
