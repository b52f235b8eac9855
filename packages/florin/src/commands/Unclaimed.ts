/**
 * `florin unclaimed`: money that arrived and belongs to no payment.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as InflowId from "@florin/core/domain/chain/InflowId"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Inflows from "@florin/core/engine/Inflows"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const amountOf = (token: Caip.Token, quantity: bigint): Amount.Amount => ({
  unit: Amount.token(token),
  quantity: Money.clamp(quantity, Money.largest),
})

/** The current state of a transfer. */
const stateOf = (found: Inflow.Inflow): string =>
  found.state._tag === "Suspended" && found.missedSince === undefined
    ? "it waits in suspense"
    : Inflows.whyNot(found)

interface Found {
  readonly inflow: Inflow.Inflow
  readonly catalog: Catalog.Catalog
}

const accountOf = ({ catalog, inflow }: Found, end: "from" | "to"): string => {
  const { [end]: address, token } = inflow.transfer.movement
  return Family.formatAccount(catalog, { chainId: token.chainId, address })
}

const textOf = ({
  catalog,
  inflow: {
    transfer: { movement },
  },
}: Found): string =>
  `${Amount.toText(amountOf(movement.token, movement.quantity), catalog)} on ${Catalog.networkName(catalog, movement.token.chainId)}`

const columns: ReadonlyArray<Table.Column<Found>> = [
  { name: "id", of: ({ inflow }) => inflow.id },
  { name: "mode", of: ({ inflow }) => inflow.mode },
  { name: "amount", of: textOf },
  { name: "from", of: (found) => accountOf(found, "from") },
  { name: "to", of: (found) => accountOf(found, "to") },
  { name: "transaction", of: ({ inflow }) => inflow.transfer.txHash },
  { name: "for", of: ({ inflow }) => inflow.hint?.paymentId ?? "-" },
  { name: "found", of: ({ inflow }) => Time.iso(inflow.foundAt) },
]

const asJson = (found: Found) => {
  const { foundAt, hint, id, mode, state, transfer } = found.inflow
  const { quantity, token } = transfer.movement
  return {
    unclaimedId: id,
    mode,
    amount: Amount.format(amountOf(token, quantity), found.catalog),
    from: accountOf(found, "from"),
    to: accountOf(found, "to"),
    txHash: transfer.txHash,
    paymentId: hint?.paymentId ?? null,
    foundAt: Time.iso(foundAt),
    state: state._tag,
  }
}

const list = Command.make(
  "list",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const { all, catalog } = yield* Effect.gen(function* () {
      const listed = yield* Effect.forEach(Mode.Mode.literals, (mode) =>
        Effect.map(Inflows.list(mode), (each) => each.map((of) => ({ ...of, mode }))),
      )
      return { all: listed.flat(), catalog: yield* Assets }
    }).pipe(Access.inStorage(options, "florin unclaimed list"))
    const found = all.flatMap(({ transfers }) =>
      transfers.map((inflow): Found => ({ inflow, catalog })),
    )
    const sums = all.filter(({ others }) => others.count > 0)
    if (options.json) {
      return Terminal.json({
        transfers: found.map(asJson),
        others: sums.map(({ mode, others, token }) => ({
          mode,
          count: others.count,
          amount: Amount.format(amountOf(token, others.quantity), catalog),
        })),
      })
    }
    Terminal.heading(all.length === 0 ? "No money is unclaimed." : `Unclaimed: ${found.length}`)
    if (found.length > 0) Table.print(columns, found)
    for (const { mode, others, token } of sums) {
      const sum = Amount.toText(amountOf(token, others.quantity), catalog)
      const network = Catalog.networkName(catalog, token.chainId)
      Terminal.plain(`${others.count} smaller: ${sum} of ${mode} money on ${network} in all`)
    }
    if (found.length > 0) {
      Terminal.note(`Return it with: \`florin unclaimed return <id>\``)
      Terminal.note(
        `If you sent it yourself: \`florin float put <asset> <account> <amount> --mode <mode> --transaction <hash>\``,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "List transfers to your accounts that belong to no payment: sent too late, twice, by mistake, with a wrong amount, or by yourself. The money waits in suspense and does not pay anything. The column for names the payment that its payer reported it for.",
  ),
  Command.withShortDescription("List unclaimed transfers"),
  Command.withExamples([{ command: "florin unclaimed list --json" }]),
)

const show = Command.make(
  "show",
  {
    txHash: Flags.txHash("Hash of the transaction"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const found = yield* Effect.gen(function* () {
      const catalog = yield* Assets
      const brought = yield* Inflows.broughtBy(options.txHash)
      return brought.map((inflow): Found => ({ inflow, catalog }))
    }).pipe(Access.inStorage(options, "florin unclaimed show"))
    if (options.json) {
      return Terminal.json(found.map(asJson))
    }
    if (found.length === 0) {
      Terminal.heading("The transaction brought no unclaimed money.")
      Terminal.note(
        "Transfers that are not final yet are not listed. A transfer that paid belongs to its payment.",
      )
    }
    for (const each of found) {
      Terminal.heading(each.inflow.id)
      Terminal.fact("amount", textOf(each))
      Terminal.fact("from", accountOf(each, "from"))
      Terminal.fact("to", accountOf(each, "to"))
      Terminal.fact("mode", each.inflow.mode)
      if (each.inflow.hint !== undefined) Terminal.fact("for", each.inflow.hint.paymentId)
      Terminal.fact("found", Time.iso(each.inflow.foundAt))
      Terminal.fact("state", stateOf(each.inflow))
    }
  }),
).pipe(
  Command.withDescription(
    "Show the unclaimed money of one transaction, of any amount, and what happened to it.",
  ),
  Command.withShortDescription("Show the unclaimed money of a transaction"),
  Command.withExamples([{ command: "florin unclaimed show 0x…" }]),
)

const readId = Schema.decodeOption(InflowId.InflowId)

const giveBack = Command.make(
  "return",
  {
    unclaimedId: Flags.argument("unclaimed-id", "Id from `unclaimed list`: unc_…").pipe(
      Argument.filterMap(readId, () => "an id from `unclaimed list`: unc_ and 32 characters"),
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { unclaimedId } = options
    const payoutId = yield* Inflows.giveBack(unclaimedId).pipe(
      Effect.catchTag("NotInSuspense", ({ message }) =>
        Failure.make(`nothing was sent back: ${message}`),
      ),
      Effect.provide(Identifiers.layer),
      Access.inStorage(options, "florin unclaimed return"),
    )
    if (options.json) return Terminal.json({ unclaimedId, payoutId })
    Terminal.writeSuccess(`${payoutId} returns it to its sender. The service's workers send it.`)
    Terminal.note(`Follow it with: \`florin payouts show ${payoutId}\``)
  }),
).pipe(
  Command.withDescription(
    "Send unclaimed money back to the account that it came from. Check that account first: an exchange cannot assign money that comes back to its customer. The workers of the service send it.",
  ),
  Command.withShortDescription("Return an unclaimed transfer"),
  Command.withExamples([{ command: "florin unclaimed return unc_…" }]),
)

export const command = Command.make("unclaimed").pipe(
  Command.withDescription("List and return transfers to your accounts that belong to no payment."),
  Command.withSubcommands([list, show, giveBack]),
)
