/**
 * Compares the ledger with the chain: what the ledger says our accounts hold, and what they hold.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Caip from "../../domain/chain/Caip.ts"
import * as Catalog from "../../domain/chain/Catalog.ts"
import * as Family from "../../domain/chain/Family.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as TokenAmount from "../../domain/money/TokenAmount.ts"
import { Chains } from "../../ports/Chain.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"
import * as Metrics from "../record/Metrics.ts"

/** What the ledger says one collecting account holds of one token. */
export interface Held {
  readonly token: Caip.Token
  readonly address: Caip.Address
  readonly ledger: bigint
}

/** The same, next to the chain's balance. */
export interface Line extends Held {
  readonly chain: bigint
}

export interface Report {
  readonly lines: ReadonlyArray<Line>
  /**
   * Balances in the ledger on chains that are not served now, as after an adapter was removed. They cannot be compared.
   */
  readonly unserved: ReadonlyArray<Held>
  /** Lines where the two differ. If no money is on its way, there are none. */
  readonly differences: ReadonlyArray<Line>
  /** Ledger accounts on the wrong side of zero. Only a bug can cause one. */
  readonly unsound: ReadonlyArray<Ledger.Balance>
}

const whereText = ({ address, token: { chainId } }: Held, catalog: Catalog.Catalog) =>
  `${Catalog.networkName(catalog, chainId)}, ${Family.formatAddress(catalog, { chainId, address })}`

const heldText = (held: Held, catalog: Catalog.Catalog): string =>
  `${whereText(held, catalog)}: ledger ${TokenAmount.text(held.token, held.ledger, catalog)}`

/** `Base, 0x…: ledger 1000.15 USDC, chain 1000.14 USDC`; if they agree, `Base, 0x…: 1000.15 USDC in both` */
export const lineText = (line: Line, catalog: Catalog.Catalog): string => {
  const onChain = TokenAmount.text(line.token, line.chain, catalog)
  return line.ledger === line.chain
    ? `${whereText(line, catalog)}: ${onChain} in both`
    : `${heldText(line, catalog)}, chain ${onChain}`
}

/** `Base, 0x…: ledger 1000.15 USDC, and this chain is not served` */
export const unservedText = (held: Held, catalog: Catalog.Catalog): string =>
  `${heldText(held, catalog)}, and this chain is not served`

/** Compares every collecting account that ever held something. It changes nothing. */
export const check = Effect.fn("Reconciler.check")(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const balances = yield* (yield* LedgerStore).balances(mode, null)
  const held = [...balances.values()].flatMap(({ account, balance, token }) =>
    account._tag === "Collecting" ? [{ token, address: account.address, ledger: balance }] : [],
  )
  const isServed = ({ token }: Held): boolean => chain.chainIds.includes(token.chainId)
  const lines = yield* Effect.forEach(
    held.filter(isServed),
    (each) =>
      Effect.map(chain.balance(each.token, each.address), (onChain): Line => ({
        ...each,
        chain: onChain,
      })),
    { concurrency: 8 },
  )
  for (const { address, chain: onChain, ledger, token } of lines) {
    const labels = {
      ...Metrics.tokenLabels(mode, token, chain.catalog),
      account: Family.formatAddress(chain.catalog, { chainId: token.chainId, address }),
    }
    yield* Metric.update(
      Metrics.gaugeOf("florin_reconcile_difference", labels),
      Metrics.units(onChain - ledger, token, chain.catalog),
    )
  }
  yield* Metric.update(
    Metrics.gaugeOf("florin_reconcile_timestamp_seconds", { mode }),
    (yield* Clock.currentTimeMillis) / 1000,
  )
  const report: Report = {
    lines,
    unserved: held.filter((each) => !isServed(each) && each.ledger !== 0n),
    differences: lines.filter((line) => line.ledger !== line.chain),
    unsound: Ledger.unsound(balances),
  }
  return report
})
