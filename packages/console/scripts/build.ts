/**
 * Builds the console to static files: its document, and assets under hashed names, compressed once and for all.
 *
 *     node scripts/build.ts [folder]
 *
 * @module
 */
import { dirname, join } from "node:path"
import { argv } from "node:process"
import * as Bundle from "../../pages/scripts/bundle.ts"
import * as StaticFiles from "../../pages/scripts/static-files.ts"

const packageFolder = dirname(import.meta.dirname)
const siteFolder = argv[2] ?? join(packageFolder, "dist/site")

const page: Bundle.Page = {
  name: "console",
  title: "Florin",
  withoutScript: "<p>This page needs JavaScript.</p>",
  frame: "",
  styledBy: "document",
}

const built = await Bundle.bundle(
  packageFolder,
  "/console/assets/",
  page.name,
  "main.tsx",
  "style.css",
)
StaticFiles.write(siteFolder, new Map([[page.name, Bundle.documentOf(page, built)]]), built.assets)
