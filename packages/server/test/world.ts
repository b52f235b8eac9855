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
import type * as Drawing from "../test-support/drawing.ts"
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
  /** Others get a chance; now and then they get far. */
  readonly pause: (draw: Drawing.Draw) => Effect.Effect<void>
}

export const World = Context.Reference<Service>("@florin/server/test/World", {
  defaultValue: () => ({
    respond: WebHandler.respond,
    begin: TestClock.setTime(Fixtures.now),
    pass: TestClock.adjust,
    drain: (worker) => Drains.all[worker],
    pause: (draw) =>
      Effect.suspend(() =>
        Effect.forEach(
          Array.from({ length: draw(draw(8) === 0 ? 80 : 6) }),
          () => Effect.yieldNow,
          {
            discard: true,
          },
        ),
      ),
  }),
})

export const pass = (time: Duration.Input) => Effect.flatMap(World, (world) => world.pass(time))
export const drain = (worker: Drains.Worker) =>
  Effect.flatMap(World, (world) => world.drain(worker))
export const pause = (draw: Drawing.Draw) => Effect.flatMap(World, (world) => world.pause(draw))
