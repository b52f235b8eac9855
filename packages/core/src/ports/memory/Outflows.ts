/**
 * Outflows, in memory.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Balance from "../../domain/books/Balance.ts"
import * as Refunding from "../../domain/books/Refunding.ts"
import * as Page from "../../domain/list/Page.ts"
import * as Payout from "../../domain/list/Payout.ts"
import type * as Lane from "../../domain/outflow/Lane.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as OutflowState from "../../domain/outflow/OutflowState.ts"
import type * as Change from "../../domain/payment/Change.ts"
import { OutflowStore } from "../OutflowStore.ts"
import type { Lanes } from "./Lanes.ts"
import type { Records } from "./Records.ts"
import { atomic, oldestFirst } from "./Rows.ts"

export const make = (
  { outflows, sentSince, show, waiting, waitingShares, write }: Records,
  { checkLane, place }: Pick<Lanes, "checkLane" | "place">,
) =>
  OutflowStore.of({
    outflowsById: (ids) =>
      Effect.sync(() => [...new Set(ids)].flatMap((id) => outflows.get(id) ?? [])),
    openOutflows: (mode) =>
      Effect.sync(() =>
        [...outflows.values()]
          .filter((each) => each.mode === mode && OutflowState.isOpen[Outflow.status(each)])
          .toSorted(oldestFirst),
      ),
    outflows: (scope, filter, { after, limit }) =>
      Effect.sync(() => {
        const passing = [...outflows.values()]
          .filter(
            (each) =>
              Payout.passes(each, scope, filter) &&
              (after === null || Payout.compare(after, each) < 0),
          )
          .toSorted(Payout.compare)
        const { hasMore, items } = Page.cut(passing, limit)
        return { items: items.map(Payout.toListed), hasMore }
      }),
    waitingShares: (which, limit) =>
      Effect.sync(() =>
        waitingShares(which)
          .slice(0, limit)
          .map(({ id: paymentId, merchantId }) => ({ paymentId, merchantId })),
      ),
    refundsInNeed: ({ mode, partnerId }, token, merchants) =>
      Effect.sync(() => {
        const prefix = Refunding.needKeyPrefix(mode, token)
        return [...waiting.values()]
          .filter(
            (each) =>
              each.partnerId === partnerId &&
              (Refunding.needKeyOf(each) ?? "").startsWith(prefix) &&
              (merchants === null || merchants.includes(each.merchantId)),
          )
          .toSorted(oldestFirst)
          .map(({ id }) => id)
      }),
    sentSince: (counted, since) => Effect.sync(() => sentSince(counted, since)),
    pendingQuantity: (group, now) =>
      Effect.sync(() =>
        waitingShares({ _tag: "Group", group, now }).reduce(
          (sum, each) => sum + Balance.pendingQuantity(each),
          0n,
        ),
      ),
    modify: (subjects, decide, lease, signed) => {
      const inLane = (changes: Change.Write, own: Lane.Signed) =>
        Result.flatMap(checkLane(own), () =>
          Result.map(write(changes, lease), () => place(own.transaction, null)),
        )
      return atomic(() =>
        Result.flatMap(show(subjects), (shown) =>
          Result.flatMap(decide(shown), ({ result, write: changes }) => {
            if (changes === null) return Result.succeed(result)
            const written = signed === undefined ? write(changes, lease) : inLane(changes, signed)
            return Result.map(written, () => result)
          }),
        ),
      )
    },
  })
