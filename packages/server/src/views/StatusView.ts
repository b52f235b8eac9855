/**
 * What needs the operator, as the operator's API shows it.
 *
 * @module
 */
import type * as Wired from "@florin/api/wire/Chain"
import type * as Wire from "@florin/api/wire/Status"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as Money from "@florin/core/domain/ground/Money"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Outflow from "@florin/core/domain/outflow/Outflow"
import type * as Inflows from "@florin/core/engine/books/Inflows"
import * as Findings from "@florin/core/engine/status/Findings"
import type * as Status from "@florin/core/engine/status/Status"
import type * as Stuck from "@florin/core/engine/status/Stuck"
import * as AmountView from "./AmountView.ts"
import * as TimeView from "./TimeView.ts"

export const status = (
  { at, findings, fine, isRed, skipped }: Status.Status,
  catalog: Catalog.Catalog,
): Wire.Status => ({
  at: TimeView.iso(at),
  needsAttention: isRed,
  findings: findings.map((each) => Findings.describe(each, catalog, at)),
  fine,
  skipped,
})

type Item = Wire.Stuck["stuck"][number]

const stopped = {
  partnerId: null,
  paymentIds: [],
  amount: null,
  state: "stopped",
  reason: null,
} as const

export const halt = ({ chainId, haltedAt, mode, reason }: Wired.Halts["chains"][number]): Item => ({
  ...stopped,
  kind: "chain",
  id: chainId,
  mode,
  message: reason,
  since: haltedAt,
  remedy: Findings.byResume(chainId),
})

export const stop = ({ asset, mode, reason, stoppedAt }: Wired.Stops["tokens"][number]): Item => ({
  ...stopped,
  kind: "token",
  id: asset,
  mode,
  message: reason,
  since: stoppedAt,
  remedy: Findings.byResumeToken(asset),
})

/** The reason, and what moved instead if something did. */
const messageOf = (
  { movement, outflow, reason }: Stuck.Stuck,
  catalog: Catalog.Catalog,
): string => {
  const moved = outflow === null ? null : Outflow.astrayOf(outflow)
  if (moved === null) return reason
  const text = (quantity: Money.Quantity): string =>
    TokenAmount.text(movement.token, quantity, catalog)
  return `${reason}: ${text(moved.transfer.movement.quantity)} of ${text(movement.quantity)} arrived, and ${text(moved.left)} left the account`
}

export const money = (stuck: Stuck.Stuck, display: AmountView.Display): Item => {
  const { code, isHeld, mode, movement, outflow, partnerId, paymentIds, since } = stuck
  return {
    kind: outflow === null ? "share" : Outflow.factsOf(outflow).word,
    id: outflow?.id ?? paymentIds.join(" "),
    mode,
    partnerId,
    paymentIds,
    amount: AmountView.ofToken(movement, display),
    state: isHeld ? "held" : "waiting",
    reason: code,
    message: messageOf(stuck, display.catalog),
    since: TimeView.iso(since),
    remedy: Findings.ofStuck(stuck, display.catalog),
  }
}

/** Each transfer, and how many smaller ones there are. */
export const unclaimed = (
  { others, transfers }: Inflows.OfToken,
  display: AmountView.Display,
): ReadonlyArray<Item> =>
  transfers.map(({ foundAt, hint, id, mode, transfer }) => {
    const message =
      hint === undefined
        ? "it belongs to no payment"
        : `it was for ${hint.paymentId}, and pays nothing`
    return {
      kind: "unclaimed",
      id,
      mode,
      partnerId: hint?.partnerId ?? null,
      paymentIds: hint === undefined ? [] : [hint.paymentId],
      amount: AmountView.ofToken(transfer.movement, display),
      state: "held",
      reason: null,
      message:
        others.count === 0
          ? message
          : `${message}; \`florin unclaimed list\` has ${others.count} smaller`,
      since: TimeView.iso(foundAt),
      remedy: Findings.byReturn(id),
    }
  })
