/**
 * `florin reconcile`: compares the ledger with the on-chain balances.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/Catalog"
import * as Family from "@florin/core/domain/Family"
import { Assets } from "@florin/core/ports/Assets"
import * as Reconciler from "@florin/core/workers/Reconciler"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../access/Access.ts"
import * as Books from "../serve/Books.ts"
import * as Flags from "../terminal/Flags.ts"
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

const run = Effect.fnUntraced(function* (json: boolean) {
  const reports = yield* Effect.forEach(modes, (mode) =>
    Effect.map(Reconciler.check(mode), (report) => ({ mode, ...report })),
  )
  const catalog = yield* Assets
  if (json) {
    Terminal.json(
      reports.flatMap(({ lines, mode, unserved }) => [
        ...lines.map((line) => ({ mode, ...asJson(line, line.chain, catalog) })),
        ...unserved.map((held) => ({ mode, ...asJson(held, null, catalog) })),
      ]),
    )
  } else {
    for (const { differences, lines, mode, unserved } of reports) {
      Terminal.heading(`${mode}: ${lines.length} lines, ${differences.length} differ`)
      for (const line of lines)
        Terminal.line(Books.lineText(line, catalog), line.ledger === line.chain)
      for (const held of unserved) Terminal.line(Books.unservedText(held, catalog), false)
    }
  }
  yield* Books.judge(reports)
  if (!json) Terminal.writeSuccess("Ledger and chains agree.")
})

export const command = Command.make(
  "reconcile",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    yield* Effect.provide(run(options.json), Access.layer(options, "florin reconcile"))
  }),
).pipe(
  Command.withDescription(
    "Compare the ledger's balance of each account of the service with its balance on chain. The exit code is 1 if they differ.",
  ),
)
