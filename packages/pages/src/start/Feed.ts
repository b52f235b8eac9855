/**
 * Follows the service's events and payments over its API, as a partner would.
 *
 * @module
 */
import type * as Event from "@florin/api/wire/Event"
import type * as Payment from "@florin/api/wire/Payment"
import { makePartner, type Partner, Refused } from "@florin/client"
import * as Ask from "./Ask.ts"

const eventsMax = 50
const paymentsMax = 20
const ordersMax = 100
/** Events come in bursts: one list is enough for all that arrive within this time. */
const pauseInMs = 200

export interface Feed {
  /** Null until they are loaded. */
  readonly payments: ReadonlyArray<Payment.Item> | null
  /** Newest first. */
  readonly events: ReadonlyArray<Event.Event>
  /** `refused` if the service no longer knows the key of this page. */
  readonly connection: "connected" | "lost" | "refused"
}

export const initial: Feed = { payments: null, events: [], connection: "connected" }

/** An update of a part of the feed. */
export type Change = (feed: Feed) => Feed

const connection =
  (now: Feed["connection"]): Change =>
  (feed) =>
    feed.connection === now ? feed : { ...feed, connection: now }

/** A client that reports whether the service can be reached. */
export const client = (
  baseUrl: string,
  apiKey: string,
  report: (change: Change) => void,
): Partner =>
  makePartner({
    baseUrl,
    apiKey,
    fetch: async (url, init) => {
      try {
        const response = await fetch(url, init)
        report(connection("connected"))
        return response
      } catch (error) {
        if (init.signal?.aborted !== true) report(connection("lost"))
        throw error
      }
    },
  })

/** Loads the newest payments. If that fails, the page keeps those that it shows: the stream reports the error. */
export const list = (
  partner: Partner,
  report: (change: Change) => void,
  signal?: AbortSignal,
): Promise<void> =>
  partner.payments.list({ limit: paymentsMax }, { signal }).then(
    ({ data }) => report((feed) => ({ ...feed, payments: data })),
    () => undefined,
  )

/** The number of the next order. If the service does not respond, the first one. */
export const nextOrder = (partner: Partner): Promise<number> =>
  partner.payments.list({ referenceId: "order-", limit: ordersMax }).then(
    ({ data }) => Ask.nextOrder(data),
    () => 1,
  )

/** Follows events until the signal aborts. */
export const follow = async (
  partner: Partner,
  report: (change: Change) => void,
  signal: AbortSignal,
): Promise<void> => {
  let waiting: ReturnType<typeof setTimeout> | undefined
  const listSoon = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined
      void list(partner, report, signal)
    }, pauseInMs)
  }
  try {
    void list(partner, report, signal)
    for await (const { event } of partner.events.stream({}, { signal })) {
      report((feed) => ({ ...feed, events: [event, ...feed.events].slice(0, eventsMax) }))
      listSoon()
    }
  } catch (error) {
    if (signal.aborted) return
    report(connection(error instanceof Refused ? "refused" : "lost"))
  } finally {
    clearTimeout(waiting)
  }
}
