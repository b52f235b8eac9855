/**
 * The packages as they would be published, one tarball each.
 *
 * @module
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import * as billOfMaterials from "./bill-of-materials.ts"
import { run } from "./command.ts"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly bin?: { readonly [name: string]: string }
  readonly dependencies?: { readonly [name: string]: string }
  readonly peerDependencies?: { readonly [name: string]: string }
}

export interface Tarball {
  readonly file: string
  /** The folder of its source. */
  readonly folder: string
  readonly manifest: Manifest
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** Removes compiled files whose source is gone: the compiler leaves them, and they would be published. */
const prune = (): void => {
  for (const file of globSync("packages/*/dist/**/*.{js,d.ts,js.map,d.ts.map}")) {
    const [, folder = "", name = ""] =
      /^(.+?)\/dist\/(?!bin\/|site\/)(.+?)\.(?:js|d\.ts)/u.exec(file) ?? []
    const source = join(folder, "src", name)
    if (name !== "" && !existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(file)
  }
}

/** Writes the tarballs of the compiled packages, each with its bill of materials, into an emptied folder. */
export const pack = async (into: string): Promise<ReadonlyArray<Tarball>> => {
  const target = resolve(into)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const packages = ["--recursive", "--filter", "./packages/*"]
  await run("pnpm", [...packages, "pack", "--pack-destination", target])
  const tarballs = globSync("packages/*").flatMap((folder) => {
    const manifest = manifestOf(folder)
    if (manifest.private === true) return []
    const name = manifest.name.replace("@", "").replace("/", "-")
    return [
      { file: join(target, `${name}-${manifest.version}.tgz`), folder: resolve(folder), manifest },
    ]
  })
  await billOfMaterials.write(tarballs, target)
  return tarballs
}

/** Compiles all packages, and packs them. */
export const write = async (into: string): Promise<ReadonlyArray<Tarball>> => {
  await run("pnpm", ["run", "build"])
  prune()
  return pack(into)
}

/** Unpacks a tarball into a folder, without the folder `package` that is in each. */
export const unpack = async ({ file }: Tarball, into: string): Promise<void> => {
  mkdirSync(into, { recursive: true })
  await run("tar", ["-xzf", file, "-C", into, "--strip-components", "1"])
}
