/**
 * Builds the frame of WalletConnect to static files, and writes the licences of what is in its script next to them.
 *
 *     node scripts/build.ts [folder]
 *
 * @module
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { argv } from "node:process"
import { build, type Metafile } from "esbuild"
import * as StaticFiles from "../../pages/scripts/static-files.ts"

const packageFolder = dirname(import.meta.dirname)
const siteFolder = argv[2] ?? join(packageFolder, "dist/site")
const name = "walletconnect"

/** Newer versions of WalletConnect have a licence of their own, which restricts who may use it. */
const accepted = new Set(["(Apache-2.0 AND MIT)", "0BSD", "Apache-2.0", "ISC", "MIT"])

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The licences of all that others wrote. */
const licencesOf = ({ inputs }: Metafile): string => {
  const folders = new Set(
    Object.keys(inputs).flatMap((file) => {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file) ?? []
      return folder === undefined ? [] : [join(packageFolder, folder)]
    }),
  )
  return [...folders]
    .map((folder) => {
      const { license, name: its, version } = manifestOf(folder)
      if (!accepted.has(license)) throw new Error(`${its} ${version} is under ${license}`)
      const texts = globSync(join(folder, "LICEN[CS]E*")).map((file) => readFileSync(file, "utf8"))
      return `${its} ${version}: ${license}\n\n${texts.join("\n").trim()}\n`
    })
    .toSorted()
    .join(`\n${"-".repeat(80)}\n\n`)
}

const { metafile, outputFiles } = await build({
  absWorkingDir: packageFolder,
  bundle: true,
  entryNames: `${name}-[hash]`,
  entryPoints: ["src/frame/main.ts"],
  // A module would be fetched with the frame's own origin, which no server may name.
  format: "iife",
  // It runs before everything else.
  inject: ["src/frame/NoLocalStorage.ts"],
  legalComments: "none",
  metafile: true,
  minify: true,
  outdir: siteFolder,
  platform: "browser",
  target: "es2022",
  write: false,
})
const assets = outputFiles.map(({ contents, path }) => ({
  contents,
  path: `${StaticFiles.assetsPath}${basename(path)}`,
}))

/** Nobody sees it: the checkout shows what the payer must do. */
const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta name="robots" content="noindex" />
<meta name="florin-page" content="" />
<title>WalletConnect</title>
${assets.map(({ path }) => `<script defer src="${path}"></script>`).join("\n")}
</head>
<body></body>
</html>
`

StaticFiles.write(siteFolder, new Map([[name, document]]), assets)
writeFileSync(join(siteFolder, "LICENSES.txt"), licencesOf(metafile))
