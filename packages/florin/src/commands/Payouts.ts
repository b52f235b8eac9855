/**
 * `florin payouts`: manages money on its way out, in the storage: merchants' shares in batches, refunds, and returns of
 * unclaimed money.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Obstacle from "@florin/core/domain/chain/Obstacle"
import * as Transfer from "@florin/core/domain/chain/Transfer"
import * as MerchantId from "@florin/core/domain/ground/MerchantId"
import * as Mode from "@florin/core/domain/ground/Mode"
import type * as Money from "@florin/core/domain/ground/Money"
import type * as OutflowId from "@florin/core/domain/ground/OutflowId"
import type * as PartnerId from "@florin/core/domain/ground/PartnerId"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Astray from "@florin/core/engine/Astray"
import * as PaidOut from "@florin/core/engine/PaidOut"
import * as Retry from "@florin/core/engine/Retry"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import { LaneStore } from "@florin/core/ports/LaneStore"
import { OutflowStore } from "@florin/core/ports/OutflowStore"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Moved from "../explain/Moved.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

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

const retryHeld = Effect.fnUntraced(function* (id: OutflowId.OutflowId) {
  const store = yield* OutflowStore
  const held = yield* store.outflow(id)
  const { state } = held
  if (state._tag !== "Held") {
    return yield* Failure.make(
      `${id} is ${Outflow.status(held)}, and only a held payout can be retried: \`florin payouts list --state held\` lists them`,
    )
  }
  if (state.movedOtherwise === true) {
    return yield* Failure.make(Transfer.whyNotRetried(state.reason))
  }
  const changed = yield* Retry.outflow(id)
  const after = yield* store.outflow(id)
  // A payout that consists only of an advance changes no payment.
  if (after.state._tag === "Held") {
    return yield* Failure.make(
      `${id} was not retried: \`florin payouts show ${id}\` shows why it is held`,
    )
  }
  return { outflow: after, paymentIds: changed.map((payment) => payment.id) }
})

/** A command that decides about an outflow whose transaction moved something unexpected. */
const deciding = (
  name: "accept" | "release",
  decide: (id: OutflowId.OutflowId) => ReturnType<typeof Astray.accept | typeof Astray.release>,
  done: (id: OutflowId.OutflowId) => string,
) =>
  Command.make(
    name,
    { payoutId: Flags.payoutId, ...Access.flags },
    Effect.fnUntraced(function* (options) {
      const { payoutId: id } = options
      const { changed, outflow } = yield* Effect.gen(function* () {
        const payments = yield* decide(id)
        return { changed: payments, outflow: yield* (yield* OutflowStore).outflow(id) }
      }).pipe(
        Effect.catchTag("NotDecided", ({ message }) =>
          Failure.make(`${id}: ${message}: \`florin payouts show ${id}\``),
        ),
        Access.inStorage(options, `florin payouts ${name}`),
      )
      if (options.json) {
        const paymentIds = changed.map((payment) => payment.id)
        return Terminal.json({ payoutId: id, state: Outflow.status(outflow), paymentIds })
      }
      Terminal.writeSuccess(done(id))
      Terminal.note(`The token is stopped until you resume it: \`florin assets stopped\``)
    }),
  )

const accept = deciding(
  "accept",
  Astray.accept,
  (id) => `${id} is accepted as paid. Nothing more is sent for it.`,
).pipe(
  Command.withDescription(
    "Accept what the transaction of a held payout, refund or return moved as its payment. The service sends nothing more for it, so the payee bears the missing amount. Money that left the account beyond the amount is recorded as a loss.",
  ),
  Command.withShortDescription("Accept what a payout moved as its payment"),
  Command.withExamples([{ command: "florin payouts accept out_…" }]),
)

const release = deciding(
  "release",
  Astray.release,
  (id) => `${id} is released. A worker sends what is still owed.`,
).pipe(
  Command.withDescription(
    "Send the rest of a held payout whose transaction moved something other than the amount. The money that arrived pays its shares, oldest first. Any excess is an advance to the merchant, and the next payouts deduct it. Money that left the account and did not arrive is recorded as a loss; deposit it again with `florin float put --help`. A refund or return is sent again only if nothing of it arrived.",
  ),
  Command.withShortDescription("Send the rest of a payout that moved another amount"),
  Command.withExamples([{ command: "florin payouts release out_…" }]),
)

const some = <A>(value: Option.Option<A>): A | undefined => Option.getOrUndefined(value)

/** The filter of a bulk retry; null if the command line asks for none. */
const filterOf = Effect.fnUntraced(function* (options: RetryOptions) {
  const text = some(options.token)
  const token =
    text === undefined
      ? undefined
      : yield* Effect.fromResult(Family.parseToken(yield* Assets, text)).pipe(
          Effect.mapError(({ message }) => Failure.makeUsage(`--token cannot be read: ${message}`)),
        )
  const filter: Retry.Filter = {
    ...(Option.isSome(options.mode) && { mode: options.mode.value }),
    ...(Option.isSome(options.partner) && { partnerId: options.partner.value }),
    ...(Option.isSome(options.merchant) && { merchantId: options.merchant.value }),
    ...(Option.isSome(options.reason) && { code: options.reason.value }),
    ...(token !== undefined && { token }),
  }
  return options.all || Object.keys(filter).length > 0 ? filter : null
})

/** Retries in bulk, and prints the result for each outflow. */
const retryAll = Effect.fnUntraced(function* (options: RetryOptions, filter: Retry.Filter) {
  const results = yield* Retry.retryHeld(filter)
  if (options.json) {
    return Terminal.json(
      results.map(({ isRetried, outflow }) => ({
        payoutId: outflow.id,
        isRetried,
        paymentIds: Outflow.paymentIds(outflow),
      })),
    )
  }
  const refused = results.filter(({ isRetried }) => !isRetried)
  Terminal.writeSuccess(`Retried: ${results.length - refused.length}. A worker sends the money.`)
  for (const { outflow } of refused) {
    Terminal.plain(
      `${outflow.id} was not retried: \`florin payouts show ${outflow.id}\` shows why it is held`,
    )
  }
  Terminal.note(`Follow it with: \`florin payouts list\``)
})

const retryFlags = {
  all: Flags.toggle("all", "Retry everything that is held"),
  partner: Flags.partnerId.pipe(
    Flag.withDescription("Retry payouts of this partner"),
    Flag.optional,
  ),
  merchant: Flags.string(
    "merchant",
    "ID",
    "Retry payouts with money of this merchant's payments",
  ).pipe(
    Flag.filterMap(
      Schema.decodeOption(MerchantId.MerchantId),
      () => "the id of a merchant, mrch_…",
    ),
    Flag.optional,
  ),
  token: Flags.optionalString(
    "token",
    "TOKEN",
    "Retry payouts in this token: eip155:8453/erc20:0x…",
  ),
  reason: Flags.optionalChoice(
    "reason",
    Obstacle.heldCodes,
    "Retry payouts that are held for this reason",
  ),
  mode: Flags.optionalChoice("mode", Mode.Mode.literals, "Retry only live or only test payouts"),
}

interface RetryOptions extends Access.Named {
  readonly all: boolean
  readonly json: boolean
  readonly partner: Option.Option<PartnerId.PartnerId>
  readonly merchant: Option.Option<MerchantId.MerchantId>
  readonly token: Option.Option<string>
  readonly reason: Option.Option<Obstacle.HeldCode>
  readonly mode: Option.Option<Mode.Mode>
}

const retry = Command.make(
  "retry",
  {
    payoutId: Flags.payoutId.pipe(Argument.optional),
    ...retryFlags,
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const named = some(options.payoutId)
    const inStorage = Access.inStorage(options, "florin payouts retry")
    if (named === undefined) {
      return yield* Effect.gen(function* () {
        const filter = yield* filterOf(options)
        return filter === null
          ? yield* Failure.makeUsage(
              "no payout is given: give a payout id, --all, or a filter such as --reason payee",
            )
          : yield* retryAll(options, filter)
      }).pipe(inStorage)
    }
    const { outflow, paymentIds } = yield* retryHeld(named).pipe(inStorage)
    const { id, purpose } = outflow
    if (options.json) {
      return Terminal.json({ payoutId: id, state: Outflow.status(outflow), paymentIds })
    }
    Terminal.writeSuccess(
      purpose._tag === "Settle"
        ? `${id} is cancelled. A worker puts ${paymentIds.length === 1 ? "its share into a new payout" : `its ${paymentIds.length} shares into new payouts`}.`
        : `${id} is due again. A worker sends it.`,
    )
    Terminal.note(`Follow it with: \`florin payouts list\``)
  }),
).pipe(
  Command.withDescription(
    "Retry a held payout after its cause is fixed, or all held payouts that match every given flag. The shares of a payout go into new payouts, to the destinations that their merchants have now. A refund or a return is sent again unchanged. The command refuses a payout whose transaction succeeded and moved something other than the amount: accept or release it.",
  ),
  Command.withShortDescription("Retry a payout that is held"),
  Command.withExamples([
    { command: "florin payouts retry out_…" },
    { command: "florin payouts retry --partner prtn_… --reason payee" },
  ]),
)

/** According to the ledger, more money left than was there: payments since the backup are missing in it. */
const overdrawn = Failure.make(
  "nothing was recorded: the ledger has less on the account than the transaction took. First record the money that came in since the backup, with: `florin float put <asset> <account> <amount> --mode <mode> --transaction <hash>`",
)

const record = Command.make(
  "record",
  {
    txHash: Flags.txHash("Hash of the transaction that paid a merchant"),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const { txHash } = options
    const { catalog, merchant, outflow, paid } = yield* Effect.gen(function* () {
      return { ...(yield* PaidOut.recordPayout(txHash)), catalog: yield* Assets }
    }).pipe(
      Effect.catchTag(["NotRecorded", "NotFound"], ({ message }) =>
        Failure.make(`nothing was recorded: ${message}`),
      ),
      Effect.catchTag("Overdrawn", () => overdrawn),
      Effect.provide(
        Layer.merge(Access.layer(options, "florin payouts record"), Identifiers.layer),
      ),
    )
    const { purpose } = outflow
    const advance = purpose._tag === "Settle" ? purpose.advance?.quantity : undefined
    if (options.json) {
      return Terminal.json({
        payoutId: outflow.id,
        txHash,
        paymentIds: paid.map(({ id }) => id),
        merchantId: merchant.id,
        advance: advance === undefined ? null : Amount.format(amountOf(outflow, advance), catalog),
      })
    }
    const shares = paid.length === 1 ? "1 share" : `${paid.length} shares`
    Terminal.writeSuccess(`${txHash} is recorded as ${outflow.id}: it paid ${shares}.`)
    if (advance !== undefined) {
      Terminal.plain(
        `${textOf({ catalog, outflow }, advance)} more is an advance to ${merchant.id}: the next payouts deduct it.`,
      )
    }
    Terminal.note(`Show its shares with: \`florin payouts show ${outflow.id}\``)
  }),
).pipe(
  Command.withDescription(
    "Record a payout that is on the chain and not in the storage, for example after a restore from an older backup. It pays the shares that are owed to its destination, oldest first. Any excess is an advance to the merchant, and the next payouts deduct it. Only a final transfer by an account of the service is recorded, and each only once. For refunds use `florin payments record <paymentId> <txHash>`. The command needs the environment variables of florin serve, because it queries the nodes.",
  ),
  Command.withShortDescription("Record a payout that is missing in the storage"),
  Command.withExamples([{ command: "florin payouts record 0x…" }]),
)

export const command = Command.make("payouts").pipe(
  Command.withDescription(
    "List payouts, refunds and returns, retry those that are held, accept or release those that moved another amount, and record those that the storage does not have. For operators: the command opens the storage, and the service's workers send the money. `florin explain <paymentId>` shows the payouts of one payment.",
  ),
  Command.withSubcommands([list, show, retry, accept, release, record]),
)
