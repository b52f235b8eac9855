/**
 * Bundles a page to files with hashed names, and writes its document.
 *
 * @module
 */
import { basename } from "node:path"
import { build } from "esbuild"
import type * as StaticFiles from "./static-files.ts"

export interface Page {
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

export interface Built {
  readonly assets: ReadonlyArray<StaticFiles.Asset>
  readonly script: string
  /** Undefined for a script that draws nothing. */
  readonly style: string | undefined
  /** What the script imports at once. */
  readonly imported: ReadonlyArray<string>
}

/** Bundles `src/<source>` of a package under a name, for files below a path. They import each other relatively. */
export const bundle = async (
  packageFolder: string,
  assetsPath: string,
  name: string,
  ...sources: ReadonlyArray<string>
): Promise<Built> => {
  const entryPoints = sources.map((source) => `src/${source}`)
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
    outdir: "dist/site",
    platform: "browser",
    splitting: true,
    target: "es2022",
    write: false,
  })
  const pathOf = (file: string) => `${assetsPath}${basename(file)}`
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

export const scriptTag = ({ script }: Built) => `<script type="module" src="${script}"></script>`

/** `florin-page` is filled in by the server; a browser that finds no icon here would ask for one. */
export const documentOf = (page: Page, built: Built) => `<!doctype html>
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
