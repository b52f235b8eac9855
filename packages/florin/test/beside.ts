/**
 * One running `florin dev` for a whole test file, and commands that run next to it. It stores its data on the run's
 * PostgreSQL server, which starts three times as fast as an embedded one.
 *
 * @module
 */
import { setTimeout } from "node:timers/promises"
import { assert } from "@effect/vitest"
import { makePartner, type Partner } from "@florin/client"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import * as Databases from "../../postgres/test-support/databases.ts"
import type * as ReadyFile from "../src/access/ReadyFile.ts"
import * as Directory from "./directory.ts"
import * as Program from "./program.ts"

/** A machine with much else to do still gets there. */
export const timeout = 300_000

export interface Beside {
  readonly directory: () => string
  readonly ready: () => ReadyFile.Ready
  /** The partner's client, for its first merchant. */
  readonly partner: () => Partner
  /** Begins a command beside the service. */
  readonly start: (...args: ReadonlyArray<string>) => Program.Started
  /** Runs a command beside the service, again until it ends with 0: a busy machine is late with its work at first. */
  readonly eventually: (...args: ReadonlyArray<string>) => Promise<string>
  /** Runs a command beside the service; fails where it does not end with 0. */
  readonly run: (...args: ReadonlyArray<string>) => Promise<string>
  /** The same for a command that is to fail; answers what it complained of. */
  readonly fails: (code: 1 | 2, ...args: ReadonlyArray<string>) => Promise<string>
  /** What the service printed, and what it wrote to its log, until now. */
  readonly said: () => Program.Running["said"]
  /** What a command printed with --json. */
  readonly json: (...args: ReadonlyArray<string>) => Promise<unknown>
}

export const dev = (): Beside => {
  let running: Program.Running | undefined
  let directory = ""
  let url = ""
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    directory = Directory.make()
    url = await Effect.runPromise(Scope.provide(Databases.address("migrated"), scope))
    running = await Program.dev(directory, "--chains", "8453,56", "--storage", url)
  }, timeout)
  afterAll(async () => {
    if (running !== undefined) await Program.interrupt(running)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    Directory.remove(directory)
  }, timeout)
  const ready = () => running?.ready ?? assert.fail("it did not start")
  const start = (...args: ReadonlyArray<string>) =>
    Program.start([...args, "--directory", directory], { FLORIN_STORAGE: url })
  const end = (args: ReadonlyArray<string>) =>
    Program.runIn({ FLORIN_STORAGE: url }, ...args, "--directory", directory)
  const run = async (...args: ReadonlyArray<string>) => {
    const { code, err, out } = await end(args)
    assert.strictEqual(code, 0, `${args.join(" ")}: ${err}${out}`)
    assert.notInclude(out, "\u001b")
    return out
  }
  const eventually = async (...args: ReadonlyArray<string>): Promise<string> => {
    const { code, out } = await end(args)
    if (code === 0) return out
    await setTimeout(500)
    return eventually(...args)
  }
  return {
    directory: () => directory,
    ready,
    partner: () => {
      const { baseUrl, merchantId, partnerKey } = ready()
      return makePartner({ baseUrl, apiKey: partnerKey, merchantId })
    },
    start,
    run,
    eventually,
    said: () => running?.said ?? assert.fail("it did not start"),
    fails: async (expected, ...args) => {
      const { code, err, out } = await end(args)
      assert.strictEqual(code, expected, `${args.join(" ")}: ${err}${out}`)
      return err
    },
    json: async (...args) => JSON.parse(await run(...args, "--json")),
  }
}
