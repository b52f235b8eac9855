/**
 * The payment state machine, as one table of data. Guards, the diagram in docs/state-machine.md and the exhaustive
 * test all read it; no other place decides what may follow what.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export const statuses = [
  "requires_action",
  "processing",
  "succeeded",
  "failed",
  "expired",
  "cancelled",
] as const
export type Status = (typeof statuses)[number]
export const Status = Schema.Literals(statuses)

export const events = [
  "confirm",
  "decline",
  "expire",
  "cancel_by_user",
  "cancel_by_merchant",
  "succeed",
  "fail",
] as const
export type Event = (typeof events)[number]

/** The state forbids an event: the payment has expired, or its state does not allow it. */
export class StateRefused extends Schema.TaggedError<StateRefused>()("StateRefused", {
  refusal: Schema.Literals(["payment_expired", "invalid_state"]),
  message: Schema.String,
}) {}

/**
 * The status to which each event moves a payment. One that names the status of the payment changes nothing, because it
 * already is as requested. A status refuses every other event.
 */
export const table: { readonly [S in Status]: { readonly [E in Event]?: Status } } = {
  requires_action: {
    confirm: "processing",
    decline: "failed",
    expire: "expired",
    cancel_by_user: "cancelled",
    cancel_by_merchant: "cancelled",
  },
  // Money may be moving: only the chain, or a refusal before anything was sent, ends it.
  processing: { decline: "failed", succeed: "succeeded", fail: "failed" },
  succeeded: { succeed: "succeeded" },
  failed: { decline: "failed", fail: "failed" },
  expired: { expire: "expired" },
  cancelled: { cancel_by_user: "cancelled", cancel_by_merchant: "cancelled" },
}

export const isFinal = (status: Status): boolean =>
  status !== "requires_action" && status !== "processing"

/** How a status refuses the events that it does not allow. */
export const refusalOf = (status: Status): StateRefused =>
  status === "expired"
    ? new StateRefused({
        refusal: "payment_expired",
        message: "the payment has expired: ask the merchant for a new one",
      })
    : new StateRefused({
        refusal: "invalid_state",
        message: `the payment is ${status}, which does not allow this`,
      })

/**
 * The status to which an event moves a payment, or the same status if nothing changes.
 *
 * @example
 * PaymentState.next("processing", "succeed") // Result.succeed("succeeded")
 * PaymentState.next("expired", "confirm")    // Result.fail(StateRefused "payment_expired")
 */
export const next = (status: Status, event: Event): Result.Result<Status, StateRefused> => {
  const to = table[status][event]
  return to === undefined ? Result.fail(refusalOf(status)) : Result.succeed(to)
}
