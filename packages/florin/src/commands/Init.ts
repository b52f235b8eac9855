/**
 * `florin init`: adds Florin to the project in this directory.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cwd } from "node:process"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Plan from "../init/Plan.ts"
import * as Project from "../init/Project.ts"
import * as Template from "../init/Template.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Prompt from "../terminal/Prompt.ts"
import * as Terminal from "../terminal/Terminal.ts"

const packages = ["@florin/client", "@florin/pages", "@florin/server", "@florin/testing", "effect"]

const printNext = ({ database, florin, manager }: Project.Project): void => {
  const missing = packages.filter((name) => !florin.some(([known]) => known === name))
  // The packages of the repository are on no registry yet.
  const packs = Hint.repository && join(Hint.repository, "dist", "packs", "*.tgz")
  if (missing.length > 0) {
    if (packs !== undefined) Terminal.plain(`npm --prefix ${Hint.repository} run pack`)
    Terminal.plain(`${manager.add} ${packs ?? missing.join(" ")}`)
  }
  Terminal.plain("Start your app, and open http://localhost:3000/buy")
  if (database !== null) {
    Terminal.plain(
      `Payments are kept in memory. To keep them in your database (${database}), see docs/put-it-into-your-app.md.`,
    )
  }
}

export const command = Command.make(
  "init",
  { yes: Flags.toggle("yes", "Write without asking"), json: Flags.json },
  Effect.fnUntraced(function* ({ json, yes }) {
    const project = Project.find(cwd())
    if (project === undefined) {
      return yield* Failure.make(
        "this directory has no package.json that can be read: run the command in your project",
      )
    }
    const { byHand, changes } = Plan.make(project, Template.read())
    if (json) Terminal.json({ changes: changes.map(({ file }) => file), byHand })
    if (byHand.length > 0) return yield* Failure.make(`nothing was changed. ${byHand.join(" ")}`)
    if (changes.length === 0) {
      if (!json) Terminal.writeSuccess("Florin is in this project already: nothing to do.")
      return
    }
    if (!json) for (const line of changes.flatMap(Plan.print)) Terminal.plain(line)
    // A question would stand among the JSON.
    if (!yes && (json || !(yield* Prompt.ask("Write this"))))
      return yield* Failure.make("nothing was changed: add --yes to write without asking")
    for (const change of changes) {
      mkdirSync(dirname(join(project.folder, change.file)), { recursive: true })
      writeFileSync(join(project.folder, change.file), Plan.apply(change))
    }
    if (json) return
    Terminal.writeSuccess("Written. To undo it, use `git checkout` and delete the new files. Next:")
    printNext(project)
  }),
).pipe(
  Described.as({
    description:
      "Add Florin to the Next, Hono, Fastify or Express project in this directory: a file that makes the service, its routes, and a page with the checkout. The command shows what it writes, and asks. It only adds files and lines. If it does not recognize the app, it changes nothing and says what to add by hand. Running it again changes nothing.",
    examples: ["florin init", "florin init --yes"],
  }),
)
