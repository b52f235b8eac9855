/**
 * The comparison of the ledger with the chains, for a person to read.
 *
 * @module
 */
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Family from "@florin/core/domain/chain/Family"
import * as TokenAmount from "@florin/core/domain/money/TokenAmount"
import type * as Reconciler from "@florin/core/workers/Reconciler"
import * as Effect from "effect/Effect"
import * as Failure from "../terminal/Failure.ts"

const whereText = ({ address, token: { chainId } }: Reconciler.Held, catalog: Catalog.Catalog) =>
  `${Catalog.networkName(catalog, chainId)}, ${Family.formatAddress(catalog, { chainId, address })}`

const heldText = (held: Reconciler.Held, catalog: Catalog.Catalog): string =>
  `${whereText(held, catalog)}: ledger ${TokenAmount.text(held.token, held.ledger, catalog)}`

/** `Base, 0x…: ledger 1000.15 USDC, chain 1000.14 USDC`; if they agree, `Base, 0x…: 1000.15 USDC in both` */
export const lineText = (line: Reconciler.Line, catalog: Catalog.Catalog): string => {
  const onChain = TokenAmount.text(line.token, line.chain, catalog)
  return line.ledger === line.chain
    ? `${whereText(line, catalog)}: ${onChain} in both`
    : `${heldText(line, catalog)}, chain ${onChain}`
}

/** `Base, 0x…: ledger 1000.15 USDC, and this chain is not served` */
export const unservedText = (held: Reconciler.Held, catalog: Catalog.Catalog): string =>
  `${heldText(held, catalog)}, and this chain is not served`

interface Counts {
  readonly differences: number
  readonly unserved: number
  /** Ledger accounts on the wrong side of zero. */
  readonly unsound: number
}

/** What is wrong, and what to do; undefined if the books agree. */
export const failureOf = ({ differences, unserved, unsound }: Counts): string | undefined => {
  if (differences + unsound > 0) {
    return (
      `ledger and chain differ on ${differences} lines, and ${unsound} ledger accounts are overdrawn: ` +
      "pending transfers make them differ for seconds, so run the command again; if they still differ, check the transfers of those accounts"
    )
  }
  return unserved === 0
    ? undefined
    : `${unserved} balances are on chains that are not served, so they were not compared: configure a node of each chain`
}

/** Fails if anything is not as it should be. */
export const judge = ({ differences, unserved, unsound }: Reconciler.Report) => {
  const failure = failureOf({
    differences: differences.length,
    unserved: unserved.length,
    unsound: unsound.length,
  })
  return failure === undefined ? Effect.void : Effect.fail(Failure.make(failure))
}
