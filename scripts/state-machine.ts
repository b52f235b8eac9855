/**
 * Renders the payment state machine for docs/state-machine.md.
 *
 * @module
 */
import * as PaymentState from "../packages/core/src/domain/payment/PaymentState.ts"
import * as StateDiagram from "./state-diagram.ts"

const { events, isFinal, refusalOf, statuses, table } = PaymentState

const diagram = StateDiagram.draw({ events, isFinal, statuses, table })

const text = (status: PaymentState.Status, event: PaymentState.Event): string => {
  const to = table[status][event]
  if (to === undefined) return `refused: \`${refusalOf(status).refusal}\``
  return to === status ? "stays" : `→ **${to}**`
}

const { row } = StateDiagram

export const render = (): string =>
  [
    "# Payment state machine",
    "",
    "<!-- Written by `pnpm generate` from packages/core/src/domain/payment/PaymentState.ts: edit that instead. -->",
    "",
    "This diagram shows the states of a payment, and the events that change them.",
    "",
    "```mermaid",
    ...diagram,
    "```",
    "",
    "The effect of each event in each state. *stays*: the payment already has the requested state, so the service returns the",
    "same response again and nothing changes.",
    "",
    row(["state", ...events.map((event) => `\`${event}\``)]),
    row(["state", ...events].map(() => "---")),
    ...statuses.map((status) => row([status, ...events.map((event) => text(status, event))])),
    "",
  ].join("\n")
