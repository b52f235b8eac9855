/**
 * Writes documents, and their assets compressed once and for all, as `Site.load` reads them.
 *
 * @module
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

export const assetsPath = "/pages/assets/"

export interface Asset {
  /** Below a path such as {@link assetsPath}, under a name that changes with the contents. */
  readonly path: string
  readonly contents: Uint8Array
}

const brotli = (contents: Uint8Array) =>
  brotliCompressSync(contents, {
    params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT },
  })

/** Writes a file and its compressed forms. */
export const writeFile = (file: string, contents: Uint8Array): void => {
  writeFileSync(file, contents)
  writeFileSync(`${file}.br`, brotli(contents))
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: 9 }))
}

/** Empties a folder, and writes the documents, by their names, and the assets into it. */
export const write = (
  folder: string,
  documents: ReadonlyMap<string, string>,
  assets: ReadonlyArray<Asset>,
): void => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, "assets"), { recursive: true })
  for (const [name, document] of documents) {
    writeFileSync(join(folder, `${name}.html`), document)
  }
  for (const { contents, path } of assets) {
    writeFile(join(folder, "assets", basename(path)), contents)
  }
}
