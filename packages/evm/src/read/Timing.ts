/**
 * Measures how long payments take, from the end of the payer's part to final money.
 *
 * There are two sources, because not every process sees both. A process that collects sees each payment become final.
 * Every process checks its tokens every few minutes, and then sees how fast the chain makes blocks and how far finality
 * is behind; this is the only source of a process that only serves the API. Both produce samples in the same unit, so
 * they share one list for each flow.
 *
 * @module
 */
import type { Finality } from "../config/ChainConfig.ts"
import type { Block } from "./Queries.ts"

/** The newest samples, oldest first, and the estimate once there are enough of them. */
export interface Timing {
  readonly samplesInMs: ReadonlyArray<number>
  readonly etaInS: number | null
}

/** Fewer samples than this are not enough to replace the table. */
export const samplesMin = 20

/** Older samples are dropped, so that the estimate follows the chain and memory stays bounded. */
export const samplesMax = 101

/** No payer waits longer, and no finality takes longer: a longer sample comes from a wrong clock. */
const longestInMs = 60 * 60_000

export const empty: Timing = { samplesInMs: [], etaInS: null }

/** The median, rounded up to a whole second: half of the payments were at least as fast. */
const medianInS = (samplesInMs: ReadonlyArray<number>): number => {
  const sorted = samplesInMs.toSorted((left, right) => left - right)
  return Math.max(1, Math.ceil((sorted[sorted.length >> 1] ?? 0) / 1000))
}

/** Adds a sample. A negative sample comes from clocks that differ, and counts as zero. */
export const add = ({ samplesInMs: earlier }: Timing, tookInMs: number): Timing => {
  const samplesInMs = [
    ...earlier.slice(1 - samplesMax),
    Math.min(Math.max(0, tookInMs), longestInMs),
  ]
  return {
    samplesInMs,
    etaInS: samplesInMs.length < samplesMin ? null : medianInS(samplesInMs),
  }
}

/** The blocks that a check sees: the newest one, and the newest final one if the policy is a tag. */
export interface Seen {
  readonly latest: Block
  readonly final: Block | null
}

/** Timestamps are whole seconds: blocks closer than this are too inexact to measure the block time. */
const apartInS = 60

/**
 * How long a payment would take: one block for inclusion, and the time to finality from there. Only the chain's own
 * timestamps are compared. Null while the chain was not watched for long enough.
 */
export const expectedInMs = (
  earlier: Block,
  { final, latest }: Seen,
  finality: Finality,
): number | null => {
  const [blocks, seconds] = [latest.number - earlier.number, latest.timestamp - earlier.timestamp]
  if (blocks <= 0 || seconds < apartInS) return null
  const blockInMs = (seconds * 1000) / blocks
  if (typeof finality === "number") return blockInMs * (finality + 1)
  return final === null ? null : blockInMs + (latest.timestamp - final.timestamp) * 1000
}

/** The block to compare the next check with: the same one until it is far enough behind, or is ahead. */
export const nextEarlier = (earlier: Block | null, latest: Block): Block =>
  earlier === null ||
  latest.number < earlier.number ||
  (latest.number > earlier.number && latest.timestamp - earlier.timestamp >= apartInS)
    ? latest
    : earlier
