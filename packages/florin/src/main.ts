#!/usr/bin/env node
/**
 * `npm start`: the service in memory on the simulated chain. It walks one payment and stays up, or ends with `--once`.
 *
 * @module
 */
import process, { argv, exit, stdout } from "node:process"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Memory from "./Memory.ts"
import * as StatusPage from "./StatusPage.ts"
import * as Terminal from "./Terminal.ts"
import * as Walk from "./Walk.ts"

const usage = `florin: a crypto payment service, here in memory and on a simulated chain

  npm start                     walk one payment, then stay up on http://127.0.0.1:3000
  npm start -- --once           walk one payment and end: 0 if every step came out, 1 if not
  npm start -- --port 3001      stay up on another port

Nothing is kept: all of it is gone when the process ends.
`

interface Arguments {
  readonly once: boolean
  readonly port: number
}

const readArguments = (): Result.Result<Arguments | "help", string> => {
  const parsed = Result.try({
    try: () =>
      parseArgs({
        args: argv.slice(2),
        options: {
          once: { type: "boolean", default: false },
          port: { type: "string", default: "3000" },
          help: { type: "boolean", short: "h", default: false },
        },
      }).values,
    catch: () => "unknown argument: --help lists what there is",
  })
  return Result.flatMap(parsed, ({ help, once, port }): ReturnType<typeof readArguments> => {
    if (help) return Result.succeed("help" as const)
    return /^[0-9]{1,5}$/u.test(port) && Number(port) <= 65_535
      ? Result.succeed({ once, port: Number(port) })
      : Result.fail("--port takes a number from 0 to 65535")
  })
}

/** Ends when somebody asks the process to. */
const interrupted = Effect.callback<void>((resume) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => resume(Effect.void))
})

const program = Effect.fnUntraced(function* ({ once, port }: Arguments) {
  const told: Array<string> = ["Florin, in memory, on a simulated chain", ""]
  const baseUrl = once ? null : yield* StatusPage.serve(port, () => `${told.join("\n")}\n`)
  let steps = 0
  const tell: Walk.Tell = (text, facts = []) =>
    Effect.sync(() => {
      steps += 1
      told.push(`${steps}. ${text}`, ...facts.map((fact) => `   ${fact}`))
      Terminal.step(steps, text, facts)
    })
  Terminal.heading("Florin, in memory, on a simulated chain: one payment from start to end")
  yield* Walk.walk(tell)
  Terminal.done("The payment is settled, and ledger and chain agree.")
  if (baseUrl === null) return
  Terminal.note(`The service stays up: ${baseUrl} tells this story, ${baseUrl}/healthz says ok.`)
  Terminal.note("Nothing is kept: stop it with Ctrl-C and all of it is gone.")
  yield* interrupted
})

const run = (chosen: Arguments): Promise<number> =>
  program(chosen).pipe(
    Effect.as(0),
    Effect.catch((error) =>
      Effect.sync(() => {
        Terminal.failed(error.message)
        return 1
      }),
    ),
    Effect.provide(Memory.workers.pipe(Layer.provideMerge(Memory.layer))),
    Effect.scoped,
    Effect.runPromise,
  )

const chosen = readArguments()
if (Result.isFailure(chosen)) {
  Terminal.failed(chosen.failure)
  exit(1)
} else if (chosen.success === "help") {
  stdout.write(usage)
} else {
  exit(await run(chosen.success))
}
