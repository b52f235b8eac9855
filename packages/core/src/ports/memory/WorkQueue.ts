/**
 * Pieces of work by key, with leases and fences, in queues that take turns.
 *
 * @module
 */
import type * as Turn from "../../domain/list/Turn.ts"
import { DueHeap } from "../DueHeap.ts"
import * as Turns from "../Turns.ts"

/** Due work on one row: when it is due, when its lease expires, and the fence that distinguishes holders. */
interface Work {
  readonly queue: Turn.Queue
  readonly dueAt: number
  readonly leaseUntil: number
  readonly fence: number
  readonly failures: number
}

/** A piece of work that was claimed. */
interface Claimed<K> {
  readonly key: K
  readonly fence: number
  readonly queue: Turn.Queue
}

/** The remaining places of a group or a queue during a claim. */
interface Places {
  free: number
}

/** The names, starting after the one that had the last turn. */
const inTurn = (names: Iterable<string>, last: string): ReadonlyArray<string> => {
  const all = [...names].toSorted((left, right) => (left < right ? -1 : 1))
  return [...all.filter((name) => name > last), ...all.filter((name) => name <= last)]
}

/** Pieces of work by key, with the order in which each queue becomes due. */
export class WorkQueue<K> {
  readonly #work = new Map<K, Work>()
  /** By group, then by member. */
  readonly #heaps = new Map<string, Map<string, DueHeap<K>>>()
  /** Fences of finished work are kept, so that an old holder never meets its own number again. */
  readonly #fences = new Map<K, number>()

  /** Makes work due, or removes it. An earlier lease on it is no longer valid. */
  set(key: K, dueAt: number | null, queue: Turn.Queue): void {
    const fence = (this.#fences.get(key) ?? 0) + 1
    this.#fences.set(key, fence)
    if (dueAt === null) {
      this.#work.delete(key)
    } else {
      this.#put(key, { queue, dueAt, leaseUntil: 0, fence, failures: 0 })
    }
  }

  /** Postpones leased work. The lease on it is no longer valid. */
  postpone(key: K, dueAt: number, failures: number): void {
    const held = this.#work.get(key)
    if (held === undefined) return
    this.set(key, dueAt, held.queue)
    const work = this.#work.get(key)
    if (work !== undefined) this.#work.set(key, { ...work, failures })
  }

  failures(key: K): number {
    return this.#work.get(key)?.failures ?? 0
  }

  isHeld(key: K, fence: number): boolean {
    return this.#work.get(key)?.fence === fence
  }

  /** Leases due work, and skips work that may not be taken yet. */
  claim(
    options: Turns.ClaimOptions,
    mayTake: (key: K) => boolean = () => true,
  ): ReadonlyArray<Claimed<K>> {
    const { leaseInMs, limit, now } = options
    const turns = this.#turns(Turns.of(options), mayTake)
    const claimed: Array<Claimed<K>> = []
    for (let before = -1; before < claimed.length;) {
      before = claimed.length
      for (const next of turns) {
        if (claimed.length === limit) return claimed
        const taken = next(now, leaseInMs)
        if (taken !== null) claimed.push(taken)
      }
    }
    return claimed
  }

  nextAt(): number | null {
    let first: number | null = null
    for (const heaps of this.#heaps.values()) {
      for (const heap of heaps.values()) {
        const at = this.#nextAt(heap)
        if (at !== null && (first === null || at < first)) first = at
      }
    }
    return first
  }

  /** The work that can be claimed now, oldest first, at most `limit`: its queue, and since when it is due. */
  waiting(now: number, limit: number): ReadonlyArray<Pick<Work, "queue" | "dueAt">> {
    const since = ({ dueAt, leaseUntil }: Work): number => Math.max(dueAt, leaseUntil)
    return [...this.#work.values()]
      .filter((work) => since(work) <= now)
      .toSorted((left, right) => since(left) - since(right))
      .slice(0, limit)
  }

  /** For each group in turn, a function that takes the group's next piece of work from its queues in turn. */
  #turns({ groups, last, ofGroup, ofQueue, queues }: Turns.Turns, mayTake: (key: K) => boolean) {
    return inTurn(this.#heaps.keys(), last).map((group) => {
      const known = groups.find((each) => each.group === group)
      const places: Places = { free: known?.free ?? ofGroup }
      const heaps = this.#heaps.get(group) ?? new Map<string, DueHeap<K>>()
      const waiting = inTurn(heaps.keys(), known?.last ?? "").flatMap((member) => {
        const free = queues.find((each) => each.group === group && each.member === member)?.free
        const heap = heaps.get(member)
        return heap === undefined ? [] : [{ heap, places: { free: free ?? ofQueue } }]
      })
      return (now: number, leaseInMs: number): Claimed<K> | null => {
        for (let count = waiting.length; count > 0 && places.free > 0; count--) {
          const queue = waiting.shift()
          if (queue === undefined) return null
          waiting.push(queue)
          const taken =
            queue.places.free > 0 ? this.#take(queue.heap, now, leaseInMs, mayTake) : null
          if (taken === null) continue
          queue.places.free -= 1
          places.free -= 1
          return taken
        }
        return null
      }
    })
  }

  #take(
    heap: DueHeap<K>,
    now: number,
    leaseInMs: number,
    mayTake: (key: K) => boolean,
  ): Claimed<K> | null {
    const at = this.#nextAt(heap)
    const key = heap.peekKey()
    const work = key === undefined ? undefined : this.#work.get(key)
    if (at === null || at > now || key === undefined || work === undefined) return null
    heap.pop()
    if (!mayTake(key)) {
      const next = this.#take(heap, now, leaseInMs, mayTake)
      heap.push(at, key)
      return next
    }
    const fence = work.fence + 1
    this.#fences.set(key, fence)
    this.#put(key, { ...work, leaseUntil: now + leaseInMs, fence })
    return { key, fence, queue: work.queue }
  }

  #put(key: K, work: Work): void {
    this.#work.set(key, work)
    const { group, member } = work.queue
    const heaps = this.#heaps.get(group) ?? new Map<string, DueHeap<K>>()
    this.#heaps.set(group, heaps)
    const heap = heaps.get(member) ?? new DueHeap<K>()
    heaps.set(member, heap)
    heap.push(Math.max(work.dueAt, work.leaseUntil), key)
  }

  /** Drops heap entries whose due time or queue is out of date. */
  #nextAt(heap: DueHeap<K>): number | null {
    for (;;) {
      const at = heap.peekAt()
      const key = heap.peekKey()
      if (at === null || key === undefined) return null
      const work = this.#work.get(key)
      const isCurrent = work !== undefined && Math.max(work.dueAt, work.leaseUntil) === at
      if (isCurrent && this.#heaps.get(work.queue.group)?.get(work.queue.member) === heap) return at
      heap.pop()
    }
  }
}
