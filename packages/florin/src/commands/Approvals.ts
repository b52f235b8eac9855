/**
 * `florin approvals`: requests of the operator's people that wait for a second person.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Approvals"
import type * as Wire from "@florin/api/wire/Approval"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"

const make = OperatorCommand.of(Contract.group)

const print = (approval: Wire.Approval): void => {
  const { approvedBy, askedBy, body, createdAt, does, id, method, path, reason, validUntil } =
    approval
  Terminal.heading(`${id}  ${does}`)
  Terminal.fact("asked by", `${Printable.from(askedBy)}, ${createdAt}`)
  if (reason !== null) Terminal.fact("why", Printable.from(reason))
  Terminal.fact("request", Printable.from(`${method} ${path}`))
  if (body !== null) Terminal.fact("body", Printable.from(JSON.stringify(body)))
  Terminal.fact(
    "state",
    approvedBy === null
      ? `waits until ${validUntil}`
      : `approved by ${Printable.from(approvedBy)}, can be repeated until ${validUntil}`,
  )
}

export const command = Described.group(
  "approvals",
  "List, approve and decline requests that wait for a second person. With `secondPerson`, calls that move your own money or make keys wait for one.",
  [
    make("approvals list", "list", {
      adds: "The person who asked repeats the same command once it is approved.",
      print: ({ approvals }) => {
        if (approvals.length === 0) Terminal.plain("Nothing waits for a second person.")
        for (const each of approvals) print(each)
        if (approvals.some(({ mayApprove }) => mayApprove)) {
          Terminal.note("Approve one with: `florin approvals approve <approvalId> --url <url>`")
        }
      },
    }),
    make("approvals approve", "approve", {
      adds: "The command needs an operator's key of your own, with --url.",
      done: ({ id }) => `${id} is approved. The person who asked can repeat the call once.`,
      examples: ["florin approvals approve key_… --url https://ops.example:8081"],
    }),
    make("approvals decline", "decline", {
      done: ({ id }) => `${id} is declined.`,
    }),
  ],
)
