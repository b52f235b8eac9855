/**
 * Packs each package as it would be published, and checks what a user would receive: the right files, no secrets, the
 * same bytes from each run, allowed licences, valid entries, npm's own checks, code that runs once installed, and a new
 * project that takes a payment. That project is installed with npm; for all other checks, third-party dependencies are
 * linked from this workspace. `install-check.ts` checks more.
 *
 * @module
 */
import { createHash } from "node:crypto"
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import * as billOfMaterials from "./bill-of-materials.ts"
import { run } from "./command.ts"
import * as project from "./project.ts"
import * as secrets from "./secrets.ts"
import * as tarballs from "./tarballs.ts"

const complaints: Array<string> = []
const expected =
  /^(?:(?:dist|src)\/.+\.(?:tsx?|js|d\.ts|js\.map|d\.ts\.map)|src\/.+\.css|(?:dist|src)\/messages\/(?:languages\/)?[\w.-]+\.json|dist\/site\/.+|dist\/bin\/LICENSES\.txt|snapshot\/.+\.tar\.br|contracts\/compiled\.json|templates\/.+\.(?:ts|md)|(?:src|dist)\/shell\/icons\.json|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/u

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Code comes with its source, all compiled code has a source, and source maps lead from one to the other. */
const checkFiles = (name: string, target: string): void => {
  const files = filesIn(target).map((file) => file.slice(target.length + 1))
  for (const file of files) {
    const source = file.replace(/^dist\/(.+?)(?:\.d\.ts|\.js)(?:\.map)?$/u, "src/$1.ts")
    const sources = [source, `${source}x`]
    const isCompiled = /^dist\/(?!bin\/|site\/)/u.test(file)
    if (!expected.test(file) || /\.test\.|(?:^|\/)tests?\//u.test(file))
      complaints.push(`${name}: ${file} does not belong into the package`)
    else if (isCompiled && !sources.some((one) => files.includes(one)))
      complaints.push(`${name}: ${file} has no source any more`)
    if (file.endsWith(".map")) checkMap(`${name}: ${file}`, join(target, file))
  }
  for (const needed of ["LICENSE", "README.md"]) {
    if (!files.includes(needed)) complaints.push(`${name}: has no ${needed}`)
  }
  if (!files.some((file) => file.startsWith("dist/"))) complaints.push(`${name}: has no dist`)
}

const checkMap = (name: string, file: string): void => {
  const { sources }: { readonly sources: ReadonlyArray<string> } = JSON.parse(
    readFileSync(file, "utf8"),
  )
  for (const source of sources) {
    if (source.startsWith(".") && existsSync(join(dirname(file), source))) continue
    complaints.push(`${name} leads to ${source}, which is not in the package`)
  }
}

/** npm checks all packages as it does before it publishes them. It calls no registry, and changes nothing. */
const checkPublish = async (home: string): Promise<void> => {
  const root = { private: true, workspaces: ["packages/*"] }
  writeFileSync(join(home, "package.json"), JSON.stringify(root))
  const dry = ["--dry-run", "--offline", "--ignore-scripts", "--access=public"]
  const { stderr } = await run("npm", ["publish", "--workspaces", ...dry], { cwd: home })
  for (const line of stderr.split("\n")) {
    if (line.startsWith("npm warn publish") && !line.includes("requires you to be logged in"))
      complaints.push(line)
  }
  console.log("✓ npm publish --dry-run")
}

const checkManifest = async (name: string, target: string): Promise<void> => {
  const published = readFileSync(join(target, "package.json"), "utf8")
  for (const leftover of ["workspace:", "catalog:", "./src/"]) {
    if (published.includes(leftover)) complaints.push(`${name}: publishes "${leftover}"`)
  }
  const { peerDependencies = {} }: tarballs.Manifest = JSON.parse(published)
  for (const [peer, range] of Object.entries(peerDependencies)) {
    if (!range.startsWith("^")) complaints.push(`${name}: needs exactly ${range} of ${peer}`)
  }
  const { messages, pkg } = await publint({ pkgDir: target, pack: false, strict: true })
  for (const message of messages) complaints.push(`${name}: ${formatMessage(message, pkg)}`)
}

/** Links the third-party dependencies where the unpacked packages find them. */
const link = ({ folder, manifest }: tarballs.Tarball, modules: string): void => {
  for (const dependency of Object.keys({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
  })) {
    const target = join(modules, dependency)
    if (/^(?:florin|@florin\/.+)$/u.test(dependency) || existsSync(target)) continue
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(realpathSync(join(folder, "node_modules", dependency)), target)
  }
}

/** Unpacks a package in the state in which npm would publish it, and makes it available to the others. */
const check = async (tarball: tarballs.Tarball, home: string): Promise<void> => {
  const { name } = tarball.manifest
  const target = join(home, "packages", basename(tarball.file, ".tgz"))
  const modules = join(home, "node_modules")
  await tarballs.unpack(tarball, target)
  checkFiles(name, target)
  complaints.push(...secrets.find(filesIn(target)))
  for (const refusal of billOfMaterials.refused(billOfMaterials.read(tarball))) {
    complaints.push(`${name}: ${refusal}, which is not in the list of scripts/bill-of-materials.ts`)
  }
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(target, join(modules, name))
  link(tarball, modules)
  await checkManifest(name, target)
}

const digestsOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    filesIn(folder).map((file) => [
      basename(file),
      createHash("sha256").update(readFileSync(file)).digest("hex"),
    ]),
  )

/** Whoever packs the same commit gets the same bytes, and can compare them with the published ones. */
const checkSame = async (first: string, second: string): Promise<void> => {
  await tarballs.pack(second)
  const again = digestsOf(second)
  for (const [file, digest] of digestsOf(first)) {
    if (again.get(file) !== digest)
      complaints.push(`${file} has other bytes when it is packed again`)
  }
}

/** What an embedder of the server installs with it: packages of others, and bytes of ours. */
const embedded = new Set(["api", "client", "core", "evm", "postgres", "server"])
const othersMax = 7
const ownBytesMax = 14_500_000

const checkSize = (packed: ReadonlyArray<tarballs.Tarball>, home: string): void => {
  const own = packed.filter(({ manifest }) => embedded.has(manifest.name.replace("@florin/", "")))
  const others = billOfMaterials.components(own.map(billOfMaterials.read))
  const bytes = own
    .flatMap(({ file }) => filesIn(join(home, "packages", basename(file, ".tgz"))))
    .reduce((sum, file) => sum + statSync(file).size, 0)
  console.log(
    `✓ an embedded server installs ${(bytes / 1_000_000).toFixed(1)} MB of ours and ${others.length} packages of others: ${others.join(", ")}`,
  )
  if (others.length > othersMax) complaints.push(`it may install ${othersMax} packages of others`)
  if (bytes > ownBytesMax) complaints.push(`it may install ${ownBytesMax} bytes of ours`)
}

/** Imports every module, and runs the program. */
const tryModules = async (home: string): Promise<void> => {
  // The contract suites need a test runner, and a command runs when it is imported, so all others are only read.
  const names = [
    "api",
    "client",
    "core",
    "embed",
    "evm",
    "localnet",
    "postgres",
    "server",
    "signers",
  ]
  const modules = names
    .flatMap((name) => globSync(join(home, "packages", `florin-${name}-*`, "dist/**/*.js")))
    .filter((module) => !module.endsWith("Suite.js"))
  const imports = modules.map((module) => `await import(${JSON.stringify(module)})`).join("\n")
  await run("node", ["--input-type=module", "--eval", imports], { cwd: home })

  // It loads everything that is not in the program's own files: chains, the embedded database, pages.
  const walk = ["dev", "--once", "--storage", "embedded", "--chains", "8453"]
  await run("node", [join(home, "node_modules/florin/dist/bin/florin.js"), ...walk], { cwd: home })
  console.log(`✓ ${modules.length} modules can be imported, and florin dev --once runs`)
}

/** Creates a shop from the tarballs, in a folder of its own, and buys something in it. */
const tryProject = async (packed: ReadonlyArray<tarballs.Tarball>, home: string): Promise<void> => {
  mkdirSync(home)
  await project.tryShop(await project.create("shop", packed, home))
  console.log("✓ a shop is created, installed with npm, and paid")
}

const temporary = mkdtempSync(join(tmpdir(), "florin-pack-"))
try {
  const packed = await tarballs.write(join(temporary, "packs"))
  const home = join(temporary, "unpacked")
  await Promise.all(packed.map((tarball) => check(tarball, home)))
  console.log(`✓ ${packed.length} packages are packed`)
  checkSize(packed, home)
  complaints.push(...secrets.find(await secrets.tracked()))
  await checkSame(join(temporary, "packs"), join(temporary, "again"))
  await Promise.all([
    tryProject(packed, join(temporary, "projects")),
    tryModules(home),
    checkPublish(home),
  ])
} finally {
  rmSync(temporary, { recursive: true })
}
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length === 0 ? 0 : 1
