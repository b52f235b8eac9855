/**
 * `florin chains`: lists and resumes stopped chains, in the storage. A chain is stopped after a deep reorganisation, or
 * because of transactions that the ledger does not know.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as ChainState from "@florin/core/domain/chain/ChainState"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Lanes from "@florin/core/engine/Lanes"
import { Assets } from "@florin/core/ports/Assets"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const modes = ["live", "test"] as const

interface Halted extends ChainState.Halt {
  readonly mode: Mode.Mode
  readonly chainId: Caip.ChainId
  /** `Base (eip155:8453)` */
  readonly chain: string
}

const chainText = (catalog: Catalog.Catalog, chainId: Caip.ChainId): string => {
  const network = catalog.network(chainId)
  return network === undefined ? `chain ${chainId}` : `${network.name} (${chainId})`
}

const haltedInEachMode = Effect.gen(function* () {
  const catalog = yield* Assets
  const found = yield* Effect.forEach(modes, (mode) =>
    Effect.map(Lanes.listHalted(mode), (halts) =>
      halts.map((each): Halted => ({ mode, ...each, chain: chainText(catalog, each.chainId) })),
    ),
  )
  return found.flat()
})

const asJson = ({ chainId, haltedAt, mode, reason }: Halted) => ({
  mode,
  chainId,
  haltedAt: Time.iso(haltedAt),
  reason,
})

const halted = Command.make(
  "halted",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const found = yield* haltedInEachMode.pipe(Access.inStorage(options, "florin chains halted"))
    if (options.json) return Terminal.json(found.map(asJson))
    Terminal.heading(
      found.length === 0 ? "No chain is stopped." : "Stopped chains (no new transaction is sent):",
    )
    for (const each of found) {
      const { haltedAt, mode, reason } = asJson(each)
      Terminal.plain(`${each.chain} for ${mode} payments, since ${haltedAt}: ${reason}`)
    }
    if (found.length > 0) Terminal.note(`Resume one with: \`florin chains resume <chainId>\``)
  }),
).pipe(
  Command.withDescription(
    "List the chains that are stopped, with the reason and since when. The service sends no new transaction on a stopped chain. A chain stops if blocks that were final are gone, or if an account of the service sent a transaction that the ledger does not have, for example after a restore from an older backup.",
  ),
  Command.withShortDescription("List the chains that are stopped"),
)

/** Resumes the chain in each mode in which it is stopped; returns why it was stopped. */
const resumeInEachMode = Effect.fnUntraced(function* (chainId: Caip.ChainId) {
  const stopped = (yield* haltedInEachMode).filter((each) => each.chainId === chainId)
  // Another process may have resumed it in the meantime.
  const resumed = yield* Effect.filter(stopped, ({ mode }) => Lanes.resume(mode, chainId))
  if (resumed.length > 0) return resumed
  return yield* Failure.make(
    `${chainText(yield* Assets, chainId)} is not stopped: \`florin chains halted\` lists the chains that are`,
  )
})

const resume = Command.make(
  "resume",
  {
    chainId: Flags.argument(
      "chainId",
      "Chain from `chains halted`: eip155:8453, or 8453 for an EVM chain",
    ).pipe(
      Argument.filterMap(Flags.chainIdOf, () => "the id of a chain, such as eip155:8453 or 8453"),
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* (options) {
    const resumed = yield* resumeInEachMode(options.chainId).pipe(
      Access.inStorage(options, "florin chains resume"),
    )
    if (options.json) return Terminal.json(resumed.map(asJson))
    for (const each of resumed) {
      const { haltedAt, mode } = asJson(each)
      Terminal.writeSuccess(
        `${each.chain} is resumed for ${mode} payments. It was stopped at ${haltedAt}. Workers send the transactions that waited.`,
      )
    }
    Terminal.note(
      "If blocks are still missing, or if an account sends another unknown transaction, the chain stops again: `florin chains halted`",
    )
  }),
).pipe(
  Command.withDescription(
    "Resume a chain in each mode in which it is stopped. Find the cause first: compare its nodes, and run `florin reconcile`. After a restore, make sure that the ledger has every payout: a payout that the ledger does not have is paid again. For operators: the command opens the storage, and the service's workers do the rest.",
  ),
  Command.withShortDescription("Resume a stopped chain"),
  Command.withExamples([{ command: "florin chains resume 8453" }]),
)

export const command = Command.make("chains").pipe(
  Command.withDescription(
    "List and resume stopped chains. A chain stops after a reorganisation deeper than its policy allows, or after a transaction of a service account that the ledger does not have.",
  ),
  Command.withSubcommands([halted, resume]),
)
