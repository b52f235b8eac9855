/**
 * How due work is shared out: the groups take turns, and so do the queues of a group. Work is ordered by time only
 * within a queue.
 *
 * @module
 */
import type * as Turn from "../domain/list/Turn.ts"

/**
 * The places that the claiming process has for work, and which groups and queues had the last turn. A group or queue
 * that is not listed has all of its places.
 */
export interface Turns {
  /** Places of each group, and of each queue in it. */
  readonly ofGroup: number
  readonly ofQueue: number
  /** The group that had the last turn, or the empty string. */
  readonly last: string
  readonly groups: ReadonlyArray<{
    readonly group: string
    readonly free: number
    /** The queue of the group that had its last turn. */
    readonly last: string
  }>
  readonly queues: ReadonlyArray<Turn.Queue & { readonly free: number }>
}

export interface ClaimOptions {
  readonly limit: number
  readonly leaseInMs: number
  readonly now: number
  /** Without it, every queue has places for the whole claim, and the first queue has the first turn. */
  readonly turns?: Turns
}

/** The turns of a claim. */
export const of = ({ limit, turns }: Pick<ClaimOptions, "limit" | "turns">): Turns =>
  turns ?? { ofGroup: limit, ofQueue: limit, last: "", groups: [], queues: [] }
