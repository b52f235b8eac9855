/**
 * Sends events to partners: every event is fanned out to the endpoints that subscribe to it, and sent to each of them
 * at least once. A round sends the events that it fanned out.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Limits from "../domain/ground/Limits.ts"
import type * as Malformed from "../domain/ground/Malformed.ts"
import type * as Version from "../domain/ground/Version.ts"
import * as Webhook from "../domain/notify/Webhook.ts"
import * as Event from "../domain/payment/Event.ts"
import * as WebhookSecrets from "../engine/notify/WebhookSecrets.ts"
import * as Metrics from "../engine/record/Metrics.ts"
import { type ClaimedDelivery, Outbox } from "../ports/Outbox.ts"
import type { LeaseLost, StorageUnavailable } from "../ports/StorageError.ts"
import type { Turns } from "../ports/Turns.ts"
import { CallFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import type * as Places from "./Places.ts"
import * as Worker from "./Worker.ts"

/** Renders the body of a call: an event in the format of a partner's API version. */
export type Render = (event: Event.Announced, version: Version.Version) => string

/** How this process handles the events of an endpoint, instead of a call. */
export type Taking =
  /** At least once: after it, the delivery is written. */
  | { readonly _tag: "Before"; readonly handle: Effect.Effect<void, CallFailed> }
  /** Exactly once: the effect and the delivery are written together, by `finish`, or neither is. */
  | {
      readonly _tag: "Together"
      readonly handle: (
        finish: Effect.Effect<void, LeaseLost | StorageUnavailable, Outbox>,
      ) => Effect.Effect<void, CallFailed | LeaseLost>
    }
  /** Only another process can: the event waits for that one, and no attempt is used up. */
  | { readonly _tag: "Elsewhere"; readonly notice: Effect.Effect<void> }

/** Handles an event in this process instead of a call; null for an endpoint that is called. */
export type Take = (endpoint: Webhook.Endpoint, event: Event.Announced) => Taking | null

const takesNothing: Take = () => null

/** The status that counts as the response to a handled event. */
const takenStatus = 200

/** A call that crashed is an attempt like any other: it is retried on schedule, and stops no other call. */
const broken = new CallFailed({ message: "the call could not be made" })

const tooSlow = new CallFailed({ message: "the endpoint did not respond in time" })

const unsealed = new CallFailed({
  message: "the endpoint's secret cannot be opened, so the call cannot be signed: rotate it",
})

/**
 * The secrets that sign a call. If the current one cannot be opened, this call fails, and the operator must rotate it.
 * Then the new one signs alone: the one before it is lost.
 */
const secretsOf = ({ id, secrets }: Webhook.Endpoint, now: number) =>
  Effect.forEach(Webhook.signingSecrets(secrets, now), (each) =>
    WebhookSecrets.open(id, each).pipe(
      Effect.map((secret) => [secret]),
      Effect.catchIf(
        () => each !== secrets.current,
        () => Effect.succeed([]),
      ),
    ),
  ).pipe(
    Effect.map((opened) => opened.flat()),
    Effect.tapError(({ message }) =>
      Effect.logError("a webhook's secret cannot be opened", { endpoint: id, message }),
    ),
    Effect.mapError(() => unsealed),
  )

/** What an attempt became. If the endpoint or the handler takes too long, it failed. */
const attemptOf = <R>(
  call: Effect.Effect<number, CallFailed | LeaseLost | Malformed.Malformed, R>,
  at: number,
  options: Worker.Options,
) =>
  call.pipe(
    Effect.timeoutOrElse({ duration: Worker.limitInMs(options), orElse: () => tooSlow }),
    Effect.catchDefect(() => broken),
    Effect.map((status): Webhook.Attempt => ({ at, status, error: null })),
    Effect.catchTag(["CallFailed", "Malformed"], ({ message }) =>
      Effect.succeed<Webhook.Attempt>({ at, status: null, error: message }),
    ),
  )

/** So soon another process gets the chance to take what this one cannot, which asks less and less often. */
const elsewhereInMs = 5000

/** An effect waits for the earlier ones of its payment. */
const earlierLooksInMs = 1000

/** When the oldest earlier event of the same payment, which the endpoint did not take yet, is tried again. */
const earlierDueAt = Effect.fnUntraced(function* (
  { delivery: { endpointId } }: ClaimedDelivery,
  event: Event.Announced,
) {
  if (!Event.isOfPayment(event)) return null
  const outbox = yield* Outbox
  const events = yield* outbox.eventsOf(event.payment.id)
  const before = events.filter(({ stateVersion }) => stateVersion < event.stateVersion)
  const found = yield* outbox.deliveriesById(
    before.map(({ id }) => Webhook.deliveryId(endpointId, id)),
  )
  const waiting = found.flatMap(({ dueAt, state }) => (state === "delivered" ? [] : [dueAt ?? 0]))
  // An event that is not fanned out yet has no delivery.
  const isOpen = (yield* outbox.eventsOf(event.payment.id, "waiting")).some(
    ({ stateVersion }) => stateVersion < event.stateVersion,
  )
  return waiting.length > 0 || isOpen ? Math.max(0, ...waiting) : null
})

/** Handles an event together with its delivery; returns whether it was handled now. */
const attemptTogether = Effect.fnUntraced(function* (
  claimed: ClaimedDelivery,
  taking: Extract<Taking, { readonly _tag: "Together" }>,
  options: Worker.Options,
) {
  const { delivery, event, fence } = claimed
  const outbox = yield* Outbox
  const at = yield* Clock.currentTimeMillis
  // Asked for again: its effect is there already.
  if (delivery.attempts.some(Webhook.isReceived)) {
    yield* outbox.finishDelivery({ ...delivery, dueAt: null, state: "delivered" }, fence)
    return true
  }
  const earlier = yield* earlierDueAt(claimed, event)
  if (earlier !== null) {
    const dueAt = Math.max(earlier, at + earlierLooksInMs)
    yield* outbox.finishDelivery({ ...delivery, dueAt }, fence)
    return true
  }
  const done = Webhook.recordEffect(delivery, { at, status: takenStatus, error: null })
  const finish = Effect.flatMap(Outbox, (within) => within.finishDelivery(done, fence))
  const made = yield* attemptOf(Effect.as(taking.handle(finish), takenStatus), at, options)
  if (Webhook.isReceived(made)) return true
  // If it is not known whether the transaction committed, this is refused: the fence is another one then.
  yield* outbox.finishDelivery(Webhook.recordEffect(delivery, made), fence)
  return false
})

/**
 * Makes one attempt and writes its result. If the endpoint has been disabled, the delivery ends. Returns whether the
 * endpoint works.
 */
const attempt = Effect.fnUntraced(function* (
  { delivery, endpoint, event, fence }: ClaimedDelivery,
  render: Render,
  take: Take,
  options: Worker.Options,
) {
  const outbox = yield* Outbox
  if (endpoint.disabledAt !== null) {
    yield* outbox.finishDelivery(Webhook.abandon(delivery), fence)
    return true
  }
  const taking = take(endpoint, event)
  if (taking?._tag === "Together") {
    return yield* attemptTogether({ delivery, endpoint, event, fence }, taking, options)
  }
  const startedAt = yield* Clock.currentTimeMillis
  if (taking?._tag === "Elsewhere") {
    yield* taking.notice
    yield* outbox.finishDelivery({ ...delivery, dueAt: startedAt + elsewhereInMs }, fence)
    return false
  }
  const call = Effect.gen(function* () {
    if (taking !== null) return yield* Effect.as(taking.handle, takenStatus)
    const body = render(event, delivery.version)
    const secrets = yield* secretsOf(endpoint, startedAt)
    const headers = yield* Effect.fromResult(Webhook.headers(secrets, event.id, body, startedAt))
    return yield* (yield* WebhookTransport).post({ url: endpoint.url, headers, body })
  })
  const after = Webhook.recordAttempt(delivery, yield* attemptOf(call, startedAt, options))
  yield* outbox.finishDelivery(after, fence)
  const isDelivered = after.state === "delivered"
  yield* Metrics.count("florin_webhook_attempts_total", {
    endpoint: endpoint.id,
    outcome: isDelivered ? "delivered" : "failed",
  })
  return isDelivered
})

/**
 * A result that could not be written is due again when its lease expires: the event is delivered at least once, never
 * lost.
 */
const deliver = (claimed: ClaimedDelivery, render: Render, take: Take, options: Worker.Options) =>
  Effect.orElseSucceed(attempt(claimed, render, take, options), () => true).pipe(
    Effect.withSpan("WebhookSender.deliver", { attributes: { id: claimed.delivery.id } }),
  )

/**
 * Creates the deliveries of every event that waits to be fanned out. An event that cannot be read does not stop
 * deliveries that exist already.
 */
const fanOut = ({ batch }: Worker.Options) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    while ((yield* outbox.fanOut(batch, Webhook.deliveryOf)) === batch);
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasDies(cause)
        ? Effect.logError("events cannot be fanned out", { cause: Cause.pretty(cause) })
        : Effect.failCause(cause),
    ),
  )

/**
 * Leases due deliveries, including those of events until now. The calls start immediately, because a lease that waits
 * for its turn could expire before its call is over.
 */
const claim = Effect.fnUntraced(function* (
  limit: number,
  options: Worker.Options,
  turns?: (now: number) => Turns,
) {
  yield* fanOut(options)
  const { leaseInMs } = options
  const now = yield* Clock.currentTimeMillis
  const outbox = yield* Outbox
  return yield* outbox.claimDeliveries({
    limit,
    leaseInMs,
    now,
    ...(turns && { turns: turns(now) }),
  })
})

/** Sends due deliveries until none is left. */
export const drain = Effect.fnUntraced(function* (render: Render) {
  const options = Worker.defaults
  for (;;) {
    const claimed = yield* claim(options.concurrency, options)
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (each) => deliver(each, render, takesNothing, options), {
      concurrency: "unbounded",
      discard: true,
    })
  }
})

/**
 * Each endpoint has its own places, and each partner has the places of all its endpoints together, so that endpoints
 * that hang take none from the others. All endpoints of several partners may hang.
 */
const placesOf = ({ concurrency }: Worker.Options): Places.Options => {
  const ofQueue = Math.ceil(concurrency / 2)
  const ofGroup = ofQueue * Limits.webhookEndpointsMax
  return { all: ofGroup * 8, ofGroup, ofQueue, rests: "queue", tries: ofQueue }
}

/**
 * Runs the worker until the layer's scope closes. A slow receiver occupies only its own places and delays no other; one
 * that keeps failing is called with growing pauses.
 */
export const layer = (
  render: Render,
  options: Partial<Worker.Options> = {},
  take: Take = takesNothing,
) => {
  const chosen = { ...Worker.defaults, ...options }
  return Worker.layerInPlaces(placesOf(chosen), chosen, {
    claim: (limit, turns) => claim(limit, chosen, turns),
    queueOf: ({ endpoint: { id: member, partnerId: group } }: ClaimedDelivery) => ({
      group,
      member,
    }),
    attempt: (each) => deliver(each, render, take, chosen),
    untilDueInMs: Effect.succeed(chosen.idleInMs),
  })
}
