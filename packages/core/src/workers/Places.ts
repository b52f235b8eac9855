/**
 * The places that a worker has for work: each group of queues and each queue has its own number of places. Work is
 * claimed while places are free. Slow or hanging work occupies only the places of its own group and queue, and no round
 * waits for it.
 *
 * A group or a queue whose work only fails is paused for growing times. After each pause, a few pieces of work test
 * whether it works again.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Turn from "../domain/list/Turn.ts"
import type * as Turns from "../ports/Turns.ts"

export interface Options {
  readonly all: number
  readonly ofGroup: number
  readonly ofQueue: number
  /** Whether a group or a queue is paused when its work fails. */
  readonly rests: "group" | "queue"
  /** How many pieces of work test it after a pause. */
  readonly tries: number
}

/** How many pieces of work of a group or a queue run, and how they fare. */
interface Pace {
  running: number
  /** How often it has failed since it last succeeded. Failures during a pause come from work that started before. */
  failures: number
  restsUntil: number
  /** Whether work may be waiting because there was no free place. */
  isFull: boolean
}

interface Group extends Pace {
  readonly queues: Map<string, Pace>
  /** The queue that had the last turn. */
  last: string
}

const begin = (): Pace => ({ running: 0, failures: 0, restsUntil: 0, isFull: false })

const restFirstInMs = 500
/** The longest pause of a chain or an endpoint. A recovery is noticed within this time. */
export const restLongestInMs = 15_000

/** How long to pause after this many failures: twice as long each time. */
const restInMs = (failures: number): number =>
  Math.min(restLongestInMs, restFirstInMs * 2 ** Math.min(failures - 1, 10))

/**
 * Work is claimed again once a quarter of the places is free, because many small claims would cost more than they gain.
 */
const isRoomy = ({ running }: Pace, most: number): boolean => running * 4 <= most * 3

export const make = ({ all, ofGroup, ofQueue, rests, tries }: Options) => {
  const groups = new Map<string, Group>()
  const whole = begin()
  const room = Latch.makeUnsafe()
  let last = ""

  const groupOf = (name: string): Group => {
    const known = groups.get(name) ?? { ...begin(), queues: new Map<string, Pace>(), last: "" }
    groups.set(name, known)
    return known
  }

  const queueOf = ({ queues }: Group, member: string): Pace => {
    const known = queues.get(member) ?? begin()
    queues.set(member, known)
    return known
  }

  const mostOf = ({ failures, restsUntil }: Pace, most: number, now: number): number =>
    failures === 0 ? most : now < restsUntil ? 0 : Math.min(tries, most)

  const freeOf = (pace: Pace, most: number, now: number): number =>
    Math.max(0, mostOf(pace, most, now) - pace.running)

  const turns = (now: number): Turns.Turns => ({
    ofGroup,
    ofQueue,
    last,
    groups: [...groups].map(([group, pace]) => ({
      group,
      free: freeOf(pace, ofGroup, now),
      last: pace.last,
    })),
    queues: [...groups].flatMap(([group, { queues }]) =>
      [...queues].map(([member, pace]) => ({ group, member, free: freeOf(pace, ofQueue, now) })),
    ),
  })

  const enter = ({ group: name, member }: Turn.Queue): void => {
    const group = groupOf(name)
    const queue = queueOf(group, member)
    group.last = member
    last = name
    for (const [pace, most] of [
      [whole, all],
      [group, ofGroup],
      [queue, ofQueue],
    ] as const) {
      pace.running += 1
      pace.isFull = freeOf(pace, most, pace.restsUntil) === 0
    }
  }

  /** Releases a place; the result of the work shows the state of the group or the queue. */
  const leave = ({ group: name, member }: Turn.Queue, isWell: boolean, now: number): void => {
    const group = groupOf(name)
    const queue = queueOf(group, member)
    for (const pace of [whole, group, queue]) pace.running -= 1
    const judged = rests === "group" ? group : queue
    if (isWell) {
      judged.failures = 0
    } else if (judged.failures === 0 || now >= judged.restsUntil) {
      judged.failures += 1
      judged.restsUntil = now + restInMs(judged.failures)
    }
    const isWanted =
      (whole.isFull && isRoomy(whole, all)) ||
      (group.isFull && isRoomy(group, ofGroup)) ||
      (queue.isFull && isRoomy(queue, ofQueue))
    if (isWanted) room.openUnsafe()
  }

  /** Whether a full group or queue has a free place again, or something is full now. */
  const look = (now: number): "room" | "full" | "idle" => {
    let [isRoom, isFull] = [false, false]
    const judge = (pace: Pace, most: number): void => {
      const hasRoom = freeOf(pace, most, now) > 0
      isRoom ||= pace.isFull && hasRoom && isRoomy(pace, most)
      isFull ||= !hasRoom
      pace.isFull = !hasRoom || (pace.isFull && !isRoomy(pace, most))
    }
    judge(whole, all)
    for (const group of groups.values()) {
      judge(group, ofGroup)
      for (const [member, queue] of group.queues) {
        judge(queue, ofQueue)
        // An entry that is not kept has all of its places and no failures.
        if (queue.running === 0 && queue.failures === 0) group.queues.delete(member)
      }
    }
    return isRoom ? "room" : isFull ? "full" : "idle"
  }

  return {
    /** How many more pieces of work have a place now, in total. */
    free: () => all - whole.running,
    turns,
    /** Starts all claimed work, each piece in its place. The work returns whether its group or queue works. */
    run: Effect.fnUntraced(function* <C, R>(
      claimed: ReadonlyArray<C>,
      queueOfEach: (each: C) => Turn.Queue,
      work: (each: C) => Effect.Effect<boolean, never, R>,
    ) {
      // All pieces take their places before the first one starts, because it may finish immediately.
      for (const each of claimed) enter(queueOfEach(each))
      for (const each of claimed) {
        let isWell = true
        const done = Effect.map(Clock.currentTimeMillis, (now) =>
          leave(queueOfEach(each), isWell, now),
        )
        yield* work(each).pipe(
          Effect.tap((well) =>
            Effect.sync(() => {
              isWell = well
            }),
          ),
          Effect.ensuring(done),
          Effect.forkChild({ startImmediately: true }),
        )
      }
    }),
    /** Sleeps until more work is due, or until a full group or queue has room again. */
    rest: Effect.fnUntraced(function* <E, R>(
      restsInMs: number,
      untilDueInMs: Effect.Effect<number, E, R>,
    ) {
      room.closeUnsafe()
      const state = look(yield* Clock.currentTimeMillis)
      if (state === "room") return
      const pauseInMs = state === "full" ? restsInMs : yield* untilDueInMs
      yield* Effect.raceFirst(Effect.sleep(pauseInMs), room.await)
    }),
  }
}
