/**
 * The service's accounts as an operator sees them: their gas, their last transactions, and what they owe.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Caip from "../../domain/chain/Caip.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Ledger from "../../domain/money/Ledger.ts"
import type * as Lane from "../../domain/outflow/Lane.ts"
import * as Spending from "../../domain/outflow/Spending.ts"
import { Chains } from "../../ports/Chain.ts"
import { LaneStore } from "../../ports/LaneStore.ts"
import { LedgerStore } from "../../ports/LedgerStore.ts"

/** One account of the service on one chain. */
export interface Account {
  readonly mode: Mode.Mode
  readonly account: Caip.Account
  /** Null if no node of the chain responds. */
  readonly coins: bigint | null
  /** What its transactions of this hour may cost. */
  readonly spent: bigint
  readonly isKeyless: boolean
  readonly haltedBecause: string | null
  /** Its last transactions, newest first. */
  readonly transactions: ReadonlyArray<Lane.Transaction>
  readonly holdings: ReadonlyArray<Ledger.Holding>
}

const transactionsMax = 10

/** The accounts of a mode, in the order of the settings. */
export const list = Effect.fn("Accounts.list")(function* (mode: Mode.Mode) {
  const chain = (yield* Chains).of(mode)
  const lanes = yield* LaneStore
  const all = yield* (yield* LedgerStore).holdings(mode, null)
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(
    chain.accounts,
    Effect.fnUntraced(function* (account) {
      const { address: sender, chainId } = account
      const lane = { chainId, sender }
      const coins = yield* chain.coins(account).pipe(Effect.catch(() => Effect.succeed(null)))
      const { haltedBecause, nextNonce, spending } = yield* lanes.laneState(mode, lane)
      const last = yield* lanes.laneTransactions(
        lane,
        Math.max(0, (nextNonce ?? 0) - transactionsMax),
      )
      const found: Account = {
        mode,
        account,
        coins,
        spent: Spending.inHourOf(spending, now).quantity,
        isKeyless: chain.keyless.some(
          (each) => each.chainId === chainId && each.address === sender,
        ),
        haltedBecause,
        transactions: last.toReversed(),
        holdings: all.filter(
          ({ collecting, holds, owed, token }) =>
            token.chainId === chainId && collecting === sender && (holds !== 0n || owed !== 0n),
        ),
      }
      return found
    }),
    { concurrency: 8 },
  )
})
