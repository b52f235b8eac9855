/**
 * A final transfer to one of our accounts that no payment claimed when it was found: late, wrong, short, duplicate or
 * unexpected money, and what became of it.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as InflowId from "../chain/InflowId.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as Mode from "../ground/Mode.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as PaymentId from "../ground/PaymentId.ts"

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  /** It pays nothing, and waits for a decision. */
  Suspended: {},
  /** It pays a payment that was confirmed with it. */
  Taken: { paymentId: PaymentId.PaymentId },
  /** It goes back to its sender; the outflow holds its progress. */
  Returning: { outflowId: OutflowId.OutflowId },
  /** The operator sent it as float. */
  Funded: {},
  /** A deep reorganisation took it. */
  Gone: {},
})

/** The payment that its payer reported it for, although it does not pay it. */
export interface Hint extends Schema.Schema.Type<typeof Hint> {}
export const Hint = Schema.Struct({
  paymentId: PaymentId.PaymentId,
  partnerId: PartnerId.PartnerId,
})

export interface Inflow extends Schema.Schema.Type<typeof Inflow> {}
export const Inflow = Schema.Struct({
  id: InflowId.InflowId,
  mode: Mode.Mode,
  transfer: Transfer.Log,
  state: State,
  /** What it was for, as far as anybody said so. With a hint, it pays nothing else. */
  hint: Schema.optionalKey(Hint),
  foundAt: Schema.Int,
  updatedAt: Schema.Int,
  /** Counts every write, and guards the next one. */
  revision: Schema.Int,
  /** Since when its transfer, which was final, is missing; absent while it is not. */
  missedSince: Schema.optionalKey(Schema.Int),
})

/** The states that may follow each state. */
export const follows: { readonly [Tag in State["_tag"]]: ReadonlyArray<State["_tag"]> } = {
  Suspended: ["Taken", "Returning", "Funded", "Gone"],
  Taken: [],
  Returning: ["Gone"],
  Funded: ["Gone"],
  Gone: [],
}

/** The inflow in another state, or in the same one with other content. Null if the table allows no move. */
export const moved = (inflow: Inflow, state: State, now: number): Inflow | null =>
  state === inflow.state || follows[inflow.state._tag].includes(state._tag)
    ? {
        ...inflow,
        state,
        updatedAt: Math.max(now, inflow.updatedAt),
        revision: inflow.revision + 1,
      }
    : null

/** Whether a payment that is confirmed with its transfer may take it. */
export const isFree = ({ hint, state }: Inflow): boolean =>
  state._tag === "Suspended" && hint === undefined
