#!/usr/bin/env node
/**
 * `npm create florin my-shop`.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import process, { stderr, stdout } from "node:process"
import { parseArgs } from "node:util"
import * as Project from "./Project.ts"

const help = `Create a project that takes test payments with Florin.

  npm create florin <folder> -- [--template <name>] [--packs <folder>]

  --template  ${Object.entries(Project.templates)
    .map(([name, makes]) => `${name}: ${makes}`)
    .join("\n              ")}
              (default: shop)
  --packs     install Florin from the tarballs in this folder
              (default: the tarballs next to this program, else the registry)
`

/** The folder of this package: its source, the published package, or a copy unpacked next to the tarballs. */
const home = dirname(import.meta.dirname)

const manifest: { readonly devDependencies: { readonly [V in Project.Version]: string } } =
  JSON.parse(readFileSync(join(home, "package.json"), "utf8"))

const isTemplate = (name: string): name is Project.Template =>
  Object.hasOwn(Project.templates, name)

/** Quotes a text for a shell. */
const quoted = (text: string): string =>
  /^[\w./-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

const parse = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        packs: { type: "string" },
        template: { type: "string", default: "shop" },
      },
    })
  } catch (error) {
    throw new Project.CannotCreate(error instanceof Error ? error.message : String(error))
  }
}

const run = (): string => {
  const { positionals, values } = parse()
  if (values.help === true) return help
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) {
    throw new Project.CannotCreate("Name one folder for the project, such as my-shop.")
  }
  const { packs, template } = values
  if (!isTemplate(template)) {
    const names = Object.keys(Project.templates).join(" or ")
    throw new Project.CannotCreate(`There is no template of that name: choose ${names}.`)
  }
  const versions = manifest.devDependencies
  if (versions.effect.startsWith("catalog:")) {
    throw new Project.CannotCreate(
      "This is the source of create-florin. Run npm run pack, then node dist/packs/create-florin.",
    )
  }
  const next = dirname(home)
  Project.create({
    folder,
    template,
    templatesFolder: join(home, "templates"),
    versions,
    packs:
      packs === undefined
        ? [next].find((each) => Project.hasPacks(each, versions))
        : resolve(packs),
  })
  return `Created ${folder}: ${Project.templates[template]}. Next, run:

  cd ${quoted(folder)} && npm install
  npm start
`
}

try {
  stdout.write(run())
} catch (error) {
  if (!(error instanceof Project.CannotCreate)) throw error
  stderr.write(`${error.message} See create-florin --help.\n`)
  process.exitCode = 1
}
