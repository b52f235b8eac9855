/**
 * `florin float`: the operator's own tokens on the collecting accounts, from which payments are refunded whose merchants
 * were paid out already.
 *
 * @module
 */
import * as Amount from "@florin/core/domain/Amount"
import * as Family from "@florin/core/domain/Family"
import * as Idempotency from "@florin/core/domain/Idempotency"
import type * as Mode from "@florin/core/domain/Mode"
import * as FloatUseCases from "@florin/core/engine/Float"
import { Assets } from "@florin/core/ports/Assets"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Access from "../access/Access.ts"
import * as Failure from "../Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

/** However its letters are written, it is the same transaction. */
const hashOf = (text: string): Option.Option<Idempotency.IdempotencyKey> =>
  /^0x[0-9a-fA-F]{64}$/u.test(text)
    ? Result.getSuccess(Idempotency.parseKey(text.toLowerCase()))
    : Option.none()

const moved = {
  asset: Argument.String("asset").pipe(
    Argument.withDescription("The token that moved: eip155:8453/erc20:0x…"),
  ),
  account: Argument.String("account").pipe(
    Argument.withDescription("The collecting account: eip155:8453:0x…"),
  ),
  amount: Argument.String("amount").pipe(
    Argument.withDescription("How much, as people write it: 1000.50"),
  ),
  mode: Flag.Literals("mode", ["live", "test"]).pipe(Flag.withDescription("Real money, or none")),
  transaction: Flag.String("transaction").pipe(
    Flag.withMetavar("HASH"),
    Flag.withDescription("The transaction that moved it: each is written down once"),
    Flag.filterMap(hashOf, () => "the hash of a transaction: 0x and 64 hex digits"),
  ),
  ...Access.flags,
  json: Flags.json,
}

interface Movement extends Access.Named {
  readonly asset: string
  readonly account: string
  readonly amount: string
  readonly mode: Mode.Mode
  readonly transaction: Idempotency.IdempotencyKey
  readonly json: boolean
}

/** Writes the movement to the ledger; returns its account and amount as programs and people read them. */
const written = Effect.fnUntraced(function* (
  { account: accountText, amount, asset: tokenText, mode, transaction }: Movement,
  command: "put" | "take",
) {
  const refuse = (message: string) => new Failure.NotUnderstood({ message })
  const catalog = yield* Assets
  const token = yield* Effect.fromResult(Family.parseToken(catalog, tokenText)).pipe(
    Effect.mapError(({ message }) => refuse(`the token cannot be read: ${message}`)),
  )
  const account = yield* Effect.fromResult(Family.parseAccount(catalog, accountText)).pipe(
    Effect.mapError(({ message }) => refuse(`the account cannot be read: ${message}`)),
  )
  const asset = catalog.find(token)
  if (asset === undefined) return yield* refuse("the service never accepted this token: correct it")
  if (account.chainId !== token.chainId) {
    return yield* refuse("the token and the account are on two chains: name them on the same one")
  }
  const { decimals, symbol } = asset
  const quantity = yield* Effect.fromResult(WireAmount.parseQuantity(amount, symbol, decimals))
  if (quantity === 0n) return yield* refuse("nothing moved: name an amount above 0")
  const write = command === "put" ? FloatUseCases.put : FloatUseCases.take
  yield* write(mode, { key: transaction, token, collecting: account.address, quantity }).pipe(
    Effect.catchTags({
      IdempotencyConflict: () =>
        new Failure.CommandFailed({
          message:
            "that transaction is written down already, as another movement: name the one that moved this",
        }),
      Overdrawn: ({ message }) =>
        new Failure.CommandFailed({ message: `${message}: florin reconcile shows what there is` }),
    }),
  )
  const is = { unit: Amount.token(token), quantity }
  return {
    account: Family.formatAccount(catalog, account),
    is: Amount.format(is, catalog),
    text: Amount.toText(is, catalog),
  }
})

const writeDown = Effect.fnUntraced(function* (movement: Movement, command: "put" | "take") {
  const { json, mode, transaction } = movement
  const { account, is, text } = yield* written(movement, command).pipe(
    Access.inStorage(movement, `florin float ${command}`),
  )
  if (json) {
    return Terminal.json({ mode, account, amount: is, transaction })
  }
  Terminal.done(`${text} ${command === "put" ? "came to" : "left"} ${account}, says the ledger.`)
  Terminal.note(`Compare it with the chain: florin reconcile${Flags.inDirectory(movement)}`)
})

const example = (command: string) => ({
  command: `florin float ${command} eip155:8453/erc20:0x… eip155:8453:0x… 1000 --mode live --transaction 0x…`,
})

const put = Command.make("put", moved, (options) => writeDown(options, "put")).pipe(
  Command.withDescription(
    "Writes down tokens of your own that you sent to a collecting account. Refunds that wait for them are tried again by themselves. To write down the same transaction again changes nothing.",
  ),
  Command.withShortDescription("Write down tokens that were put in"),
  Command.withExamples([example("put")]),
)

const take = Command.make("take", moved, (options) => writeDown(options, "take")).pipe(
  Command.withDescription(
    "Writes down tokens of your own, float or fees, that you took from a collecting account.",
  ),
  Command.withShortDescription("Write down tokens that were taken out"),
  Command.withExamples([example("take")]),
)

export const command = Command.make("float").pipe(
  Command.withDescription(
    "Writes down what you moved on a chain to or from a collecting account, and moves nothing itself. An embedded storage is opened only while no server has it.",
  ),
  Command.withSubcommands([put, take]),
)
