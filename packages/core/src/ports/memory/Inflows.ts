/**
 * Inflows, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Claim from "../../domain/chain/Claim.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import type * as Inflow from "../../domain/outflow/Inflow.ts"
import { InflowStore, type Query } from "../InflowStore.ts"
import type { Records } from "./Records.ts"

const oldestFirst = (left: Inflow.Inflow, right: Inflow.Inflow): number =>
  left.foundAt - right.foundAt ||
  left.transfer.logIndex - right.transfer.logIndex ||
  (left.id < right.id ? -1 : 1)

const isAsked =
  (query: Query) =>
  ({
    hint,
    id,
    missedSince,
    mode,
    state,
    transfer: { movement, txHash },
  }: Inflow.Inflow): boolean => {
    switch (query._tag) {
      case "Id":
        return id === query.id
      case "Transaction":
        return txHash === query.txHash
      case "Payment":
        return hint?.paymentId === query.paymentId
      case "Missed":
        return (
          mode === query.mode &&
          missedSince !== undefined &&
          movement.token.chainId === query.chainId
        )
      case "Suspended":
        return (
          mode === query.mode &&
          state._tag === "Suspended" &&
          Caip.sameToken(movement.token, query.token) &&
          movement.quantity >= query.least
        )
    }
  }

export const make = ({ claims, inflows }: Pick<Records, "claims" | "inflows">) =>
  InflowStore.of({
    inflows: (query) =>
      Effect.sync(() =>
        [...inflows.values()]
          .filter(isAsked(query))
          .toSorted(oldestFirst)
          .slice(0, query._tag === "Suspended" ? query.limit : undefined),
      ),
    sums: (wanted) =>
      Effect.sync(() => {
        const movements = [...inflows.values()].flatMap(({ mode, state, transfer }) =>
          mode === wanted && state._tag === "Suspended" ? [transfer.movement] : [],
        )
        return Ledger.sumsOf(movements)
          .map(({ quantity, token }) => ({
            token,
            quantity,
            count: movements.filter((each) => Caip.sameToken(each.token, token)).length,
          }))
          .toSorted(({ token: left }, { token: right }) =>
            Caip.tokenKey(left) < Caip.tokenKey(right) ? -1 : 1,
          )
      }),
    unmade: (asked) => Effect.sync(() => asked.filter((claim) => !claims.has(Claim.key(claim)))),
  })
