/**
 * The operator's commands on a database: a service that answers only them, in this process, and the program next to it.
 *
 * @module
 */
import process from "node:process"
import { Effect, Logger } from "effect"
import * as Serve from "../src/commands/Serve.ts"
import * as Configured from "../src/serve/Configured.ts"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"

/** All services have it, so that one process can run the commands of all: each database has its own place in it. */
export const directory = Directory.make()
process.once("exit", () => Directory.remove(directory))

interface Variables {
  readonly [name: string]: string
}

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64")

/** Answers the commands on a database with `florin serve --operator-only`, until the scope ends. */
export const serve = Effect.fnUntraced(function* (url: string, variables: Variables = {}) {
  const configured = yield* Configured.read(
    {},
    {
      DATABASE_URL: url,
      FLORIN_DIRECTORY: directory,
      FLORIN_PAY_LINK_HOST: "pay.example.com",
      FLORIN_SEAL_KEY: key(1),
      FLORIN_VAULT_KEY: key(2),
      ...variables,
    },
  )
  yield* Serve.operatorOnly(configured).pipe(Effect.provide(Logger.layer([])))
})

/** Hints repeat flags, and no variables. */
const at = (url: string): Variables => ({ FLORIN_DIRECTORY: directory, FLORIN_STORAGE: url })

/** Runs a command to its end. */
export const run = (url: string, ...words: ReadonlyArray<string>): Promise<Program.Ended> =>
  Program.runIn(at(url), ...words)

/** Runs several one after another; returns how each ended, in their order. */
export const several = (
  url: string,
  commands: ReadonlyArray<string>,
): Promise<ReadonlyArray<Program.Ended>> =>
  Program.several(
    commands.map((each) => each.split(" ")),
    at(url),
  )
