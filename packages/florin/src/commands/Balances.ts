/**
 * `florin balances`: how much each account of the service has of each token, and who owns it.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as BalancesUseCase from "@florin/core/engine/Balances"
import { Assets } from "@florin/core/ports/Assets"
import * as Arr from "effect/Array"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Access from "../storage/Access.ts"
import * as Table from "../terminal/Table.ts"
import * as Terminal from "../terminal/Terminal.ts"

const modes = ["live", "test"] as const

type OfToken = Pick<BalancesUseCase.OfToken, "token">

const symbolColumn = (catalog: Catalog.Catalog): Table.Column<OfToken> => ({
  name: "token",
  of: ({ token }) => catalog.find(token)?.symbol ?? "unknown",
})

const networkColumn = (catalog: Catalog.Catalog): Table.Column<OfToken> => ({
  name: "on",
  of: ({ token }) => Catalog.networkName(catalog, token.chainId),
  isCut: true,
})

const quantityColumns = (
  catalog: Catalog.Catalog,
): ReadonlyArray<Table.Column<BalancesUseCase.Total>> => {
  const column = (name: string, of: (each: BalancesUseCase.Total) => bigint | null) => ({
    name,
    of: (each: BalancesUseCase.Total) => {
      const quantity = of(each)
      return quantity === null ? "?" : TokenAmount.number(each.token, quantity, catalog)
    },
  })
  return [
    column("on chain", ({ onChain }) => onChain),
    column("ledger", ({ holds }) => holds),
    column("owed", ({ owed }) => owed),
    column("reserved", ({ kept }) => kept),
    column("suspense", ({ suspense }) => suspense),
    column("float", ({ float }) => float),
  ]
}

const tokenColumns = (
  catalog: Catalog.Catalog,
): ReadonlyArray<Table.Column<BalancesUseCase.OfToken>> => [
  symbolColumn(catalog),
  networkColumn(catalog),
  { name: "fees earned", of: ({ fees, token }) => TokenAmount.number(token, fees, catalog) },
  { name: "debt", of: ({ debt, token }) => TokenAmount.number(token, debt, catalog) },
]

const accountOf = ({ address, token }: BalancesUseCase.OfAccount, catalog: Catalog.Catalog) =>
  Family.formatAccount(catalog, { chainId: token.chainId, address })

const printTotals = (
  { accounts, mode, tokens }: BalancesUseCase.Balances,
  catalog: Catalog.Catalog,
): void => {
  if (accounts.length > 0) {
    Terminal.heading(`Totals, ${mode}`)
    const columns = [symbolColumn(catalog), networkColumn(catalog), ...quantityColumns(catalog)]
    Table.print(columns, BalancesUseCase.totals(accounts))
  }
  if (tokens.length > 0) {
    Terminal.heading(`Fees and debts, ${mode}`)
    Table.print(tokenColumns(catalog), tokens)
  }
}

const printAccounts = (
  { accounts, mode }: BalancesUseCase.Balances,
  catalog: Catalog.Catalog,
): void => {
  const byAccount = Arr.groupBy(accounts, (each): string => accountOf(each, catalog))
  for (const [account, each] of Object.entries(byAccount)) {
    Terminal.heading(`${account}, ${mode}`)
    Table.print([symbolColumn(catalog), ...quantityColumns(catalog)], each ?? [])
  }
}

const asJson = (
  { accounts, mode, tokens }: BalancesUseCase.Balances,
  catalog: Catalog.Catalog,
) => ({
  mode,
  accounts: accounts.map((each) => {
    const { float, holds, kept, onChain, owed, suspense, token } = each
    const amount = (quantity: bigint) => TokenAmount.json(token, quantity, catalog)
    return {
      account: accountOf(each, catalog),
      asset: Family.formatToken(catalog, token),
      onChain: onChain === null ? null : amount(onChain),
      ledger: amount(holds),
      owed: amount(owed),
      reserved: amount(kept),
      suspense: amount(suspense),
      float: amount(float),
    }
  }),
  tokens: tokens.map(({ debt, fees, token }) => ({
    asset: Family.formatToken(catalog, token),
    feesEarned: TokenAmount.json(token, fees, catalog),
    debt: TokenAmount.json(token, debt, catalog),
  })),
})

export const command = Command.make(
  "balances",
  Access.flags,
  Effect.fnUntraced(function* (options) {
    const chains = yield* Access.reachable(options)
    const looked = Option.match(chains, {
      onNone: () => Effect.forEach(modes, BalancesUseCase.lookInStorage),
      onSome: (reached) =>
        Effect.forEach(modes, BalancesUseCase.look).pipe(Effect.provide(reached)),
    })
    const { all, catalog } = yield* Effect.zipWith(looked, Assets, (found, known) => ({
      all: found,
      catalog: known,
    })).pipe(Access.inStorage(options, "florin balances"))
    if (options.json) return Terminal.json(all.map((each) => asJson(each, catalog)))
    if (all.every(({ accounts, tokens }) => accounts.length + tokens.length === 0)) {
      return Terminal.heading("No account has a balance.")
    }
    for (const each of all) printTotals(each, catalog)
    for (const each of all) printAccounts(each, catalog)
    if (all.some(({ accounts }) => accounts.some(({ onChain }) => onChain === null))) {
      Terminal.note(
        "? was not read: the chain does not respond, or no node is set. Run this command with the environment variables of florin serve, such as FLORIN_RPC",
      )
    }
  }),
).pipe(
  Command.withDescription(
    "Show how much the service has of each token, in total and on each account, on chain and in the ledger. The ledger's balance has four parts: owed to merchants, reserved for refunds, in suspense (unclaimed money), and float, which is your own. Also for each token: the fees that you earned and what merchants owe you. The command reads balances on chain if it has the environment variables of florin serve, or if florin dev runs in the directory. Transfers that are not final yet make chain and ledger differ.",
  ),
  Command.withShortDescription("Show the balance of each account and whose money it is"),
  Command.withExamples([{ command: "florin balances" }, { command: "florin balances --json" }]),
)
