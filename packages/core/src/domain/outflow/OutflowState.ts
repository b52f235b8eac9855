/**
 * The state machine of outgoing money, as one table of data. The decisions, the diagram in docs/state-machine.md and
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

/** `to`: the outflow moves. `stay`: it already is in the requested state. `refuse`: it may not. */
export type Cell = { readonly to: Status } | { readonly stay: true } | { readonly refuse: true }

type Row = { readonly [E in Event]: Cell }

const to = (status: Status): Cell => ({ to: status })
const stay: Cell = { stay: true }
const refuse: Cell = { refuse: true }

/** Every event is refused, unless a row says otherwise. */
const refused: Row = {
  send: refuse,
  wait: refuse,
  resend: refuse,
  pay: refuse,
  hold: refuse,
  release: refuse,
  cancel: refuse,
  revoke: refuse,
}

export const table: { readonly [S in Status]: Row } = {
  // Paid without being sent: by a transaction that the ledger lost, and that an operator recorded.
  waiting: {
    ...refused,
    send: to("sent"),
    wait: to("waiting"),
    pay: to("paid"),
    hold: to("held"),
    release: stay,
    cancel: to("cancelled"),
  },
  // Its transaction may be mined at any moment: only the chain can end this.
  sent: {
    ...refused,
    wait: to("waiting"),
    resend: to("sent"),
    pay: to("paid"),
    hold: to("held"),
  },
  paid: { ...refused, pay: stay, revoke: to("held") },
  held: {
    ...refused,
    pay: to("paid"),
    hold: stay,
    release: to("waiting"),
    cancel: to("cancelled"),
  },
  cancelled: { ...refused, cancel: stay },
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

/** The status to which an event moves an outflow; null if nothing changes, because it may not or already did. */
export const next = (status: Status, event: Event): Status | null => {
  const cell = table[status][event]
  return "to" in cell ? cell.to : null
}
