/**
 * `florin stuck`: what does not go on, why, and since when.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import type * as Catalog from "@florin/core/domain/Catalog"
import * as Mode from "@florin/core/domain/Mode"
import * as StuckMoney from "@florin/core/engine/Stuck"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Access from "../access/Access.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Payouts from "./Payouts.ts"

const amountOf = ({ movement }: StuckMoney.Stuck): Amount.Amount => ({
  unit: Amount.token(movement.token),
  quantity: movement.quantity,
})

const nameOf = ({ outflow }: StuckMoney.Stuck): string =>
  outflow === null ? "late money" : Payouts.purposes[outflow.purpose._tag]

/** What a command is told to name it. */
const idOf = ({ outflow, paymentIds }: StuckMoney.Stuck): string =>
  outflow?.id ?? paymentIds.join(" ")

/** `45 s`, `12 min`, `3 h` or `2 d` */
const ageText = (ageInMs: number): string => {
  const ageInS = Math.floor(ageInMs / 1000)
  if (ageInS < 60) return `${ageInS} s`
  if (ageInS < 3600) return `${Math.floor(ageInS / 60)} min`
  if (ageInS < 86_400) return `${Math.floor(ageInS / 3600)} h`
  return `${Math.floor(ageInS / 86_400)} d`
}

/** Why, and what moved instead if something did. */
const whyText = ({ outflow, reason }: StuckMoney.Stuck, catalog: Catalog.Catalog): string => {
  const moved = outflow === null ? null : Payouts.movedText({ outflow, catalog })
  return moved === null ? reason : `${reason}: ${moved}`
}

const asJson = (stuck: StuckMoney.Stuck, catalog: Catalog.Catalog) => ({
  mode: stuck.mode,
  partnerId: stuck.partnerId,
  purpose: stuck.outflow === null ? "late" : nameOf(stuck),
  payoutId: stuck.outflow?.id ?? null,
  paymentIds: stuck.paymentIds,
  amount: Amount.format(amountOf(stuck), catalog),
  state: stuck.isHeld ? "held" : "waiting",
  code: stuck.code,
  reason: stuck.reason,
  since: DateTime.formatIso(DateTime.makeUnsafe(stuck.since)),
  ...(stuck.outflow !== null && Payouts.movedJson({ outflow: stuck.outflow, catalog })),
})

const columns = (catalog: Catalog.Catalog): ReadonlyArray<Table.Column<StuckMoney.Stuck>> => [
  { name: "what", of: nameOf },
  { name: "id", of: idOf },
  { name: "state", of: ({ isHeld }) => (isHeld ? "held" : "waits") },
  { name: "for", of: ({ ageInMs }) => ageText(ageInMs) },
  { name: "amount", of: (stuck) => Amount.toText(amountOf(stuck), catalog) },
  { name: "reason", of: (stuck) => Printable.from(whyText(stuck, catalog)) },
]

export const command = Command.make(
  "stuck",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const { all, catalog } = yield* Effect.gen(function* () {
      const found = yield* Effect.forEach(Mode.Mode.literals, StuckMoney.list)
      return { all: found.flat(), catalog: yield* Assets }
    }).pipe(Access.inStorage(options, "florin stuck"))
    if (options.json) return Terminal.json(all.map((each) => asJson(each, catalog)))
    Terminal.heading(all.length === 0 ? "Nothing is stuck." : `Stuck: ${all.length}`)
    if (all.length === 0) return
    Table.print(columns(catalog), all)
    const directory = Flags.inDirectory(options)
    Terminal.note("What waits is tried again by itself.")
    if (all.some(({ isHeld, outflow }) => isHeld && outflow !== null)) {
      Terminal.note(`Retry what is held with: florin payouts retry --all${directory}`)
    }
    if (all.some(({ code }) => code === "moved")) {
      Terminal.note(
        `Accept or release what moved something else: florin payouts show <payoutId>${directory}`,
      )
    }
    if (all.some(({ code }) => code === "stopped")) {
      Terminal.note(`Resume a token with: florin assets resume <asset>${directory}`)
    }
    if (all.some(({ outflow }) => outflow === null)) {
      Terminal.note(
        `Return late money with: florin refunds return <paymentId> <txHash>${directory}`,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "List money that does not go on, with the reason and since when: payouts, refunds and returns that are held, those that wait and are tried again, and late money in suspense. An embedded storage is opened only while no server has it.",
  ),
  Command.withShortDescription("List money that is stuck, and why"),
  Command.withExamples([{ command: "florin stuck --json" }]),
)
