/**
 * `florin reconcile`: compares the ledger with the on-chain balances, and all records with each other.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as Contradictions from "@florin/core/engine/Contradictions"
import { Assets } from "@florin/core/ports/Assets"
import * as Reconciler from "@florin/core/workers/Reconciler"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Books from "../serve/Books.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as ProgressBar from "../terminal/ProgressBar.ts"
import * as Terminal from "../terminal/Terminal.ts"

const modes = ["live", "test"] as const

const asJson = (
  { address, ledger, token }: Reconciler.Held,
  chain: bigint | null,
  catalog: Catalog.Catalog,
) => ({
  asset: Family.formatToken(catalog, token),
  account: Family.formatAddress(catalog, { chainId: token.chainId, address }),
  ledger: ledger.toString(),
  chain: chain?.toString() ?? null,
  differs: chain === null ? null : ledger !== chain,
})

/** What shows more about the subject of a contradiction. */
const nextOf = ({ subject }: Contradictions.Contradiction): string => {
  if (subject.startsWith("pay_")) return `florin explain ${subject}`
  if (subject.startsWith("out_")) return `florin payouts show ${subject}`
  return "florin balances"
}

/** More than these are only counted, so that a damaged database does not fill the memory. */
const keptMax = 1000

/** Looks for contradictions in both modes, and prints each when it is found unless they are printed as JSON. */
const findAll = Effect.fnUntraced(function* (json: boolean) {
  const kept: Array<Contradictions.Contradiction & { readonly next: string }> = []
  let count = 0
  let read = 0
  for (const mode of modes) {
    let readHere = 0
    yield* Contradictions.find(mode, {
      found: (contradiction) => {
        const next = nextOf(contradiction)
        count += 1
        if (count <= keptMax) kept.push({ ...contradiction, next })
        if (json) return
        ProgressBar.clear()
        Terminal.writeMarked("red", contradiction.what)
        Terminal.command(next)
      },
      progressed: (done, total) => {
        readHere = done
        ProgressBar.show(done, total)
      },
    })
    read += readHere
  }
  return { count, kept, read }
})

const run = Effect.fnUntraced(function* (json: boolean, isDeep: boolean) {
  const reports = yield* Effect.forEach(modes, (mode) =>
    Effect.map(Reconciler.check(mode), (report) => ({ mode, ...report })),
  )
  const catalog = yield* Assets
  if (!json) {
    for (const { differences, lines, mode, unserved } of reports) {
      Terminal.heading(`${mode}: ${lines.length} lines, ${differences.length} differ`)
      for (const line of lines) {
        const isRight = line.ledger === line.chain
        Terminal.writeMarked(isRight ? "green" : "red", Books.lineText(line, catalog))
      }
      for (const held of unserved) Terminal.writeMarked("red", Books.unservedText(held, catalog))
    }
  }
  if (isDeep && !json) Terminal.heading("records")
  const found = isDeep
    ? yield* Effect.ensuring(findAll(json), Effect.sync(ProgressBar.clear))
    : null
  if (json) {
    const balances = reports.flatMap(({ lines, mode, unserved }) => [
      ...lines.map((line) => ({ mode, ...asJson(line, line.chain, catalog) })),
      ...unserved.map((held) => ({ mode, ...asJson(held, null, catalog) })),
    ])
    Terminal.json(found === null ? balances : { balances, contradictions: found.kept })
  }
  if (found !== null && found.count > 0) {
    const which = found.count === 1 ? "1 contradiction" : `${found.count} contradictions`
    return yield* Failure.make(
      `${which} among the records: stop the workers, so that nothing is paid out, and compare these records with a backup. No use of the service explains them: a fault does, of the database, of its disk or of Florin`,
    )
  }
  yield* Books.judge(reports)
  if (json) return
  if (found !== null) {
    const which = found.read === 1 ? "1 payment" : `${found.read} payments`
    Terminal.writeSuccess(`The records of ${which} agree.`)
  }
  Terminal.writeSuccess("Ledger and chains agree.")
})

export const command = Command.make(
  "reconcile",
  {
    ...Access.placeFlags,
    deep: Flags.toggle(
      "deep",
      "Also compare payments, payouts, events, ledger entries and statistics with each other. It only reads",
    ),
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    yield* Effect.provide(
      run(options.json, options.deep),
      Access.layer(options, "florin reconcile"),
    )
  }),
).pipe(
  Command.withDescription(
    "Compare the ledger's balance of each account of the service with its balance on chain. The exit code is 1 if anything differs.",
  ),
)
