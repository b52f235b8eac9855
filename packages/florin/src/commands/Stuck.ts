/**
 * `florin stuck`: lists money and work that is stuck, with the reason, the time, and the command that decides about it.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Age from "@florin/core/domain/ground/Age"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Payout from "@florin/core/domain/list/Payout"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import * as Inflows from "@florin/core/engine/Inflows"
import * as Lanes from "@florin/core/engine/Lanes"
import * as Remedies from "@florin/core/engine/Remedies"
import * as StuckMoney from "@florin/core/engine/Stuck"
import { Assets } from "@florin/core/ports/Assets"
import * as Command from "effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Moved from "../explain/Moved.ts"
import * as Access from "../storage/Access.ts"
import * as Hint from "../terminal/Hint.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

interface Row {
  readonly what: string
  /** The id by which a command names it. */
  readonly id: string
  readonly state: "held" | "waits" | "stopped"
  readonly ageInMs: number
  readonly amount: string
  readonly reason: string
  /** The command that decides about it; null if it continues without one. */
  readonly command: string | null
  readonly json: object
}

const purposeOf = ({ purpose }: Outflow.Outflow): string =>
  Payout.Purpose.literals.find((word) => Payout.purposes[word] === purpose._tag) ?? "payout"

/** The movement that its transaction made instead of the expected one. */
const movementJson = (outflow: Outflow.Outflow, catalog: Catalog.Catalog) => {
  const moved = Outflow.astrayOf(outflow)
  if (moved === null) return {}
  const { token } = outflow.movement
  const textOf = (quantity: bigint) => TokenAmount.json(token, quantity, catalog)
  return {
    moved: {
      txHash: moved.transfer.txHash,
      left: textOf(moved.left),
      arrived: textOf(moved.transfer.movement.quantity),
      transfers: moved.transfers.map(({ quantity, to: address }) => ({
        to: Family.formatAccount(catalog, { chainId: token.chainId, address }),
        amount: textOf(quantity),
      })),
    },
  }
}

/** The reason, and what moved instead if something did. */
const whyText = ({ outflow, reason }: StuckMoney.Stuck, catalog: Catalog.Catalog): string => {
  const moved = outflow === null ? null : Moved.toText(outflow, catalog)
  return moved === null ? reason : `${reason}: ${moved}`
}

const rowOf = (stuck: StuckMoney.Stuck, catalog: Catalog.Catalog): Row => {
  const { ageInMs, isHeld, movement, outflow } = stuck
  const { quantity, token } = movement
  const command = Remedies.ofStuck(stuck, catalog)
  const what = outflow === null ? "share" : purposeOf(outflow)
  return {
    what,
    id: outflow?.id ?? stuck.paymentIds.join(" "),
    state: isHeld ? "held" : "waits",
    ageInMs,
    amount: TokenAmount.text(token, quantity, catalog),
    reason: whyText(stuck, catalog),
    command,
    json: {
      mode: stuck.mode,
      partnerId: stuck.partnerId,
      purpose: what,
      payoutId: outflow?.id ?? null,
      paymentIds: stuck.paymentIds,
      amount: TokenAmount.json(token, quantity, catalog),
      state: isHeld ? "held" : "waiting",
      code: stuck.code,
      reason: stuck.reason,
      since: Time.iso(stuck.since),
      command: command === null ? null : Hint.pasteable(command),
      ...(outflow !== null && movementJson(outflow, catalog)),
    },
  }
}

/** A stopped chain or token as a row; its id is the argument of the command that resumes it. */
const stoppedRow = (
  what: "chain" | "token",
  mode: Mode.Mode,
  id: string,
  reason: string,
  since: number,
  now: number,
): Row => {
  const command = `florin ${what === "chain" ? "chains" : "assets"} resume ${id}`
  return {
    what: `${what} (${mode})`,
    id,
    state: "stopped",
    ageInMs: now - since,
    amount: "-",
    reason,
    command,
    json: {
      mode,
      purpose: what,
      id,
      state: "stopped",
      reason,
      since: Time.iso(since),
      command: Hint.pasteable(command),
    },
  }
}

const unclaimedRows = (
  { others, token, transfers }: Inflows.OfToken,
  mode: Mode.Mode,
  catalog: Catalog.Catalog,
  now: number,
): ReadonlyArray<Row> =>
  transfers.map(({ foundAt, hint, id, transfer }) => {
    const { quantity } = transfer.movement
    const command = `florin unclaimed return ${id}`
    const reason =
      hint === undefined
        ? "it belongs to no payment"
        : `it was for ${hint.paymentId}, and pays nothing`
    return {
      what: "unclaimed",
      id,
      state: "held",
      ageInMs: now - foundAt,
      amount: TokenAmount.text(token, quantity, catalog),
      reason:
        others.count === 0
          ? reason
          : `${reason}; \`florin unclaimed list\` has ${others.count} smaller`,
      command,
      json: {
        mode,
        partnerId: hint?.partnerId ?? null,
        purpose: "unclaimed",
        unclaimedId: id,
        paymentIds: hint === undefined ? [] : [hint.paymentId],
        amount: TokenAmount.json(token, quantity, catalog),
        state: "held",
        code: "unclaimed",
        reason,
        since: Time.iso(foundAt),
        command: Hint.pasteable(command),
      },
    }
  })

const inMode = Effect.fnUntraced(function* (mode: Mode.Mode) {
  const catalog = yield* Assets
  const now = yield* Clock.currentTimeMillis
  const chains = yield* Lanes.listHalted(mode)
  const tokens = yield* Lanes.stoppedTokens(mode)
  const unclaimed = yield* Inflows.list(mode)
  const money = yield* StuckMoney.list(mode)
  return [
    ...chains.map(({ chainId, haltedAt, reason }) =>
      stoppedRow("chain", mode, chainId, reason, haltedAt, now),
    ),
    ...tokens.map(({ reason, stoppedAt, token }) =>
      stoppedRow("token", mode, Family.formatToken(catalog, token), reason, stoppedAt, now),
    ),
    ...money.map((each) => rowOf(each, catalog)),
    ...unclaimed.flatMap((each) => unclaimedRows(each, mode, catalog, now)),
  ]
})

const columns: ReadonlyArray<Table.Column<Row>> = [
  { name: "what", of: ({ what }) => what },
  { name: "state", of: ({ state }) => state },
  { name: "for", of: ({ ageInMs }) => Age.text(ageInMs) },
  { name: "amount", of: ({ amount }) => amount },
  { name: "id", of: ({ id }) => id },
  { name: "reason", of: ({ reason }) => reason, isProse: true },
  {
    name: "decide with",
    of: ({ command: decides, state }) =>
      decides !== null
        ? Hint.pasteable(decides)
        : state === "held"
          ? "nothing: it stays held"
          : "nothing: it is retried automatically",
  },
]

export const command = Command.make(
  "stuck",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const all = yield* Effect.forEach(Mode.Mode.literals, inMode).pipe(
      Effect.map((found) => found.flat()),
      Access.inStorage(options, "florin stuck"),
    )
    if (options.json) return Terminal.json(all.map(({ json }) => json))
    Terminal.heading(all.length === 0 ? "Nothing is stuck." : `Stuck: ${all.length}`)
    if (all.length === 0) return
    Table.print(columns, all)
    Terminal.note("Find and fix the cause before you retry or resume.")
    if (all.some(({ command: decides }) => decides?.startsWith("florin payouts retry") === true)) {
      Terminal.note(`Retry all payouts that are held with: \`florin payouts retry --all\``)
    }
  }),
).pipe(
  Command.withDescription(
    "List everything that is stuck, with the reason, since when, and the command to run: payouts, refunds and returns that are held, those that wait and are retried, unclaimed money, and stopped chains and tokens. `florin status` shows a summary.",
  ),
  Command.withShortDescription("List stuck money, chains and tokens, with the command for each"),
  Command.withExamples([{ command: "florin stuck --json" }]),
)
