/**
 * `florin chains`: the operator sees which chains are stopped after a deep reorganisation or for transactions that the
 * ledger does not know, and lets them go on, in the storage.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import type * as Catalog from "@florin/core/domain/Catalog"
import type * as ChainState from "@florin/core/domain/ChainState"
import type * as Mode from "@florin/core/domain/Mode"
import * as Lanes from "@florin/core/engine/Lanes"
import { Assets } from "@florin/core/ports/Assets"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Access from "../access/Access.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

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
    Effect.map(Lanes.halted(mode), (halts) =>
      halts.map((each): Halted => ({ mode, ...each, chain: chainText(catalog, each.chainId) })),
    ),
  )
  return found.flat()
})

const asJson = ({ chainId, haltedAt, mode, reason }: Halted) => ({
  mode,
  chainId,
  haltedAt: DateTime.formatIso(DateTime.makeUnsafe(haltedAt)),
  reason,
})

const halted = Command.make(
  "halted",
  { ...Access.flags, json: Flags.json },
  Effect.fnUntraced(function* (options) {
    const found = yield* haltedInEachMode.pipe(Access.inStorage(options, "florin chains halted"))
    if (options.json) return Terminal.json(found.map(asJson))
    Terminal.heading(found.length === 0 ? "No chain is stopped." : "Nothing new is sent on:")
    for (const each of found) {
      const { haltedAt, mode, reason } = asJson(each)
      Terminal.plain(`${each.chain} for ${mode} payments, since ${haltedAt}: ${reason}`)
    }
    if (found.length > 0) Terminal.note(`Let one go on with: \`florin chains resume <chainId>\``)
  }),
).pipe(
  Command.withDescription(
    "Lists the chains on which nothing new is sent, with why and since when: blocks of theirs that were final are gone, or one of the service's accounts sent what the ledger does not know, as after a restore to an older backup.",
  ),
  Command.withShortDescription("List the chains that are stopped"),
)

/** Lets it go on wherever it is stopped; answers what held it until now. */
const resumeInEachMode = Effect.fnUntraced(function* (chainId: Caip.ChainId) {
  const stopped = (yield* haltedInEachMode).filter((each) => each.chainId === chainId)
  // Somebody else may have let it go on just now.
  const resumed = yield* Effect.filter(stopped, ({ mode }) => Lanes.resume(mode, chainId))
  if (resumed.length > 0) return resumed
  return yield* new Failure.CommandFailed({
    message: `${chainText(yield* Assets, chainId)} is not stopped: \`florin chains halted\` lists what is`,
  })
})

const resume = Command.make(
  "resume",
  {
    chainId: Argument.String("chainId").pipe(
      Argument.withDescription(
        "The chain, as `chains halted` lists it: eip155:8453, or an EVM chain by its number: 8453",
      ),
      Argument.filterMap(Flags.chainIdOf, () => "the id of a chain, as eip155:8453 or 8453"),
    ),
    ...Access.flags,
    json: Flags.json,
  },
  Effect.fnUntraced(function* (options) {
    const resumed = yield* resumeInEachMode(options.chainId).pipe(
      Access.inStorage(options, "florin chains resume"),
    )
    if (options.json) return Terminal.json(resumed.map(asJson))
    for (const each of resumed) {
      const { haltedAt, mode } = asJson(each)
      Terminal.done(
        `${each.chain} goes on for ${mode} payments. It was stopped since ${haltedAt}: workers send what waited.`,
      )
    }
    Terminal.note(
      "While blocks are still missing, or where an account sends something unknown again, it is stopped again: `florin chains halted`",
    )
  }),
).pipe(
  Command.withDescription(
    "Lets a chain go on in each mode that it is stopped in. Look first what happened: compare its nodes, and run `florin reconcile`. After a restore see that the ledger knows of every payout, as each that it does not know is paid again. This is for the operator: it opens the storage, and the service's workers do the rest.",
  ),
  Command.withShortDescription("Let a chain go on that is stopped"),
  Command.withExamples([{ command: "florin chains resume 8453" }]),
)

export const command = Command.make("chains").pipe(
  Command.withDescription(
    "Shows which chains are stopped, after a reorganisation deeper than their policy or for transactions that the ledger does not know, and lets them go on once you looked at what happened.",
  ),
  Command.withSubcommands([halted, resume]),
)
