/**
 * The examples in `examples/from-npm`: each installs from npm what is too large for this workspace, next to the tarballs,
 * and checks its types and itself on a PostgreSQL server.
 *
 * @module
 */
import { cpSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { env } from "node:process"
import * as Effect from "effect/Effect"
import * as Server from "../packages/postgres/test-support/server.ts"
import { run } from "./command.ts"
import * as installed from "./installed.ts"
import type { Tarball } from "./tarballs.ts"

interface Manifest {
  readonly scripts: { readonly prepare?: string; readonly check: string }
  readonly dependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
}

const examples = join(import.meta.dirname, "..", "examples", "from-npm")

export const names = globSync("*/package.json", { cwd: examples }).map(
  (file) => file.split("/")[0] ?? file,
)

const wordsOf = (command: string) => ["-c", command]

const checkOn = async (
  url: string,
  name: string,
  packed: ReadonlyArray<Tarball>,
  home: string,
): Promise<void> => {
  const from = join(examples, name)
  const { dependencies, devDependencies, scripts }: Manifest = JSON.parse(
    readFileSync(join(from, "package.json"), "utf8"),
  )
  const others = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([each]) => !each.startsWith("@florin/"),
  )
  const folder = join(home, name)
  await installed.install(folder, packed, Object.fromEntries(others))
  cpSync(from, folder, {
    recursive: true,
    filter: (file) => !["package.json", "node_modules", "generated"].includes(basename(file)),
  })
  const path = [join(folder, "node_modules/.bin"), env["PATH"]].join(":")
  for (const command of [scripts.prepare, scripts.check]) {
    if (command === undefined) continue
    await run("sh", wordsOf(command), { cwd: folder, env: { PATH: path, DATABASE_URL: url } })
  }
}

/** Installs an example and checks it, on a server of its own. */
export const check = (name: string, packed: ReadonlyArray<Tarball>, home: string): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(Server.make, ({ url }) =>
        Effect.promise(() => checkOn(url, name, packed, home)),
      ),
    ),
  )
