/**
 * What a project is made of: its framework, package manager, language and database.
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const frameworks = ["next", "hono", "fastify", "express"] as const
export type Framework = (typeof frameworks)[number]

const databases = ["drizzle-orm", "kysely", "@prisma/client", "postgres", "pg"] as const

/** The lock file of each package manager, and its command that adds packages. */
const managers = [
  { name: "pnpm", lock: "pnpm-lock.yaml", add: "pnpm add" },
  { name: "yarn", lock: "yarn.lock", add: "yarn add" },
  { name: "bun", lock: "bun.lock", add: "bun add" },
  { name: "npm", lock: "package-lock.json", add: "npm install" },
] as const

const Names = Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
const Manifest = Schema.fromJsonString(
  Schema.Struct({
    type: Schema.optionalKey(Schema.String),
    main: Schema.optionalKey(Schema.String),
    scripts: Names,
    dependencies: Names,
    devDependencies: Names,
    packageManager: Schema.optionalKey(Schema.String),
  }),
)

export interface Source {
  /** Relative to the project. */
  readonly file: string
  readonly text: string
}

export interface Project {
  readonly folder: string
  readonly framework: Framework | null
  readonly manager: (typeof managers)[number]
  readonly isTypeScript: boolean
  readonly isModule: boolean
  /** Effect and the packages of Florin, and their versions, as package.json has them. */
  readonly florin: ReadonlyArray<readonly [name: string, version: string]>
  readonly database: string | null
  /** The files in which the app may be made, the likeliest first. */
  readonly sources: ReadonlyArray<Source>
  /** Whether its imports name the files of TypeScript. */
  readonly importsTs: boolean
}

const usual = ["", "src/"].flatMap((folder) =>
  ["index", "server", "app", "main"].flatMap((name) =>
    ["ts", "js", "mts", "mjs", "tsx"].map((end) => `${folder}${name}.${end}`),
  ),
)

export const has = (folder: string, file: string): boolean => existsSync(join(folder, file))

/** A file of the project, if it is there. */
export const read = (folder: string, file: string): Source | undefined =>
  has(folder, file) ? { file, text: readFileSync(join(folder, file), "utf8") } : undefined

/** Looks at the project in a folder; undefined if the folder has no package.json that can be read. */
export const find = (folder: string): Project | undefined => {
  const manifest = Option.getOrUndefined(
    Schema.decodeUnknownOption(Manifest)(read(folder, "package.json")?.text),
  )
  if (manifest === undefined) return undefined
  const { main = "", packageManager = "", scripts = {}, type } = manifest
  const packages = { ...manifest.devDependencies, ...manifest.dependencies }
  const commands = Object.values(scripts).join(" ")
  const started = commands.match(/[\w./-]+\.[mc]?[jt]sx?\b/gu) ?? []
  const tsconfig = read(folder, "tsconfig.json")?.text
  const files = new Set([...started, main, ...usual].map((file) => file.replace(/^\.\//u, "")))
  return {
    folder,
    framework: frameworks.find((name) => Object.hasOwn(packages, name)) ?? null,
    manager:
      managers.find(({ name }) => packageManager.startsWith(`${name}@`)) ??
      managers.find(({ lock }) => existsSync(join(folder, lock))) ??
      managers[3],
    isTypeScript: tsconfig !== undefined,
    isModule: type === "module",
    florin: Object.entries(packages).filter(([name]) =>
      /^(?:@florin\/|(?:effect|florin)$)/u.test(name),
    ),
    database: databases.find((name) => Object.hasOwn(packages, name)) ?? null,
    sources: [...files].flatMap((file) => (file === "" ? [] : (read(folder, file) ?? []))),
    importsTs:
      /"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)": true/u.test(
        tsconfig ?? "",
      ) || /\bnode (?:--\S+ )*\S+\.m?ts\b/u.test(commands),
  }
}
