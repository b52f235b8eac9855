/**
 * Packs each package as it would be published, and checks what a user would receive: the right files, sound entries,
 * and code that runs once installed. Needs no network: foreign dependencies are linked from this workspace.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly bin?: { readonly [name: string]: string }
  readonly dependencies?: { readonly [name: string]: string }
  readonly peerDependencies?: { readonly [name: string]: string }
}

/** What a command prints is of interest only when it fails, so all of it goes to stderr. */
const run = (command: string, args: ReadonlyArray<string>, cwd = ".") =>
  execFileSync(command, args, { cwd, stdio: ["ignore", 2, 2] })
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const complaints: Array<string> = []
const expected =
  /^(?:(?:dist|src)\/.+\.(?:tsx?|js|d\.ts|js\.map|d\.ts\.map)|src\/.+\.css|dist\/site\/.+|dist\/bin\/LICENSES\.txt|snapshot\/.+\.tar\.br|contracts\/compiled\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/u

/** Packs one package into `installed`, and complains about its contents. */
const pack = async (folder: string, temporary: string, installed: string): Promise<void> => {
  const { name, dependencies, peerDependencies } = manifestOf(folder)
  const tarball = join(temporary, `${name.replaceAll(/\W/gu, "-")}.tgz`)
  const target = join(installed, name)
  mkdirSync(target, { recursive: true })
  run("pnpm", ["--silent", "pack", "--out", tarball], folder)
  run("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"])

  const files = readdirSync(target, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(target.length + 1))
  for (const file of files) {
    const source = file.replace(/^dist\/(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/u, "src/$1.ts")
    const sources = [source, `${source}x`]
    if (!expected.test(file)) complaints.push(`${name}: ${file} does not belong into the package`)
    else if (!/^dist\/(?:bin|site)\//u.test(file) && !sources.some((one) => files.includes(one)))
      complaints.push(`${name}: ${file} has no source any more`)
  }
  if (!files.includes("LICENSE")) complaints.push(`${name}: has no LICENSE`)
  if (!files.some((file) => file.startsWith("dist/"))) complaints.push(`${name}: has no dist`)

  const published = readFileSync(join(target, "package.json"), "utf8")
  for (const leftover of ["workspace:", "catalog:", "./src/"]) {
    if (published.includes(leftover)) complaints.push(`${name}: publishes "${leftover}"`)
  }
  for (const [peer, range] of Object.entries(manifestOf(target).peerDependencies ?? {})) {
    if (!range.startsWith("^")) complaints.push(`${name}: needs exactly ${range} of ${peer}`)
  }
  const { messages, pkg } = await publint({ pkgDir: target, pack: false, strict: true })
  for (const message of messages) complaints.push(`${name}: ${formatMessage(message, pkg)}`)

  for (const dependency of Object.keys({ ...dependencies, ...peerDependencies })) {
    const link = join(installed, dependency)
    if (/^(?:florin|@florin\/.+)$/u.test(dependency) || existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(realpathSync(join(folder, "node_modules", dependency)), link)
  }
}

const temporary = mkdtempSync(join(tmpdir(), "florin-pack-"))
try {
  run("tsc", ["-b"])
  const installed = join(temporary, "node_modules")
  const folders = globSync("packages/*").filter((folder) => manifestOf(folder).private !== true)
  await Promise.all(folders.map((folder) => pack(resolve(folder), temporary, installed)))

  // The contract suites need a test runner, and a command runs when it is imported: all others are only read.
  const names = ["api", "client", "core", "evm", "localnet", "postgres", "server", "signers"]
  const modules = names
    .flatMap((name) => globSync(join(installed, "@florin", name, "dist/**/*.js")))
    .filter((module) => !module.endsWith("Suite.js"))
  const imports = modules.map((module) => `await import(${JSON.stringify(module)})`).join("\n")
  run("node", ["--input-type=module", "--eval", imports], temporary)

  // It loads whatever is not in the program's own files: chains, the embedded database, pages.
  const walk = ["dev", "--once", "--storage", "embedded", "--chains", "8453"]
  for (const bin of Object.values(manifestOf(join(installed, "florin")).bin ?? {})) {
    run("node", [join(installed, "florin", bin), ...walk], temporary)
  }
  console.log(`packed ${folders.length} packages; ${modules.length} modules import`)
} finally {
  rmSync(temporary, { recursive: true })
}
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length === 0 ? 0 : 1
