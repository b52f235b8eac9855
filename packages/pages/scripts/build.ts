/**
 * Builds the pages to static files: documents, and assets under hashed names, compressed once and for all.
 *
 *     node scripts/build.ts [folder]
 *
 * @module
 */
import { basename, dirname, join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { rings } from "../src/shared/Html.ts"
import * as StaticFiles from "./static-files.ts"

const packageFolder = dirname(import.meta.dirname)
const siteFolder = argv[2] ?? join(packageFolder, "dist/site")

interface Page {
  readonly name: string
  readonly title: string
  /** The HTML in `noscript`. That of the checkout is filled in by the server. */
  readonly withoutScript: string
  /** What stands on the page until its script has drawn it. */
  readonly frame: string
  /**
   * Who loads the stylesheet. The address of the collect page may hold personal data, and its script takes that away
   * before anything else is loaded.
   */
  readonly styledBy: "document" | "script"
}

/** The checkout without its words: what is seen first, on a slow line for half a second, is the page and not a blank. */
const card = `<div class="card" aria-hidden="true">
<div class="summary">
${rings}
<div class="merchant"><span class="picture tile"></span></div>
<p class="amount">&nbsp;</p>
<p class="details">&nbsp;</p>
<p class="time">${"&nbsp;".repeat(14)}</p>
</div>
<div class="panel"></div>
</div>`

const pages: ReadonlyArray<Page> = [
  {
    name: "checkout",
    title: "Payment",
    withoutScript: "",
    frame: card,
    styledBy: "document",
  },
  {
    name: "collect",
    title: "Your details",
    withoutScript: "<p>This page needs JavaScript.</p>",
    // Without its stylesheet nothing may be seen.
    frame: "",
    styledBy: "script",
  },
  {
    name: "start",
    title: "Florin on this machine",
    withoutScript: "<p>This page needs JavaScript.</p>",
    frame: "",
    styledBy: "document",
  },
]

/** Scripts that a service on a developer's machine adds to a document. Of each, the tag is kept. */
const additions = ["wallets"]

interface Built {
  readonly assets: ReadonlyArray<StaticFiles.Asset>
  readonly script: string
  /** Undefined for a script that draws nothing. */
  readonly style: string | undefined
  /** What the script imports at once. */
  readonly imported: ReadonlyArray<string>
}

const bundle = async (name: string, ...sources: ReadonlyArray<string>): Promise<Built> => {
  const entryPoints = sources.map((source) => `src/${name}/${source}`)
  const { metafile, outputFiles } = await build({
    absWorkingDir: packageFolder,
    assetNames: `${name}-[hash]`,
    bundle: true,
    // The files are served as UTF-8. Escapes would take up to twice the bytes.
    charset: "utf8",
    chunkNames: `${name}-[name]-[hash]`,
    entryNames: `${name}-[hash]`,
    entryPoints,
    format: "esm",
    metafile: true,
    minify: true,
    outdir: siteFolder,
    platform: "browser",
    publicPath: StaticFiles.assetsPath,
    splitting: true,
    target: "es2022",
    write: false,
  })
  const pathOf = (file: string) => `${StaticFiles.assetsPath}${basename(file)}`
  // esbuild gives an entry point to each dynamic import too, such as a language. Only those asked for are the page.
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint = "" }]) =>
    entryPoints.includes(entryPoint),
  )
  const [script, scriptOutput] = entries.find(([path]) => path.endsWith(".js")) ?? []
  const [style] = entries.find(([path]) => path.endsWith(".css")) ?? []
  if (script === undefined) throw new Error(`${name} has no entry`)
  return {
    assets: outputFiles.map(({ contents, path }) => ({ contents, path: pathOf(path) })),
    script: pathOf(script),
    style: style && pathOf(style),
    imported: (scriptOutput?.imports ?? [])
      .filter(({ kind }) => kind === "import-statement")
      .map(({ path }) => pathOf(path)),
  }
}

const scriptTag = ({ script }: Built) => `<script type="module" src="${script}"></script>`

/** `florin-page` is filled in by the server; a browser that finds no icon here would ask for one. */
const documentOf = (page: Page, built: Built) => `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
<meta name="color-scheme" content="light dark" />
<meta name="robots" content="noindex" />
<meta name="florin-page" content="" />
<title>${page.title}</title>
<link rel="icon" href="data:," />
${page.styledBy === "document" ? `<link rel="stylesheet" href="${built.style}" />` : `<meta name="florin-style" content="${built.style}" />`}
${built.imported.map((path) => `<link rel="modulepreload" href="${path}" />\n`).join("")}${scriptTag(built)}
</head>
<body>
<main id="page"><noscript>${page.withoutScript}</noscript>${page.frame}</main>
</body>
</html>
`

const built = await Promise.all([
  ...pages.map(async (page) => {
    const of = await bundle(page.name, "main.tsx", "style.css")
    return { name: page.name, of, document: documentOf(page, of) }
  }),
  ...additions.map(async (name) => {
    const of = await bundle(name, "main.ts")
    return { name, of, document: scriptTag(of) }
  }),
])
/** The script with which a shop shows the checkout in its own page. Its path stays, so that shops can write it down. */
const embed = await build({
  bundle: true,
  entryPoints: [fileURLToPath(import.meta.resolve("@florin/embed"))],
  format: "esm",
  minify: true,
  platform: "browser",
  target: "es2022",
  write: false,
})

StaticFiles.write(
  siteFolder,
  new Map(built.map(({ document, name }) => [name, document])),
  built.flatMap(({ of }) => of.assets),
)
for (const { contents } of embed.outputFiles) {
  StaticFiles.writeFile(join(siteFolder, "florin.js"), contents)
}
