/**
 * `florin screening`: shows a deny list that was refused, and confirms it.
 *
 * @module
 */
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as DenyLists from "@florin/core/engine/DenyLists"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const counted = (count: number): string => `${count} ${count === 1 ? "address" : "addresses"}`

const refusedJson = (refusal: DenyList.Refusal | null) =>
  refusal && { ...refusal, since: Time.iso(refusal.since) }

const show = Command.make(
  "show",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const list = yield* DenyLists.current.pipe(Access.inStorage(options, "florin screening show"))
    const refusal = DenyList.refusalOf(list)
    if (options.json) {
      return Terminal.json({
        inForce: list.inForce?.length ?? null,
        refused: refusedJson(refusal),
      })
    }
    Terminal.heading(
      list.inForce === null
        ? "No deny list is in force."
        : `The deny list in force has ${counted(list.inForce.length)}.`,
    )
    if (refusal === null) return
    const { digest, listed, lost, since } = refusal
    Terminal.fact("refused", `since ${Time.iso(since)}: a list of ${counted(listed)}`)
    for (const [index, address] of lost.entries()) Terminal.fact(index === 0 ? "lost" : "", address)
    Terminal.note(`Restore the file, or confirm it: \`florin screening confirm ${digest}\``)
  }),
).pipe(
  Command.withDescription(
    "Show how many addresses the deny list in force has, and a newer list that was refused because it lost more than a tenth of them, with the addresses that it lost.",
  ),
  Command.withShortDescription("Show the deny list that was refused"),
)

const confirm = Command.make(
  "confirm",
  {
    digest: Flags.argument("digest", "Digest of the refused list, from `screening show`").pipe(
      Argument.filter(
        (text) => /^[0-9a-f]{16}$/u.test(text),
        () => "16 hexadecimal digits",
      ),
    ),
    ...Access.flags,
  },
  Effect.fnUntraced(function* ({ digest, ...options }) {
    const refusal = yield* DenyLists.confirm(digest).pipe(
      Access.inStorage(options, "florin screening confirm"),
    )
    if (refusal === null) {
      return yield* Failure.make(
        `no list with the digest ${digest} waits for you: \`florin screening show\` shows the list that does`,
      )
    }
    const { listed, lost } = refusal
    if (options.json) return Terminal.json({ digest, listed, lost: lost.length })
    Terminal.writeSuccess(
      `The list of ${counted(listed)} is confirmed. Running processes take it within 5 s.`,
    )
  }),
).pipe(
  Command.withDescription(
    "Confirm a deny list that was refused because it lost more than a tenth of its addresses. Check the file first: the addresses that it lost may pay and be paid afterwards. The digest names exactly the list that you looked at. For operators: the command opens the storage.",
  ),
  Command.withShortDescription("Confirm a deny list that was refused"),
  Command.withExamples([{ command: "florin screening confirm 3f6c0e9a51b2d874" }]),
)

export const command = Command.make("screening").pipe(
  Command.withDescription(
    "Show and confirm the deny list. A list that lost more than a tenth of its addresses is refused until you confirm it, and the last good list stays in force.",
  ),
  Command.withSubcommands([show, confirm]),
)
