/**
 * Where the service under test runs: in this process under a test clock, unless something else is provided.
 *
 * @module
 */
import * as Fixtures from "@florin/testing/Fixtures"
import { Context, type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Handler } from "../src/Handler.ts"
import * as WebHandler from "../src/WebHandler.ts"
import * as Drains from "./drains.ts"

type Drain = (typeof Drains.all)[Drains.Worker]

export interface Service {
  readonly respond: (request: Request) => Effect.Effect<Response, never, Handler>
  /** Sets the time that the tests begin at, where it does not go on from an earlier one. */
  readonly begin: Effect.Effect<void>
  readonly pass: (time: Duration.Input) => Effect.Effect<void>
  /** One worker does what is due now, wherever workers run. */
  readonly drain: (
    worker: Drains.Worker,
  ) => Effect.Effect<void, Effect.Error<Drain>, Effect.Services<Drain>>
}

export const World = Context.Reference<Service>("@florin/server/test/World", {
  defaultValue: () => ({
    respond: WebHandler.respond,
    begin: TestClock.setTime(Fixtures.now),
    pass: TestClock.adjust,
    drain: (worker) => Drains.all[worker],
  }),
})

export const pass = (time: Duration.Input) => Effect.flatMap(World, (world) => world.pass(time))
export const drain = (worker: Drains.Worker) =>
  Effect.flatMap(World, (world) => world.drain(worker))
