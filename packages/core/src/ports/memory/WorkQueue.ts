/**
 * Pieces of work by key, with leases and fences, in the order in which they are due.
 *
 * @module
 */
import { DueHeap } from "../DueHeap.ts"

/** Due work on one row: when, until when somebody holds it, and what tells holders apart. */
interface Work {
  readonly dueAt: number
  readonly leaseUntil: number
  readonly fence: number
  readonly failures: number
}

/** A piece of work by key, with the order in which it falls due. */
export class WorkQueue<K> {
  readonly #work = new Map<K, Work>()
  readonly #heap = new DueHeap<K>()
  /** Fences of work that is done stay known, so that an old holder never meets its own number again. */
  readonly #fences = new Map<K, number>()

  /** Makes work due, or takes it away; whoever held it holds nothing any more. */
  set(key: K, dueAt: number | null): void {
    const fence = (this.#fences.get(key) ?? 0) + 1
    this.#fences.set(key, fence)
    if (dueAt === null) {
      this.#work.delete(key)
    } else {
      this.#put(key, { dueAt, leaseUntil: 0, fence, failures: 0 })
    }
  }

  /** Puts held work off; whoever held it holds nothing any more. */
  postpone(key: K, dueAt: number): void {
    const failures = this.failures(key) + 1
    this.set(key, dueAt)
    const work = this.#work.get(key)
    if (work !== undefined) this.#work.set(key, { ...work, failures })
  }

  failures(key: K): number {
    return this.#work.get(key)?.failures ?? 0
  }

  isHeld(key: K, fence: number): boolean {
    return this.#work.get(key)?.fence === fence
  }

  claim(limit: number, leaseInMs: number, now: number): ReadonlyArray<readonly [K, number]> {
    const claimed: Array<readonly [K, number]> = []
    while (claimed.length < limit) {
      const at = this.#nextAt()
      if (at === null || at > now) break
      const entry = this.#heap.pop()
      const work = entry === undefined ? undefined : this.#work.get(entry.key)
      if (entry === undefined || work === undefined) break
      const fence = work.fence + 1
      this.#fences.set(entry.key, fence)
      this.#put(entry.key, { ...work, leaseUntil: now + leaseInMs, fence })
      claimed.push([entry.key, fence])
    }
    return claimed
  }

  nextAt(): number | null {
    return this.#nextAt()
  }

  #put(key: K, work: Work): void {
    this.#work.set(key, work)
    this.#heap.push(Math.max(work.dueAt, work.leaseUntil), key)
  }

  /** Drops heap entries that no longer say when their work is due. */
  #nextAt(): number | null {
    for (;;) {
      const at = this.#heap.peekAt()
      const key = this.#heap.peekKey()
      if (at === null || key === undefined) return null
      const work = this.#work.get(key)
      if (work !== undefined && Math.max(work.dueAt, work.leaseUntil) === at) return at
      this.#heap.pop()
    }
  }
}
