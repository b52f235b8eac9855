/**
 * `florin float`: the operator's own tokens on the collecting accounts. Payments whose merchants are already paid out
 * are refunded from them. The commands move them between accounts, withdraw them, and record movements that the service
 * did not make.
 *
 * @module
 */
import { env } from "node:process"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as FloatUseCases from "@florin/core/engine/Float"
import { Assets } from "@florin/core/ports/Assets"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as ConfigFile from "../serve/ConfigFile.ts"
import * as Setting from "../serve/Setting.ts"
import * as Settings from "../serve/Settings.ts"
import * as Access from "../storage/Access.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as WireAmount from "../terminal/WireAmount.ts"

/** The same transaction hash, whether its letters are uppercase or lowercase. */
const hashOf = (text: string): Option.Option<Idempotency.IdempotencyKey> =>
  /^0x[0-9a-fA-F]{64}$/u.test(text)
    ? Result.getSuccess(Idempotency.parseKey(text.toLowerCase()))
    : Option.none()

const asset = Flags.argument("asset", "Token: eip155:8453/erc20:0x…")
const account = Flags.argument("account", "Account of the service: eip155:8453:0x…")
const amount = Flags.argument("amount", "Amount in units of the token: 1000.50")
const mode = Flags.choice("mode", ["live", "test"], "Live or test money")

const moved = {
  asset,
  account,
  amount,
  mode,
  transaction: Flags.string(
    "transaction",
    "HASH",
    "Hash of the transaction that moved it; each transaction is recorded once",
  ).pipe(Flag.filterMap(hashOf, () => "the hash of a transaction: 0x and 64 hex digits")),
  ...Access.flags,
}

interface Amounted extends Access.Named {
  readonly asset: string
  readonly account: string
  readonly amount: string
  readonly mode: Mode.Mode
  readonly json: boolean
}

interface Movement extends Amounted {
  readonly transaction: Idempotency.IdempotencyKey
}

/** The quantity, the token and the account that the arguments name. */
const named = Effect.fnUntraced(function* ({
  account: accountText,
  amount: amountText,
  asset: tokenText,
}: Amounted) {
  const catalog = yield* Assets
  const token = yield* Effect.fromResult(Family.parseToken(catalog, tokenText)).pipe(
    Effect.mapError(({ message }) => Failure.makeUsage(`the token cannot be read: ${message}`)),
  )
  const address = yield* addressOn(token, accountText)
  const found = catalog.find(token)
  if (found === undefined)
    return yield* Failure.makeUsage("the service never accepted this token: check it")
  const { decimals, symbol } = found
  const quantity = yield* Effect.fromResult(WireAmount.parseQuantity(amountText, symbol, decimals))
  if (quantity === 0n) return yield* Failure.makeUsage("the amount is 0: give an amount above 0")
  const is = { unit: Amount.token(token), quantity }
  return {
    token,
    address,
    quantity,
    account: Family.formatAccount(catalog, { chainId: token.chainId, address }),
    is: Amount.format(is, catalog),
    text: Amount.toText(is, catalog),
  }
})

/** An account on the chain of a token. */
const addressOn = Effect.fnUntraced(function* ({ chainId }: Caip.Token, text: string) {
  const read = yield* Effect.fromResult(Family.parseAccount(yield* Assets, text)).pipe(
    Effect.mapError(({ message }) => Failure.makeUsage(`the account cannot be read: ${message}`)),
  )
  return read.chainId === chainId
    ? read.address
    : yield* Failure.makeUsage(
        "the token and the account are on different chains: give both on the same chain",
      )
})

/** Writes the movement to the ledger; returns its account and amount in forms for programs and for people. */
const written = Effect.fnUntraced(function* (movement: Movement, command: "put" | "take") {
  const { mode: ofMode, transaction } = movement
  const found = yield* named(movement)
  const { address: collecting, quantity, token } = found
  const write = command === "put" ? FloatUseCases.put : FloatUseCases.take
  yield* write(ofMode, { key: transaction, token, collecting, quantity }).pipe(
    Effect.catchTags({
      IdempotencyConflict: () =>
        Failure.make(
          "the ledger has this transaction already, with another movement: check the hash",
        ),
      Overdrawn: ({ message }) =>
        Failure.make(`${message}: \`florin reconcile\` shows the balances`),
    }),
  )
  return found
})

const writeDown = Effect.fnUntraced(function* (movement: Movement, command: "put" | "take") {
  const { json, mode: ofMode, transaction } = movement
  const found = yield* written(movement, command).pipe(
    Access.inStorage(movement, `florin float ${command}`),
  )
  if (json) {
    return Terminal.json({ mode: ofMode, account: found.account, amount: found.is, transaction })
  }
  Terminal.writeSuccess(
    `Recorded: ${found.text} ${command === "put" ? "came to" : "left"} ${found.account}.`,
  )
  Terminal.note(`Compare it with the chain: \`florin reconcile\``)
})

const example = (command: string) => ({
  command: `florin float ${command} eip155:8453/erc20:0x… eip155:8453:0x… 1000 --mode live --transaction 0x…`,
})

const put = Command.make("put", moved, (options) => writeDown(options, "put")).pipe(
  Command.withDescription(
    "Record a deposit of your own tokens to an account of the service. The service retries refunds that wait for this money. Recording the same transaction again changes nothing.",
  ),
  Command.withShortDescription("Record a deposit of your own money"),
  Command.withExamples([example("put")]),
)

const take = Command.make("take", moved, (options) => writeDown(options, "take")).pipe(
  Command.withDescription(
    "Record that your own tokens, float or fees, left an account without this service. To take money out, use `florin float withdraw --help` instead: a transaction that anything else sends from an account of the service stops its chain.",
  ),
  Command.withShortDescription("Record a withdrawal made without this service"),
  Command.withExamples([example("take")]),
)

const to = Argument.String("to")

const transferFlags = (toDescription: string) => ({
  asset,
  account,
  to: to.pipe(Argument.withDescription(toDescription)),
  amount,
  mode,
  ...Access.flags,
})

type Amounts = Amounted & { readonly to: string }

/** Reports what was missing, for a person. */
const refused =
  (token: Caip.Token) =>
  ({ message, missing }: FloatUseCases.FloatRefused) =>
    Effect.map(Assets, (catalog) => {
      const lacks =
        missing === undefined
          ? ""
          : `, ${Amount.toText({ unit: Amount.token(token), quantity: Money.clamp(missing, Money.largest) }, catalog)} are missing`
      return Failure.make(`${message}${lacks}: nothing was sent`)
    })

/** Has a worker send the operator's own money. */
const send = Effect.fnUntraced(function* (options: Amounts, command: "move" | "withdraw") {
  const { json, mode: ofMode } = options
  const sources = yield* Effect.fromResult(ConfigFile.sources({}, env))
  const accounts = yield* Effect.fromResult(Setting.read(Settings.rows.treasury, sources))
  const done = yield* Effect.gen(function* () {
    const { address: from, ...found } = yield* named(options)
    const { quantity, token } = found
    const end = yield* addressOn(token, options.to)
    const movement = { token, from, to: end, quantity }
    const payoutId = yield* (
      command === "move"
        ? FloatUseCases.move(ofMode, movement)
        : FloatUseCases.withdraw(ofMode, movement, { accounts, sweep: null })
    ).pipe(
      Effect.catchTag("FloatRefused", (error) =>
        Effect.flatMap(refused(token)(error), Effect.fail),
      ),
    )
    return { ...found, payoutId }
  }).pipe(
    Effect.provide(
      Layer.merge(Access.layer(options, `florin float ${command}`), Identifiers.layer),
    ),
  )
  const { is, payoutId, text } = done
  if (json) {
    return Terminal.json({
      payoutId,
      mode: ofMode,
      account: done.account,
      to: options.to,
      amount: is,
    })
  }
  Terminal.writeSuccess(
    `${payoutId} is due: a worker sends ${text} from ${done.account} to ${options.to}.`,
  )
  Terminal.note(`Follow it with: \`florin payouts show ${payoutId}\``)
})

const move = Command.make(
  "move",
  transferFlags("Receiving account of the service: eip155:8453:0x…"),
  (options) => send(options, "move"),
).pipe(
  Command.withDescription(
    "Move float from one account of the service to another on the same chain. A worker sends it. Money that an account owes stays on it. The service moves float automatically if a refund waits for money that another account has.",
  ),
  Command.withShortDescription("Move float to another account of the service"),
  Command.withExamples([
    {
      command:
        "florin float move eip155:8453/erc20:0x… eip155:8453:0x… eip155:8453:0x… 1000 --mode live",
    },
  ]),
)

const withdraw = Command.make(
  "withdraw",
  transferFlags("Your account, listed in the setting treasury: eip155:8453:0x…"),
  (options) => send(options, "withdraw"),
).pipe(
  Command.withDescription(
    "Send float or fees to an account of yours. A worker sends it. The setting treasury must list your account, for this command and for the workers. Money that an account owes stays on it.",
  ),
  Command.withShortDescription("Withdraw float or fees to an account of yours"),
  Command.withExamples([
    {
      command:
        "florin float withdraw eip155:8453/erc20:0x… eip155:8453:0x… eip155:8453:0x… 1000 --mode live",
    },
  ]),
)

const cancel = Command.make(
  "cancel",
  { payoutId: Flags.payoutId, ...Access.flags },
  Effect.fnUntraced(function* (options) {
    const { payoutId } = options
    yield* FloatUseCases.cancel(payoutId).pipe(
      Effect.catchTag("FloatRefused", ({ message }) => Failure.make(message)),
      Access.inStorage(options, "florin float cancel"),
    )
    if (options.json) return Terminal.json({ payoutId, state: "cancelled" })
    Terminal.writeSuccess(`${payoutId} is cancelled. Its money stays on the account.`)
  }),
).pipe(
  Command.withDescription(
    "Cancel a move, withdrawal or sweep of your own money that waits or is held. A transaction that was sent cannot be cancelled.",
  ),
  Command.withShortDescription("Cancel a move or withdrawal that was not sent"),
  Command.withExamples([{ command: "florin float cancel out_…" }]),
)

const shortInEachMode = Effect.gen(function* () {
  const catalog = yield* Assets
  const all = yield* Effect.forEach(Mode.Mode.literals, FloatUseCases.short)
  return all.flat().map(({ missing, outflow: { id, mode: ofMode, movement } }) => {
    const { from: address, token } = movement
    const lacks = {
      unit: Amount.token(token),
      quantity: Money.clamp(missing, Money.largest),
    }
    return {
      json: {
        payoutId: id,
        mode: ofMode,
        account: Family.formatAccount(catalog, { chainId: token.chainId, address }),
        asset: Family.formatToken(catalog, token),
        missing: Amount.format(lacks, catalog),
      },
      text: Amount.toText(lacks, catalog),
    }
  })
})

const short = Command.make(
  "short",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const found = yield* shortInEachMode.pipe(Access.inStorage(options, "florin float short"))
    if (options.json) return Terminal.json(found.map(({ json }) => json))
    Terminal.heading(
      found.length === 0
        ? "No refund or withdrawal waits for your money."
        : "These wait for your money:",
    )
    for (const { json: each, text } of found) {
      Terminal.plain(`${each.payoutId}: ${each.account} lacks ${text}`)
      Terminal.note(
        `Send it there, then: \`florin float put ${each.asset} ${each.account} <amount> --mode ${each.mode} --transaction <hash>\``,
      )
    }
  }),
).pipe(
  Command.withDescription(
    "List refunds and withdrawals that wait because their account has too little of your own money, with the missing amount. The service moves the money there automatically if its other accounts on the chain have it.",
  ),
  Command.withShortDescription("List refunds and withdrawals that lack your own money"),
  Command.withExamples([{ command: "florin float short" }]),
)

export const command = Command.make("float").pipe(
  Command.withDescription("Manage your own money on the service's accounts: float and fees."),
  Command.withSubcommands([move, withdraw, cancel, short, put, take]),
)
