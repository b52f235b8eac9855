/**
 * Puts the program into few files, as it is published: hundreds of small modules take longer to find than to run. What
 * only some commands need is in files of its own, which only they load. The service has files of its own.
 *
 *     node scripts/bundle.ts
 *
 * @module
 */
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { stdout } from "node:process"
import { build, type Metafile, type Plugin } from "esbuild"

const packageFolder = dirname(import.meta.dirname)
const bundleFolder = join(packageFolder, "dist/bin")

interface Manifest {
  readonly name: string
  readonly exports: { readonly [name: string]: string }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** How a module is imported from outside. */
const specifierOf = (folder: string, module: string): string => {
  const { exports, name } = manifestOf(folder)
  const [exported] = Object.entries(exports).find(([, file]) => file === module) ?? []
  if (exported === undefined) {
    throw new Error(`${name} must export ${module}, which reads files beside itself`)
  }
  return `${name}${exported.slice(".".length)}`
}

/** What is put into the bundle still finds its files where its own package is installed. */
const filesBeside = (path: string, source: string): string => {
  const [folder = "", module = ""] = path.split(/(?=\/src\/[^/]+$)/u)
  return module === "" || !source.includes("import.meta.url")
    ? source
    : source.replaceAll(
        "import.meta.url",
        `import.meta.resolve("${specifierOf(folder, `.${module}`)}")`,
      )
}

/** Our modules; `before` is a module that some of them import first. */
const sources = (before = "", some: ReadonlySet<string> = new Set()): Plugin => ({
  name: "sources",
  setup: ({ onLoad }) =>
    // oxlint-disable-next-line require-unicode-regexp -- Go reads it, and knows no flags
    onLoad({ filter: /\/packages\/[a-z]+\/src\/.*\.ts$/ }, ({ path }) => {
      const source = filesBeside(path, readFileSync(path, "utf8"))
      return { contents: some.has(path) ? `import "${before}"\n${source}` : source, loader: "ts" }
    }),
})

const service = join(packageFolder, "src/Service.ts")

/** The service is bundled for itself. */
const serviceApart: Plugin = {
  name: "service apart",
  setup: ({ onResolve }) =>
    // oxlint-disable-next-line require-unicode-regexp -- Go reads it, and knows no flags
    onResolve({ filter: /^\.\/Service\.ts$/ }, () => ({ path: "./service.js", external: true })),
}

/** The service has no other command. */
const onlyService: Plugin = {
  name: "only service",
  setup: ({ onResolve }) =>
    // oxlint-disable-next-line require-unicode-regexp -- Go reads it, and knows no flags
    onResolve({ filter: /^\.\/commands\// }, ({ kind, path }) =>
      kind === "dynamic-import" && !path.endsWith("/Serve.ts")
        ? { path, external: true }
        : undefined,
    ),
}

/** The licences of all that others wrote, which go where their work goes. */
const licencesOf = (inputs: Metafile["inputs"]): string => {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file) ?? []
      return folder === undefined ? [] : [join(packageFolder, folder)]
    }),
  )
  return [...folders]
    .map((folder) => {
      const { name } = manifestOf(folder)
      const texts = globSync(join(folder, "LICEN[CS]E*")).map((file) => readFileSync(file, "utf8"))
      if (texts.length === 0) throw new Error(`${name} brings no licence`)
      return `${name}\n\n${texts.join("\n").trim()}\n`
    })
    .toSorted()
    .join(`\n${"-".repeat(80)}\n\n`)
}

/** The files that entry points load before they run. */
const filesOf = ({ outputs }: Metafile, entryPoints: ReadonlyArray<string>) => {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const { external, kind, path } of outputs[file]?.imports ?? [])
      if (kind === "import-statement" && external !== true) visit(path)
  }
  for (const [file, { entryPoint }] of Object.entries(outputs))
    if (entryPoint !== undefined && entryPoints.includes(entryPoint)) visit(file)
  return [...found]
}

/** What a start of the service may read. Raise it only for a reason: all of it is compiled and run at every start. */
const startMax = { files: 12, bytes: 2_150_000 }

rmSync(bundleFolder, { recursive: true, force: true })
const bundled = (entryPoint: string, entryNames: string, plugins: ReadonlyArray<Plugin>) =>
  build({
    absWorkingDir: packageFolder,
    bundle: true,
    chunkNames: "[name]-[hash]",
    entryNames,
    entryPoints: [entryPoint],
    // What others wrote reads files beside itself, too, and is not ours to change: PGlite, an addon, WebAssembly.
    external: ["@florin/postgres/Pglite", "@florin/evm/Recovery"],
    format: "esm",
    logLevel: "warning",
    metafile: true,
    // A start reads less. Names stay, as a stack trace in a report shows them.
    minifySyntax: true,
    minifyWhitespace: true,
    outdir: bundleFolder,
    platform: "node",
    plugins: [...plugins],
    splitting: true,
    target: "node20",
  })

const { metafile: commands } = await bundled("src/main.ts", "florin", [serviceApart, sources()])
const loadedLate = new Set(
  Object.values(commands.inputs).flatMap(({ imports }) =>
    imports.flatMap(({ kind, path }) =>
      kind === "dynamic-import" ? [join(packageFolder, path)] : [],
    ),
  ),
)
// What it loads late comes after all that it starts with. Otherwise each set of modules that some of the late parts share
// would be a file of its own.
const { metafile: served } = await bundled("src/Service.ts", "service", [
  onlyService,
  sources(service, loadedLate),
])
// What `florin init` writes.
cpSync(
  join(packageFolder, "../create-florin/templates/embed/florin.ts"),
  join(bundleFolder, "templates/florin.ts"),
)
writeFileSync(
  join(bundleFolder, "LICENSES.txt"),
  licencesOf({ ...commands.inputs, ...served.inputs }),
)

const start = filesOf(served, ["src/Service.ts", "src/commands/Serve.ts"])
const startBytes = start.reduce((sum, file) => sum + (served.outputs[file]?.bytes ?? 0), 0)
stdout.write(`a start of the service reads ${start.length} files of ${startBytes} bytes\n`)
if (start.length > startMax.files || startBytes > startMax.bytes) {
  throw new Error(`it may read ${startMax.files} files of ${startMax.bytes} bytes`)
}
