/**
 * Tells partners what happened: every event that was written is sent to every endpoint that wants it, at least once.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Event from "../domain/Event.ts"
import * as Webhook from "../domain/Webhook.ts"
import { type ClaimedDelivery, Storage } from "../ports/Storage.ts"
import { CallFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import * as Worker from "./Worker.ts"

/** A call that broke is an attempt like any other: it is tried again on schedule, and stops no other. */
const broken = new CallFailed({ message: "the call could not be made" })

/** Makes one attempt and writes what became of it. */
const deliver = Effect.fnUntraced(function* ({
  delivery,
  endpoint,
  event,
  fence,
}: ClaimedDelivery) {
  const startedAt = yield* Clock.currentTimeMillis
  const body = Event.toJson(event)
  const call = Effect.gen(function* () {
    const headers = yield* Effect.fromResult(
      Webhook.headers(endpoint.secrets, event.id, body, startedAt),
    )
    return yield* (yield* WebhookTransport).post({ url: endpoint.url, headers, body })
  })
  const answered = yield* Effect.result(Effect.catchDefect(call, () => broken))
  const attempt: Webhook.Attempt = Result.match(answered, {
    onFailure: (error) => ({ at: startedAt, status: null, error: error.message }),
    onSuccess: (status) => ({ at: startedAt, status, error: null }),
  })
  yield* (yield* Storage).finishDelivery(Webhook.recordAttempt(delivery, attempt), fence)
})

/** Makes the deliveries that are due now; answers how many those were. */
export const step = Effect.fnUntraced(function* (options: Worker.Options) {
  const claimed = yield* (yield* Storage).claimDeliveries({
    limit: options.batch,
    leaseInMs: options.leaseInMs,
    now: yield* Clock.currentTimeMillis,
  })
  // A delivery that could not be written is due again when its lease lapses: at least once, never lost.
  yield* Effect.forEach(claimed, (each) => Effect.ignore(deliver(each)), {
    concurrency: options.concurrency,
    discard: true,
  })
  return claimed.length
})

/** Makes deliveries until none is due. */
export const drain = Effect.gen(function* () {
  while ((yield* step(Worker.defaults)) > 0);
})

/** Runs the worker for as long as the layer lives. */
export const layer = (options: Partial<Worker.Options> = {}) => {
  const chosen = { ...Worker.defaults, ...options }
  const round = Effect.gen(function* () {
    if ((yield* step(chosen)) < chosen.batch) yield* Effect.sleep(chosen.idleInMs)
  })
  return Worker.repeating(round, chosen.idleInMs)
}
