/**
 * Payments, outflows and inflows with their due work, in memory: one write may change any number of them.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Balance from "../../domain/books/Balance.ts"
import * as Refunding from "../../domain/books/Refunding.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import * as Claim from "../../domain/chain/Claim.ts"
import type * as MerchantId from "../../domain/ground/MerchantId.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import type * as PaymentId from "../../domain/ground/PaymentId.ts"
import * as PaymentFilter from "../../domain/list/PaymentFilter.ts"
import * as Turn from "../../domain/list/Turn.ts"
import * as DailyLimit from "../../domain/outflow/DailyLimit.ts"
import type * as Inflow from "../../domain/outflow/Inflow.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as Change from "../../domain/payment/Change.ts"
import type * as Payment from "../../domain/payment/Payment.ts"
import type { Lease } from "../DueWork.ts"
import type { Shown, Subjects, WaitingShares } from "../OutflowStore.ts"
import type { Resting } from "../PaymentStore.ts"
import { ClaimTaken, LeaseLost, type NotFound, Overdrawn, Uncovered } from "../StorageError.ts"
import type { Accounts } from "./Accounts.ts"
import type { Budgets } from "./Budgets.ts"
import * as Draws from "./Draws.ts"
import type { Events } from "./Events.ts"
import type { Ledgers } from "./Ledgers.ts"
import { requireFound, isTenants, oldestFirst } from "./Rows.ts"
import { WorkQueue } from "./WorkQueue.ts"

export const collectedKey = ({ account, session }: Change.Collected): string =>
  `${Caip.accountKey(account)}/${session ?? ""}`

const restingKey = (mode: Mode.Mode, chainId: Caip.ChainId): string => `${mode}:${chainId}`

const isWaiting = (payment: Payment.Payment): boolean =>
  Balance.groupOf(payment) !== null ||
  Balance.tokenOwed(payment) !== null ||
  Refunding.needKeyOf(payment) !== null

/** The parts that a write changes, in addition to the records themselves. */
interface Parts {
  readonly ledgers: Pick<Ledgers, "checkLedger" | "book">
  readonly events: Pick<Events, "announce">
  readonly budgets: Pick<Budgets, "allows" | "charge">
  readonly accounts: Pick<Accounts, "lastDestinations">
}

export const make = ({
  accounts,
  budgets,
  events: { announce },
  ledgers: { book, checkLedger },
}: Parts) => {
  const payments = new Map<string, Payment.Payment>()
  const outflows = new Map<string, Outflow.Outflow>()
  const inflows = new Map<string, Inflow.Inflow>()
  const draws = Draws.make()
  /** The payments whose share waits or is owed, or whose refund needs money: few of those that ever were. */
  const waiting = new Map<PaymentId.PaymentId, Payment.Payment>()
  /** Which record has each claim. */
  const claims = new Map<string, Resting["id"]>()
  const resting = new Map<string, Map<string, Resting>>()
  const collected = new Map<PaymentId.PaymentId, Map<string, Change.Collected>>()
  const work: { readonly [K in Lease["kind"]]: WorkQueue } = {
    expire: new WorkQueue(),
    collect: new WorkQueue(),
    settle: new WorkQueue(),
    watch: new WorkQueue(),
    audit: new WorkQueue(),
    send: new WorkQueue(),
    recheck: new WorkQueue(),
  }

  const replaceCollected = (id: PaymentId.PaymentId, data: Change.Collected): void => {
    const of = collected.get(id) ?? new Map<string, Change.Collected>()
    collected.set(id, of.set(collectedKey(data), data))
  }

  const restingOn = (mode: Mode.Mode, chainId: Caip.ChainId): Map<string, Resting> => {
    const key = restingKey(mode, chainId)
    const known = resting.get(key) ?? new Map<string, Resting>()
    resting.set(key, known)
    return known
  }

  const restOn = (mode: Mode.Mode, id: Resting["id"], claim: Claim.Claim): void => {
    if (claim._tag !== "Transfer") return
    const { blockHash, blockNumber, chainId } = claim
    const key = Claim.key(claim)
    const checkpoint = { number: blockNumber, hash: blockHash }
    restingOn(mode, chainId).set(key, { claim: key, id, checkpoint })
  }

  const move = (mode: Mode.Mode, id: Resting["id"], { from, isFreed, to }: Change.Moved): void => {
    const left = Claim.ofTransfer(from)
    restingOn(mode, left.chainId).delete(Claim.key(left))
    if (to !== null || isFreed === true) claims.delete(Claim.key(left))
    if (to === null) return
    const next = Claim.ofTransfer(to)
    claims.set(Claim.key(next), id)
    restOn(mode, id, next)
  }

  /** The claims of a change that nothing else may have made before. */
  const newClaims = ({
    claims: own,
    moved,
  }: Pick<Change.OutflowChange, "claims" | "moved">): ReadonlyArray<string> => {
    const made = own.map(Claim.key)
    if (moved === undefined || moved.to === null) return made
    const next = Claim.key(Claim.ofTransfer(moved.to))
    return next === Claim.key(Claim.ofTransfer(moved.from)) ? made : [...made, next]
  }

  /** What payments and outflows have in common: claims, and the transfers that they rest on. */
  const rest = (
    mode: Mode.Mode,
    id: Resting["id"],
    change: Pick<Change.OutflowChange, "claims" | "moved">,
  ): void => {
    for (const claim of change.claims) {
      claims.set(Claim.key(claim), id)
      restOn(mode, id, claim)
    }
    if (change.moved !== undefined) move(mode, id, change.moved)
  }

  const writePayment = (change: Change.Change): void => {
    const { payment } = change
    rest(payment.mode, payment.id, change)
    budgets.charge(change)
    if (change.collected !== undefined) replaceCollected(payment.id, change.collected)
    draws.replace(payments.get(payment.id), payment)
    payments.set(payment.id, payment)
    if (isWaiting(payment)) waiting.set(payment.id, payment)
    else waiting.delete(payment.id)
    for (const kind of Change.workKinds) {
      const dueAt = change.due[kind]
      if (dueAt !== undefined) work[kind].set(payment.id, dueAt, Turn.ofPayment(payment, kind))
    }
    if (change.event !== undefined) announce(payment, change.event, change.refundId)
  }

  const isAsked = (which: WaitingShares, payment: Payment.Payment): boolean => {
    const group = Balance.groupOf(payment)
    switch (which._tag) {
      case "Group":
        return (
          group !== null &&
          Balance.groupKey(group) === Balance.groupKey(which.group) &&
          (Balance.heldUntil(payment) ?? 0) <= which.now
        )
      case "Token":
        return (
          group !== null &&
          isTenants(which.tenant, group) &&
          Caip.sameToken(group.token, which.token) &&
          Balance.pendingQuantity(payment) > 0n &&
          (which.merchantId === null || payment.merchantId === which.merchantId)
        )
      case "Owed": {
        const owed = Balance.tokenOwed(payment)
        return (
          payment.merchantId === which.merchantId &&
          owed !== null &&
          Caip.sameToken(owed, which.token)
        )
      }
    }
  }

  /** The payments whose shares wait, oldest first. */
  const waitingShares = (which: WaitingShares): ReadonlyArray<Payment.Payment> =>
    [...waiting.values()].filter((each) => isAsked(which, each)).toSorted(oldestFirst)

  /** Makes the oldest owed share due. */
  const settleOwed = (merchantId: MerchantId.MerchantId, token: Caip.Token, now: number): void => {
    const [oldest] = waitingShares({ _tag: "Owed", merchantId, token })
    if (oldest !== undefined) {
      work.settle.set(oldest.id, now, Turn.ofPayment(oldest, "settle"))
    }
  }

  const sentSince = (
    counted: DailyLimit.Counted,
    since: number,
    except?: OutflowId.OutflowId,
  ): ReadonlyArray<DailyLimit.Sent> =>
    [...outflows.values()].flatMap((outflow) => {
      const [own, sent] = [DailyLimit.countedOf(outflow), DailyLimit.sentOf(outflow)]
      return own !== null &&
        sent !== null &&
        DailyLimit.countedKey(own) === DailyLimit.countedKey(counted) &&
        sent.at > since &&
        outflow.id !== except
        ? [sent]
        : []
    })

  const isWithin = ({ limit, outflow }: Change.OutflowChange): boolean => {
    if (limit === undefined) return true
    const own = DailyLimit.sentOf(outflow)
    const others = sentSince(limit, limit.since, outflow.id)
    return DailyLimit.allows(limit, own === null ? others : [...others, own])
  }

  const writeOutflow = (change: Change.OutflowChange): void => {
    const { outflow } = change
    rest(outflow.mode, outflow.id, change)
    outflows.set(outflow.id, outflow)
    for (const kind of Change.outflowWorkKinds) {
      const dueAt = change.due[kind]
      if (dueAt !== undefined) work[kind].set(outflow.id, dueAt, Turn.ofOutflow(outflow))
    }
  }

  const writeInflow = (change: Change.InflowChange): void => {
    const { id, mode, state, transfer } = change.inflow
    rest(mode, id, change)
    inflows.set(id, change.inflow)
    // From now on the payment rests on the transfer.
    if (state._tag !== "Taken") return
    const claim = Claim.ofTransfer(transfer)
    claims.set(Claim.key(claim), state.paymentId)
    restOn(mode, state.paymentId, claim)
  }

  const isHeld = ({ fence, id, kind }: Lease): boolean => work[kind].isHeld(id, fence)

  const isTurnTaken = (outflow: Outflow.Outflow): boolean => {
    const turn = Outflow.turnKey(outflow)
    return (
      turn !== null &&
      [...outflows.values()].some(
        (each) => each.id !== outflow.id && Outflow.turnKey(each) === turn,
      )
    )
  }

  /** Checks everything that could refuse a write, then writes all of it. */
  const write = (
    changes: Change.Write,
    lease: Lease | null,
  ): Result.Result<void, ClaimTaken | Uncovered | Overdrawn | LeaseLost> => {
    if (lease !== null && !isHeld(lease)) return Result.fail(LeaseLost.of())
    const brought = changes.inflows ?? []
    const all = [...changes.payments, ...changes.outflows, ...brought]
    const taken = all.flatMap(newClaims).find((claim) => claims.has(claim))
    if (taken !== undefined) {
      return Result.fail(ClaimTaken.of(taken))
    }
    if (changes.outflows.some(({ outflow }) => isTurnTaken(outflow))) {
      return Result.fail(ClaimTaken.of("turn"))
    }
    if (!changes.payments.every(draws.covers)) return Result.fail(Uncovered.of())
    if (!changes.payments.every(budgets.allows)) return Result.fail(Uncovered.ofFailures())
    const mode =
      changes.payments[0]?.payment.mode ??
      changes.outflows[0]?.outflow.mode ??
      brought[0]?.inflow.mode
    if (mode === undefined) return Result.void
    const bookings = Change.bookedBy(changes)
    const after = checkLedger(
      mode,
      bookings.map(({ transaction }) => transaction),
      changes.outflows,
    )
    if (Result.isFailure(after)) return Result.fail(after.failure)
    if (!changes.outflows.every(isWithin)) return Result.fail(Overdrawn.ofLimit())
    book(mode, bookings, after.success)
    for (const each of changes.payments) writePayment(each)
    for (const each of changes.outflows) writeOutflow(each)
    for (const each of brought) writeInflow(each)
    return Result.void
  }

  /** The current records, in the order in which they are named. */
  const show = (subjects: Subjects): Result.Result<Shown, NotFound> =>
    Result.all({
      outflows: Result.all(
        subjects.outflows.map((id) => requireFound("outflow", outflows.get(id))),
      ),
      payments: Result.all(
        subjects.payments.map((id) => requireFound("payment", payments.get(id))),
      ),
      inflows: Result.all(
        (subjects.inflows ?? []).map((id) => requireFound("inflow", inflows.get(id))),
      ),
      destinations: Result.succeed(
        subjects.destinations === undefined
          ? []
          : accounts.lastDestinations(subjects.destinations.token, subjects.destinations.merchants),
      ),
    })

  const isCounted = (token: Caip.Token): boolean =>
    [...payments.values()].some((payment) => {
      const own = PaymentFilter.tokenOf(payment)
      return own !== null && Caip.sameToken(own, token)
    })

  return {
    isCounted,
    draws,
    claims,
    payments,
    outflows,
    inflows,
    waiting,
    waitingShares,
    settleOwed,
    sentSince,
    collected,
    work,
    restingOn,
    replaceCollected,
    isHeld,
    show,
    write,
  }
}

/** What the stores of payments, outflows and due work share. */
export type Records = ReturnType<typeof make>
