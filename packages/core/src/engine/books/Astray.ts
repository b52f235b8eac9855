/**
 * An operator decides what one of our transfers was that moved something else. Until then the ledger counts it as lost.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Outgoing from "../../domain/books/Outgoing.ts"
import * as Recording from "../../domain/books/Recording.ts"
import * as Conflict from "../../domain/ground/Conflict.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { debtsOf, LedgerStore } from "../../ports/LedgerStore.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import * as Retry from "./Retry.ts"

/** Applies a decision to an outflow that moved something else. */
const decided = Effect.fnUntraced(function* (
  refusal: string,
  ...decision: Parameters<typeof Retry.decided>
) {
  if ((yield* Retry.decided(...decision)) === null) return yield* Conflict.of(refusal)
})

const notAstray =
  "it is not held because its transaction moved something else, or the chain does not report what that moved"

/** What moved counts as the whole amount: nothing more is sent. */
export const accept = Effect.fn("Astray.accept")(function* (id: OutflowId.OutflowId) {
  const held = yield* findOutflow(yield* OutflowStore, id)
  const refusal =
    Outflow.astrayOf(held)?.left === 0n
      ? "its transaction moved nothing, so there is nothing to accept: release it"
      : notAstray
  yield* decided(refusal, held, "payout.accepted", Outgoing.accept).pipe(
    Effect.mapError((error) =>
      error._tag === "Overdrawn" && Outflow.sharesOf(held).length > 0
        ? Conflict.of("other shares have paid off the debt that it deducts: release it")
        : error,
    ),
  )
})

/** What arrived counts as a part of the amount: the rest is sent again. */
export const release = Effect.fn("Astray.release")(function* (id: OutflowId.OutflowId) {
  const held = yield* findOutflow(yield* OutflowStore, id)
  const debts = yield* debtsOf(
    yield* LedgerStore,
    held.mode,
    held.movement.token,
    Outflow.merchantsOf(held),
  )
  const outflowId = yield* (yield* Identifiers).outflow
  const refusal =
    Outflow.astrayOf(held) === null
      ? notAstray
      : "a part of it arrived, and only payouts are paid in parts: accept it, and send the rest yourself"
  yield* decided(
    refusal,
    held,
    "payout.released",
    (current, now) =>
      Outgoing.retryAstray(current, now) ?? Recording.release(current, debts, outflowId, now),
  )
})
