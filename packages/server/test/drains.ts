/**
 * Every worker of payments, by name: each runs until nothing is due.
 *
 * @module
 */
import * as Collector from "@florin/core/workers/Collector"
import * as Expirer from "@florin/core/workers/Expirer"
import * as LateWatcher from "@florin/core/workers/LateWatcher"
import * as Payer from "@florin/core/workers/Payer"
import * as Sender from "@florin/core/workers/Sender"

export const all = {
  expirer: Expirer.drain,
  collector: Collector.drain,
  payer: Payer.drain,
  sender: Sender.drain,
  lateWatcher: LateWatcher.drain,
} as const

export type Worker = keyof typeof all

/** In the order in which a payment meets them. */
export const workers = ["expirer", "collector", "payer", "sender", "lateWatcher"] as const
