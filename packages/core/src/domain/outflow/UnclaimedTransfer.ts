/**
 * A transfer to one of our accounts that no payment claimed when it was found, and its outcome.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Transfer from "../chain/Transfer.ts"
import * as UnclaimedId from "../chain/UnclaimedId.ts"
import * as Mode from "../ground/Mode.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import * as PaymentId from "../ground/PaymentId.ts"

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  Suspended: {},
  /** It pays a payment that was confirmed with it, or is that payment's late money. */
  Taken: { paymentId: PaymentId.PaymentId },
  /** It goes back to its sender; the outflow holds its progress. */
  Returned: { outflowId: OutflowId.OutflowId },
  /** The operator sent it as float. */
  Funded: {},
  /** A deep reorganisation took it. */
  Gone: {},
})

export interface UnclaimedTransfer extends Schema.Schema.Type<typeof UnclaimedTransfer> {}
export const UnclaimedTransfer = Schema.Struct({
  id: UnclaimedId.UnclaimedId,
  mode: Mode.Mode,
  transfer: Transfer.Log,
  state: State,
  foundAt: Schema.Int,
  updatedAt: Schema.Int,
  /** Counts every write, and guards the next one. */
  revision: Schema.Int,
  /** Since when its transfer, which was final, is missing; absent while it is not. */
  missedSince: Schema.optionalKey(Schema.Int),
})
