/**
 * Compares the chains with the ledger at intervals, and reports each balance that is lower than the ledger says.
 *
 * Transfers in progress make a chain hold more than the ledger says, never less: incoming money is booked once it is
 * final, and outgoing money before it is sent. So a surplus needs no report, and is left to `florin reconcile`. A
 * shortfall in two checks means that money is gone, or that the operator withdrew own money and has not recorded it
 * yet.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import { Assets } from "@florin/core/ports/Assets"
import * as Worker from "@florin/core/workers/Worker"
import * as Effect from "effect/Effect"

/** A second check distinguishes missing money from a transfer that one node had not seen yet. */
const lookAgainInMs = 60_000

const keyOf = ({ address, token }: Reconciler.Line): string => `${Caip.tokenKey(token)} ${address}`

const missing = ({ differences }: Reconciler.Report): ReadonlyArray<Reconciler.Line> =>
  differences.filter(({ chain, ledger }) => chain < ledger)

const look = Effect.fnUntraced(function* (mode: Mode.Mode) {
  const first = yield* Reconciler.check(mode)
  const suspected = missing(first).map(keyOf)
  const report =
    suspected.length === 0 ? first : yield* Effect.delay(Reconciler.check(mode), lookAgainInMs)
  for (const line of missing(report)) {
    if (suspected.includes(keyOf(line))) {
      yield* Effect.logError(
        `money is missing (${Reconciler.lineText(line, yield* Assets)}): if you withdrew it, record it with \`florin float take <asset> <account> <amount> --mode <mode> --transaction <hash>\`; if not, stop the workers and check whether the keys were stolen`,
        { mode },
      )
    }
  }
  if (report.unserved.length > 0) {
    yield* Effect.logWarning(
      "the ledger has money on chains that are not served, so it is not compared: configure a node of each chain",
      { mode, accounts: report.unserved.length },
    )
  }
  if (report.unsound.length > 0) {
    yield* Effect.logError("ledger accounts are overdrawn: `florin reconcile` shows them", {
      mode,
      accounts: report.unsound.length,
    })
  }
})

const round = Effect.forEach(
  ["live", "test"] as const,
  (mode) =>
    look(mode).pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning(`the ledger could not be compared with the chains: ${message}`, { mode }),
      ),
    ),
  { concurrency: "unbounded", discard: true },
)

/** Checks immediately, and again after each pause, for as long as the layer lives. */
export const layer = (betweenLooksInMs: number) => Worker.layerEvery(betweenLooksInMs, round)
