/**
 * Searches a whole service: bytes on its connections, and requests to its operations.
 *
 * @module
 */
import { Cause, Context, Effect, Exit, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { NodeListener } from "../../src/NodeListener.ts"
import * as Wire from "../wire.ts"
import * as Operations from "./Operations.ts"
import * as Search from "./Search.ts"
import * as Sockets from "./Sockets.ts"

/** What a service logs about nonsense is nothing that a reader of failures needs. */
const silent = Effect.provideService(References.MinimumLogLevel, "None")

interface Told {
  readonly isBroken: boolean
  readonly lines: ReadonlyArray<string>
}

const whyOf = (exit: Exit.Exit<unknown, unknown>): string | null =>
  Exit.isSuccess(exit) ? null : Cause.pretty(exit.cause).split("\n").slice(0, 12).join("\n")

/** Scripts and connections that run together. */
const together = 16
/** One in so many rounds is of connections that stall: these take as long as the server's patience. */
const stallEvery = 40
const triesMax = 300
/** The server ends every connection long before, also on a busy machine. */
const endsWithin = "30 seconds"

export const http = (first: number, isOver: () => boolean): Promise<Told> =>
  Effect.gen(function* () {
    const target = yield* Wire.make
    const impatient = yield* Layer.build(
      Wire.layer({ headersInMs: 200, requestInMs: 400, keepAliveInMs: 200, stalledInMs: 1000 }),
    )
    const { port: stallsAt } = Context.get(impatient, NodeListener)
    const alone = yield* Sockets.answersAlone(target)
    const fails = (script: Sockets.Script) =>
      Sockets.check(target, script, alone).pipe(
        Effect.timeout(endsWithin),
        Effect.exit,
        Effect.map(whyOf),
      )
    const failsToEnd = (stall: Sockets.Stall) =>
      Sockets.stall(stallsAt, stall).pipe(
        Effect.timeout(endsWithin),
        Effect.exit,
        Effect.map(whyOf),
      )
    const context = yield* Effect.context()
    const shorten = Effect.fnUntraced(function* (script: Sockets.Script) {
      const isBroken = (units: ReadonlyArray<string>) =>
        Effect.runPromiseWith(context)(fails({ ...script, text: units.join("") })).then(
          (why) => why !== null,
        )
      const units = yield* Effect.promise(() =>
        Search.shorten(script.text.split(""), isBroken, triesMax),
      )
      return { ...script, text: units.join("") }
    })
    let seed = first
    let stalled = 0
    for (let round = 1; !isOver(); round++) {
      const seeds = Array.from({ length: together }, () => seed++)
      if (round % stallEvery === 0) {
        const ends = yield* Effect.forEach(
          seeds.map(Sockets.drawStall),
          (stall) => Effect.map(failsToEnd(stall), (why) => ({ stall, why })),
          { concurrency: together },
        )
        stalled += together
        const open = ends.find(({ why }) => why !== null)
        if (open === undefined) continue
        const { drip, ending, text } = open.stall
        const lines = [
          ...(open.why ?? "").split("\n"),
          `bytes ${JSON.stringify(text)}`,
          ...(drip === null ? [] : [`then ${JSON.stringify(drip)} again and again`]),
          `and the caller ${ending}`,
        ]
        return { isBroken: true, lines }
      }
      const whys = yield* Effect.forEach(seeds, (each) => fails(Sockets.draw(each)), {
        concurrency: together,
      })
      const at = whys.findIndex((why) => why !== null)
      if (at === -1) continue
      const failed = seeds[at] ?? first
      const whole = Sockets.draw(failed)
      // Each try to shorten one that never ends would take as long as the limit.
      const isEndless = whys[at]?.includes("TimeoutError") === true
      const script = isEndless ? whole : yield* shorten(whole)
      const why = (isEndless ? null : yield* fails(script)) ?? whys[at] ?? ""
      const lines = [
        ...why.split("\n"),
        `bytes ${JSON.stringify(script.text)}`,
        `in pieces of ${script.sizes.join(", ")}`,
        `pnpm fuzz --only http --seed ${failed}`,
      ]
      return { isBroken: true, lines }
    }
    const sent = `${seed - first - stalled} scripts, each sent at once and in pieces`
    return { isBroken: false, lines: [sent, `${stalled} connections that stall`] }
  }).pipe(Effect.provide(Wire.layer()), Effect.scoped, silent, Effect.runPromise)

const requests = 1000
const runsToShorten = 60

const play = (plan: Operations.Plan): Promise<string | null> =>
  Operations.play(plan)
    .pipe(
      Effect.provide(Layer.provideMerge(Operations.layer, TestClock.layer())),
      Effect.scoped,
      silent,
      Effect.runPromiseExit,
    )
    .then(whyOf)

/** The start of a failure: the operation, without what it was sent. */
const ruleOf = (why: string): string => why.split(": ").slice(0, 2).join(": ")

export const operations = async (first: number, isOver: () => boolean): Promise<Told> => {
  for (let seed = first; ; seed++) {
    const plan = { seed, requests }
    let last = 0
    // oxlint-disable-next-line no-await-in-loop -- One run after the other.
    const why = await play({ ...plan, onRequest: (count) => (last = count) })
    if (why !== null) {
      // oxlint-disable-next-line no-await-in-loop -- Ends the loop.
      const shorter = await Search.shorten(
        Array.from({ length: last + 1 }, (_, count) => count),
        async (counts) => {
          const other = await play({ ...plan, only: new Set(counts) })
          return other !== null && ruleOf(other) === ruleOf(why)
        },
        runsToShorten,
      )
      const lines = [
        ...why.split("\n"),
        `it also fails with these of its requests alone: ${shorter.join(", ")}`,
        `pnpm fuzz --only operations --seconds 1 --seed ${seed}`,
      ]
      return { isBroken: true, lines }
    }
    if (isOver())
      return { isBroken: false, lines: [`${seed - first + 1} runs of ${requests} requests`] }
  }
}
