/**
 * Reconciliation over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Reconciliation"
import type * as Wire from "@florin/api/wire/Reconciliation"
import * as Family from "@florin/core/domain/chain/Family"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Contradictions from "@florin/core/engine/books/Contradictions"
import * as Reconciler from "@florin/core/engine/books/Reconciler"
import * as Effect from "effect/Effect"
import * as AmountView from "../views/AmountView.ts"
import * as Job from "./Job.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

/** More than these are only counted, so that a damaged database does not fill the memory. */
const keptMax = 1000

const accountOf = (
  mode: Mode.Mode,
  { address, ledger, token }: Reconciler.Held,
  onChain: bigint | null,
  display: AmountView.Display,
): Wire.Account => ({
  mode,
  account: Family.formatAccount(display.catalog, { chainId: token.chainId, address }),
  ...AmountView.unit(Amount.token(token), display),
  ledger: ledger.toString(),
  onChain: onChain?.toString() ?? null,
})

export const operator = Operation.operator(Contract.group, {
  run: ({ display, query }) =>
    Job.run("reconciliation", (report) =>
      Effect.gen(function* () {
        const reports = yield* Effect.forEach(Read.modes(query), (mode) =>
          Effect.map(Reconciler.check(mode), (found) => ({ mode, ...found })),
        )
        const contradictions: Array<Wire.Contradiction> = []
        let count = 0
        let payments = 0
        for (const mode of query.depth === "records" ? Read.modes(query) : []) {
          let readHere = 0
          yield* Contradictions.find(mode, {
            found: (each) => {
              count += 1
              if (count <= keptMax) contradictions.push(each)
            },
            progressed: (done, of) => {
              readHere = done
              report({ what: `records of ${mode} payments`, done, of })
            },
          })
          payments += readHere
        }
        return {
          accounts: reports.flatMap(({ lines, mode, unserved }) => [
            ...lines.map((line) => accountOf(mode, line, line.chain, display)),
            ...unserved.map((held) => accountOf(mode, held, null, display)),
          ]),
          overdrawn: reports.reduce((sum, { unsound }) => sum + unsound.length, 0),
          records: query.depth === "records" ? { payments, count, contradictions } : null,
        }
      }),
    ),
})
