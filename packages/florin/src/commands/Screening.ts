/**
 * `florin screening`: shows a deny list that was refused, and confirms it.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Screening"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"

const make = OperatorCommand.of(Contract.group)

const counted = (count: number): string => Printable.counted(count, "address", "addresses")

export const command = Described.group(
  "screening",
  "Show and confirm the deny list. A list that lost more than a tenth of its addresses is refused until you confirm it, and the last good list stays in force.",
  [
    make("show", "get", {
      print: ({ inForce, refused }) => {
        Terminal.heading(
          inForce === null
            ? "No deny list is in force."
            : `The deny list in force has ${counted(inForce)}.`,
        )
        if (refused === null) return
        const { digest, listed, lost, since } = refused
        Terminal.fact("refused", `since ${Time.second(since)}: a list of ${counted(listed)}`)
        for (const [index, address] of lost.entries())
          Terminal.fact(index === 0 ? "lost" : "", address)
        Terminal.note(`Restore the file, or confirm it: \`florin screening confirm ${digest}\``)
      },
    }),
    make("confirm", "confirm", {
      omits: "all",
      args: ["digest"],
      done: ({ inForce }) =>
        `The list of ${counted(inForce ?? 0)} is confirmed. Running processes take it within 5 s.`,
      examples: ["florin screening confirm 3f6c0e9a51b2d874"],
    }),
  ],
)
