/**
 * The store of money that no payment claims, and of how far each chain was scanned for it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Caip from "../domain/Caip.ts"
import type * as Claim from "../domain/Claim.ts"
import type * as Mode from "../domain/Mode.ts"
import type * as UnclaimedId from "../domain/UnclaimedId.ts"
import type * as UnclaimedTransfer from "../domain/UnclaimedTransfer.ts"
import type { Found, Read } from "./StorageError.ts"

/** What lies in suspense of one token that no payment claims. */
export interface Sum {
  readonly token: Caip.Token
  readonly count: number
  readonly quantity: bigint
}

/**
 * Stores money that no payment claims. It is written by `OutflowStore.modify`, with what takes it or gives it back.
 *
 * Contract, besides that of every store in `Storage`:
 * - A scan moves on only from where it is, so that of two processes that scan one chain none skips what the other did not
 *   look at. It goes back whenever it is told to.
 */
export class UnclaimedStore extends Context.Service<
  UnclaimedStore,
  {
    readonly unclaimed: (id: UnclaimedId.UnclaimedId) => Found<UnclaimedTransfer.UnclaimedTransfer>
    /** What of a token is in suspense, and of at least this quantity, the oldest first. */
    readonly suspended: (
      mode: Mode.Mode,
      token: Caip.Token,
      page: { readonly least: bigint; readonly limit: number },
    ) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** What is in suspense of each token, in the order of their texts. */
    readonly sums: (mode: Mode.Mode) => Read<ReadonlyArray<Sum>>
    /** What a transaction brought, in the order of its logs. */
    readonly broughtBy: (txHash: string) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** What is missed on a chain after a reorganisation. */
    readonly missed: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
    ) => Read<ReadonlyArray<UnclaimedTransfer.UnclaimedTransfer>>
    /** Those of the claims that nobody made. */
    readonly unmade: <C extends Claim.Claim>(claims: ReadonlyArray<C>) => Read<ReadonlyArray<C>>
    /** The block up to which a chain was scanned; null before the first scan. */
    readonly scannedTo: (mode: Mode.Mode, chainId: Caip.ChainId) => Read<number | null>
    /** Has the scan of a chain stand at a block, if it stands where it was seen; tells whether it did. */
    readonly moveScan: (
      mode: Mode.Mode,
      chainId: Caip.ChainId,
      from: number | null,
      to: number,
    ) => Read<boolean>
    /** Has what lies after a block scanned again. */
    readonly scanAgain: (mode: Mode.Mode, chainId: Caip.ChainId, from: number) => Read<void>
  }
>()("@florin/core/ports/UnclaimedStore") {}
