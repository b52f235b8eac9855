/**
 * How far a process's clock is from the storage's. What expires, expires for all processes by the storage's time.
 *
 * @module
 */
import * as Limits from "./Limits.ts"

/**
 * By how much our clock is certainly ahead of another one, or behind it if negative, when the other was read between two
 * readings of ours. What passed between the two readings is no difference.
 */
export const between = (beforeInMs: number, thereInMs: number, afterInMs: number): number =>
  Math.max(beforeInMs - thereInMs, 0) - Math.max(thereInMs - afterInMs, 0)

/** Whether a clock that differs by so much must decide nothing. */
export const isTooFar = (
  driftInMs: number,
  driftMaxInMs: number = Limits.clockDriftMaxInMs,
): boolean => Math.abs(driftInMs) > driftMaxInMs

/** What an operator is told of it. */
export const messageOf = (driftInMs: number): string => {
  const seconds = (Math.abs(driftInMs) / 1000).toFixed(1)
  const where = driftInMs > 0 ? "ahead of" : "behind"
  return `the clock of this process is ${seconds} s ${where} the storage's: set both by NTP. It does no work until they agree, and resumes by itself`
}
