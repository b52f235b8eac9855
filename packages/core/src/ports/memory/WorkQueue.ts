/**
 * Pieces of work by key, with leases and fences, in queues that take turns.
 *
 * @module
 */
import type * as Turn from "../../domain/list/Turn.ts"
import * as Turns from "../Turns.ts"

/** Due work on one row: when it is due, when its lease expires, and the fence that distinguishes holders. */
interface Work {
  readonly key: string
  readonly queue: Turn.Queue
  readonly dueAt: number
  readonly leaseUntil: number
  readonly fence: number
  readonly failures: number
}

/** When it can be claimed. */
const since = ({ dueAt, leaseUntil }: Work): number => Math.max(dueAt, leaseUntil)

/** The names, starting after the one that had the last turn. */
const inTurn = (names: Iterable<string>, last: string): ReadonlyArray<string> => {
  const all = [...names].toSorted((left, right) => (left < right ? -1 : 1))
  return [...all.filter((name) => name > last), ...all.filter((name) => name <= last)]
}

/** The first item of each list, then the second of each, and so on, at most `limit`. */
const alternating = <A>(
  lists: ReadonlyArray<ReadonlyArray<A>>,
  limit: number,
): ReadonlyArray<A> => {
  const taken: Array<A> = []
  let waiting = lists
  for (let index = 0; waiting.length > 0 && taken.length < limit; index++) {
    waiting = waiting.filter((list) => index < list.length)
    taken.push(...waiting.flatMap((list) => list.slice(index, index + 1)))
  }
  return taken.slice(0, limit)
}

/** The oldest work that may be taken, at most `limit`. The rest is not sorted, because much may wait. */
const oldest = (
  works: Iterable<Work>,
  limit: number,
  mayTake: (key: string) => boolean,
): ReadonlyArray<Work> => {
  const found: Array<Work> = []
  for (const work of works) {
    const place = found.findLastIndex((each) => since(each) <= since(work)) + 1
    if (place >= limit || !mayTake(work.key)) continue
    found.splice(place, 0, work)
    if (found.length > limit) found.pop()
  }
  return found
}

/** All pieces of work of one kind. A claim looks at each of them. */
export class WorkQueue {
  readonly #work = new Map<string, Work>()
  /** Fences of finished work are kept, so that an old holder never meets its own number again. */
  readonly #fences = new Map<string, number>()

  /** Makes work due, or removes it. An earlier lease on it is no longer valid. */
  set(key: string, dueAt: number | null, queue: Turn.Queue, failures = 0): void {
    const fence = this.#nextFence(key)
    if (dueAt === null) this.#work.delete(key)
    else this.#work.set(key, { key, queue, dueAt, leaseUntil: 0, fence, failures })
  }

  /** Postpones leased work. The lease on it is no longer valid. */
  postpone(key: string, dueAt: number, failures: number): void {
    const held = this.#work.get(key)
    if (held !== undefined) this.set(key, dueAt, held.queue, failures)
  }

  isHeld(key: string, fence: number): boolean {
    return this.#work.get(key)?.fence === fence
  }

  /** Leases due work, and skips work that may not be taken yet. */
  claim(
    options: Turns.ClaimOptions,
    mayTake: (key: string) => boolean = () => true,
  ): ReadonlyArray<Work> {
    const { leaseInMs, limit, now } = options
    const { groups, last, ofGroup, ofQueue, queues } = Turns.of(options)
    const due = Map.groupBy(this.#due(now), ({ queue }) => queue.group)
    const ofGroups = inTurn(due.keys(), last).map((group) => {
      const turn = groups.find((each) => each.group === group)
      const ofMember = Map.groupBy(due.get(group) ?? [], ({ queue }) => queue.member)
      const ofMembers = inTurn(ofMember.keys(), turn?.last ?? "").map((member) => {
        const queue = queues.find((each) => each.group === group && each.member === member)
        const places = Math.min(queue?.free ?? ofQueue, limit)
        return oldest(ofMember.get(member) ?? [], places, mayTake)
      })
      return alternating(ofMembers, Math.min(turn?.free ?? ofGroup, limit))
    })
    return alternating(ofGroups, limit).map((work) => this.#lease(work, now + leaseInMs))
  }

  nextAt(): number | null {
    let first = Infinity
    for (const work of this.#work.values()) first = Math.min(first, since(work))
    return first === Infinity ? null : first
  }

  /** The work that can be claimed now, oldest first, at most `limit`. */
  waiting(now: number, limit: number): ReadonlyArray<Work> {
    return this.#due(now)
      .toSorted((left, right) => since(left) - since(right))
      .slice(0, limit)
  }

  #due(now: number): ReadonlyArray<Work> {
    return [...this.#work.values()].filter((work) => since(work) <= now)
  }

  #lease(work: Work, leaseUntil: number): Work {
    const leased = { ...work, leaseUntil, fence: this.#nextFence(work.key) }
    this.#work.set(work.key, leased)
    return leased
  }

  #nextFence(key: string): number {
    const fence = (this.#fences.get(key) ?? 0) + 1
    this.#fences.set(key, fence)
    return fence
  }
}
