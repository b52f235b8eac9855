/**
 * A project that installs the tarballs with npm, as a user would.
 *
 * @module
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { run } from "./command.ts"
import type { Tarball } from "./tarballs.ts"

export interface Installed {
  readonly folder: string
  /** The import specifiers of our packages. */
  readonly specifiers: ReadonlyArray<string>
}

/** A program has only its path: it is run, not imported. */
type Exports = { readonly [path: string]: { readonly default: string } | string | null }

/** A pattern of `exports` stands for every file that matches it. */
const expand = (folder: string, path: string, target: string): ReadonlyArray<string> => {
  const [before = "", after = ""] = target.slice("./".length).split("*")
  if (!target.includes("*")) return [path]
  return globSync(`${before}*${after}`, { cwd: folder }).map((file) =>
    path.replace("*", file.slice(before.length, -after.length)),
  )
}

const specifiersOf = (folder: string, name: string): ReadonlyArray<string> => {
  const own = join(folder, "node_modules", name)
  const { exports = {} }: { readonly exports?: Exports } = JSON.parse(
    readFileSync(join(own, "package.json"), "utf8"),
  )
  return Object.entries(exports).flatMap(([path, target]) =>
    target === null || typeof target === "string"
      ? []
      : expand(own, path, target.default).map((each) => `${name}${each.slice(".".length)}`),
  )
}

/** Installs all tarballs with plain npm, and the other packages of a project. */
export const install = async (
  folder: string,
  tarballs: ReadonlyArray<Tarball>,
  others: { readonly [name: string]: string },
): Promise<Installed> => {
  const own = Object.fromEntries(
    tarballs.map(({ file, manifest }) => [manifest.name, `file:${file}`]),
  )
  mkdirSync(folder, { recursive: true })
  const manifest = { private: true, type: "module", dependencies: { ...own, ...others } }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder })
  return {
    folder,
    specifiers: tarballs.flatMap((tarball) => specifiersOf(folder, tarball.manifest.name)),
  }
}
