/**
 * `florin float`: the operator's own tokens on the collecting accounts. Payments whose merchants are already paid out
 * are refunded from them. The commands move them between accounts, withdraw them, and record movements that the service
 * did not make.
 *
 * @module
 */
import type { Carry } from "@florin/api/operator/Call"
import * as Chains from "@florin/api/operator/Chains"
import * as Contract from "@florin/api/operator/Float"
import * as Outflows from "@florin/api/operator/Outflows"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as OperatorCommand from "../operator/Command.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

const make = OperatorCommand.of(Contract.group)

const amounted = {
  asset: Flags.argument("asset", "Token: eip155:8453/erc20:0x…"),
  account: Flags.argument("account", "Account of the service: eip155:8453:0x…"),
  amount: Flags.argument("amount", "Amount in units of the token: 1000.50"),
  mode: Flags.choice("mode", Mode.Mode.literals, "Live or test money"),
}

const moved = {
  ...amounted,
  transaction: Flags.string(
    "transaction",
    "HASH",
    "Hash of the transaction that moved it; each transaction is recorded once",
  ).pipe(Flag.filterMap(Flags.hashOf, () => "the hash of a transaction: 0x and 64 hex digits")),
}

/** The amount in the token's smallest unit. */
const amountOf = Effect.fnUntraced(function* (
  carry: Carry,
  asked: { readonly amount: string; readonly asset: string },
) {
  const { tokens } = yield* OperatorCommand.send(carry, Chains.group, "tokens", {})
  const token = tokens.find(({ asset }) => asset.toLowerCase() === asked.asset.toLowerCase())
  if (token === undefined) {
    return yield* Failure.makeUsage("the service never accepted this token: check it")
  }
  const { asset, decimals, symbol } = token
  const read = WireAmount.parseQuantity(asked.amount, symbol, decimals)
  return { unit: `caip19/${asset}`, value: `${yield* Effect.fromResult(read)}` }
})

/** A command that records what moved without the service. */
const recording = (name: "put" | "take") =>
  make(name, name, {
    omits: "all",
    takes: moved,
    members: ({ account, mode, transaction: key, ...asked }, { carry }) =>
      Effect.map(amountOf(carry, asked), (amount) => ({ mode, key, account, amount })),
    explain: (why) => `nothing was recorded: ${why}: \`florin reconcile\` shows the balances`,
    done: ({ account, amount }) =>
      `Recorded: ${WireAmount.toText(amount)} ${name === "put" ? "came to" : "left"} ${account}.`,
    next: () => "Compare it with the chain: `florin reconcile`",
    examples: [
      `florin float ${name} eip155:8453/erc20:0x… eip155:8453:0x… 1000 --mode live --transaction 0x…`,
    ],
  })

/** A command that has a worker send the operator's own money. */
const sending = (name: "move" | "withdraw", receiver: string) =>
  make(name, name, {
    omits: "all",
    takes: {
      asset: amounted.asset,
      from: amounted.account,
      to: Flags.argument("to", receiver),
      amount: amounted.amount,
      mode: amounted.mode,
    },
    members: ({ from, mode, to, ...asked }, { carry }) =>
      Effect.map(amountOf(carry, asked), (amount) => ({ mode, from, to, amount })),
    explain: (why) => `${why}: nothing was sent`,
    done: ({ amount, destination, from, id }) =>
      `${id} is due: a worker sends ${WireAmount.toText(amount)} from ${from} to ${destination}.`,
    next: ({ id }) => `Follow it with: \`florin payouts show ${id}\``,
    examples: [
      `florin float ${name} eip155:8453/erc20:0x… eip155:8453:0x… eip155:8453:0x… 1000 --mode live`,
    ],
  })

export const command = Described.group(
  "float",
  "Manage your own money on the service's accounts: float and fees.",
  [
    sending("move", "Receiving account of the service: eip155:8453:0x…"),
    sending("withdraw", "Your account, listed in the setting treasury: eip155:8453:0x…"),
    make("cancel", "cancel", {
      done: ({ id }) => `${id} is cancelled. Its money stays on the account.`,
    }),
    OperatorCommand.of(Outflows.group)("short", "short", {
      print: ({ short: found }) => {
        Terminal.heading(
          found.length === 0
            ? "No refund or withdrawal waits for your money."
            : "These wait for your money:",
        )
        for (const { missing, outflow } of found) {
          const { amount, from, id, mode } = outflow
          const lacks = WireAmount.toText({ ...amount, ...missing })
          Terminal.plain(`${id}: ${from} lacks ${lacks}`)
          const asset = missing.unit.replace(/^caip19\//u, "")
          Terminal.note(
            `Send it there, then: \`florin float put ${asset} ${from} <amount> --mode ${mode} --transaction <hash>\``,
          )
        }
      },
    }),
    recording("put"),
    recording("take"),
  ],
)
