#!/usr/bin/env node
/**
 * `npm start`: the service in memory on the simulated chain. It walks one payment over HTTP and stays up, or ends with
 * `--once`.
 *
 * @module
 */
import process, { argv, exit, stdout } from "node:process"
import { parseArgs } from "node:util"
import * as Florin from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Memory from "./Memory.ts"
import * as RequestLog from "./RequestLog.ts"
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

/** How often one key may call: far more than a person does, and less than what would starve the others. */
const rateLimit = { burst: 200, perSecond: 100 }

/** The story comes first: requests are written down once it was told. */
let isTold = false
const writeLine = RequestLog.toStdout()

/** The service on a port of this machine; with `--once` on any that is free. */
const server = ({ once, port }: Arguments) =>
  Memory.workers.pipe(
    Layer.provideMerge(NodeListener.layer({ port: once ? 0 : port })),
    Layer.provideMerge(
      Florin.layer({
        publicUrl: `http://127.0.0.1:${port}`,
        rateLimit,
        log: (line) => {
          if (isTold) writeLine(line)
        },
      }),
    ),
    Layer.provideMerge(Memory.layer),
  )

const story = Effect.fnUntraced(function* ({ once }: Arguments) {
  const { url } = yield* NodeListener.NodeListener
  let steps = 0
  Terminal.heading("Florin, in memory, on a simulated chain: one payment from start to end")
  const { merchantId, partnerKey, walletKey } = yield* Walk.walk(
    { baseUrl: url },
    (text, facts) => {
      steps += 1
      Terminal.step(steps, text, facts)
    },
  )
  Terminal.done("The payment is settled, and ledger and chain agree.")
  if (once) return
  Terminal.note(`The service stays up on ${url}: ${url}/docs tells how it is called. Try it:`)
  Terminal.note("")
  Terminal.note(`curl ${url}/v1/payments -H 'Api-Key: ${partnerKey}'`)
  Terminal.note("")
  Terminal.note(`The merchant is ${merchantId}; a wallet calls with ${walletKey}.`)
  Terminal.note("Nothing is kept: stop it with Ctrl-C and all of it is gone.")
  isTold = true
  return yield* Effect.never
})

const run = (chosen: Arguments): Promise<number> =>
  story(chosen).pipe(
    Effect.raceFirst(interrupted),
    Effect.as(0),
    Effect.provide(server(chosen)),
    Effect.catch((error) =>
      Effect.sync(() => {
        Terminal.failed(error.message)
        return 1
      }),
    ),
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
