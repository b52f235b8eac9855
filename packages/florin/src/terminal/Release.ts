/**
 * The release of this program.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String })),
)

/** From this folder, and from `dist/bin` in a bundled program. */
const manifest = join(import.meta.dirname, "../..", "package.json")

/** The version that `florin --version` prints. */
export const version = (): string =>
  existsSync(manifest) ? decode(readFileSync(manifest, "utf8")).version : "unknown"
