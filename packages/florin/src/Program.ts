/**
 * The program `florin`. Each command has its own file. All commands use the same exit codes: 0 for success, 1 for a
 * failure, 2 if the command line cannot be understood.
 *
 * @module
 */
import process, { stdout } from "node:process"
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
import * as Stdio from "effect/Stdio"
import * as EffectTerminal from "effect/Terminal"
import * as Failure from "./terminal/Failure.ts"
import * as Help from "./terminal/Help.ts"
import * as LogLine from "./terminal/LogLine.ts"
import * as Release from "./terminal/Release.ts"
import * as Terminal from "./terminal/Terminal.ts"

/** A command that is loaded when it is run; until then only its name and its description in lists are known. */
const lazy = <const Name extends string, Input, Context, E, R>(
  name: Name,
  does: string,
  load: () => Promise<{ readonly command: Command.Command<Name, Input, Context, E, R> }>,
) => ({
  name,
  named: Command.make(name).pipe(Command.withShortDescription(does)),
  load: async () => Command.withShortDescription((await load()).command, does),
})

const toRun = [
  lazy("init", "Add Florin to your app", () => import("./commands/Init.ts")),
  lazy("serve", "Run the service", () => import("./commands/Serve.ts")),
  lazy(
    "dev",
    "Run the service on this machine with local chains and test money",
    () => import("./commands/Dev.ts"),
  ),
  lazy("demo", "Run one payment of every kind, from creation to settlement", async () => ({
    command: (await import("./commands/Dev.ts")).demo,
  })),
  lazy("pay", "Pay a test payment from a demo wallet", () => import("./commands/Pay.ts")),
  lazy("trigger", "Trigger an event of a test payment", () => import("./commands/Trigger.ts")),
  lazy(
    "listen",
    "Print events as they happen, and forward them to your machine",
    () => import("./commands/Listen.ts"),
  ),
  lazy("verify", "Check a webhook receiver", () => import("./commands/Verify.ts")),
  lazy(
    "doctor",
    "Check that the service is ready for real money",
    () => import("./commands/Doctor.ts"),
  ),
  lazy("info", "Print what a bug report needs", () => import("./commands/Info.ts")),
  lazy("migrate", "Upgrade a database to the newest schema", () => import("./commands/Migrate.ts")),
  lazy(
    "generate",
    "Print the types of the views that your application reads",
    () => import("./commands/Generate.ts"),
  ),
] as const

const ofPartners = [
  lazy("partners", "Manage partners", () => import("./commands/Partners.ts")),
  lazy("keys", "Manage API keys of partners and wallets", () => import("./commands/Keys.ts")),
  lazy("merchants", "Manage merchants", () => import("./commands/Merchants.ts")),
  lazy(
    "payments",
    "Create, list, show, cancel and export payments",
    () => import("./commands/Payments.ts"),
  ),
  lazy("refunds", "Refund payments, and retry held refunds", () => import("./commands/Refunds.ts")),
  lazy("explain", "Show the full history of one payment", () => import("./commands/Explain.ts")),
  lazy(
    "webhooks",
    "Manage webhook endpoints and deliveries",
    () => import("./commands/Webhooks.ts"),
  ),
  lazy(
    "collected",
    "Show, export and erase payers' personal data",
    () => import("./commands/Collected.ts"),
  ),
] as const

const ofMoney = [
  lazy(
    "balances",
    "Show the balance of each account and whose money it is",
    () => import("./commands/Balances.ts"),
  ),
  lazy(
    "payouts",
    "List, retry and record payouts, refunds and returns",
    () => import("./commands/Payouts.ts"),
  ),
  lazy(
    "unclaimed",
    "List and return transfers that belong to no payment",
    () => import("./commands/Unclaimed.ts"),
  ),
  lazy(
    "float",
    "Move your own money and record deposits and withdrawals",
    () => import("./commands/Float.ts"),
  ),
  lazy(
    "reconcile",
    "Compare the ledger with on-chain balances",
    () => import("./commands/Reconcile.ts"),
  ),
  lazy(
    "relayers",
    "List the service's accounts, their gas, and what they owe",
    () => import("./commands/Relayers.ts"),
  ),
] as const

const toWatch = [
  lazy("login", "Print a link that opens the console", () => import("./commands/Login.ts")),
  lazy("status", "Show what needs your attention", () => import("./commands/Status.ts")),
  lazy(
    "stuck",
    "List stuck money, chains and tokens, with the command for each",
    () => import("./commands/Stuck.ts"),
  ),
  lazy("alerts", "Test the alert webhook", () => import("./commands/Alerts.ts")),
  lazy(
    "assets",
    "List tokens, check a token file, and resume stopped tokens",
    () => import("./commands/Assets.ts"),
  ),
  lazy("chains", "List and resume stopped chains", () => import("./commands/Chains.ts")),
  lazy(
    "screening",
    "Confirm a deny list that was refused",
    () => import("./commands/Screening.ts"),
  ),
  lazy("audit", "Show the audit log", () => import("./commands/Audit.ts")),
  lazy(
    "approvals",
    "Approve requests that need a second person",
    () => import("./commands/Approvals.ts"),
  ),
] as const

/** All commands, in the groups and the order in which they are listed. */
const groups = [
  { group: "Run and try", commands: toRun },
  { group: "Partners and payments", commands: ofPartners },
  { group: "Money", commands: ofMoney },
  { group: "Watch and repair", commands: toWatch },
] as const

/** Completions need all commands with their details; everything else needs only the command that is named first. */
const florinFor = async (args: ReadonlyArray<string>) => {
  const names = new Set<string>(groups.flatMap(({ commands }) => commands.map(({ name }) => name)))
  const asked = args.find((arg) => names.has(arg))
  const isAll = args.some((arg) => arg.startsWith("--completions"))
  return Command.make("florin").pipe(
    Command.withDescription(
      "Run a crypto payment service. The exit code is 0 on success, 1 on failure, and 2 if the command line is not valid.",
    ),
    Command.withSubcommands(
      await Promise.all(
        groups.map(async ({ commands, group }) => ({
          group,
          commands: await Promise.all(
            commands.map((each) => (isAll || each.name === asked ? each.load() : each.named)),
          ),
        })),
      ),
    ),
  )
}

const nothing = Effect.die("no command asks anything of the terminal")

/** The services that the command-line parser may need; our commands use none of them. */
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
  Stdio.layerTest({}),
)

/** Prints the help on request. If the command line is not understood, prints what is wrong and where to look. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    Effect.sync(() => {
      switch (event._tag) {
        case "Help":
          stdout.write(`${Help.text(event.helpDoc)}\n`)
          break
        case "Version":
          stdout.write(`${event.version}\n`)
          break
        case "InvalidInvocation":
          for (const { message } of event.errors) Terminal.writeFailure(message)
          Terminal.aside(`\`${event.commandPath.join(" ")} --help\` shows what this command takes`)
      }
    }),
}

const settings = Layer.mergeAll(
  surroundings,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  // A program may read the output of a command, so the log goes to standard error.
  Logger.layer([Logger.withConsoleError(LogLine.logger)]),
)

const codeOf = (error: unknown): number => {
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  }
  Terminal.writeFailure(
    error instanceof Error ? error.message : "the command failed for an unknown reason",
  )
  return error instanceof Failure.CommandFailed ? error.exitCode : 1
}

/** A command that serves or watches until it is stopped exits with success; any other was interrupted. */
const codeWhenStopped = ([command = "", ...rest]: ReadonlyArray<string>): number => {
  const isOn = (flag: string) =>
    new RegExp(`${flag}(?=$|[ =])(?!.(?:false|0|n|no|off)(?: |$))`, "u").test(rest.join(" "))
  return (["dev", "listen", "serve"].includes(command) || isOn("--watch")) && !isOn("--once")
    ? 0
    : 1
}

/** Completes when the process gets a signal to stop. */
const interrupted = (args: ReadonlyArray<string>) =>
  Effect.callback<number>((resume) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => resume(Effect.succeed(codeWhenStopped(args))))
  })

/** The parser reads `-shop` as four flags. For one of them it would print the help, with exit code 0. */
const isManyFlags = (arg: string): boolean => /^-(?!-|[\d.]+$)../u.test(arg)

/** Runs the command that the arguments name; returns the exit code. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  Terminal.outliveReaders()
  const dashed = args.slice(0, args.concat("--").indexOf("--")).find(isManyFlags)
  if (dashed !== undefined) {
    Terminal.writeFailure(`${dashed} is not a flag: give a value with a dash as --flag=${dashed}`)
    return 2
  }
  const ended = Command.runWith(await florinFor(args), { version: Release.version() })(args).pipe(
    Effect.match({ onFailure: codeOf, onSuccess: () => 0 }),
    Effect.flatMap((code) => Effect.promise(() => Terminal.finish(code))),
  )
  // Listens for signals first, so that a command that has begun is never cut off.
  return interrupted(args).pipe(
    Effect.raceFirst(ended),
    Effect.provide(settings),
    Effect.runPromise,
  )
}
