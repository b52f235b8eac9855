/**
 * The program `florin`. Each command is a file of its own; what they end with is the same for all:
 * 0 when it came out, 1 when it did not, 2 when the command line cannot be understood.
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
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as EffectTerminal from "effect/Terminal"
import * as Failure from "./Failure.ts"
import * as Release from "./Release.ts"
import * as Help from "./terminal/Help.ts"
import * as LogLine from "./terminal/LogLine.ts"
import * as Terminal from "./terminal/Terminal.ts"

/** A command that is loaded when it is asked for; until then it is its name and what a list says of it. */
const lazy = <const Name extends string, Input, Context, E, R>(
  name: Name,
  does: string,
  load: () => Promise<{ readonly command: Command.Command<Name, Input, Context, E, R> }>,
) => ({
  name,
  named: Command.make(name).pipe(Command.withShortDescription(does)),
  load: async () => Command.withShortDescription((await load()).command, does),
})

/** All there are, as they are listed. */
const commands = [
  lazy("serve", "Run the service", () => import("./commands/Serve.ts")),
  lazy("dev", "Run everything on this machine", () => import("./commands/Dev.ts")),
  lazy(
    "demo",
    "See a payment of every kind, from creation to settlement",
    () => import("./commands/Demo.ts"),
  ),
  lazy("partners", "Register and list partners", () => import("./commands/Partners.ts")),
  lazy("keys", "Look after the keys of partners and wallets", () => import("./commands/Keys.ts")),
  lazy("payments", "Create payments and look after them", () => import("./commands/Payments.ts")),
  lazy(
    "assets",
    "List tokens, and check a file of further ones",
    () => import("./commands/Assets.ts"),
  ),
  lazy("merchants", "Look after merchants", () => import("./commands/Merchants.ts")),
  lazy(
    "refunds",
    "Give payments back, and money that came too late",
    () => import("./commands/Refunds.ts"),
  ),
  lazy(
    "payouts",
    "Show money on its way out, and retry what is held",
    () => import("./commands/Payouts.ts"),
  ),
  lazy("status", "Show what needs you now", () => import("./commands/Status.ts")),
  lazy("alerts", "Test the webhook that alerts you", () => import("./commands/Alerts.ts")),
  lazy(
    "stuck",
    "List what does not go on, and the command that decides",
    () => import("./commands/Stuck.ts"),
  ),
  lazy(
    "balances",
    "Show what each account has, and whose it is",
    () => import("./commands/Balances.ts"),
  ),
  lazy(
    "unclaimed",
    "List money that no payment claims, and give it back",
    () => import("./commands/Unclaimed.ts"),
  ),
  lazy("pay", "Pay a payment link", () => import("./commands/Pay.ts")),
  lazy(
    "webhooks",
    "Say where events are sent, see what became of them, and send them again",
    () => import("./commands/Webhooks.ts"),
  ),
  lazy(
    "listen",
    "Print events as they happen, and forward them to your machine",
    () => import("./commands/Listen.ts"),
  ),
  lazy("explain", "Tell the whole story of one payment", () => import("./commands/Explain.ts")),
  lazy(
    "float",
    "Move your own money, and write down what came or left",
    () => import("./commands/Float.ts"),
  ),
  lazy(
    "relayers",
    "List accounts of the service, their gas, and what is owed",
    () => import("./commands/Relayers.ts"),
  ),
  lazy("reconcile", "Hold the ledger against the chains", () => import("./commands/Reconcile.ts")),
  lazy(
    "chains",
    "See which chains are stopped, and let them go on",
    () => import("./commands/Chains.ts"),
  ),
  lazy(
    "collected",
    "Show, export and erase what payers told about themselves",
    () => import("./commands/Collected.ts"),
  ),
  lazy("audit", "List what partners and operators wrote", () => import("./commands/Audit.ts")),
  lazy(
    "doctor",
    "See what is missing before real money moves",
    () => import("./commands/Doctor.ts"),
  ),
  lazy("migrate", "Bring a database to the newest schema", () => import("./commands/Migrate.ts")),
] as const

/** Completions know everything about every command; all else is about the one that is named first. */
const florinFor = async (args: ReadonlyArray<string>) => {
  const asked = args.find((arg) => commands.some(({ name }) => name === arg))
  const isAll = args.some((arg) => arg.startsWith("--completions"))
  return Command.make("florin").pipe(
    Command.withDescription(
      "Crypto payments. Ends with 0 when it came out, 1 when it did not, 2 when the command line cannot be understood.",
    ),
    Command.withSubcommands(
      await Promise.all(
        commands.map((each) => (isAll || each.name === asked ? each.load() : each.named)),
      ),
    ),
  )
}

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

/** Help to who asks for it; to who is not understood what is wrong, and where to look. */
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
          for (const { message } of event.errors) Terminal.failed(message)
          Terminal.failed(`\`${event.commandPath.join(" ")} --help\` lists what there is`)
      }
    }),
}

const settings = Layer.mergeAll(
  surroundings,
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  // What a command prints may be read by a program: the log goes another way.
  Logger.layer([Logger.withConsoleError(LogLine.logger)]),
)

const codeOf = (error: unknown): number => {
  if (CliError.isCliError(error)) {
    return error._tag === "ShowHelp" && error.errors.length === 0 ? 0 : 2
  }
  Terminal.failed(error instanceof Error ? error.message : "it did not work")
  return error instanceof Failure.NotUnderstood ? 2 : 1
}

/** What serves or watches until it is asked to end came out by then; all else was stopped on its way. */
const codeWhenStopped = ([command = "", ...rest]: ReadonlyArray<string>): number =>
  (["dev", "listen", "serve"].includes(command) || rest.includes("--watch")) &&
  !rest.some((arg) => ["--once", "--once=true"].includes(arg))
    ? 0
    : 1

/** Ends when somebody asks the process to. */
const interrupted = (args: ReadonlyArray<string>) =>
  Effect.callback<number>((resume) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.once(signal, () => resume(Effect.succeed(codeWhenStopped(args))))
  })

/** Does what the arguments ask for; answers what the process ends with. */
export const run = async (args: ReadonlyArray<string>): Promise<number> => {
  Terminal.outliveReaders()
  const ended = Command.runWith(await florinFor(args), { version: Release.version() })(args).pipe(
    Effect.as(0),
    Effect.catch((error) => Effect.sync(() => codeOf(error))),
  )
  // Listens for signals first: a command that has begun is never cut off.
  return interrupted(args).pipe(
    Effect.raceFirst(ended),
    Effect.provide(settings),
    Effect.runPromise,
  )
}
