/**
 * The in-memory order of due work: a binary heap whose first entry has been due the longest.
 *
 * @module
 */

interface Entry<K> {
  readonly at: number
  readonly key: K
}

/**
 * Entries may be out of date. The owner compares each with the current state, and drops entries that no longer apply.
 */
export class DueHeap<K> {
  readonly #entries: Array<Entry<K>> = []

  push(at: number, key: K): void {
    const entries = this.#entries
    let index = entries.push({ at, key }) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#swapIfEarlier(index, parent)) return
      index = parent
    }
  }

  /** When the first entry is due, or null. */
  peekAt(): number | null {
    return this.#entries[0]?.at ?? null
  }

  /** The key of the first entry. */
  peekKey(): K | undefined {
    return this.#entries[0]?.key
  }

  pop(): Entry<K> | undefined {
    const entries = this.#entries
    const first = entries[0]
    const last = entries.pop()
    if (first === undefined || last === undefined || entries.length === 0) return first
    entries[0] = last
    let index = 0
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      const earlier =
        (entries[right]?.at ?? Infinity) < (entries[left]?.at ?? Infinity) ? right : left
      if (earlier >= entries.length || !this.#swapIfEarlier(earlier, index)) return first
      index = earlier
    }
  }

  #swapIfEarlier(child: number, parent: number): boolean {
    const below = this.#entries[child]
    const above = this.#entries[parent]
    if (below === undefined || above === undefined || below.at >= above.at) return false
    this.#entries[child] = above
    this.#entries[parent] = below
    return true
  }
}
