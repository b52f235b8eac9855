/**
 * The release that this program is of.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Schema from "effect/Schema"

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String })),
)

/** From `src`, and from `dist/bin` where the program was put into few files. */
const manifest = ["..", "../.."]
  .map((folder) => join(import.meta.dirname, folder, "package.json"))
  .find(existsSync)

/** As `florin --version` prints it. */
export const version = (): string =>
  manifest === undefined ? "unknown" : decode(readFileSync(manifest, "utf8")).version
