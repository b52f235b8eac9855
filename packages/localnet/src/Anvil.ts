/**
 * One anvil process, from the binary that npm installed. It ends with its scope, and also when this process is killed.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createRequire } from "node:module"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { getHttpRpcClient } from "viem/utils"

/** The local chain did not start, or does not respond as requested. */
export class LocalChainFailed extends Schema.TaggedError<LocalChainFailed>()("LocalChainFailed", {
  message: Schema.String,
}) {}

export interface Anvil {
  readonly rpcUrl: string
  /** Any JSON-RPC call of a node, including anvil's own. */
  readonly request: (
    method: string,
    params?: ReadonlyArray<unknown>,
  ) => Effect.Effect<unknown, LocalChainFailed>
  /** Ends the process; it first writes the state that it keeps. */
  readonly stop: Effect.Effect<void>
  /** Starts the process again, at the same address. */
  readonly start: Effect.Effect<void, LocalChainFailed>
}

const failed = (message: string) => new LocalChainFailed({ message })

/** The platforms for which anvil's npm package has a binary, in its own names. */
const platforms: Readonly<Record<string, string | undefined>> = {
  "darwin-arm64": "darwin-arm64",
  "darwin-x64": "darwin-amd64",
  "linux-arm64": "linux-arm64",
  "linux-x64": "linux-amd64",
}

/** The path of the installed binary of a platform, by default this machine's. */
export const binary = (
  platform: string = `${process.platform}-${process.arch}`,
): Result.Result<string, LocalChainFailed> => {
  const name = platforms[platform]
  if (name === undefined) {
    return Result.fail(failed(`There is no anvil for ${platform}: use Linux or macOS.`))
  }
  const shipped = `@foundry-rs/anvil-${name}`
  return Result.try({
    try: () => {
      const require = createRequire(import.meta.url)
      const anvil = require.resolve("@foundry-rs/anvil/package.json")
      return createRequire(anvil).resolve(`${shipped}/bin/anvil`)
    },
    catch: () =>
      failed(`The package ${shipped} is not installed: install again, with optional dependencies.`),
  })
}

/**
 * Runs a command until its own input ends, which happens even when this process is killed. `exec` leaves the output to
 * the command alone, so that the end of the output is the end of the command.
 */
const leash = `"$@" & exec >/dev/null 2>&1; cat; kill "$!"; wait "$!"`

const listening = /Listening on [0-9.]+:([0-9]+)/u

/**
 * An address of this machine that no web page finds by trying: anvil obeys everybody, and a page's WebSocket needs no
 * CORS. Linux has 16 million of them. Elsewhere only the port is unknown.
 */
const hiddenHost = (): string => {
  const part = () => randomInt(1, 255)
  return process.platform === "linux" ? `127.${part()}.${part()}.${part()}` : "127.0.0.1"
}

interface Running {
  readonly port: number
  readonly child: ChildProcess
}

const ended = (child: ChildProcess) =>
  Effect.promise(async () => {
    child.stdin?.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })

const run = (command: ReadonlyArray<string>): Effect.Effect<Running, LocalChainFailed> =>
  Effect.callback((resume) => {
    // In a session of its own: Ctrl-C ends this process first, and with it the chain.
    const child = spawn("sh", ["-c", leash, "anvil", ...command], { detached: true })
    let said = ""
    const listen = (chunk: Buffer) => {
      said += String(chunk)
      const port = listening.exec(said)?.[1]
      if (port === undefined) return
      child.stdout.off("data", listen).resume()
      child.stderr.off("data", listen).resume()
      resume(Effect.succeed({ port: Number(port), child }))
    }
    child.stdout.on("data", listen)
    child.stderr.on("data", listen)
    child.stdout.once("end", () => child.stdin.end())
    child.once("close", () => resume(failed(`anvil ended: ${said.trim()}`)))
    child.once("error", (cause) => resume(failed(`anvil cannot be run: ${cause.message}`)))
    return ended(child)
  })

const RpcResponse = Schema.Union([
  Schema.Struct({ result: Schema.Unknown }),
  Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }),
])
const decodeResponse = Schema.decodeUnknownEffect(RpcResponse)

/**
 * Starts anvil with some arguments at an address of its own, and waits until it listens.
 *
 * @example const anvil = yield* Anvil.make(["--chain-id", "8453"])
 */
export const make = Effect.fnUntraced(function* (
  parameters: ReadonlyArray<string>,
): Effect.fn.Return<Anvil, LocalChainFailed, Scope.Scope> {
  const path = yield* Effect.fromResult(binary())
  const host = hiddenHost()
  const runOn = (port: number) =>
    run([path, "--host", host, "--port", String(port), "--no-cors", ...parameters])
  const state = yield* Effect.acquireRelease(
    Effect.map(runOn(0), (running) => ({ running })),
    ({ running }) => ended(running.child),
  )

  const { port } = state.running
  const rpcUrl = `http://${host}:${port}`
  // A busy machine takes its time to make hundreds of blocks.
  const client = getHttpRpcClient(rpcUrl, { timeout: 60_000 })
  const stop = Effect.suspend(() => ended(state.running.child))

  return {
    rpcUrl,
    request: Effect.fnUntraced(function* (method, params = []) {
      const response = yield* Effect.tryPromise({
        try: () => client.request({ body: { method, params } }),
        catch: () => failed(`${method}: the chain at ${rpcUrl} does not respond`),
      })
      const reply = yield* Effect.mapError(decodeResponse(response), () =>
        failed(`${method}: the response cannot be read`),
      )
      return "error" in reply ? yield* failed(`${method}: ${reply.error.message}`) : reply.result
    }),
    stop,
    start: stop.pipe(
      Effect.andThen(runOn(port)),
      Effect.map((running) => {
        state.running = running
      }),
      Effect.uninterruptible,
    ),
  }
})
