/**
 * Once per run: the programs that tests start as processes, each bundled from its sources. A process reads a few files
 * then instead of a thousand, and takes a third of the time to start.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** By the name of its source. */
    readonly programs: Readonly<Record<string, string>>
  }
}

const root = fileURLToPath(new URL("..", import.meta.url))

const sources = [
  "packages/evm/test/killedWorker.ts",
  "packages/evm/test/threats/stoppedWorker.ts",
  "packages/florin/src/main.ts",
  "packages/florin/test/runner.ts",
  "packages/florin/test/teller.ts",
  "packages/postgres/test/embeddedWriter.ts",
  "packages/postgres/test/lockHolder.ts",
  "packages/postgres/test/migrate.ts",
  "packages/postgres/test/shopProcess.ts",
  "packages/server/test/processes/server.ts",
  "packages/signers/test-support/fakeProgram.ts",
].map((file) => join(root, file))

// oxlint-disable require-unicode-regexp -- esbuild takes expressions as Go writes them.
/** Packages with files of their own, which are looked for next to their code. */
const whole = /^(?:@electric-sql\/pglite|secp256k1|tiny-secp256k1)(?:\/|$)/

const ownCode = /packages\/[^/]+\/(?:src|test)\/.*\.ts$/
// oxlint-enable require-unicode-regexp

/** Code that looks for a file next to itself still finds it next to its source. */
const asInSources: Plugin = {
  name: "as in sources",
  setup: ({ onLoad, onResolve, resolve }) => {
    onLoad({ filter: ownCode }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      const contents = text
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
      return { contents, loader: "ts" }
    })
    onResolve({ filter: whole }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (pluginData === whole) return undefined
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: whole })
      return { path: pathToFileURL(found.path).href, external: true }
    })
  },
}

const bundle = () =>
  build({
    absWorkingDir: root,
    banner: {
      js: `import { createRequire as $createRequire } from "node:module"; const require = $createRequire(import.meta.url);`,
    },
    bundle: true,
    entryPoints: Object.fromEntries(sources.map((file) => [basename(file, ".ts"), file])),
    format: "esm",
    outdir: "programs",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    plugins: [asInSources],
    splitting: true,
    target: "node24",
    write: false,
  })

const keptInMs = 24 * 60 * 60 * 1000

/** Removes what no run has used for a day: each change of a source makes other programs. */
const forget = async (cache: string) => {
  const now = Date.now()
  for (const name of await readdir(cache)) {
    const folder = join(cache, name)
    // Another run may be removing it, too.
    const { mtimeMs = now } = (await stat(folder).catch(() => undefined)) ?? {}
    if (now - mtimeMs > keptInMs) await rm(folder, { recursive: true, force: true })
  }
}

/** Writes the files to a folder that is named after what is in them, so that Node compiles them once. */
const place = async (files: Awaited<ReturnType<typeof bundle>>["outputFiles"]) => {
  const hash = createHash("sha256")
  for (const { hash: of, path } of files) hash.update(path).update(of)
  const cache = join(root, "node_modules", ".cache", "programs")
  const folder = join(cache, hash.digest("hex").slice(0, 16))
  if (existsSync(folder)) {
    await utimes(folder, new Date(), new Date())
    return folder
  }
  await mkdir(cache, { recursive: true })
  await forget(cache)
  const own = await mkdtemp(`${folder}-`)
  await Promise.all(files.map((file) => writeFile(join(own, basename(file.path)), file.contents)))
  // Another run may have been first: a folder takes no other's place while that holds something.
  await rename(own, folder).catch(() => rm(own, { recursive: true }))
  return folder
}

/** Bundles the programs; returns the file of each, by the name of its source. */
export const make = async (): Promise<Readonly<Record<string, string>>> => {
  const { outputFiles } = await bundle()
  const folder = await place(outputFiles)
  return Object.fromEntries(
    sources.map((file) => [file, join(folder, `${basename(file, ".ts")}.mjs`)]),
  )
}

export const setup = async (project: TestProject) => {
  const rootProject = project.vitest.getRootProject()
  if (Object.hasOwn(rootProject.getProvidedContext(), "programs")) return
  rootProject.provide("programs", await make())
}
