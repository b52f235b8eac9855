/**
 * Unclaimed money as the operator's API shows it.
 *
 * @module
 */
import type * as Wire from "@florin/api/wire/Inflow"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Inflow from "@florin/core/domain/outflow/Inflow"
import * as Inflows from "@florin/core/engine/books/Inflows"
import * as AmountView from "./AmountView.ts"
import * as TimeView from "./TimeView.ts"

const states: { readonly [Tag in Inflow.State["_tag"]]: Wire.Inflow["state"] } = {
  Suspended: "suspended",
  Taken: "taken",
  Returning: "returning",
  Funded: "funded",
  Gone: "gone",
}

export const inflow = (found: Inflow.Inflow, display: AmountView.Display): Wire.Inflow => {
  const { foundAt, hint, id, missedSince, mode, state, transfer } = found
  const { from, to, token } = transfer.movement
  const account = (address: typeof from) =>
    Family.formatAccount(display.catalog, { chainId: token.chainId, address })
  return {
    id,
    mode,
    state: states[state._tag],
    obstacle:
      state._tag === "Suspended" && missedSince === undefined ? null : Inflows.whyNot(found),
    amount: AmountView.ofToken(transfer.movement, display),
    from: account(from),
    to: account(to),
    txId: transfer.txHash,
    paymentId: hint?.paymentId ?? null,
    foundAt: TimeView.iso(foundAt),
  }
}

/** What is not listed of each token. */
export const sums = (
  mode: Mode.Mode,
  all: ReadonlyArray<Inflows.OfToken>,
  display: AmountView.Display,
): Wire.List["others"] =>
  all.flatMap(({ others: { count, quantity: sum }, token }) => {
    const quantity = Money.clamp(sum, Money.largest)
    const amount = AmountView.ofToken({ token, quantity }, display)
    return count === 0 ? [] : [{ mode, count, amount }]
  })
