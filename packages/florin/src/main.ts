#!/usr/bin/env node
/**
 * The program `florin`. Each command is a file of its own; what they end with is the same for all:
 * 0 when it came out, 1 when it did not, 2 when the command line cannot be understood.
 *
 * @module
 */
import process, { argv, exit, stdout } from "node:process"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Path from "effect/Path"
import { ChildProcessSpawner, make as makeSpawner } from "effect/process/ChildProcessSpawner"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as EffectTerminal from "effect/Terminal"
import * as Demo from "./commands/Demo.ts"
import * as Dev from "./commands/Dev.ts"
import * as Explain from "./commands/Explain.ts"
import * as Keys from "./commands/Keys.ts"
import * as Merchants from "./commands/Merchants.ts"
import * as Migrate from "./commands/Migrate.ts"
import * as Partners from "./commands/Partners.ts"
import * as Pay from "./commands/Pay.ts"
import * as Payments from "./commands/Payments.ts"
import * as Reconcile from "./commands/Reconcile.ts"
import * as Refunds from "./commands/Refunds.ts"
import * as Serve from "./commands/Serve.ts"
import * as Failure from "./Failure.ts"
import * as Terminal from "./Terminal.ts"

const florin = Command.make("florin").pipe(
  Command.withDescription(
    "Crypto payments. Ends with 0 when it came out, 1 when it did not, 2 when the command line cannot be understood.",
  ),
  Command.withSubcommands([
    Serve.command,
    Dev.command,
    Demo.command,
    Partners.command,
    Keys.command,
    Payments.command,
    Merchants.command,
    Refunds.command,
    Pay.command,
    Explain.command,
    Reconcile.command,
    Migrate.command,
  ]),
)

const nothing = Effect.die("no command asks anything of the terminal")

/** What a command line may ask of its surroundings; ours ask nothing. */
const surroundings = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    EffectTerminal.Terminal,
    EffectTerminal.make({
      columns: Effect.succeed(100),
      rows: Effect.succeed(24),
      size: nothing,
      readInput: nothing,
      readLine: nothing,
      display: () => nothing,
    }),
  ),
  Layer.succeed(
    ChildProcessSpawner,
    makeSpawner(() => nothing),
  ),
  Layer.succeed(
    Stdio.Stdio,
    Stdio.make({
      args: Effect.succeed([]),
      stdin: Stream.empty,
      stdout: () => Sink.drain,
      stderr: () => Sink.drain,
    }),
  ),
)

const formatter = CliOutput.defaultFormatter({ colors: stdout.isTTY })

/** Help to who asks for it; to who is not understood what is wrong, and where to look. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    Effect.sync(() => {
      switch (event._tag) {
        case "Help":
          stdout.write(`${formatter.formatHelpDoc(event.helpDoc)}\n`)
          break
        case "Version":
          stdout.write(`${event.version}\n`)
          break
        case "InvalidInvocation":
          for (const { message } of event.errors) Terminal.failed(message)
          Terminal.failed(`${event.commandPath.join(" ")} --help lists what there is`)
      }
    }),
}

const settings = Layer.mergeAll(
  surroundings,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  // What a command prints may be read by a program: the log goes another way.
  Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]),
)

const codeOf = (error: unknown): number => {
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  }
  Terminal.failed(error instanceof Error ? error.message : "it did not work")
  return error instanceof Failure.NotUnderstood ? 2 : 1
}

/** What serves until it is asked to end came out by then; all else was stopped on its way. */
const codeWhenStopped = ["dev", "serve"].includes(argv[2] ?? "") ? 0 : 1

/** Ends when somebody asks the process to. */
const interrupted = Effect.callback<number>((resume) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => resume(Effect.succeed(codeWhenStopped)))
})

exit(
  await Command.runWith(florin, { version: "0.0.0" })(argv.slice(2)).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => codeOf(error))),
    Effect.raceFirst(interrupted),
    Effect.provide(settings),
    Effect.runPromise,
  ),
)
