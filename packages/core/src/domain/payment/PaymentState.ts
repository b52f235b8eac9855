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

/** Why the state forbids an event: the payment has expired, or its state does not allow it. */
export type Refusal = "payment_expired" | "invalid_state"

/** `to`: the payment moves. `stay`: it already is in the requested state. `refuse`: it may not. */
export type Cell = { readonly to: Status } | { readonly stay: true } | { readonly refuse: Refusal }

export class StateRefused extends Schema.TaggedError<StateRefused>()("StateRefused", {
  status: Status,
  event: Schema.Literals(events),
  refusal: Schema.Literals(["payment_expired", "invalid_state"]),
  message: Schema.String,
}) {}

type Row = { readonly [E in Event]: Cell }

const to = (status: Status): Cell => ({ to: status })
const stay: Cell = { stay: true }

/** Every event is refused, unless a row says otherwise. */
const refusing = (refusal: Refusal): Row => {
  const cell: Cell = { refuse: refusal }
  return {
    confirm: cell,
    decline: cell,
    expire: cell,
    cancel_by_user: cell,
    cancel_by_merchant: cell,
    succeed: cell,
    fail: cell,
  }
}
const refused = refusing("invalid_state")

export const table: { readonly [S in Status]: Row } = {
  requires_action: {
    ...refused,
    confirm: to("processing"),
    decline: to("failed"),
    expire: to("expired"),
    cancel_by_user: to("cancelled"),
    cancel_by_merchant: to("cancelled"),
  },
  // Money may be moving: only the chain, or a refusal before anything was sent, ends it.
  processing: { ...refused, decline: to("failed"), succeed: to("succeeded"), fail: to("failed") },
  succeeded: { ...refused, succeed: stay },
  failed: { ...refused, decline: stay, fail: stay },
  expired: { ...refusing("payment_expired"), expire: stay },
  cancelled: { ...refused, cancel_by_user: stay, cancel_by_merchant: stay },
}

export const isFinal = (status: Status): boolean =>
  status !== "requires_action" && status !== "processing"

const refusalMessage = (status: Status, refusal: Refusal): string =>
  refusal === "payment_expired"
    ? "the payment has expired: ask the merchant for a new one"
    : `the payment is ${status}, which does not allow this`

/**
 * The status to which an event moves a payment, or the same status if nothing changes.
 *
 * @example
 * PaymentState.after("processing", "succeed") // Result.succeed("succeeded")
 * PaymentState.after("expired", "confirm")    // Result.fail(StateRefused "payment_expired")
 */
export const next = (status: Status, event: Event): Result.Result<Status, StateRefused> => {
  const cell = table[status][event]
  if ("to" in cell) return Result.succeed(cell.to)
  if ("stay" in cell) return Result.succeed(status)
  return Result.fail(
    new StateRefused({
      status,
      event,
      refusal: cell.refuse,
      message: refusalMessage(status, cell.refuse),
    }),
  )
}
