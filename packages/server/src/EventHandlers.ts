/**
 * Functions of the embedding application that receive events in its own process. The storage knows each as a webhook
 * endpoint with an address that exists in no network, so its events wait, are retried and are listed like those of any
 * endpoint.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Event"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Mode from "@florin/core/domain/ground/Mode"
import type * as Webhook from "@florin/core/domain/notify/Webhook"
import type * as Event from "@florin/core/domain/payment/Event"
import * as Events from "@florin/core/engine/notify/Events"
import { AccountStore, findPartner, type Tenant } from "@florin/core/ports/AccountStore"
import { Outbox } from "@florin/core/ports/Outbox"
import type { Transaction, Transactions } from "@florin/core/ports/Transactions"
import { CallFailed } from "@florin/core/ports/WebhookTransport"
import type * as WebhookSender from "@florin/core/workers/WebhookSender"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as InTransaction from "./InTransaction.ts"
import * as Read from "./operations/Read.ts"
import * as EventView from "./views/EventView.ts"

/** Resolves when the event is handled. If it rejects, it is called again with the same event. */
export type EventHandler = (event: Wire.OfType) => Promise<void> | void

/** A connection of a pool, for one transaction at a time. */
export interface PoolClient extends Transaction {
  readonly release: (destroy?: boolean) => void
}

/** A pool of connections, such as a `Pool` of `pg`, whose `connect` takes a callback, too. */
export interface TransactionPool<C extends PoolClient = PoolClient> {
  readonly connect: {
    (): Promise<C>
    (callback: never): unknown
  }
}

/**
 * Resolves when the event's effect is written on the transaction's connection, which then commits with the event's
 * acknowledgement. If it rejects, everything is rolled back, and it is called again with the same event.
 */
export type EffectHandler<C> = (event: Wire.OfType, client: C) => Promise<void> | void

/** The partner and mode whose events are handled, and a name that stays the same after every restart. */
export interface EventSource {
  readonly partnerId: string
  readonly mode: Mode.Mode
  readonly name: string
}

/** The same, and where the effect of a handler is written. */
export interface EffectSource<C extends PoolClient> extends EventSource {
  /** Leads to the service's own database. */
  readonly pool: TransactionPool<C>
}

/** Partners cannot register such an address over HTTP, as it belongs to a private network. */
const addressPrefix = "https://on-event.internal/"

/** The same for handlers whose effect commits together with the delivery. */
const effectPrefix = "https://in-transaction.internal/"

export const isName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,63}$/u.test(name ?? "")

/** Any process with workers may get an event, and leaves it to the others if it has no handler. */
const warnOfMissing = (id: Webhook.EndpointId, address: string) =>
  Effect.logWarning(
    "events wait for a process with their handler, because this one runs workers without it: call onEvent or onEventInTransaction before workers.start() in every process that runs workers, and run florin serve next to such an app with --role api; if the handler is gone for good, disable the webhook",
    { webhook: id, address },
  )
const rejected = new CallFailed({ message: "the handler rejected" })
const lost = new CallFailed({ message: "the transaction of the handler could not be committed" })
const unconnected = new CallFailed({ message: "the pool of the handler has no connection" })

/** Whether a handler was added, or why not. */
type Added = "elsewhere" | "kept" | "taken"

type Handles = (event: Event.Announced, catalog: Catalog.Catalog) => WebhookSender.Taking

/** A handler's failure is logged here, and recorded without its text, which may hold anything. */
const handling = (event: Event.Announced, handle: () => Promise<void> | void) =>
  Effect.tryPromise(async () => handle()).pipe(
    Effect.tapError(({ cause }) =>
      Effect.logWarning("an event's handler rejected", { event: event.id, cause }),
    ),
    Effect.mapError(() => rejected),
  )

const before =
  (handler: EventHandler): Handles =>
  (event, catalog) => ({
    _tag: "Before",
    handle: handling(event, () => handler(EventView.event(event, catalog))),
  })

const send = (client: Transaction, statement: string) =>
  Effect.tryPromise({ try: async () => client.query(statement, []), catch: () => lost })

/** A connection of a pool, which may have none for long. One that comes when nobody waits any more goes back. */
const connecting = <C extends PoolClient>(pool: TransactionPool<C>) =>
  Effect.callback<C, CallFailed>((resume) => {
    let isWaiting = true
    const connect = async () => pool.connect()
    connect().then(
      (client) => (isWaiting ? resume(Effect.succeed(client)) : client.release()),
      () => resume(Effect.fail(unconnected)),
    )
    return Effect.sync(() => {
      isWaiting = false
    })
  })

/** Runs work in a transaction on a connection of the pool. What cannot be rolled back is closed with its connection. */
const transacting = <C extends PoolClient, A, E, R>(
  pool: TransactionPool<C>,
  work: (client: C) => Effect.Effect<A, E, R>,
) =>
  Effect.acquireUseRelease(
    Effect.interruptible(connecting(pool)),
    (client) =>
      Effect.andThen(send(client, "BEGIN"), Effect.tap(work(client), send(client, "COMMIT"))),
    (client, exit) => {
      const release = (destroy: boolean) => Effect.sync(() => client.release(destroy))
      if (Exit.isSuccess(exit)) return release(false)
      // The handler of an interrupted one may still send statements.
      return Exit.hasInterrupts(exit)
        ? release(true)
        : Effect.matchEffect(send(client, "ROLLBACK"), {
            onFailure: () => release(true),
            onSuccess: () => release(false),
          })
    },
  )

const together =
  <C extends PoolClient>(
    pool: TransactionPool<C>,
    handler: EffectHandler<C>,
    { within }: Transactions["Service"],
  ): Handles =>
  (event, catalog) => ({
    _tag: "Together",
    handle: (finish) =>
      transacting(pool, (client) =>
        Effect.andThen(
          handling(event, () => handler(EventView.event(event, catalog), client)),
          Effect.catchTag(within(client)(finish), "StorageUnavailable", () => lost),
        ),
      ),
  })

/** The endpoint as a connection of the pool sees it: it is in the service's database, or nowhere. */
const isSeen = (
  pool: TransactionPool,
  tenant: Tenant,
  id: Webhook.EndpointId,
  { within }: Transactions["Service"],
) =>
  transacting(pool, (client) =>
    within(client)(Effect.flatMap(Outbox, (outbox) => outbox.endpoints(tenant, { id }))),
  ).pipe(
    Effect.map((found) => found.length > 0),
    Effect.catchCause(() => Effect.succeed(false)),
  )

export const make = () => {
  const handlers = new Map<Webhook.EndpointId, Handles>()
  const warned = new Set<Webhook.EndpointId>()
  /** Each webhook is logged once. */
  const notice = (id: Webhook.EndpointId, address: string) =>
    Effect.suspend(() => {
      if (warned.has(id)) return Effect.void
      warned.add(id)
      return warnOfMissing(id, address)
    })
  const register = Effect.fnUntraced(function* (source: EventSource, prefix: string) {
    const tenant = yield* Effect.fromResult(Read.tenant(source))
    yield* findPartner(yield* AccountStore, tenant.partnerId)
    const { id } = yield* Events.requireEndpoint(tenant, `${prefix}${source.name}`)
    return { id, tenant }
  })
  const keep = (id: Webhook.EndpointId, handles: Handles): Added => {
    if (handlers.has(id)) return "taken"
    handlers.set(id, handles)
    return "kept"
  }
  return {
    /** Adds the endpoint for a handler, unless another handler of this process has it already. */
    add: (source: EventSource, handler: EventHandler) =>
      Effect.map(register(source, addressPrefix), ({ id }) => keep(id, before(handler))),

    /** The same for a handler whose effect and acknowledgement commit together. */
    addTogether: Effect.fnUntraced(function* <C extends PoolClient>(
      { pool, ...source }: EffectSource<C>,
      handler: EffectHandler<C>,
    ) {
      const transactions = yield* InTransaction.available
      const { id, tenant } = yield* register(source, effectPrefix)
      return (yield* isSeen(pool, tenant, id, transactions))
        ? keep(id, together(pool, handler, transactions))
        : ("elsewhere" satisfies Added)
    }),

    take:
      (catalog: Catalog.Catalog): WebhookSender.Take =>
      ({ id, url }, event) => {
        const handles = handlers.get(id)
        if (handles !== undefined) return handles(event, catalog)
        return [addressPrefix, effectPrefix].some((prefix) => url.startsWith(prefix))
          ? { _tag: "Elsewhere", notice: notice(id, url) }
          : null
      },
  }
}
