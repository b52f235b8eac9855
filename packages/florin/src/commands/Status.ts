/**
 * `florin status`: what needs an operator now, with the command that helps.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Remedies from "@florin/core/engine/Remedies"
import * as StatusUseCase from "@florin/core/engine/Status"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as Watch from "../terminal/Watch.ts"

/** The schema version of the database, and the version that this release needs. */
type Schema = Effect.Success<ReturnType<typeof Access.schemaOf>>

interface Line extends Remedies.Words {
  /** Its name for programs. */
  readonly finding: string
  readonly isRed: boolean
}

interface Report {
  readonly at: number
  readonly lines: ReadonlyArray<Line>
  readonly fine: ReadonlyArray<StatusUseCase.Part>
  readonly skipped: ReadonlyArray<StatusUseCase.Part>
  readonly schema: Schema
}

const redOf = ({ lines }: Report): ReadonlyArray<Line> => lines.filter((each) => each.isRed)

const reportOf = (
  { at, findings, fine, skipped }: StatusUseCase.Status,
  catalog: Catalog.Catalog,
  schema: Schema,
): Report => ({
  at,
  lines: findings.map((each) => ({
    ...Remedies.of(each, catalog, at),
    finding: Remedies.nameOf(each),
    isRed: each.isRed,
  })),
  fine,
  skipped,
  schema,
})

const print = (report: Report): void => {
  const { at, fine, lines, schema, skipped } = report
  const count = redOf(report).length
  const time = Time.iso(at).slice(0, 19).replace("T", " ")
  Terminal.heading(
    `${count === 0 ? "Nothing needs attention" : count === 1 ? "1 problem" : `${count} problems`}, ${time} UTC`,
  )
  for (const each of lines) {
    Terminal.writeMarked(each.isRed ? "red" : "yellow", each.text)
    for (const command of each.commands) {
      Terminal.command(command)
    }
  }
  if (fine.length > 0) {
    const version = schema === null ? "" : `, schema ${schema.found}`
    Terminal.writeMarked("green", `Fine: ${Remedies.namesOf(fine)}${version}`)
  }
  if (skipped.length > 0) {
    Terminal.writeMarked(
      "dim",
      `Not checked: ${Remedies.namesOf(skipped)}. Run this command with the environment variables of florin serve, such as FLORIN_RPC`,
    )
  }
}

const asJson = (report: Report) => ({
  at: Time.iso(report.at),
  needsYou: redOf(report).length > 0,
  findings: report.lines.map(({ commands, finding, isRed: needsYou, json, text }) => ({
    finding,
    needsYou,
    text,
    commands: commands.map(Hint.pasteable),
    ...json,
  })),
  fine: report.fine,
  notLookedAt: report.skipped,
  schema: report.schema,
})

/** Opening a database of an earlier release would change it, so no more is read from it. */
const unopened = Effect.fnUntraced(function* (
  line: Pick<Line, "finding" | "text" | "commands">,
  schema: Schema,
) {
  const at = (yield* DateTime.now).epochMilliseconds
  const skipped = [...StatusUseCase.storageParts, ...StatusUseCase.chainParts]
  const report: Report = {
    at,
    lines: [{ ...line, isRed: true, json: {} }],
    fine: [],
    skipped,
    schema,
  }
  return report
})

const respondsWithin = "5 seconds"

/** Why the database is not opened; null if it can be. */
const refusalOf = Effect.fnUntraced(function* (options: Access.Named) {
  const seen = yield* Effect.result(Effect.timeout(Access.schemaOf(options), respondsWithin))
  if (seen._tag === "Failure") {
    const text = `The database cannot be used: ${seen.failure.message}`
    const commands = ["florin doctor"]
    return { schema: null, refused: yield* unopened({ finding: "unread", text, commands }, null) }
  }
  const schema = seen.success
  if (schema === null || schema.found === schema.known) return { schema, refused: null }
  const isOlder = schema.found < schema.known
  const text = `The database has schema ${schema.found}, and this release works with ${schema.known}: ${
    isOlder ? "migrate it before the release starts" : "run a release that matches the database"
  }`
  const commands = isOlder ? ["florin migrate"] : []
  return { schema, refused: yield* unopened({ finding: "schema", text, commands }, schema) }
})

const everyInMs = 5000

interface Options extends Access.Named {
  readonly json: boolean
  readonly watch: boolean
}

const show = (report: Report, options: Options): void => {
  if (options.json) return Terminal.json(asJson(report))
  print(report)
}

/** Shows the findings, once or repeatedly. */
const showing = <E, R>(look: Effect.Effect<Report, E, R>, options: Options) =>
  Effect.gen(function* () {
    const report = yield* Watch.show(
      look,
      (seen) => show(seen, options),
      options.watch ? everyInMs : null,
    )
    const names = new Set(redOf(report).map(({ finding }) => finding))
    if (names.size > 0) {
      return yield* Failure.make(`needs your attention: ${[...names].join(", ")}`)
    }
    return undefined
  })

export const command = Command.make(
  "status",
  {
    watch: Watch.flag(everyInMs),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { refused, schema } = yield* refusalOf(options)
    if (refused !== null)
      return yield* showing(Effect.succeed(refused), { ...options, watch: false })
    const chains = yield* Access.reachable(options)
    const report = <E, R>(looked: Effect.Effect<StatusUseCase.Status, E, R>) =>
      Effect.zipWith(looked, Assets, (status, catalog) => reportOf(status, catalog, schema))
    const shown = Option.match(chains, {
      onNone: () => showing(report(StatusUseCase.lookInStorage()), options),
      onSome: (reached) =>
        showing(report(StatusUseCase.look()), options).pipe(Effect.provide(reached)),
    })
    return yield* shown.pipe(Access.inStorage(options, "florin status"))
  }, Effect.scoped),
).pipe(
  Command.withDescription(
    "Show what needs your attention, with the command that helps: stopped chains and tokens, money that is held or waits, unclaimed money, missing float, debts, gas, budgets, nodes, webhook endpoints, clock, schema, and work that no worker does. ✗ needs your attention, ! is for information. The exit code is 1 if something needs your attention. The command checks gas, budgets, nodes and tokens if it has the environment variables of florin serve, or if florin dev runs in the directory.",
  ),
  Command.withShortDescription("Show what needs your attention"),
  Command.withExamples([{ command: "florin status --watch" }, { command: "florin status --json" }]),
)
