/**
 * A transfer to an account of ours that no payment claimed when it was found, and what became of it.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Mode from "./Mode.ts"
import * as Outflow from "./Outflow.ts"
import * as PaymentId from "./PaymentId.ts"
import * as Transfer from "./Transfer.ts"
import * as UnclaimedId from "./UnclaimedId.ts"

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  Suspended: {},
  /** A payment that was confirmed with it was paid by it, or has it as late money. */
  Taken: { paymentId: PaymentId.PaymentId },
  /** It goes back to its sender; the outflow tells how far it is. */
  Returned: { outflowId: Outflow.OutflowId },
  /** The operator sent it, to have it as float. */
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
  /** Since when its transfer, which was final, is missed; absent while it is not. */
  missedSince: Schema.optionalKey(Schema.Int),
})
