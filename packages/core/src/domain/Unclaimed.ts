/**
 * Money that came to an account of ours and that no payment claims: sent by mistake, or in another quantity than asked, or
 * by the operator.
 *
 * It lies in suspense, whoever reported it or nobody, until a payment turns out to be paid by it, an operator gives it back
 * or says that it is the operator's own. It never pays a payment by its quantity alone: only a statement that its payer
 * signed names the payment.
 *
 * @module
 */
import type * as Caip from "./Caip.ts"
import type * as Change from "./Change.ts"
import * as Claim from "./Claim.ts"
import * as Ledger from "./Ledger.ts"
import * as Limits from "./Limits.ts"
import type * as Mode from "./Mode.ts"
import * as Outflow from "./Outflow.ts"
import type * as Transfer from "./Transfer.ts"
import * as UnclaimedId from "./UnclaimedId.ts"
import type { State, UnclaimedTransfer } from "./UnclaimedTransfer.ts"

/** What the transfer is to the ledger while it is in suspense. */
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

const alone = (change: Change.UnclaimedChange): Change.Write => ({
  payments: [],
  outflows: [],
  unclaimed: [change],
})

/** A final transfer that no payment claims: it is claimed, so that nothing else counts it. */
export const suspend = (mode: Mode.Mode, transfer: Transfer.Log, now: number): Change.Write =>
  alone({
    unclaimed: {
      id: UnclaimedId.of(transfer),
      mode,
      transfer,
      state: { _tag: "Suspended" },
      foundAt: now,
      updatedAt: now,
      revision: 0,
    },
    ledger: [Ledger.suspended(bookedAs({ transfer }))],
    claims: [Claim.ofTransfer(transfer)],
  })

/** It is where `transfer` says. */
const moved = (unclaimed: UnclaimedTransfer, transfer: Transfer.Log, now: number): Change.Write => {
  const { missedSince: _, ...found } = unclaimed
  return alone(
    changed({ ...found, transfer }, found.state, now, {
      moved: { from: found.transfer, to: transfer },
    }),
  )
}

/** What is written for a payment to have it, and whether that is all. */
export interface Taking {
  readonly write: Change.Write
  readonly isWhole: boolean
}

/**
 * A change of a payment that claims the transfer, with the transfer out of suspense. Null if it is not in suspense any
 * more. If the payment's `evidence` is in another block, it is moved there first, so that the payment rests on that block.
 * Where both modes share a chain, it may be in the books of the other mode: it leaves those first, and is the payment's
 * from then on.
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
  const reversal = Ledger.reversed(Ledger.suspended(bookedAs(unclaimed)))
  if (mode !== payment.mode) {
    return { write: alone(changed(found, taken, now, { ledger: [reversal] })), isWhole: false }
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

/** The movement that gives it back to whom it came from. */
export const returnOf = ({ transfer: { movement } }: UnclaimedTransfer): Transfer.Movement => ({
  ...movement,
  from: movement.to,
  to: movement.from,
})

/** Has it given back, in an outflow of its own. Null if it is not in suspense, or missed on its chain. */
export const giveBack = (
  unclaimed: UnclaimedTransfer,
  outflowId: Outflow.OutflowId,
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

/** What giving it back is to the ledger. */
export const bookings = ({ movement }: Outflow.Outflow): ReadonlyArray<Change.Booking> => {
  const { from: collecting, quantity, to, token } = movement
  const payer: Caip.Account = { chainId: token.chainId, address: to }
  return [{ paymentId: null, transaction: Ledger.returned({ payer, collecting, token, quantity }) }]
}

/**
 * The operator sent it: it is float. What was written down as float before it was found is only taken out of suspense. Null
 * if it is not in suspense.
 */
export const fund = (
  unclaimed: UnclaimedTransfer,
  isWritten: boolean,
  now: number,
): Change.Write | null => {
  if (unclaimed.state._tag !== "Suspended") return null
  const reversal = Ledger.reversed(Ledger.suspended(bookedAs(unclaimed)))
  const ledger = isWritten ? [reversal] : [reversal, Ledger.funded(ownAs(unclaimed))]
  return alone(changed(unclaimed, { _tag: "Funded" }, now, { ledger }))
}

// --- reorganisations

/** Its transfer was in a block that is gone. Null if it was in another, or is a payment's. */
export const miss = (
  unclaimed: UnclaimedTransfer,
  blockHash: string,
  now: number,
): Change.Write | null => {
  const { missedSince, state, transfer } = unclaimed
  return state._tag === "Taken" || state._tag === "Gone" || transfer.blockHash !== blockHash
    ? null
    : alone(changed({ ...unclaimed, missedSince: missedSince ?? now }, state, now))
}

/** Its transfer is there after all, where `transfer` says. Null if it is not missed. */
export const find = (
  unclaimed: UnclaimedTransfer,
  transfer: Transfer.Log,
  now: number,
): Change.Write | null =>
  unclaimed.missedSince === undefined ? null : moved(unclaimed, transfer, now)

/** Whether a missing transfer was waited for long enough. */
export const isOverdue = ({ missedSince }: UnclaimedTransfer, now: number): boolean =>
  missedSince !== undefined && now - missedSince >= Limits.goneAwaitedInMs

/**
 * Its transfer is gone for good: it was never there. What was not given back yet stays here, and what was is the operator's
 * loss. Null while that is on its way, and if the transfer is not missed.
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
      return alone(gone([Ledger.reversed(Ledger.suspended(bookedAs(unclaimed)))]))
    case "Funded":
      return alone(gone([Ledger.reversed(Ledger.funded(ownAs(unclaimed)))]))
    case "Returned": {
      if (outflow === undefined) return null
      if (outflow.state._tag === "Paid") return alone(gone([Ledger.lost(ownAs(unclaimed))]))
      const cancelled = Outflow.cancel(outflow, now)
      return cancelled === null
        ? null
        : {
            ...alone(gone([Ledger.reversed(Ledger.suspended(bookedAs(unclaimed)))])),
            outflows: [{ outflow: cancelled, ledger: [], claims: [], due: { send: null } }],
          }
    }
    default:
      return null
  }
}
