/**
 * `florin payouts`: manages money on its way out: merchants' shares in batches, refunds, and returns of
 * unclaimed money.
 *
 * @module
 */
import type { Carry } from "@florin/api/operator/Client"
import * as Contract from "@florin/api/operator/Outflows"
import type * as Wire from "@florin/api/wire/Outflow"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import type * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Mode from "@florin/core/domain/ground/Mode"
import type * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import { Assets } from "@florin/core/ports/Assets"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Moved from "../explain/Moved.ts"
import * as OperatorCommand from "../operator/Command.ts"
import * as Taken from "../operator/Taken.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const { group } = Contract
const { endpoints } = group

export const purposes: { readonly [Tag in Outflow.Purpose["_tag"]]: string } = {
  Settle: "payout",
  Refund: "refund",
  Return: "return",
  Move: "move",
  Withdraw: "withdrawal",
  Sweep: "sweep",
}

/** An outflow with the newest hash of its transaction, if it has one. */
interface Found {
  readonly outflow: Outflow.Outflow
  readonly txHash: string | null
  readonly catalog: Catalog.Catalog
}

const hashOf = Effect.fnUntraced(function* ({ state }: Outflow.Outflow) {
  if (state._tag === "Paid") return state.transfer.txHash
  if (state._tag !== "Sent") return null
  const { lane, nonce } = state.slot
  const [stored] = yield* (yield* LaneStore).laneTransactions(lane, nonce, nonce)
  return stored?.hash ?? null
})

const withHash = Effect.fnUntraced(function* (outflow: Outflow.Outflow) {
  const found: Found = { outflow, txHash: yield* hashOf(outflow), catalog: yield* Assets }
  return found
})

const sinceOf = ({ createdAt, state }: Outflow.Outflow): number => {
  switch (state._tag) {
    case "Waiting":
      return state.obstacle?.since ?? state.releasedAt ?? createdAt
    case "Sent":
      return state.slot.takenAt
    case "Paid":
      return state.paidAt
    case "Held":
      return state.heldAt
    case "Cancelled":
      return state.cancelledAt
  }
}

const amountOf = ({ movement }: Outflow.Outflow, quantity: Money.Quantity): Amount.Amount => ({
  unit: Amount.token(movement.token),
  quantity,
})

const totalOf = (outflow: Outflow.Outflow): Amount.Amount =>
  amountOf(outflow, outflow.movement.quantity)

/** `12.50 USDC` */
const textOf = ({ catalog, outflow }: Omit<Found, "txHash">, quantity: Money.Quantity): string =>
  Amount.toText(amountOf(outflow, quantity), catalog)

const accountOf = ({ catalog, outflow }: Omit<Found, "txHash">, end: "from" | "to"): string => {
  const { [end]: address, token } = outflow.movement
  return Family.formatAccount(catalog, { chainId: token.chainId, address })
}

const sharesOf = ({ purpose }: Outflow.Outflow): ReadonlyArray<Outflow.Share> =>
  purpose._tag === "Settle" ? purpose.shares : []

const merchantsOf = (outflow: Outflow.Outflow): ReadonlyArray<MerchantId.MerchantId> => [
  ...new Set(sharesOf(outflow).map((share) => share.merchantId)),
]

/** Why it is held or waits. */
const whyJson = (outflow: Outflow.Outflow) => {
  const obstacle = Outflow.obstacleOf(outflow)
  if (obstacle === null) return {}
  const { code, reason } = obstacle
  return {
    code,
    reason,
    ...(outflow.state._tag === "Held" && { movedOtherwise: Outflow.movedOtherwise(outflow) }),
  }
}

/** The movement that its transaction made instead of the expected one. */
export const movementJson = ({ catalog, outflow }: Omit<Found, "txHash">) => {
  const moved = Outflow.astrayOf(outflow)
  if (moved === null) return {}
  const textOfQuantity = (quantity: Money.Quantity) =>
    Amount.format(amountOf(outflow, quantity), catalog)
  return {
    moved: {
      txHash: moved.transfer.txHash,
      left: textOfQuantity(moved.left),
      arrived: textOfQuantity(moved.transfer.movement.quantity),
      transfers: moved.transfers.map(({ quantity, to: address }) => ({
        to: Family.formatAccount(catalog, { chainId: outflow.movement.token.chainId, address }),
        amount: textOfQuantity(quantity),
      })),
    },
  }
}

const asJson = ({ catalog, outflow, txHash }: Found) => ({
  payoutId: outflow.id,
  mode: outflow.mode,
  partnerId: outflow.partnerId ?? null,
  purpose: purposes[outflow.purpose._tag],
  amount: Amount.format(totalOf(outflow), catalog),
  to: accountOf({ catalog, outflow }, "to"),
  payments: Outflow.paymentIds(outflow).length,
  state: Outflow.status(outflow),
  since: Time.iso(sinceOf(outflow)),
  txHash,
  ...whyJson(outflow),
  ...movementJson({ catalog, outflow }),
})

/** `4 live payments` */
const carries = (outflow: Outflow.Outflow): string => {
  const count = Outflow.paymentIds(outflow).length
  switch (outflow.purpose._tag) {
    case "Settle":
      return `${count} ${outflow.mode} ${count === 1 ? "payment" : "payments"}`
    case "Refund":
      return `a ${outflow.mode} refund`
    case "Return":
      return `unclaimed ${outflow.mode} money`
    case "Move":
    case "Withdraw":
    case "Sweep":
      return `a ${outflow.mode} ${purposes[outflow.purpose._tag]}`
  }
}

/** A short reason why it is held or waits; `show` prints the full reason. */
const whyText = (outflow: Outflow.Outflow): string => {
  const obstacle = Outflow.obstacleOf(outflow)
  if (obstacle === null) return "-"
  const { code, reason } = obstacle
  return reason === Obstacle.requested ? reason : Obstacle.meanings[code]
}

/** On a narrow terminal the first four columns fill a line, and each of the others has a line of its own. */
const columns: ReadonlyArray<Table.Column<Found>> = [
  { name: "payout", of: ({ outflow }) => outflow.id },
  { name: "state", of: ({ outflow }) => Outflow.status(outflow) },
  { name: "since (UTC)", of: ({ outflow }) => Time.minute(sinceOf(outflow)) },
  { name: "amount", of: (found) => textOf(found, found.outflow.movement.quantity) },
  { name: "for", of: ({ outflow }) => carries(outflow) },
  { name: "why", of: ({ outflow }) => whyText(outflow), isProse: true },
  { name: "to", of: (found) => accountOf(found, "to") },
  { name: "transaction", of: ({ txHash }) => txHash ?? "-" },
]

const openStates = ["waiting", "sent", "held"] as const

/** The open outflows of both modes, the oldest first. */
const open = Effect.fnUntraced(function* (states: ReadonlyArray<string>) {
  const store = yield* OutflowStore
  const all = yield* Effect.forEach(Mode.Mode.literals, store.openOutflows)
  const asked = all
    .flat()
    .filter((outflow) => states.length === 0 || states.includes(Outflow.status(outflow)))
    .toSorted((left, right) => left.createdAt - right.createdAt)
  return yield* Effect.forEach(asked, withHash)
})

const list = Command.make(
  "list",
  {
    state: Flags.choice(
      "state",
      openStates,
      "List only payouts in this state; repeat for several",
    ).pipe(Flag.atLeast(0)),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const found = yield* open(options.state).pipe(Access.inStorage(options, "florin payouts list"))
    if (options.json) return Terminal.json(found.map(asJson))
    Terminal.heading(found.length === 0 ? "No payouts." : `Payouts: ${found.length}`)
    if (found.length === 0) return
    const isSent = found.some(({ txHash }) => txHash !== null)
    const isHindered = found.some(({ outflow }) => Outflow.obstacleOf(outflow) !== null)
    Table.print(
      columns.filter(
        ({ name }) => (isSent || name !== "transaction") && (isHindered || name !== "why"),
      ),
      found,
    )
    if (found.some(({ outflow }) => Outflow.status(outflow) === "held")) {
      Terminal.note(`Show why one is held with: \`florin payouts show <payoutId>\``)
    }
  }),
).pipe(
  Command.withDescription(
    "List open payouts, refunds and returns of unclaimed money: those that wait to be sent, those that are sent and not final yet, and those that are held. Shares that wait for their payout policy are in no payout yet.",
  ),
  Command.withShortDescription("List open payouts"),
  Command.withExamples([{ command: "florin payouts list --state held" }]),
)

/** Ids are long, so only columns that differ or matter are shown. */
const shareColumns = (found: Found): ReadonlyArray<Table.Column<Outflow.Share>> => {
  const { outflow } = found
  const shares = sharesOf(outflow)
  const merchant: Table.Column<Outflow.Share> = {
    name: "merchant",
    of: ({ merchantId }) => merchantId,
  }
  const netted: Table.Column<Outflow.Share> = {
    name: "kept for debt",
    of: (share) => textOf(found, share.netted),
  }
  return [
    { name: "payment", of: ({ paymentId }) => paymentId },
    { name: "share", of: ({ quantity }) => textOf(found, quantity) },
    ...(shares.some((share) => share.netted > 0n) ? [netted] : []),
    ...(merchantsOf(outflow).length > 1 ? [merchant] : []),
  ]
}

const shareJson =
  ({ catalog, outflow }: Found) =>
  (share: Outflow.Share) => ({
    paymentId: share.paymentId,
    merchantId: share.merchantId,
    amount: Amount.format(amountOf(outflow, share.quantity), catalog),
    netted: Amount.format(amountOf(outflow, share.netted), catalog),
  })

/** Prints the details of the state. */
const showState = ({ catalog, outflow, txHash }: Found): void => {
  const { state } = outflow
  Terminal.fact("state", `${Outflow.status(outflow)} since ${Time.minute(sinceOf(outflow))} (UTC)`)
  if (txHash !== null) Terminal.fact("hash", txHash)
  if (state._tag === "Paid") Terminal.fact("block", `${state.transfer.blockNumber}`)
  const obstacle = Outflow.obstacleOf(outflow)
  if (obstacle !== null) Terminal.fact("reason", obstacle.reason)
  const moved = Moved.toText(outflow, catalog)
  if (moved !== null) Terminal.fact("moved", moved)
  for (const { quantity, to: address } of Outflow.astrayOf(outflow)?.transfers ?? []) {
    const to = Family.formatAccount(catalog, { chainId: outflow.movement.token.chainId, address })
    Terminal.fact("", `${textOf({ catalog, outflow }, quantity)} to ${to}`)
  }
  if (outflow.reverts !== undefined) Terminal.fact("reverted", `${outflow.reverts} times`)
  if (outflow.auditedSince !== undefined) {
    Terminal.fact("missed", `on chain since ${Time.minute(outflow.auditedSince)} (UTC)`)
  }
}

const showNext = (outflow: Outflow.Outflow): void => {
  const { id, state } = outflow
  if (state._tag === "Waiting" && state.obstacle !== undefined) {
    return Terminal.note("The service retries it automatically until it succeeds.")
  }
  if (state._tag !== "Held") return
  if (state.reason === Obstacle.requested) {
    return Terminal.note(
      "It stays held: a retry is held again. Refunding the payment releases its payout.",
    )
  }
  if (state.movedOtherwise !== true) {
    return Terminal.note(`Fix the cause, then: \`florin payouts retry ${id}\``)
  }
  Terminal.note(
    "Its transaction succeeded, but moved something other than the amount. A retry could pay twice.",
  )
  if (Outflow.astrayOf(outflow) === null) {
    return Terminal.note(
      "The chain does not report what it moved: check the transaction in an explorer.",
    )
  }
  Terminal.note(`To count this as its payment: \`florin payouts accept ${id}\``)
  Terminal.note(`To send the rest: \`florin payouts release ${id}\``)
}

/** Prints what it pays for. */
const showPurpose = (found: Found): void => {
  const { purpose } = found.outflow
  switch (purpose._tag) {
    case "Settle": {
      const { advance, shares } = purpose
      Terminal.heading(shares.length === 1 ? "1 share" : `${shares.length} shares`)
      if (shares.length > 0) Table.print(shareColumns(found), shares)
      if (advance !== undefined) {
        const more = textOf(found, advance.quantity)
        Terminal.plain(`${more} more is an advance that ${advance.merchantId} owes`)
      }
      return
    }
    case "Return":
      Terminal.fact("unclaimed", purpose.inflowId)
      if (purpose.paymentId !== undefined) Terminal.fact("payment", purpose.paymentId)
      return
    case "Refund":
      return Terminal.fact("payment", purpose.paymentId)
  }
}

const print = (found: Found): void => {
  const { catalog, outflow } = found
  const { id, movement, purpose } = outflow
  const { quantity, token } = movement
  const [merchantId, ...others] = merchantsOf(outflow)
  Terminal.heading(id)
  Terminal.fact("for", purposes[purpose._tag])
  Terminal.fact(
    "amount",
    `${textOf(found, quantity)} on ${Catalog.networkName(catalog, token.chainId)}`,
  )
  Terminal.fact("from", accountOf(found, "from"))
  Terminal.fact("to", accountOf(found, "to"))
  Terminal.fact(
    "partner",
    `${outflow.partnerId ?? (Outflow.isOwn(outflow) ? "none (your own money)" : "none")}, ${outflow.mode}`,
  )
  if (merchantId !== undefined && others.length === 0) Terminal.fact("merchant", merchantId)
  showState(found)
  showPurpose(found)
  showNext(outflow)
}

const show = Command.make(
  "show",
  { payoutId: Flags.payoutId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const found = yield* Effect.gen(function* () {
      return yield* withHash(yield* (yield* OutflowStore).outflow(options.payoutId))
    }).pipe(Access.inStorage(options, "florin payouts show"))
    if (!options.json) return print(found)
    const { catalog, outflow } = found
    const { purpose } = outflow
    Terminal.json({
      ...asJson(found),
      from: accountOf(found, "from"),
      ...(purpose._tag === "Settle"
        ? {
            shares: purpose.shares.map(shareJson(found)),
            ...(purpose.advance !== undefined && {
              advance: {
                merchantId: purpose.advance.merchantId,
                amount: Amount.format(amountOf(outflow, purpose.advance.quantity), catalog),
              },
            }),
          }
        : { paymentId: Outflow.paymentIds(outflow)[0] ?? null }),
    })
  }),
).pipe(
  Command.withDescription(
    "Show one payout with its shares and its transaction, and the reason if it is held or waits.",
  ),
  Command.withShortDescription("Show one payout and its shares"),
  Command.withExamples([{ command: "florin payouts show out_…" }]),
)

/** A command that decides about an outflow whose transaction moved something unexpected. */
const deciding = (
  name: "accept" | "release",
  about: Pick<
    Parameters<typeof OperatorCommand.endpoint<string, typeof endpoints.accept, {}>>[3],
    "description" | "does"
  >,
  done: string,
) =>
  OperatorCommand.endpoint(`payouts ${name}`, group, endpoints[name], {
    ...about,
    takes: {},
    explain: (why, { outflowId }) => `${outflowId}: ${why}: \`florin payouts show ${outflowId}\``,
    print: ({ id }) => {
      Terminal.writeSuccess(`${id} ${done}`)
      Terminal.note(`The token is stopped until you resume it: \`florin assets stopped\``)
    },
    examples: [{ command: `florin payouts ${name} out_…` }],
  })

const accept = deciding(
  "accept",
  {
    does: "Accept what a payout moved as its payment",
    description:
      "Accept what the transaction of a held payout, refund or return moved as its payment. The service sends nothing more for it, so the payee bears the missing amount. Money that left the account beyond the amount is recorded as a loss.",
  },
  "is accepted as paid. Nothing more is sent for it.",
)

const release = deciding(
  "release",
  {
    does: "Send the rest of a payout that moved another amount",
    description:
      "Send the rest of a held payout whose transaction moved something other than the amount. The money that arrived pays its shares, oldest first. Any excess is an advance to the merchant, and the next payouts deduct it. Money that left the account and did not arrive is recorded as a loss; deposit it again with `florin float put --help`. A refund or return is sent again only if nothing of it arrived.",
  },
  "is released. A worker sends what is still owed.",
)

const retryFlags = {
  outflowId: Argument.optional(
    Flags.argument("outflowId", "Id of the payout, from list or explain"),
  ),
  all: Flags.toggle("all", "Retry everything that is held"),
  heldFor: Flags.optionalChoice(
    "held-for",
    Obstacle.heldCodes,
    "Only outflows that are held for this reason",
  ),
  filter: Taken.of(endpoints.retryAll, ["reason"]),
}

const retrying = (
  carry: Carry,
  { all, filter, heldFor, outflowId }: Command.Command.Config.InferValue<typeof retryFlags>,
): Effect.Effect<Wire.Outflow | Wire.Retried, Failure.CommandFailed | Failure.NotUnderstood> => {
  const call = { group: group.identifier, options: {} }
  if (Option.isSome(outflowId)) {
    const members = { outflowId: outflowId.value }
    return OperatorCommand.ask(() => carry({ ...call, endpoint: endpoints.retry, members }), {
      explain: (why) =>
        `${outflowId.value}: ${why}: \`florin payouts list --state held\` lists what is held`,
    })
  }
  const members = {
    ...Taken.members(filter),
    ...(Option.isSome(heldFor) && { reason: heldFor.value }),
  }
  return all || Object.keys(members).length > 0
    ? OperatorCommand.ask(() => carry({ ...call, endpoint: endpoints.retryAll, members }))
    : Effect.fail(
        Failure.makeUsage(
          "no payout is given: give a payout id, --all, or a filter such as --held-for payee",
        ),
      )
}

const printRetried = ({ outflows }: Wire.Retried): void => {
  const refused = outflows.filter(({ isRetried }) => !isRetried)
  Terminal.writeSuccess(`Retried: ${outflows.length - refused.length}. A worker sends the money.`)
  for (const { outflowId } of refused) {
    Terminal.plain(
      `${outflowId} was not retried: \`florin payouts show ${outflowId}\` shows why it is held`,
    )
  }
}

const retry = OperatorCommand.calls("payouts retry", {
  does: "Retry a payout that is held",
  description:
    "Retry a held payout after its cause is fixed, or all held payouts that match every given flag. The shares of a payout go into new payouts, to the destinations that their merchants have now. A refund or a return is sent again unchanged. The command refuses a payout whose transaction succeeded and moved something other than the amount: accept or release it.",
  takes: retryFlags,
  call: (carry, own) => retrying(carry, own),
  print: (record) => {
    if ("outflows" in record) printRetried(record)
    else {
      const { id, paymentCount: count, purpose } = record
      Terminal.writeSuccess(
        purpose === "payout"
          ? `${id} is cancelled. A worker puts ${count === 1 ? "its share into a new payout" : `its ${count} shares into new payouts`}.`
          : `${id} is due again. A worker sends it.`,
      )
    }
    Terminal.note(`Follow it with: \`florin payouts list\``)
  },
  examples: [
    { command: "florin payouts retry out_…" },
    { command: "florin payouts retry --partner prtn_… --held-for payee" },
  ],
})

const record = OperatorCommand.endpoint("payouts record", group, endpoints.record, {
  does: "Record a payout that is missing in the storage",
  description:
    "Record a payout that is on the chain and not in the storage, for example after a restore from an older backup. It pays the shares that are owed to its destination, oldest first. Any excess is an advance to the merchant, and the next payouts deduct it. Only a final transfer by an account of the service is recorded, and each only once. For refunds use `florin payments record <paymentId> <txHash>`. If no service runs, the command needs the environment variables of florin serve, because it queries the nodes.",
  seesChains: "always",
  omits: "all",
  takes: { txHash: Flags.txHash("Hash of the transaction that paid a merchant") },
  members: ({ txHash }) => Effect.succeed({ txId: txHash }),
  explain: (why) => `nothing was recorded: ${why}`,
  print: ({ advance, amount, id, paymentCount }, { txHash }) => {
    const shares = paymentCount === 1 ? "1 share" : `${paymentCount} shares`
    Terminal.writeSuccess(`${txHash} is recorded as ${id}: it paid ${shares}.`)
    if (advance !== undefined) {
      Terminal.plain(
        `${WireAmount.toText({ ...amount, ...advance.amount })} more is an advance to ${advance.merchantId}: the next payouts deduct it.`,
      )
    }
    Terminal.note(`Show its shares with: \`florin payouts show ${id}\``)
  },
  examples: [{ command: "florin payouts record 0x…" }],
})

export const command = Command.make("payouts").pipe(
  Command.withDescription(
    "List payouts, refunds and returns, retry those that are held, accept or release those that moved another amount, and record those that the storage does not have. For operators. The service's workers send the money. `florin explain <paymentId>` shows the payouts of one payment.",
  ),
  Command.withSubcommands([list, show, retry, accept, release, record]),
)
