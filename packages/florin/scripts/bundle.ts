/**
 * Puts the program into few files, as it is published: hundreds of small modules take longer to find than to run. What
 * only some commands need is in files of its own, which only they load.
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
const filesBeside: Plugin = {
  name: "files beside",
  setup: ({ onLoad }) =>
    // oxlint-disable-next-line require-unicode-regexp -- Go reads it, and knows no flags
    onLoad({ filter: /\/packages\/[a-z]+\/src\/[^/]+\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8")
      if (!source.includes("import.meta.url")) return undefined
      const [folder = "", module = ""] = path.split(/(?=\/src\/[^/]+$)/u)
      const at = `import.meta.resolve("${specifierOf(folder, `.${module}`)}")`
      return { contents: source.replaceAll("import.meta.url", at), loader: "ts" }
    }),
}

/** The licences of all that others wrote, which go where their work goes. */
const licencesOf = ({ inputs }: Metafile): string => {
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
const startBytesMax = 2_350_000

rmSync(bundleFolder, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: packageFolder,
  bundle: true,
  chunkNames: "[name]-[hash]",
  entryNames: "florin",
  entryPoints: ["src/main.ts"],
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
  plugins: [filesBeside],
  splitting: true,
  target: "node20",
})
// What `florin init` writes.
cpSync(
  join(packageFolder, "../create-florin/templates/embed/florin.ts"),
  join(bundleFolder, "templates/florin.ts"),
)
writeFileSync(join(bundleFolder, "LICENSES.txt"), licencesOf(metafile))

const start = filesOf(metafile, ["src/main.ts", "src/Program.ts", "src/commands/Serve.ts"])
const startBytes = start.reduce((sum, file) => sum + (metafile.outputs[file]?.bytes ?? 0), 0)
stdout.write(`a start of the service reads ${start.length} files of ${startBytes} bytes\n`)
if (startBytes > startBytesMax) throw new Error(`it may read ${startBytesMax} bytes`)
