/**
 * Opens PGlite in memory or in a directory. Whoever does not want it never loads it.
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

/** A database that is open. PGlite's own types need types of Emscripten, which nobody who installs us has. */
export interface Database extends Bridge.Backend {
  readonly close: () => Promise<void>
}

/** A new database as this PGlite makes it: to unpack it takes a fraction of the time. See snapshot/make.ts. */
const snapshot = async () => {
  const packed = await readFile(new URL("../snapshot/pglite-0.5.16.tar.br", import.meta.url))
  return new Blob([await promisify(brotliDecompress)(packed)], { type: "application/x-tar" })
}

/** Without a directory everything is forgotten at the end. */
export const open = async (dataDir: string | undefined): Promise<Database> => {
  if (dataDir === undefined) return PGlite.create({ loadDataDir: await snapshot() })
  const data = join(dataDir, "postgres")
  // A process that is killed while it unpacks leaves half a database, and nobody has used it yet.
  const unfinished = join(dataDir, "postgres.unfinished")
  if (existsSync(unfinished)) await rm(data, { recursive: true, force: true })
  else if (existsSync(join(data, "PG_VERSION"))) return PGlite.create({ dataDir: data })
  await writeFile(unfinished, "")
  const pglite = await PGlite.create({ dataDir: data, loadDataDir: await snapshot() })
  await rm(unfinished)
  return pglite
}
