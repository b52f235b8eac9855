/**
 * `florin payouts`: manages money on its way out: merchants' shares in batches, refunds, and returns of
 * unclaimed money.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Outflows"
import type * as Wire from "@florin/api/wire/Outflow"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const make = OperatorCommand.of(Contract.group)

/** A quantity of the outflow's token: `12.50 USDC`. */
const textOf = ({ amount }: Wire.Listed, quantity: { readonly value: string }): string =>
  WireAmount.toPlainText({ ...amount, ...quantity })

/** `4 live payments` */
const carries = ({ mode, paymentCount: count, purpose }: Wire.Listed): string => {
  if (purpose === "payout") return Printable.counted(count, `${mode} payment`)
  return purpose === "return" ? `unclaimed ${mode} money` : `a ${mode} ${purpose}`
}

/** A short reason why it is held or waits; `show` prints the full reason. */
const whyText = ({ problem, reason }: Wire.Listed): string => {
  if (problem === null || reason === null) return "-"
  return problem.message === Obstacle.requested ? problem.message : Obstacle.meanings[reason]
}

/** On a narrow terminal the first four columns fill a line, and each of the others has a line of its own. */
const columns: ReadonlyArray<Table.Column<Wire.Listed>> = [
  { name: "payout", of: ({ id }) => id },
  { name: "state", of: ({ state }) => state },
  { name: "created (UTC)", of: ({ createdAt }) => Time.minute(createdAt) },
  { name: "amount", of: (each) => textOf(each, each.amount) },
  { name: "for", of: carries },
  { name: "why", of: whyText, isProse: true },
  { name: "to", of: ({ destination }) => destination },
  { name: "transaction", of: ({ lastTxId }) => lastTxId ?? "-" },
]

type Share = Wire.Outflow["payments"][number]

/** Ids are long, so only what differs or matters is shown. */
const shareColumns = (outflow: Wire.Outflow): ReadonlyArray<Table.Column<Share>> => {
  const isOfOne = new Set(outflow.payments.map(({ merchantId }) => merchantId)).size === 1
  return [
    { name: "payment", of: ({ paymentId }) => paymentId },
    { name: "share", of: ({ amount }) => textOf(outflow, amount) },
    {
      name: "kept for debt",
      of: ({ netted }) => (netted.value === "0" ? "-" : textOf(outflow, netted)),
    },
    { name: "merchant", of: ({ merchantId }) => (isOfOne ? "-" : merchantId) },
  ]
}

/** Prints the details of the state. */
const showState = (outflow: Wire.Outflow): void => {
  const { blockNumber, lastTxId, missingSince, paidAt, problem, reverts, sentAt, state } = outflow
  Terminal.fact("state", state)
  Terminal.fact("created", Time.second(outflow.createdAt))
  Terminal.fact("sent", sentAt && Time.second(sentAt))
  Terminal.fact("paid", paidAt && Time.second(paidAt))
  Terminal.fact("hash", lastTxId)
  Terminal.fact("block", blockNumber?.toString())
  if (problem !== null) {
    const { message, moved, since } = problem
    Terminal.fact("reason", message)
    Terminal.fact("since", Time.second(since))
    if (moved !== null) {
      const [arrived, left] = [textOf(outflow, moved.arrived), textOf(outflow, moved.left)]
      const all = textOf(outflow, outflow.amount)
      Terminal.fact("moved", `${arrived} of ${all} arrived, and ${left} left the account`)
      for (const { amount, to } of moved.transfers) {
        Terminal.fact("", `${textOf(outflow, amount)} to ${to}`)
      }
    }
  }
  if (reverts > 0) Terminal.fact("reverted", Printable.counted(reverts, "time"))
  Terminal.fact("missed", missingSince && `on chain since ${Time.second(missingSince)}`)
}

const showNext = ({ id, problem, state }: Wire.Outflow): void => {
  if (problem === null) return
  if (state === "waiting") {
    return Terminal.note("The service retries it automatically until it succeeds.")
  }
  if (problem.message === Obstacle.requested) {
    return Terminal.note(
      "It stays held: a retry is held again. Refunding the payment releases its payout.",
    )
  }
  if (!problem.movedOtherwise) {
    return Terminal.note(`Fix the cause, then: \`florin payouts retry ${id}\``)
  }
  Terminal.note(
    "Its transaction succeeded, but moved something other than the amount. A retry could pay twice.",
  )
  if (problem.moved === null) {
    return Terminal.note(
      "The chain does not report what it moved: check the transaction in an explorer.",
    )
  }
  Terminal.note(`To count this as its payment: \`florin payouts accept ${id}\``)
  Terminal.note(`To send the rest: \`florin payouts release ${id}\``)
}

const isOwn = new Set<Wire.Outflow["purpose"]>(
  Object.values(Outflow.purposes).flatMap((each) => (each.isOwn ? [each.word] : [])),
)

const print = (outflow: Wire.Outflow): void => {
  const { advance, amount, inflowId, mode, partnerId, paymentId, payments, purpose } = outflow
  const [merchantId, ...others] = new Set(payments.map((share) => share.merchantId))
  Terminal.heading(outflow.id)
  Terminal.fact("for", purpose)
  Terminal.fact("amount", WireAmount.toText(amount))
  Terminal.fact("from", outflow.from)
  Terminal.fact("to", outflow.destination)
  Terminal.fact(
    "partner",
    `${partnerId ?? (isOwn.has(purpose) ? "none (your own money)" : "none")}, ${mode}`,
  )
  if (merchantId !== undefined && others.length === 0) Terminal.fact("merchant", merchantId)
  showState(outflow)
  Terminal.fact("unclaimed", inflowId)
  Terminal.fact("payment", paymentId)
  if (purpose === "payout") {
    Terminal.heading(Printable.counted(payments.length, "share"))
    if (payments.length > 0) Table.print(shareColumns(outflow), payments)
  }
  if (advance !== undefined) {
    const more = textOf(outflow, advance.amount)
    Terminal.plain(`${more} more is an advance that ${advance.merchantId} owes`)
  }
  showNext(outflow)
}

/** A command that decides about an outflow whose transaction moved something unexpected. */
const deciding = (name: "accept" | "release", done: string, adds: string) =>
  make(name, name, {
    adds,
    explain: (why, { outflowId }) => `${outflowId}: ${why}: \`florin payouts show ${outflowId}\``,
    done: ({ id }) => `${id} ${done}`,
    next: () => "The token is stopped until you resume it: `florin assets stopped`",
  })

const follow = "Follow it with: `florin payouts list`"

export const command = Described.group(
  "payouts",
  "List payouts, refunds and returns, retry those that are held, accept or release those that moved another amount, and record those that the storage does not have. For operators. The service's workers send the money. `florin explain <paymentId>` shows the payouts of one payment.",
  [
    make("list", "list", {
      print: ({ data }) => {
        Table.counted(columns, data, { name: "Payouts", none: "No payouts." })
        if (data.some(({ state }) => state === "held")) {
          Terminal.note(`Show why one is held with: \`florin payouts show <outflowId>\``)
        }
      },
      examples: [
        "florin payouts list --state held",
        "florin payouts list --state paid --purpose refund --mode live",
      ],
    }),
    make("show", "get", {
      does: "Show one payout and its shares",
      print,
    }),
    make("retry", "retry", {
      explain: (why, { outflowId }) =>
        `${outflowId}: ${why}: \`florin payouts list --state held\` lists what is held`,
      done: ({ id, paymentCount: count, purpose }) => {
        if (purpose !== "payout") return `${id} is due again. A worker sends it.`
        const them =
          count === 1 ? "its share into a new payout" : `its ${count} shares into new payouts`
        return `${id} is cancelled. A worker puts ${them}.`
      },
      next: () => follow,
    }),
    make("retry-all", "retryAll", {
      takes: {
        reason: Flags.optionalChoice(
          "held-for",
          Obstacle.heldCodes,
          "Only outflows that are held for this reason",
        ),
      },
      print: ({ outflows }) => {
        const refused = outflows.filter(({ isRetried }) => !isRetried)
        Terminal.writeSuccess(
          `Retried: ${outflows.length - refused.length}. A worker sends the money.`,
        )
        for (const { outflowId } of refused) {
          Terminal.plain(
            `${outflowId} was not retried: \`florin payouts show ${outflowId}\` shows why it is held`,
          )
        }
      },
      next: () => follow,
      examples: ["florin payouts retry-all --partner prtn_… --held-for payee"],
    }),
    deciding("accept", "is accepted as paid. Nothing more is sent for it.", ""),
    deciding(
      "release",
      "is released. A worker sends what is still owed.",
      "Deposit what was lost again with `florin float put --help`.",
    ),
    make("record", "record", {
      adds: "For refunds use `florin payments record <paymentId> <txHash>`.",
      omits: "all",
      takes: { txId: Flags.txHash("Hash of the transaction that paid a merchant") },
      explain: (why) => `nothing was recorded: ${why}`,
      print: ({ advance, amount, id, paymentCount }, { txId }) => {
        const shares = Printable.counted(paymentCount, "share")
        Terminal.writeSuccess(`${txId} is recorded as ${id}: it paid ${shares}.`)
        if (advance !== undefined) {
          Terminal.plain(
            `${WireAmount.toText({ ...amount, ...advance.amount })} more is an advance to ${advance.merchantId}: the next payouts deduct it.`,
          )
        }
        Terminal.note(`Show its shares with: \`florin payouts show ${id}\``)
      },
    }),
  ],
)
