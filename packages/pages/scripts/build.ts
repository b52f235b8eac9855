/**
 * Builds the pages to static files: documents, and assets under hashed names, compressed once and for all.
 *
 *     node scripts/build.ts [folder]
 *
 * @module
 */
import { dirname, join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { rings } from "../src/shared/Html.ts"
import * as Bundle from "./bundle.ts"
import * as StaticFiles from "./static-files.ts"

const packageFolder = dirname(import.meta.dirname)
const siteFolder = argv[2] ?? join(packageFolder, "dist/site")

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

const pages: ReadonlyArray<Bundle.Page> = [
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
]

/** Scripts that a service on a developer's machine adds to a document. Of each, the tag is kept. */
const additions = ["wallets"]

const built = await Promise.all([
  ...pages.map(async (page) => {
    const of = await Bundle.bundle(
      packageFolder,
      StaticFiles.assetsPath,
      page.name,
      `${page.name}/main.tsx`,
      `${page.name}/style.css`,
    )
    return { name: page.name, of, document: Bundle.documentOf(page, of) }
  }),
  ...additions.map(async (name) => {
    const of = await Bundle.bundle(packageFolder, StaticFiles.assetsPath, name, `${name}/main.ts`)
    return { name, of, document: Bundle.scriptTag(of) }
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
