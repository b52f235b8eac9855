/**
 * Money that arrived on one of our accounts and that no payment claims: sent by mistake, in another quantity than
 * requested, or by the operator.
 *
 * It stays in suspense, reported or not, until it turns out to pay a payment, or an operator returns it or declares it
 * the operator's own. Its quantity alone never makes it pay a payment: only a statement that its payer signed names the
 * payment.
 *
 * @module
 */
import type * as Caip from "../chain/Caip.ts"
import * as Claim from "../chain/Claim.ts"
import type * as Transfer from "../chain/Transfer.ts"
import * as UnclaimedId from "../chain/UnclaimedId.ts"
import * as Limits from "../ground/Limits.ts"
import type * as Mode from "../ground/Mode.ts"
import type * as OutflowId from "../ground/OutflowId.ts"
import * as Ledger from "../money/Ledger.ts"
import * as Outflow from "../outflow/Outflow.ts"
import type { State, UnclaimedTransfer } from "../outflow/UnclaimedTransfer.ts"
import type * as Change from "../payment/Change.ts"

/** The ledger's view of the transfer while it is in suspense. */
const bookedAs = ({
  transfer: { movement },
}: Pick<UnclaimedTransfer, "transfer">): Ledger.Late => ({
  payer: { chainId: movement.token.chainId, address: movement.from },
  collecting: movement.to,
  token: movement.token,
  quantity: movement.quantity,
})

const ownAs = ({ transfer: { movement } }: Pick<UnclaimedTransfer, "transfer">) => ({
  collecting: movement.to,
  token: movement.token,
  quantity: movement.quantity,
})

const changed = (
  unclaimed: UnclaimedTransfer,
  state: State,
  now: number,
  effects: Partial<Omit<Change.UnclaimedChange, "unclaimed">> = {},
): Change.UnclaimedChange => ({
  unclaimed: {
    ...unclaimed,
    state,
    updatedAt: Math.max(now, unclaimed.updatedAt),
    revision: unclaimed.revision + 1,
  },
  ledger: [],
  claims: [],
  ...effects,
})

const onlyUnclaimed = (change: Change.UnclaimedChange): Change.Write => ({
  payments: [],
  outflows: [],
  unclaimed: [change],
})

/** A final transfer that no payment claims: it is claimed, so that nothing else counts it. */
export const suspend = (mode: Mode.Mode, transfer: Transfer.Log, now: number): Change.Write =>
  onlyUnclaimed({
    unclaimed: {
      id: UnclaimedId.of(transfer),
      mode,
      transfer,
      state: { _tag: "Suspended" },
      foundAt: now,
      updatedAt: now,
      revision: 0,
    },
    ledger: [Ledger.suspension(bookedAs({ transfer }))],
    claims: [Claim.ofTransfer(transfer)],
  })

/** Moves it to the place of `transfer`. */
const moved = (unclaimed: UnclaimedTransfer, transfer: Transfer.Log, now: number): Change.Write => {
  const { missedSince: _, ...found } = unclaimed
  return onlyUnclaimed(
    changed({ ...found, transfer }, found.state, now, {
      moved: { from: found.transfer, to: transfer },
    }),
  )
}

/** The changes with which a payment takes it, and whether they are complete. */
export interface Taking {
  readonly write: Change.Write
  readonly isWhole: boolean
}

/**
 * A change of a payment that claims the transfer, with the transfer out of suspense. Null if it is no longer in
 * suspense. If the payment's `evidence` is in another block, it is moved there first, so that the payment rests on that
 * block. If both modes share a chain, it may be in the books of the other mode: it leaves those first, and belongs to
 * the payment from then on.
 */
export const take = (
  unclaimed: UnclaimedTransfer,
  change: Change.Change,
  evidence: Transfer.Log,
  now: number,
): Taking | null => {
  const { mode, state, transfer } = unclaimed
  const { payment } = change
  const key = Claim.key(Claim.ofTransfer(transfer))
  const claims = change.claims.filter((claim) => Claim.key(claim) !== key)
  if (state._tag === "Taken" && state.paymentId === payment.id && mode !== payment.mode) {
    return { write: { payments: [{ ...change, claims }], outflows: [] }, isWhole: true }
  }
  if (state._tag !== "Suspended") return null
  if (transfer.blockHash !== evidence.blockHash) {
    return { write: moved(unclaimed, evidence, now), isWhole: false }
  }
  const { missedSince: _, ...found } = unclaimed
  const taken: State = { _tag: "Taken", paymentId: payment.id }
  const reversal = Ledger.reversal(Ledger.suspension(bookedAs(unclaimed)))
  if (mode !== payment.mode) {
    return {
      write: onlyUnclaimed(changed(found, taken, now, { ledger: [reversal] })),
      isWhole: false,
    }
  }
  const ledger = [reversal, ...change.ledger]
  return {
    write: {
      payments: [{ ...change, claims, ledger }],
      outflows: [],
      unclaimed: [changed(found, taken, now)],
    },
    isWhole: true,
  }
}

/** The movement that returns it to its sender. */
export const returnOf = ({ transfer: { movement } }: UnclaimedTransfer): Transfer.Movement => ({
  ...movement,
  from: movement.to,
  to: movement.from,
})

/** Requests its return, in an outflow of its own. Null if it is not in suspense, or missing on its chain. */
export const giveBack = (
  unclaimed: UnclaimedTransfer,
  outflowId: OutflowId.OutflowId,
  now: number,
): Change.Write | null => {
  if (unclaimed.state._tag !== "Suspended" || unclaimed.missedSince !== undefined) return null
  const { id: unclaimedId, mode } = unclaimed
  const outflow = Outflow.make(
    {
      id: outflowId,
      mode,
      movement: returnOf(unclaimed),
      purpose: { _tag: "GiveBack", unclaimedId },
    },
    now,
  )
  return {
    payments: [],
    outflows: [{ outflow, ledger: [], claims: [], due: { send: now } }],
    unclaimed: [changed(unclaimed, { _tag: "Returned", outflowId }, now)],
  }
}

/** The ledger's bookings of the return. */
export const bookings = ({ movement }: Outflow.Outflow): ReadonlyArray<Change.Booking> => {
  const { from: collecting, quantity, to, token } = movement
  const payer: Caip.Account = { chainId: token.chainId, address: to }
  return [
    { paymentId: null, transaction: Ledger.lateReturn({ payer, collecting, token, quantity }) },
  ]
}

/**
 * The operator sent it: it is float. If float was already booked for it before it was found, it is only taken out of
 * suspense. Null if it is not in suspense.
 */
export const fund = (
  unclaimed: UnclaimedTransfer,
  isWritten: boolean,
  now: number,
): Change.Write | null => {
  if (unclaimed.state._tag !== "Suspended") return null
  const reversal = Ledger.reversal(Ledger.suspension(bookedAs(unclaimed)))
  const ledger = isWritten ? [reversal] : [reversal, Ledger.funding(ownAs(unclaimed))]
  return onlyUnclaimed(changed(unclaimed, { _tag: "Funded" }, now, { ledger }))
}

// --- reorganisations

/** Its transfer was in a block that is gone. Null if it was in another, or belongs to a payment. */
export const miss = (
  unclaimed: UnclaimedTransfer,
  blockHash: string,
  now: number,
): Change.Write | null => {
  const { missedSince, state, transfer } = unclaimed
  return state._tag === "Taken" || state._tag === "Gone" || transfer.blockHash !== blockHash
    ? null
    : onlyUnclaimed(changed({ ...unclaimed, missedSince: missedSince ?? now }, state, now))
}

/** Its transfer is there after all, at the place of `transfer`. Null if it is not missing. */
export const find = (
  unclaimed: UnclaimedTransfer,
  transfer: Transfer.Log,
  now: number,
): Change.Write | null =>
  unclaimed.missedSince === undefined ? null : moved(unclaimed, transfer, now)

/** Whether the wait for a missing transfer was long enough. */
export const isOverdue = ({ missedSince }: UnclaimedTransfer, now: number): boolean =>
  missedSince !== undefined && now - missedSince >= Limits.goneAwaitedInMs

/**
 * Its transfer is gone for good: it counts as never received. If it was not returned yet, our money stays; if it was,
 * that is the operator's loss. Null while the return is on its way, and if the transfer is not missing.
 */
export const vanish = (
  unclaimed: UnclaimedTransfer,
  outflow: Outflow.Outflow | undefined,
  now: number,
): Change.Write | null => {
  const { missedSince, state, transfer } = unclaimed
  if (missedSince === undefined) return null
  const gone = (ledger: ReadonlyArray<Ledger.Transaction>): Change.UnclaimedChange => {
    const { missedSince: _, ...rest } = unclaimed
    return changed(rest, { _tag: "Gone" }, now, { ledger, moved: { from: transfer, to: null } })
  }
  switch (state._tag) {
    case "Suspended":
      return onlyUnclaimed(gone([Ledger.reversal(Ledger.suspension(bookedAs(unclaimed)))]))
    case "Funded":
      return onlyUnclaimed(gone([Ledger.reversal(Ledger.funding(ownAs(unclaimed)))]))
    case "Returned": {
      // A return that is looked for again may prove gone, too: then nothing of either is left.
      if (outflow === undefined || outflow.auditedSince !== undefined) return null
      if (outflow.state._tag === "Paid")
        return onlyUnclaimed(gone([Ledger.disappearance(ownAs(unclaimed))]))
      const cancelled = Outflow.cancel(outflow, now)
      return cancelled === null
        ? null
        : {
            ...onlyUnclaimed(gone([Ledger.reversal(Ledger.suspension(bookedAs(unclaimed)))])),
            outflows: [{ outflow: cancelled, ledger: [], claims: [], due: { send: null } }],
          }
    }
    default:
      return null
  }
}
