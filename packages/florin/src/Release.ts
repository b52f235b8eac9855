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

/** Relative to `src`, and to `dist/bin` in a bundled program. */
const manifest = ["..", "../.."]
  .map((folder) => join(import.meta.dirname, folder, "package.json"))
  .find(existsSync)

/** The version that `florin --version` prints. */
export const version = (): string =>
  manifest === undefined ? "unknown" : decode(readFileSync(manifest, "utf8")).version
