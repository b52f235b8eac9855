/**
 * Once per run, before the first test of a project that asks for it: a PostgreSQL server, which all such projects share.
 * `DATABASE_URL` names another one to use; its user must be allowed to create databases.
 *
 * @module
 */
import { tmpdir } from "node:os"
import { env } from "node:process"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { TestProject } from "vitest/node"
import * as Databases from "../test-support/databases.ts"
import * as Server from "../test-support/server.ts"

declare module "vitest" {
  interface ProvidedContext {
    readonly postgres: Databases.Provided
  }
}

const given = env["DATABASE_URL"]

export const setup = async (project: TestProject) => {
  // What the root provides every project has; they are set up one after another.
  const root = project.vitest.getRootProject()
  if (Object.hasOwn(root.getProvidedContext(), "postgres")) return
  const scope = Scope.makeUnsafe()
  const provided = Effect.gen(function* () {
    // Where autovacuum looks at a table, a VACUUM by a test cannot mark its new rows as seen by all, and plans change.
    const own = Server.makeIn(tmpdir(), { autovacuum: "off" })
    const url = given ?? (yield* own).url
    return { url, template: yield* Databases.template(url) }
  })
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    root.provide("postgres", await Effect.runPromise(Scope.provide(provided, scope)))
  } catch (cause) {
    await stop()
    throw cause
  }
  // Projects are torn down when all of them have run.
  return stop
}
