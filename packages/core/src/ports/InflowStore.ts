/**
 * The store of inflows.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Caip from "../domain/chain/Caip.ts"
import type * as Claim from "../domain/chain/Claim.ts"
import type * as InflowId from "../domain/chain/InflowId.ts"
import type * as Mode from "../domain/ground/Mode.ts"
import type * as PaymentId from "../domain/ground/PaymentId.ts"
import type * as Inflow from "../domain/outflow/Inflow.ts"
import { NotFound, type Read } from "./StorageError.ts"

/** How much of one token is in suspense. */
export interface Sum {
  readonly token: Caip.Token
  readonly count: number
  readonly quantity: bigint
}

/** Which inflows are read: */
export type Query =
  /** the one with this id, if there is one */
  | { readonly _tag: "Id"; readonly id: InflowId.InflowId }
  /** those of one transaction, in any mode */
  | { readonly _tag: "Transaction"; readonly txHash: string }
  /** those that were reported for a payment */
  | { readonly _tag: "Payment"; readonly paymentId: PaymentId.PaymentId }
  /** those that are missing on a chain after a reorganisation */
  | { readonly _tag: "Missed"; readonly mode: Mode.Mode; readonly chainId: Caip.ChainId }
  /** those of a token that are in suspense and have at least this quantity */
  | {
      readonly _tag: "Suspended"
      readonly mode: Mode.Mode
      readonly token: Caip.Token
      readonly least: bigint
      readonly limit: number
    }

/**
 * Stores inflows. `OutflowStore.modify` writes them, together with what takes them or sends them back.
 */
export class InflowStore extends Context.Service<
  InflowStore,
  {
    /** The inflows that a query asks for, oldest first; those that were found together in the order of their logs. */
    readonly inflows: (query: Query) => Read<ReadonlyArray<Inflow.Inflow>>
    /** The sum of each token in suspense, in the order of the tokens' texts. */
    readonly sums: (mode: Mode.Mode) => Read<ReadonlyArray<Sum>>
    /** The claims among these that are not taken. */
    readonly unmade: <C extends Claim.Claim>(claims: ReadonlyArray<C>) => Read<ReadonlyArray<C>>
  }
>()("@florin/core/ports/InflowStore") {}

/** The inflow with this id. */
export const inflow = (id: InflowId.InflowId) =>
  Effect.gen(function* () {
    const [found] = yield* (yield* InflowStore).inflows({ _tag: "Id", id })
    return found ?? (yield* NotFound.of("inflow"))
  })
