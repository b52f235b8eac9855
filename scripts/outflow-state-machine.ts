/**
 * Renders the outflow state machine for docs/outflow-state-machine.md.
 *
 * @module
 */
import * as OutflowState from "../packages/core/src/domain/outflow/OutflowState.ts"
import * as StateDiagram from "./state-diagram.ts"

const { events, isBooked, isOpen, statuses, table } = OutflowState

const statusMeaning: { readonly [S in OutflowState.Status]: string } = {
  waiting: "Not sent yet, perhaps because of a temporary obstacle. It can still be cancelled.",
  sent: "Its transaction is signed, stored and broadcast. Only the chain decides what happens next.",
  paid: "Its transfer is final.",
  held: "It cannot be paid, for example because the destination is blocklisted. An operator decides.",
  cancelled:
    "It will never be sent. Another outflow can send the shares or the money that it carried.",
}

const eventMeaning: { readonly [E in OutflowState.Event]: string } = {
  send: "Its transaction is signed and stored, and is broadcast after that.",
  wait: "A temporary obstacle, such as a paused token, prevents it, or made its transaction revert. The outflow records the reason, and a worker retries it.",
  resend: "Another transaction used its nonce, so a worker signs it again with a new nonce.",
  pay: "Its transfer is final. If the outflow was not sent, an operator recorded a transfer that the ledger did not know.",
  hold: "Its destination cannot be paid, or its transaction moved something else or reverts again and again.",
  release: "An operator retries it unchanged: a refund, or a return of unclaimed money.",
  cancel:
    "The service sends its money in another way, or not at all: its shares are gathered again, a refund takes one of them back, or the money that it returns disappeared.",
  revoke: "A deep reorganisation removed its final transfer for good.",
}

const diagram = StateDiagram.draw({ events, isFinal: (status) => !isOpen[status], statuses, table })

const text = (to: OutflowState.Status | undefined): string =>
  to === undefined ? "–" : `→ **${to}**`

const { row } = StateDiagram
const head = (cells: ReadonlyArray<string>) => [row(cells), row(cells.map(() => "---"))]

export const render = (): string =>
  [
    "# Outflow state machine",
    "",
    "<!-- Written by `pnpm generate` from packages/core/src/domain/outflow/OutflowState.ts: edit that instead. -->",
    "",
    "An outflow is one transfer of money going out: a payout to a merchant, a refund to a payer, or a return of unclaimed money.",
    "",
    "```mermaid",
    ...diagram,
    "```",
    "",
    "The meaning of each status. *Booked* means that the ledger counts the money as gone.",
    "",
    ...head(["status", "meaning", "booked"]),
    ...statuses.map((status) =>
      row([status, statusMeaning[status], isBooked[status] ? "yes" : "no"]),
    ),
    "",
    "The meaning of each event.",
    "",
    ...head(["event", "meaning"]),
    ...events.map((event) => row([`\`${event}\``, eventMeaning[event]])),
    "",
    "The effect of each event in each status. A dash: nothing changes, because the outflow may not do this, or already did.",
    "",
    ...head(["status", ...events.map((event) => `\`${event}\``)]),
    ...statuses.map((status) =>
      row([status, ...events.map((event) => text(table[status][event]))]),
    ),
    "",
    "If a transaction was mined and moved something else, its outflow is held, because its payee may already be paid. Such",
    "an outflow is never released or cancelled.",
    "",
  ].join("\n")
