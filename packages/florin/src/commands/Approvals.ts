/**
 * `florin approvals`: requests of the operator's people that wait for a second person.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Approvals"
import type { Carry } from "@florin/api/operator/Call"
import * as Chains from "@florin/api/operator/Chains"
import type * as Wire from "@florin/api/wire/Approval"
import type * as Chain from "@florin/api/wire/Chain"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Printable from "../terminal/Printable.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Time from "../terminal/Time.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const make = OperatorCommand.of(Contract.group)

type Tokens = Chain.Tokens["tokens"]

const tokensOf = (carry: Carry) =>
  Effect.map(OperatorCommand.send(carry, Chains.group, "tokens", {}), ({ tokens }) => tokens)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isAmount = Schema.is(Schema.Struct({ unit: Schema.String, value: Schema.String }))

/** An amount as people read it; undefined for anything else, and for a token that the service does not know. */
const amountText = (value: object, tokens: Tokens): string | undefined => {
  if (!isAmount(value)) return undefined
  const unit = value.unit.toLowerCase()
  const token = tokens.find(({ asset }) => `caip19/${asset}`.toLowerCase() === unit)
  if (token === undefined) return undefined
  const { decimals, networkName, symbol: assetSymbol } = token
  const display = { assetSymbol, decimals, ...(networkName !== null && { networkName }) }
  return WireAmount.toText({ ...value, display })
}

/** Every member of a body that has an effect, each with its place: nobody approves what is not shown. */
const membersOf = (
  body: object,
  tokens: Tokens,
  place = "",
): ReadonlyArray<readonly [name: string, text: string]> =>
  Object.entries(body).flatMap(([member, value]: readonly [string, unknown]) => {
    const name = `${place}${member}`
    if (!isObject(value)) return [[name, `${value}`]]
    const amount = amountText(value, tokens)
    if (amount !== undefined) return [[name, amount]]
    if (Object.keys(value).length === 0) return [[name, "none"]]
    if (Array.isArray(value) && !value.some(isObject)) return [[name, value.join(", ")]]
    return membersOf(value, tokens, `${name}.`)
  })

const print = (approval: Wire.Approval, tokens: Tokens): void => {
  const { approvedBy, askedBy, body, createdAt, does, id, method, path, reason, validUntil } =
    approval
  Terminal.heading(`${id}  ${does}`)
  Terminal.fact("asked by", `${Printable.from(askedBy)}, ${Time.second(createdAt)}`)
  Terminal.fact("why", reason && Printable.from(reason))
  Terminal.fact("request", Printable.from(`${method} ${path}`))
  for (const [name, text] of membersOf(body ?? {}, tokens)) {
    Terminal.fact(Printable.from(name), Printable.from(text))
  }
  Terminal.fact(
    "state",
    approvedBy === null
      ? `waits until ${Time.second(validUntil)}`
      : `approved by ${Printable.from(approvedBy)}, can be repeated until ${Time.second(validUntil)}`,
  )
}

export const command = Described.group(
  "approvals",
  "List, approve and decline requests that wait for a second person. With `secondPerson`, calls that move your own money or make keys wait for one.",
  [
    make("list", "list", {
      adds: "The person who asked repeats the same command once it is approved.",
      afterwards: Effect.fnUntraced(function* (carry, { approvals }) {
        if (approvals.length === 0) return Terminal.plain("Nothing waits for a second person.")
        const tokens = yield* tokensOf(carry)
        for (const each of approvals) print(each, tokens)
        if (!approvals.some(({ mayApprove }) => mayApprove)) return
        Terminal.plain("")
        Terminal.note("Approve one with: `florin approvals approve <approvalId>`")
      }),
    }),
    make("approve", "approve", {
      adds: "It prints what it approves first. The command needs an operator's key of your own, with --url.",
      members: Effect.fnUntraced(function* (_, { asked, carry, json }) {
        if (json) return {}
        const { approvals } = yield* OperatorCommand.send(carry, Contract.group, "list", {})
        const found = approvals.find(({ id }) => id === asked["approvalId"])
        if (found !== undefined) print(found, yield* tokensOf(carry))
        return {}
      }),
      done: ({ id }) => `${id} is approved. The person who asked can repeat the call once.`,
      examples: ["florin approvals approve key_… --url https://ops.example:8081"],
    }),
    make("decline", "decline", {
      done: ({ id }) => `${id} is declined.`,
    }),
  ],
)
