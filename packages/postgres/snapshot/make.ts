/**
 * Makes the snapshot that new embedded databases begin with. To be run once per version of PGlite:
 * `node packages/postgres/snapshot/make.ts`
 *
 * @module
 */
import { writeFileSync } from "node:fs"
import { brotliCompressSync, constants } from "node:zlib"
import { PGlite } from "@electric-sql/pglite"

const pglite = await PGlite.create()
const { rows } = await pglite.query<{ version: string }>("SELECT version()")
const version = /PGlite ([\d.]+)/u.exec(rows[0]?.version ?? "")?.[1]
if (version === undefined) throw new Error("PGlite does not say its version")
await pglite.exec("CHECKPOINT")
const tar = new Uint8Array(await (await pglite.dumpDataDir("none")).arrayBuffer())
await pglite.close()
const packed = brotliCompressSync(tar, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  },
})
writeFileSync(new URL(`pglite-${version}.tar.br`, import.meta.url), packed)
