/**
 * The operator's own money in transfer: from one of our accounts to another, or out of the service.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import type * as Transfer from "../chain/Transfer.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import type * as Change from "../payment/Change.ts"

/** Requests the transfer. Nothing is booked before it is sent, so other money may leave the account first. */
export const request = (
  input: {
    readonly id: OutflowId.OutflowId
    readonly mode: Mode.Mode
    readonly movement: Transfer.Movement
    readonly purpose: Outflow.OwnTag
  },
  claims: Change.OutflowChange["claims"],
  now: number,
): Change.Write => {
  const outflow = Outflow.make({ ...input, purpose: { _tag: input.purpose } }, now)
  return { payments: [], outflows: [{ outflow, ledger: [], claims, due: { send: now } }] }
}

const booking = (transaction: Ledger.Transaction): ReadonlyArray<Change.Booking> => [
  { paymentId: null, transaction },
]

const held = ({ quantity, token }: Transfer.Movement, collecting: Caip.Address) => ({
  collecting,
  token,
  quantity,
})

/** The ledger's bookings when it leaves our account. */
export const departure = ({
  movement,
  purpose,
}: Outflow.Outflow): ReadonlyArray<Change.Booking> => {
  const from = held(movement, movement.from)
  return booking(purpose._tag === "Move" ? Ledger.departure(from) : Ledger.withdrawal(from))
}

/** The ledger's bookings if it is final on another of our accounts: until then that account may not spend it. */
export const arrival = ({ movement, purpose }: Outflow.Outflow): ReadonlyArray<Change.Booking> =>
  purpose._tag === "Move" ? booking(Ledger.arrival(held(movement, movement.to))) : []
