/**
 * `florin info`: prints what a bug report needs.
 *
 * @module
 */
import { arch, cwd, platform, version } from "node:process"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Project from "../init/Project.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Release from "../terminal/Release.ts"
import * as Terminal from "../terminal/Terminal.ts"

const none = "not found"

export const command = Command.make("info", { json: Flags.json }, ({ json }) =>
  Effect.sync(() => {
    const project = Project.find(cwd())
    const facts = {
      florin: Release.version(),
      node: version,
      platform: `${platform} ${arch}`,
      manager: project?.manager.name ?? none,
      framework: project?.framework ?? none,
      database: project?.database ?? none,
      language: project === undefined ? none : project.isTypeScript ? "TypeScript" : "JavaScript",
      ...Object.fromEntries(project?.florin ?? []),
    }
    if (json) return Terminal.json(facts)
    for (const [name, value] of Object.entries(facts)) Terminal.fact(name.padEnd(16), value)
  }),
).pipe(
  Described.as({
    description:
      "Print what a bug report needs: the versions of Florin, Node and this machine, and what the project in this directory uses. The output has no secrets: no environment variable and no setting is read.",
  }),
)
