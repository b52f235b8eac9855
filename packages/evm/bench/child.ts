/**
 * What every measured process says to the runner: where it listens, and, whenever it is asked, what it has used.
 *
 * @module
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import process from "node:process"

/** A confirm that the server is ready for. */
export interface Prepared {
  readonly paymentId: string
  readonly optionId: string
  readonly signature: string
}

export interface Usage {
  readonly cpuInMs: number
  readonly rssBytes: number
  /** The longest time for which the event loop was held since it is watched. */
  readonly heldInMs: number
  /** How often payments were read since the start. */
  readonly reads: number
}

export interface Started {
  readonly port: number
  readonly key: string
  readonly paymentId: string
}

/** The runner asks for usage, for confirms to send, that the loop is watched, or that the payment changes. */
export type Asked =
  | { readonly ask: "usage"; readonly of?: "memory" }
  | { readonly ask: "prepare"; readonly count: number; readonly isForged: boolean }
  | { readonly ask: "watch" | "change" }

export interface Served {
  readonly prepare: (count: number, isForged: boolean) => Promise<ReadonlyArray<Prepared>>
  readonly change: () => Promise<void>
  readonly reads: () => number
}

export const serve = (started: Started, { change, prepare, reads }: Served): void => {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const respond = async (asked: Asked): Promise<ReadonlyArray<Prepared> | Usage | null> => {
    if (asked.ask === "prepare") return await prepare(asked.count, asked.isForged)
    if (asked.ask === "watch") loop.enable()
    if (asked.ask === "change") await change()
    if (asked.ask !== "usage") return null
    if (asked.of === "memory") globalThis.gc?.()
    const { system, user } = process.cpuUsage()
    const heldInMs = loop.max / 1e6
    loop.disable()
    loop.reset()
    return {
      cpuInMs: (system + user) / 1000,
      rssBytes: process.memoryUsage().rss,
      heldInMs,
      reads: reads(),
    }
  }
  process.on("message", async (asked: Asked) => process.send?.(await respond(asked)))
  process.once("disconnect", () => process.exit())
  process.send?.(started)
}
