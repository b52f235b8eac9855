/**
 * Renders the payment state machine for docs/state-machine.md.
 *
 * @module
 */
import * as PaymentState from "../packages/core/src/domain/PaymentState.ts"

const { events, isFinal, statuses, table } = PaymentState

const diagram = [
  "stateDiagram-v2",
  `    [*] --> ${statuses[0]}`,
  ...statuses.flatMap((from) =>
    events.flatMap((event) => {
      const cell = table[from][event]
      return "to" in cell ? [`    ${from} --> ${cell.to}: ${event}`] : []
    }),
  ),
  ...statuses.filter(isFinal).map((status) => `    ${status} --> [*]`),
]

const text = (cell: PaymentState.Cell): string => {
  if ("to" in cell) return `→ **${cell.to}**`
  return "stay" in cell ? "stays" : `refused: \`${cell.refuse}\``
}

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

export const render = (): string =>
  [
    "# Payment state machine",
    "",
    "<!-- Written by `pnpm generate` from packages/core/src/domain/PaymentState.ts: edit that instead. -->",
    "",
    "```mermaid",
    ...diagram,
    "```",
    "",
    "What each event does in each state. *stays*: the payment already is what was asked for, so the answer is the same",
    "again and nothing changes.",
    "",
    row(["state", ...events.map((event) => `\`${event}\``)]),
    row(["state", ...events].map(() => "---")),
    ...statuses.map((status) =>
      row([status, ...events.map((event) => text(table[status][event]))]),
    ),
    "",
  ].join("\n")
