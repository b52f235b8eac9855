/**
 * The service's accounts over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Relayers"
import type * as Wire from "@florin/api/wire/Relayer"
import * as Family from "@florin/core/domain/chain/Family"
import * as Money from "@florin/core/domain/ground/Money"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import * as Accounts from "@florin/core/engine/chain/Accounts"
import * as Effect from "effect/Effect"
import * as AmountView from "../views/AmountView.ts"
import * as TimeView from "../views/TimeView.ts"
import * as Operation from "./Operation.ts"
import * as Read from "./Read.ts"

/** The decimals of the native coins of all EVM chains. */
const coinDecimals = 18

const shown = (
  relayer: Accounts.Account,
  display: AmountView.Display,
): Wire.List["relayers"][number] => {
  const { catalog } = display
  const network = catalog.network(relayer.account.chainId)
  return {
    mode: relayer.mode,
    account: Family.formatAccount(catalog, relayer.account),
    networkName: network?.name ?? null,
    isKeyless: relayer.isKeyless,
    haltedBecause: relayer.haltedBecause,
    gas: {
      coin: network?.coin ?? "coins",
      decimals: coinDecimals,
      value: relayer.coins?.toString() ?? null,
      spent: relayer.spent.toString(),
    },
    transactions: relayer.transactions.map(
      ({ earlierHashes = [], feeMax, hash, nonce, signedAt }) => ({
        nonce,
        txId: hash,
        earlierTxIds: earlierHashes,
        feeMax: feeMax?.toString() ?? null,
        signedAt: TimeView.iso(signedAt),
      }),
    ),
    tokens: relayer.holdings.map(({ holds, owed, token }) => ({
      holds: AmountView.ofToken({ token, quantity: Money.clamp(holds, Money.largest) }, display),
      owed: TokenAmount.json(token, Money.clamp(owed, Money.largest), catalog),
    })),
  }
}

export const operator = Operation.operator(Contract.group, {
  list: Effect.fnUntraced(function* ({ display, query }) {
    const found = yield* Read.inModes(query, Accounts.list)
    return { relayers: found.map((each) => shown(each, display)) }
  }),
})
