/**
 * Opens PGlite in memory or in a directory. It is loaded only if it is used.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { PGlite } from "@electric-sql/pglite"
import type * as Bridge from "./Bridge.ts"

/** An open database. PGlite's own types need types of Emscripten, which our users do not have installed. */
export interface Database extends Bridge.Backend {
  readonly close: () => Promise<void>
}

/** A new database as this PGlite creates it: unpacking it takes a fraction of the time. See snapshot/make.ts. */
const snapshot = async () => {
  const packed = await readFile(new URL("../snapshot/pglite-0.5.16.tar.br", import.meta.url))
  return new Blob([await promisify(brotliDecompress)(packed)], { type: "application/x-tar" })
}

/** Without a directory, all data is lost at the end. */
export const open = async (dataDir: string | undefined): Promise<Database> => {
  if (dataDir === undefined) return PGlite.create({ loadDataDir: await snapshot() })
  const data = join(dataDir, "postgres")
  // A process that is killed while unpacking leaves half a database, which has never been used.
  const unfinished = join(dataDir, "postgres.unfinished")
  if (existsSync(unfinished)) await rm(data, { recursive: true, force: true })
  else if (existsSync(join(data, "PG_VERSION"))) return PGlite.create({ dataDir: data })
  await writeFile(unfinished, "")
  const pglite = await PGlite.create({ dataDir: data, loadDataDir: await snapshot() })
  await rm(unfinished)
  return pglite
}
