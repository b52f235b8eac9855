/**
 * The source of `florin.ts`, which is also the one of `create-florin --template embed`.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** In this repository, and next to the bundled program. */
const places = ["../../../create-florin/templates/embed", "templates"]

export const read = (): string => {
  const files = places.map((place) => join(import.meta.dirname, place, "florin.ts"))
  return readFileSync(files.find(existsSync) ?? "florin.ts", "utf8")
}
