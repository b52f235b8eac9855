/**
 * Processes in one thread and on one clock. What runs next follows from a seed, and nothing waits for real time: the
 * clock moves to the next timer when nothing else is left to do.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import type * as Scheduler from "effect/Scheduler"
import type * as Drawing from "../../test-support/drawing.ts"

/** One life of a process: from its start until it dies. */
export interface Process {
  readonly name: string
  readonly isAlive: () => boolean
  /** Gives it its turns. What it builds must get this one too, or its requests wait for turns of real time. */
  readonly scheduler: Scheduler.Scheduler
  /** Runs an effect. Nobody hears of an effect that was running when its process died. */
  readonly run: <A, E>(effect: Effect.Effect<A, E>, done?: (exit: Exit.Exit<A, E>) => void) => void
  /** Runs something that others may overtake. */
  readonly later: (task: () => void) => void
  /** Its memory is lost: nothing that it began goes on. */
  readonly kill: () => void
  /** It runs nothing until then, and does not know it. */
  readonly sleepUntil: (time: number) => void
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly process: Life
  readonly run: () => void
}

interface Life extends Process {
  readonly tasks: Array<() => void>
  asleepUntil: number
}

const isBefore = (left: Timer, right: Timer): boolean =>
  left.at === right.at ? left.order < right.order : left.at < right.at

/** Timers by time, the next one last. */
const timersOf = () => {
  const sorted: Array<Timer> = []
  return {
    add: (timer: Timer): void => {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >>> 1
        const other = sorted[middle]
        if (other !== undefined && isBefore(timer, other)) low = middle + 1
        else high = middle
      }
      sorted.splice(low, 0, timer)
    },
    remove: (timer: Timer): void => {
      const index = sorted.lastIndexOf(timer)
      if (index !== -1) sorted.splice(index, 1)
    },
    next: () => sorted.at(-1),
    take: () => sorted.pop(),
  }
}

/** Far more than any world needs. */
const turnsMax = 2_000_000

export const make = (draw: Drawing.Draw, startAt: number) => {
  let now = startAt
  let order = 0
  let turns = 0
  const timers = timersOf()
  const lives: Array<Life> = []

  const clockOf = (lifeOf: () => Life, aheadInMs: number): Clock.Clock => {
    const millis = () => now + aheadInMs
    const nanos = () => BigInt(millis()) * 1_000_000n
    return {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const at = now + Math.max(0, Duration.toMillis(duration))
          const timer = { at, order: order++, process: lifeOf(), run: () => resume(Effect.void) }
          timers.add(timer)
          return Effect.sync(() => timers.remove(timer))
        }),
    }
  }

  /** `aheadInMs`: how far its clock is off. */
  const start = (name: string, aheadInMs = 0): Process => {
    let isAlive = true
    const tasks: Array<() => void> = []
    const scheduler: Scheduler.Scheduler = {
      executionMode: "sync",
      // Others get their turns at the calls of ports only, which is where they can be noticed.
      shouldYield: () => false,
      makeDispatcher: () => ({
        scheduleTask: (task) => void tasks.push(task),
        flush: () => undefined,
      }),
    }
    const life: Life = {
      name,
      scheduler,
      tasks,
      asleepUntil: 0,
      isAlive: () => isAlive,
      run: (effect, done) => {
        life.later(() => {
          fork(effect, { scheduler }).addObserver((exit) => {
            if (!isAlive) return
            if (done !== undefined) done(exit)
            else if (Exit.isFailure(exit) && Cause.hasDies(exit.cause))
              throw new Error(`${name}: ${Cause.pretty(exit.cause)}`)
          })
        })
      },
      later: (task) => {
        if (isAlive) tasks.push(task)
      },
      kill: () => {
        isAlive = false
        tasks.length = 0
        lives.splice(lives.indexOf(life), 1)
      },
      sleepUntil: (time) => {
        life.asleepUntil = time
      },
    }
    const fork = Effect.runForkWith(
      Context.make(
        Clock.Clock,
        clockOf(() => life, aheadInMs),
      ).pipe(
        Context.add(References.MinimumLogLevel, "None"),
        Context.add(References.TracerEnabled, false),
      ),
    )
    lives.push(life)
    return life
  }

  /** Runs one task of some process. Answers whether there was one. */
  const turn = (): boolean => {
    const ready = lives.filter(({ asleepUntil, tasks }) => tasks.length > 0 && asleepUntil <= now)
    if (ready.length === 0) return false
    turns += 1
    if (turns > turnsMax) throw new Error("nothing comes to rest")
    ready[draw(ready.length)]?.tasks.shift()?.()
    return true
  }

  /** Runs everything that is due until a time. */
  const runUntil = (time: number): void => {
    for (;;) {
      while (turn());
      const wakesAt = lives.flatMap(({ asleepUntil, tasks }) =>
        tasks.length > 0 && asleepUntil > now ? [asleepUntil] : [],
      )
      const nextAt = Math.min(timers.next()?.at ?? Infinity, ...wakesAt)
      if (nextAt > time) break
      now = Math.max(now, nextAt)
      const timer = timers.next()
      if (timer !== undefined && timer.at <= now) {
        timers.take()
        // The resumed fiber runs right here, so it is queued with its process.
        if (timer.process.isAlive()) timer.process.tasks.push(timer.run)
      }
    }
    now = Math.max(now, time)
  }

  return {
    start,
    /** For what is done between the turns, and never waits. */
    clock: clockOf(() => {
      throw new Error("nothing that waits can be done between the turns")
    }, 0),
    now: () => now,
    turns: () => turns,
    runUntil,
    /** Runs so many tasks, if there are as many. */
    take: (count: number): void => {
      for (let taken = 0; taken < count && turn(); taken++);
    },
    /** Runs everything that needs no more time. */
    rest: () => runUntil(now),
  }
}
