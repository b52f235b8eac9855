/**
 * Tells partners what happened: every event that was written is fanned out to the endpoints that want it, and sent to each
 * of them at least once. An event is on its way in the round that finds it.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Event from "../domain/Event.ts"
import * as Limits from "../domain/Limits.ts"
import type * as Version from "../domain/Version.ts"
import * as Webhook from "../domain/Webhook.ts"
import * as Metrics from "../engine/Metrics.ts"
import * as WebhookSecrets from "../engine/WebhookSecrets.ts"
import { type ClaimedDelivery, Outbox } from "../ports/Outbox.ts"
import type { Turns } from "../ports/Turns.ts"
import { CallFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import * as Places from "./Places.ts"
import * as Worker from "./Worker.ts"

/** Writes the body of a call: an event as partners of a version are shown it. */
export type Render = (event: Event.Announced, version: Version.Version) => string

/** Takes an event in this process, in place of a call; null for an endpoint that is called. */
export type Take = (
  endpoint: Webhook.Endpoint,
  event: Event.Announced,
) => Effect.Effect<void, CallFailed> | null

const takesNothing: Take = () => null

/** What a call would have been answered. */
const takenStatus = 200

/** A call that broke is an attempt like any other: it is tried again on schedule, and stops no other. */
const broken = new CallFailed({ message: "the call could not be made" })

const tooSlow = new CallFailed({ message: "the endpoint did not respond in time" })

const unsealed = new CallFailed({
  message: "the endpoint's secret cannot be opened, so the call cannot be signed: rotate it",
})

/** What a call is signed with. That a secret cannot be opened is for the operator to mend: this call fails. */
const secretsOf = ({ id, secrets }: Webhook.Endpoint, now: number) =>
  Effect.forEach(Webhook.signing(secrets, now), (each) => WebhookSecrets.open(id, each)).pipe(
    Effect.tapError(({ message }) =>
      Effect.logError("a webhook's secret cannot be opened", { endpoint: id, message }),
    ),
    Effect.mapError(() => unsealed),
  )

/**
 * Makes one attempt and writes what became of it; what was due at an endpoint that is disabled by now ends. Returns
 * whether the endpoint does well.
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
  const startedAt = yield* Clock.currentTimeMillis
  const call = Effect.gen(function* () {
    const taking = take(endpoint, event)
    if (taking !== null) return yield* Effect.as(taking, takenStatus)
    const body = render(event, delivery.version)
    const secrets = yield* secretsOf(endpoint, startedAt)
    const headers = yield* Effect.fromResult(Webhook.headers(secrets, event.id, body, startedAt))
    return yield* (yield* WebhookTransport).post({ url: endpoint.url, headers, body })
  })
  const answered = yield* call.pipe(
    Effect.timeoutOrElse({ duration: Worker.limitInMs(options), orElse: () => tooSlow }),
    Effect.catchDefect(() => broken),
    Effect.result,
  )
  const made: Webhook.Attempt = Result.match(answered, {
    onFailure: (error) => ({ at: startedAt, status: null, error: error.message }),
    onSuccess: (status) => ({ at: startedAt, status, error: null }),
  })
  const after = Webhook.recordAttempt(delivery, made)
  yield* outbox.finishDelivery(after, fence)
  const isDelivered = after.state === "delivered"
  yield* Metrics.count("florin_webhook_attempts_total", {
    endpoint: endpoint.id,
    outcome: isDelivered ? "delivered" : "failed",
  })
  return isDelivered
})

/** What could not be written is due again when its lease lapses: at least once, never lost. */
const deliver = (claimed: ClaimedDelivery, render: Render, take: Take, options: Worker.Options) =>
  Effect.orElseSucceed(attempt(claimed, render, take, options), () => true).pipe(
    Effect.withSpan("WebhookSender.deliver", { attributes: { id: claimed.delivery.id } }),
  )

/** Makes deliveries of every event that waits to be fanned out. One that cannot be read does not stop those made before. */
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
 * Leases what is due, what happened until now included. It is called immediately: a lease that waits for its turn could
 * lapse before its call is over.
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

/** Sends what is due until nothing is. */
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
 * Places of its own for each endpoint, and for each partner as many as all of its endpoints have: those that hang take none
 * from the others. Several partners may hang with all of theirs.
 */
const placesOf = ({ concurrency }: Worker.Options): Places.Options => {
  const ofQueue = Math.ceil(concurrency / 2)
  const ofGroup = ofQueue * Limits.webhookEndpointsMax
  return { all: ofGroup * 8, ofGroup, ofQueue, rests: "queue", tries: ofQueue }
}

/**
 * Runs the worker for as long as the layer lives. A receiver that is slow holds places of its own, and no other up; one
 * that keeps failing is called with growing pauses.
 */
export const layer = (
  render: Render,
  options: Partial<Worker.Options> = {},
  take: Take = takesNothing,
) => {
  const chosen = { ...Worker.defaults, ...options }
  const { batch, idleInMs } = chosen
  return Layer.unwrap(
    Effect.sync(() => {
      const places = Places.make(placesOf(chosen))
      const round = Effect.gen(function* () {
        const limit = Math.min(batch, places.free())
        const claimed = yield* Worker.untraced(claim(limit, chosen, places.turns))
        yield* places.run(
          claimed,
          ({ endpoint: { id: member, partnerId: group } }) => ({ group, member }),
          (each) => deliver(each, render, take, chosen),
        )
        if (claimed.length < batch) yield* places.rest(idleInMs, Effect.succeed(idleInMs))
      })
      return Worker.repeating(round, idleInMs)
    }),
  )
}
