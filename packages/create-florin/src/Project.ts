/**
 * Creates a new project: the files of a template, and the configuration of npm and TypeScript.
 *
 * @module
 */
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve, sep } from "node:path"

/** The templates, with a description of each. */
export const templates = {
  shop: "a small shop that takes test payments",
  embed: "a Node server with Florin in it",
} as const

export type Template = keyof typeof templates

/** The reason why a project cannot be created, for a person to read. */
export class CannotCreate extends Error {
  override readonly name = "CannotCreate"
}

/** The packages that the templates import. */
const imported = ["@florin/client", "@florin/pages", "@florin/server", "@florin/testing"] as const

/** The dependencies of these packages: npm finds tarballs only if the project names them. */
const behind = ["@florin/api", "@florin/core", "@florin/embed"] as const

export type Version =
  | (typeof imported)[number]
  | (typeof behind)[number]
  | "@types/node"
  | "effect"
  | "typescript"

export interface Options {
  readonly folder: string
  readonly template: Template
  /** The folder of the templates. */
  readonly templatesFolder: string
  /** The exact versions that this release was tested with. */
  readonly versions: { readonly [V in Version]: string }
  /** A folder of tarballs to install Florin from, instead of the registry. */
  readonly packs: string | undefined
}

/** The file name that `npm pack` uses. */
const tarballOf = (name: string, version: string): string =>
  `${name.replace("@", "").replace("/", "-")}-${version}.tgz`

/** Whether a folder has the tarballs of this release. */
export const hasPacks = (folder: string, versions: Options["versions"]): boolean =>
  [...imported, ...behind].every((name) =>
    existsSync(join(folder, tarballOf(name, versions[name]))),
  )

const florinPackages = ({ folder, packs, versions }: Options) => {
  if (packs === undefined) return imported.map((name) => [name, `^${versions[name]}`] as const)
  if (!hasPacks(packs, versions)) {
    throw new CannotCreate(
      `${packs} does not have the tarballs of Florin ${versions["@florin/server"]}.`,
    )
  }
  return [...imported, ...behind].map((name) => {
    const tarball = join(packs, tarballOf(name, versions[name]))
    return [name, `file:${relative(folder, tarball).split(sep).join("/")}`] as const
  })
}

/** A package name that npm accepts. */
const nameOf = (folder: string): string =>
  basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "") || "my-shop"

const manifestOf = (options: Options): object => ({
  name: nameOf(options.folder),
  version: "0.0.0",
  private: true,
  type: "module",
  scripts: { start: "tsc && node dist/server.js" },
  dependencies: Object.fromEntries(
    [...florinPackages(options), ["effect", options.versions.effect] as const].toSorted(
      ([left], [right]) => (left < right ? -1 : 1),
    ),
  ),
  devDependencies: {
    "@types/node": options.versions["@types/node"],
    typescript: options.versions.typescript,
  },
})

/** Effect's types need `DOM`. */
const tsconfig = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "DOM"],
    module: "NodeNext",
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    outDir: "dist",
  },
  include: ["*.ts"],
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Refuses a folder that is not empty, so that nothing is overwritten. */
const checkEmpty = (folder: string): void => {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new CannotCreate(`${folder} is a file.`)
  if (readdirSync(folder).length > 0) {
    throw new CannotCreate(`${folder} is not empty. Choose a new folder.`)
  }
}

/** Runs what writes to the disk, which may refuse it. */
const writing = (folder: string, write: () => void): void => {
  try {
    write()
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error
    throw new CannotCreate(`${folder} cannot be written (${error.code}). Choose another folder.`)
  }
}

/** Writes a project. */
export const create = (asked: Options): void => {
  const options = { ...asked, folder: resolve(asked.folder) }
  checkEmpty(options.folder)
  const manifest = manifestOf(options)
  writing(asked.folder, () => {
    mkdirSync(options.folder, { recursive: true })
    cpSync(join(options.templatesFolder, options.template), options.folder, { recursive: true })
    writeFileSync(join(options.folder, "package.json"), json(manifest))
    writeFileSync(join(options.folder, "tsconfig.json"), json(tsconfig))
    writeFileSync(join(options.folder, ".gitignore"), "node_modules/\ndist/\n")
  })
}
