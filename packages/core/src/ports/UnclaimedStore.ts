/**
 * The store of money that no payment claims, and of the block up to which each chain was scanned for it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as Claim from "../domain/chain/Claim.ts"
import type * as UnclaimedId from "../domain/chain/UnclaimedId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as UnclaimedTransfer from "../domain/outflow/UnclaimedTransfer.ts"
import type { Found, Read } from "./StorageError.ts"

/** How much of one token is in suspense because no payment claims it. */
export interface Sum {
  readonly token: Caip.Token
  readonly count: number
  readonly quantity: bigint
}

/**
 * Stores money that no payment claims. `OutflowStore.modify` writes it, together with what takes it or sends it back.
 *
 * Contract, in addition to that of every store in `Storage`:
 * - A scan moves forward only from its current position, so that of two processes that scan one chain, neither skips
 *   blocks that the other did not scan. It moves back whenever it is asked to.
 */
export class UnclaimedStore extends Context.Service<
  UnclaimedStore,
  {
    readonly unclaimed: (id: UnclaimedId.UnclaimedId) => Found<UnclaimedTransfer.UnclaimedTransfer>
    /** The transfers of a token that are in suspense and have at least this quantity, oldest first. */
    readonly suspended: (
      mode: Mode.Mode,
      token: Caip.Token,
      page: { readonly least: bigint; readonly limit: number },
    ) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** The sum of each token in suspense, in the order of the tokens' texts. */
    readonly sums: (mode: Mode.Mode) => Read<ReadonlyArray<Sum>>
    /** The transfers of a transaction, in the order of its logs. */
    readonly broughtBy: (txHash: string) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** The transfers that are missing on a chain after a reorganisation. */
    readonly missed: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
    ) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** The claims among these that are not taken. */
    readonly unmade: <C extends Claim.Claim>(claims: ReadonlyArray<C>) => Read<ReadonlyArray<C>>
    /** The block up to which a chain was scanned; null before the first scan. */
    readonly scannedTo: (mode: Mode.Mode, chainId: Caip.ChainId) => Read<number | null>
    /** Moves the scan of a chain to a block, if it is still at the expected position; returns whether it did. */
    readonly moveScan: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      from: number | null,
      to: number,
    ) => Read<boolean>
    /** Makes the blocks after this one due to be scanned again. */
    readonly scanAgain: (mode: Mode.Mode, chainId: Caip.ChainId, from: number) => Read<void>
  }
>()("@florin/core/ports/UnclaimedStore") {}
