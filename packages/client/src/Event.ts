/**
 * Events as a partner reads them: in the feed, in the stream and in webhooks.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Event"
import * as Connection from "./Connection.ts"

/** The types of events of this release. A service of a later release may send others: ignore those. */
export type EventType = Wire.Type

/**
 * An event of any type, or of one: `FlorinEvent<"payment.succeeded">`. A `switch` over `event.type` narrows
 * `event.data`.
 */
export type FlorinEvent<T extends EventType = EventType> = Wire.OfType<T>

/** A page of the feed. */
export interface EventPage extends Omit<Wire.Page, "data"> {
  readonly data: ReadonlyArray<FlorinEvent>
}

/** Checks just enough to recognize an event, as the service made the rest. */
export const isEvent = (value: unknown): value is FlorinEvent =>
  Connection.isObject(value) && typeof value["type"] === "string" && "data" in value
