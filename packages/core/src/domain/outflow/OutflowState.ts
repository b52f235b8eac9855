/**
 * The state machine of outgoing money, as one table of data. The decisions, the diagram in docs/outflow-state-machine.md and
 * the exhaustive test all read it.
 *
 * @module
 */
import * as Schema from "effect/Schema"

export const statuses = ["waiting", "sent", "paid", "held", "cancelled"] as const
export type Status = (typeof statuses)[number]
export const Status = Schema.Literals(statuses)

/**
 * The events:
 *
 * - `send`: its transaction is signed.
 * - `wait`: it cannot be sent now, or its transaction reverted, and it is retried.
 * - `resend`: another transaction used that nonce, so it is signed again.
 * - `pay`: its transfer is final.
 * - `hold`: its destination cannot be paid, and an operator decides.
 * - `release`: an operator retries it unchanged.
 * - `cancel`: it will never be sent, and the money that it carried is free again.
 * - `revoke`: a deep reorganisation took its final transfer, for good.
 */
export const events = [
  "send",
  "wait",
  "resend",
  "pay",
  "hold",
  "release",
  "cancel",
  "revoke",
] as const
export type Event = (typeof events)[number]

/** The status to which each event moves an outflow. Every other event changes nothing: it may not, or already did. */
export const table: { readonly [S in Status]: { readonly [E in Event]?: Status } } = {
  // Paid without being sent: by a transaction that the ledger lost, and that an operator recorded.
  waiting: { send: "sent", wait: "waiting", pay: "paid", hold: "held", cancel: "cancelled" },
  // Its transaction may be mined at any moment: only the chain can end this.
  sent: { wait: "waiting", resend: "sent", pay: "paid", hold: "held" },
  paid: { revoke: "held" },
  held: { pay: "paid", release: "waiting", cancel: "cancelled" },
  cancelled: {},
}

/** Whether the ledger counts the money as gone: from the commitment to it, until it proves impossible. */
export const isBooked: { readonly [S in Status]: boolean } = {
  waiting: false,
  sent: true,
  paid: true,
  held: false,
  cancelled: false,
}

/** Whether its state may still change. */
export const isOpen: { readonly [S in Status]: boolean } = {
  waiting: true,
  sent: true,
  paid: false,
  held: true,
  cancelled: false,
}

/** The status to which an event moves an outflow; null if nothing changes. */
export const next = (status: Status, event: Event): Status | null => table[status][event] ?? null
