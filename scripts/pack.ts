/**
 * `npm run pack`: writes the tarballs of all packages to dist/packs, together with the program that creates a project
 * from them.
 *
 * @module
 */
import { statSync } from "node:fs"
import { basename, join } from "node:path"
import * as tarballs from "./tarballs.ts"

const folder = "dist/packs"
const written = await tarballs.write(folder)
for (const { file } of written) {
  console.log(`${String(Math.ceil(statSync(file).size / 1024)).padStart(5)} kB  ${basename(file)}`)
}
const creator = written.find(({ manifest }) => manifest.name === "create-florin")
if (creator !== undefined) await tarballs.unpack(creator, join(folder, "create-florin"))
console.log(`
${written.length} tarballs are in ${folder}. To create a project from them:

  node ${folder}/create-florin my-shop`)
