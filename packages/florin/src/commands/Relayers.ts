/**
 * `florin relayers`: the accounts that collect and pay out, with their gas and the amounts that are owed from them.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Family from "@florin/core/domain/chain/Family"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as Ledger from "@florin/core/domain/money/Ledger"
import * as Lanes from "@florin/core/engine/Lanes"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { LedgerStore } from "@florin/core/ports/LedgerStore"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Access from "../storage/Access.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** The decimals of the native coins of all EVM chains. */
const coinDecimals = 18

/** One account of the service on one chain. */
interface Relayer {
  readonly mode: Mode.Mode
  readonly account: Caip.Account
  readonly coin: string
  /** Null if no node of the chain responds. */
  readonly coins: bigint | null
  readonly isHalted: boolean
  readonly holdings: ReadonlyArray<Ledger.Holding>
}

const inMode = Effect.fnUntraced(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const assets = yield* Assets
  const halted = yield* Lanes.listHalted(mode)
  const holdings = yield* (yield* LedgerStore).holdings(mode)
  return yield* Effect.forEach(
    chain.accounts,
    (account) =>
      Effect.map(
        chain.coins(account).pipe(Effect.catch(() => Effect.succeed(null))),
        (coins): Relayer => ({
          mode,
          account,
          coin: assets.network(account.chainId)?.coin ?? "coins",
          coins,
          isHalted: halted.some(({ chainId }) => chainId === account.chainId),
          holdings: holdings.filter(
            ({ collecting, holds, owed, token }) =>
              token.chainId === account.chainId &&
              collecting === account.address &&
              (holds !== 0n || owed !== 0n),
          ),
        }),
      ),
    { concurrency: 8 },
  )
})

const coinsText = ({ coin, coins }: Relayer): string =>
  coins === null
    ? "unknown: no node of the chain responds"
    : `${Money.toDecimal(Money.clamp(coins, Money.largest), coinDecimals)} ${coin}`

const list = Command.make(
  "list",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const { catalog, found } = yield* Effect.gen(function* () {
      const all = yield* Effect.forEach(Mode.Mode.literals, inMode)
      return { catalog: yield* Assets, found: all.flat() }
    }).pipe(Effect.provide(Access.layer(options, "florin relayers list")))
    const amountOf = (token: Caip.Token, quantity: bigint): Amount.Amount => ({
      unit: Amount.token(token),
      quantity: Money.clamp(quantity, Money.largest),
    })
    if (options.json) {
      return Terminal.json(
        found.map(({ account, coins, holdings, isHalted, mode }) => ({
          mode,
          account: Family.formatAccount(catalog, account),
          coins: coins?.toString() ?? null,
          halted: isHalted,
          tokens: holdings.map(({ holds, owed, token }) => ({
            holds: Amount.format(amountOf(token, holds), catalog),
            owed: Amount.format(amountOf(token, owed), catalog),
          })),
        })),
      )
    }
    for (const each of found) {
      Terminal.heading(`${Family.formatAccount(catalog, each.account)}, ${each.mode}`)
      Terminal.fact("gas", coinsText(each))
      if (each.isHalted) Terminal.fact("chain", "stopped: `florin chains halted` shows why")
      for (const { holds, owed, token } of each.holdings) {
        const [has, owes] = [holds, owed].map((quantity) =>
          Amount.toText(amountOf(token, quantity), catalog),
        )
        Terminal.fact("holds", `${has}, of which ${owes} is owed`)
      }
    }
  }),
).pipe(
  Command.withDescription(
    "List the accounts that collect and pay out, with their gas, their balances in the ledger, and how much of these is owed to merchants and senders of late money. The rest is your own: withdraw it with `florin float withdraw --help`. Never import a relayer's key into a wallet.",
  ),
  Command.withShortDescription("List accounts, their gas, and what they owe"),
  Command.withExamples([{ command: "florin relayers list" }]),
)

export const command = Command.make("relayers").pipe(
  Command.withDescription("Show the accounts of the service that collect and pay out."),
  Command.withSubcommands([list]),
)
