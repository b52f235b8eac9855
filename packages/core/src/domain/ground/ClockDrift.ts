/**
 * How far a process's clock is from the storage's. Expiry uses the storage's time for all processes.
 *
 * @module
 */
import * as Limits from "./Limits.ts"

/**
 * How far our clock is certainly ahead of another one (negative: behind), if the other was read between two readings of
 * ours. The time between the two readings does not count as a difference.
 */
export const measure = (beforeInMs: number, thereInMs: number, afterInMs: number): number =>
  Math.max(beforeInMs - thereInMs, 0) - Math.max(thereInMs - afterInMs, 0)

/** Whether the clocks differ so much that the process must make no decisions. */
export const isTooFar = (
  driftInMs: number,
  driftMaxInMs: number = Limits.clockDriftMaxInMs,
): boolean => Math.abs(driftInMs) > driftMaxInMs

/** The message for the operator. */
export const messageOf = (driftInMs: number): string => {
  const seconds = (Math.abs(driftInMs) / 1000).toFixed(1)
  const where = driftInMs > 0 ? "ahead of" : "behind"
  return `the clock of this process is ${seconds} s ${where} the storage's: set both by NTP. It does no work until they agree, and resumes by itself`
}
