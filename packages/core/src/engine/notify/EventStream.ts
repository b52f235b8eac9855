/**
 * The live feed of events: signals wake the stream, and the storage has the data.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Limits from "../../domain/ground/Limits.ts"
import * as SequenceCursor from "../../domain/list/SequenceCursor.ts"
import type * as Event from "../../domain/payment/Event.ts"
import type { Tenant } from "../../ports/AccountStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { Settings } from "../../ports/Settings.ts"
import { Signals } from "../../ports/Signals.ts"
import type { StorageUnavailable } from "../../ports/StorageError.ts"

/** An event, and the cursor of a reader that has read the feed up to it. */
export interface Entry {
  readonly cursor: string
  readonly event: Event.Announced
}

/** Without a signal, the storage is read again after this time. Events that send no signal arrive some seconds late. */
const rereadInMs = 5000
/**
 * The pause between two reads. A signal is about any partner's payment, so without it a busy service would make every
 * stream read all the time.
 */
const restInMs = 500
/** How many events are read in one go, and so how much a slow reader makes the process hold. */
const pageSize = 50

/** The position of a stream, and whether there was nothing more to read. */
interface Position {
  readonly after: number
  readonly isAtEnd: boolean
}

/**
 * Streams the tenant's events from a cursor on, and then new events until the stream's time is up or the process ends.
 * If too many streams are open, this one sends one page and ends. The place is taken when the stream runs, and released
 * when it ends. The stream reads more only after the reader has taken what was read.
 */
export const open = Effect.fn("EventStream.open")(function* (
  tenant: Tenant,
  cursor: string | undefined,
) {
  const { sealKey } = yield* Settings
  const outbox = yield* Outbox
  const signals = yield* Signals
  const scope = { ...tenant, list: "events" } as const
  const start = (yield* Effect.fromResult(SequenceCursor.read(sealKey, scope, cursor))) ?? 0
  const follower = JSON.stringify([tenant.partnerId, tenant.mode])

  const pages = Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const { all, here } = signals.following(follower)
    const isFull = all >= Limits.eventStreamsMax || here >= Limits.eventStreamsPerPartnerMax
    const endsAt = isFull ? startedAt : startedAt + Limits.eventStreamMaxInMs
    // Watch first, then read, so that no change in between is missed.
    const changed = isFull ? Effect.never : yield* signals.follow(follower)
    let readAt = startedAt

    /** Waits until there may be more, at most until the stream ends. */
    const wait = Effect.gen(function* () {
      const left = endsAt - (yield* Clock.currentTimeMillis)
      yield* Effect.timeoutOption(changed, Math.min(left, rereadInMs))
      const rest = readAt + restInMs - (yield* Clock.currentTimeMillis)
      if (rest > 0) yield* Effect.sleep(rest)
    })

    const next = Effect.fnUntraced(function* ({ after, isAtEnd }: Position) {
      if (isAtEnd) yield* wait
      readAt = yield* Clock.currentTimeMillis
      const entries = yield* outbox.events(tenant, after, pageSize)
      const isOver = readAt >= endsAt || signals.isClosed()
      const position: Position = {
        after: entries.at(-1)?.sequence ?? after,
        isAtEnd: entries.length < pageSize,
      }
      return [entries, isOver ? Option.none() : Option.some(position)] as const
    })
    return Stream.paginate({ after: start, isAtEnd: false }, next)
  })

  const entries: Stream.Stream<Entry, StorageUnavailable> = Stream.unwrap(pages).pipe(
    Stream.map(({ event, sequence }) => ({
      cursor: SequenceCursor.encode(sealKey, scope, sequence),
      event,
    })),
  )
  return entries
})
