/**
 * The operator's own tokens on the collecting accounts: refunds of money that was already settled are paid from them.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Incoming from "../../domain/books/Incoming.ts"
import * as Outgoing from "../../domain/books/Outgoing.ts"
import * as OwnMoney from "../../domain/books/OwnMoney.ts"
import * as Caip from "../../domain/chain/Caip.ts"
import type * as InflowId from "../../domain/chain/InflowId.ts"
import type * as Transfer from "../../domain/chain/Transfer.ts"
import type * as Mode from "../../domain/ground/Mode.ts"
import type * as Money from "../../domain/ground/Money.ts"
import type * as OutflowId from "../../domain/ground/OutflowId.ts"
import * as Ledger from "../../domain/money/Ledger.ts"
import * as Outflow from "../../domain/outflow/Outflow.ts"
import * as Treasury from "../../domain/outflow/Treasury.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Idempotency from "../../domain/partner/Idempotency.ts"
import { Chains } from "../../ports/Chain.ts"
import { Identifiers } from "../../ports/Identifiers.ts"
import { InflowStore } from "../../ports/InflowStore.ts"
import { floatOf, LedgerStore } from "../../ports/LedgerStore.ts"
import { OutflowStore, findOutflow } from "../../ports/OutflowStore.ts"
import { PaymentStore } from "../../ports/PaymentStore.ts"
import { Screening } from "../../ports/Screening.ts"
import { TreasuryPolicy } from "../../ports/TreasuryPolicy.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Writes from "../record/Writes.ts"

/** Tokens that the operator moved on chain and now records. */
export interface Moved {
  /** The transaction's hash, or another text that identifies this movement: it is recorded once. */
  readonly key: Idempotency.IdempotencyKey
  readonly token: Caip.Token
  readonly collecting: Caip.Address
  readonly quantity: Money.Quantity
}

const isSame = Schema.toEquivalence(Ledger.Transaction)

const deedOf = (
  action: AuditLog.Action,
  mode: Mode.Mode,
  subject: string,
  { collecting, quantity, token }: Omit<Moved, "key">,
  to: Caip.Address | null = null,
): AuditLog.Deed => ({
  action,
  partnerId: null,
  mode,
  subject,
  changes: [
    AuditLog.became("token", Caip.tokenKey(token)),
    AuditLog.became("collecting", collecting),
    AuditLog.became("quantity", quantity.toString()),
    ...(to === null ? [] : [AuditLog.became("to", to)]),
  ],
})

/** Whether the operator recorded this transfer as its own. */
export const isPut = Effect.fnUntraced(function* ({
  movement: { quantity, to: collecting, token },
  txHash,
}: Transfer.Log) {
  const key = Idempotency.parseKey(txHash)
  if (Result.isFailure(key)) return false
  const posted = yield* (yield* LedgerStore).ledgerOf({ key: key.success })
  return posted.some((each) => isSame(each, Ledger.funding({ collecting, token, quantity })))
})

/**
 * The transfer in a transaction that matches what the operator recorded, if it was not sent back and does not pay a
 * payment.
 */
const broughtBy = Effect.fnUntraced(function* ({ collecting, key, quantity, token }: Moved) {
  const brought = yield* (yield* InflowStore).inflows({ _tag: "Transaction", txHash: key })
  const own = brought.filter(
    ({ transfer: { movement } }) =>
      Caip.sameToken(movement.token, token) &&
      movement.to === collecting &&
      movement.quantity === quantity,
  )
  return (
    own.find(({ state }) => state._tag === "Suspended") ??
    own.find(({ state }) => state._tag === "Funded")
  )
})

/** Moves a transfer that the operator sent from suspense to the float; returns whether it was in suspense. */
const fund = Effect.fnUntraced(function* (id: InflowId.InflowId, isWritten: boolean) {
  const now = yield* Clock.currentTimeMillis
  return yield* Writes.writeInflow(id, (current) => Incoming.fund(current, isWritten, now)).pipe(
    Effect.catchTag(["ClaimTaken", "LeaseLost", "NotFound", "Uncovered"], Effect.die),
  )
})

/** Writes a movement under its key. If a scan found a transfer in the meantime, it is the same money. */
const post = Effect.fnUntraced(function* (mode: Mode.Mode, moved: Moved) {
  const isNews = yield* (yield* LedgerStore).post(mode, moved.key, Ledger.funding(moved))
  const found = yield* broughtBy(moved)
  if (found?.state._tag === "Suspended") yield* fund(found.id, true)
  return isNews
})

/**
 * Records money that the operator put on a collecting account. If a scan already booked it as money that no payment
 * claims, it is taken from there. Otherwise a later scan recognizes it by its transaction.
 */
export const put = Effect.fn("Float.put")(function* (mode: Mode.Mode, moved: Moved) {
  const found = yield* broughtBy(moved)
  const isHere = found?.mode === mode && !(yield* isPut(found.transfer))
  const written = !isHere
    ? post(mode, moved)
    : found.state._tag === "Suspended"
      ? fund(found.id, false)
      : Effect.succeed(false)
  const { key, ...rest } = moved
  yield* recordDeed(written, (isNews) => (isNews ? deedOf("float.put", mode, key, rest) : null))
})

/** Records money that the operator took from a collecting account by hand: float, or fees. */
export const take = Effect.fn("Float.take")(function* (mode: Mode.Mode, { key, ...moved }: Moved) {
  yield* recordDeed((yield* LedgerStore).post(mode, key, Ledger.withdrawal(moved)), (isNews) =>
    isNews ? deedOf("float.taken", mode, key, moved) : null,
  )
})

/** The operator's money may not go there, is not there, or is already on its way. */
export class FloatRefused extends Schema.TaggedError<FloatRefused>()("FloatRefused", {
  /**
   * Why it was refused:
   * - `account`: the sending account is not ours.
   * - `destination`: the money may not go there.
   * - `short`: the account does not have it.
   * - `busy`: other money of the operator's is leaving that account in this token.
   * - `sent`: the movement was sent and cannot be cancelled.
   */
  reason: Schema.Literals(["account", "destination", "short", "busy", "sent"]),
  message: Schema.String,
  /** The missing quantity, for `short`. */
  missing: Schema.optionalKey(Schema.BigInt),
}) {}

const refuse = (reason: FloatRefused["reason"], message: string) =>
  new FloatRefused({ reason, message })

/** Refuses a movement that is not allowed. The worker that sends it would refuse it, too. */
const requireAllowed = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  purpose: "Move" | "Withdraw",
  movement: Transfer.Movement,
) {
  const { accounts } = (yield* Chains).of(mode)
  const { chainId } = movement.token
  if (!accounts.some((each) => Caip.sameAccount(each, { chainId, address: movement.from }))) {
    return yield* refuse("account", "the sending account is not an account of the service")
  }
  const outflow = { movement, purpose: { _tag: purpose } }
  if (!Treasury.mayLeave(outflow, yield* TreasuryPolicy, accounts)) {
    return yield* refuse(
      "destination",
      purpose === "Move"
        ? "the receiving account is not another account of the service"
        : "the setting treasury does not list the receiving account",
    )
  }
  const refused = yield* (yield* Screening).refused([{ chainId, address: movement.to }])
  if (refused.length > 0) {
    return yield* refuse("destination", "screening refuses the receiving account")
  }
})

const actions = { Move: "float.moved", Withdraw: "float.withdrawn" } as const

/** Stores the outflow, which a worker sends. What the account owes to others stays on it in any case. */
const send = Effect.fnUntraced(function* (
  mode: Mode.Mode,
  purpose: keyof typeof actions,
  going: Transfer.Movement,
) {
  yield* requireAllowed(mode, purpose, going)
  const { from: collecting, quantity, to, token } = going
  const float = yield* floatOf(yield* LedgerStore, mode, { collecting, token })
  if (float < quantity) {
    return yield* new FloatRefused({
      reason: "short",
      message: "the account does not have this much of the operator's own money",
      missing: quantity - float,
    })
  }
  const id = yield* (yield* Identifiers).outflow
  const now = yield* Clock.currentTimeMillis
  const write = OwnMoney.request({ id, mode, movement: going, purpose }, [], now)
  const deed = deedOf(actions[purpose], mode, id, { collecting, quantity, token }, to)
  yield* recordDeed(
    Writes.decide({}, () => Result.succeed(write)),
    () => deed,
  ).pipe(
    Effect.catchTag("ClaimTaken", () =>
      refuse(
        "busy",
        "another transfer of the operator's money from the account is in progress: wait until it is done",
      ),
    ),
  )
  return id
})

/** Sends float from one of our accounts to another, through its lane; returns the outflow's id. */
export const move = Effect.fn("Float.move")((mode: Mode.Mode, going: Transfer.Movement) =>
  send(mode, "Move", going),
)

/** Sends float or fees to one of the operator's own accounts that the settings list; returns the outflow's id. */
export const withdraw = Effect.fn("Float.withdraw")((mode: Mode.Mode, going: Transfer.Movement) =>
  send(mode, "Withdraw", going),
)

/** Cancels a movement of the operator's own money that was not sent. */
export const cancel = Effect.fn("Float.cancel")(function* (id: OutflowId.OutflowId) {
  const now = yield* Clock.currentTimeMillis
  const outflow = yield* findOutflow(yield* OutflowStore, id)
  const { mode, movement } = outflow
  const of = { ...movement, collecting: movement.from }
  const cancelled = yield* recordDeed(
    Writes.decideOutflow(outflow, (current) => Outgoing.giveUp(current, now)),
    (write) => write && deedOf("float.cancelled", mode, id, of, movement.to),
  )
  if (cancelled === null) {
    return yield* refuse("sent", "it was sent already, or is not the operator's own money")
  }
})

/** How much an outflow would take from the float of the account that it leaves. */
export const drawOf = Effect.fnUntraced(function* (outflow: Outflow.Outflow) {
  const store = yield* PaymentStore
  const payments = yield* Effect.forEach(Outgoing.shownToSend(outflow), store.payment)
  const draw = Outgoing.drawOf({ outflow, payments })
  return draw > 0n ? draw : 0n
})

/** How much an account lacks for a waiting outflow; 0 if the outflow waits for nothing. */
export const missingFor = Effect.fn("Float.missingFor")(function* (outflow: Outflow.Outflow) {
  const { mode, movement, state } = outflow
  const draw = state._tag === "Waiting" ? yield* drawOf(outflow) : 0n
  if (draw === 0n) return 0n
  const held = { collecting: movement.from, token: movement.token }
  const float = yield* floatOf(yield* LedgerStore, mode, held)
  return draw > float ? draw - float : 0n
})

/** An outflow that waits because its account does not have enough of the operator's own money. */
export interface Short {
  readonly outflow: Outflow.Outflow
  /** How much the account lacks for it. */
  readonly missing: bigint
}

/** The outflows that wait for the operator's money, of all or of some, oldest first, each considered by itself. */
export const short = Effect.fn("Float.short")(function* (
  mode: Mode.Mode,
  isAsked: (outflow: Outflow.Outflow) => boolean = () => true,
) {
  const open = yield* (yield* OutflowStore).openOutflows(mode)
  const found = yield* Effect.forEach(
    open.filter(isAsked),
    (outflow) => Effect.map(missingFor(outflow), (missing): Short => ({ outflow, missing })),
    { concurrency: 4 },
  )
  return found.filter(({ missing }) => missing > 0n)
})

/** One of our accounts that lacks the operator's own money for outflows that wait for it. */
export interface ShortAccount {
  readonly token: Caip.Token
  readonly address: Caip.Address
  /** How many outflows wait for it. */
  readonly count: number
  /** The largest quantity that it lacks for one of them. */
  readonly missing: bigint
}

/** The accounts that outflows wait for, for each token separately. Outflows that were not tried yet are not counted. */
export const shortAccounts = Effect.fn("Float.shortAccounts")(function* (mode: Mode.Mode) {
  const waiting = yield* short(mode, (each) => Outflow.isHindered(each, "float"))
  const found = new Map<string, ShortAccount>()
  for (const { missing: lacking, outflow } of waiting) {
    const { from: address, token } = outflow.movement
    const key = `${Caip.tokenKey(token)} ${address}`
    const { count = 0, missing = 0n } = found.get(key) ?? {}
    const most = lacking > missing ? lacking : missing
    found.set(key, { token, address, count: count + 1, missing: most })
  }
  return [...found.values()]
})
