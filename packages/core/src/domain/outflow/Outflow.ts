/**
 * Our outgoing money: one transfer, its purpose, and its state.
 *
 * The content of an outflow never changes. To pay something else, it is cancelled and another one is made.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Caip from "../chain/Caip.ts"
import * as InflowId from "../chain/InflowId.ts"
import * as Obstacle from "../chain/Obstacle.ts"
import * as Transfer from "../chain/Transfer.ts"
import * as MerchantId from "../ground/MerchantId.ts"
import * as Mode from "../ground/Mode.ts"
import * as Money from "../ground/Money.ts"
import * as OutflowId from "../ground/OutflowId.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as PaymentId from "../ground/PaymentId.ts"
import * as Lane from "./Lane.ts"
import * as OutflowState from "./OutflowState.ts"

/** The merchant's share of one payment: `quantity` is sent, `netted` pays off what the merchant owes us. */
export interface Share extends Schema.Schema.Type<typeof Share> {}
export const Share = Schema.Struct({
  paymentId: PaymentId.PaymentId,
  merchantId: MerchantId.MerchantId,
  quantity: Money.Quantity,
  netted: Money.Quantity,
})

/** What the transfer paid beyond all shares that the ledger knows: the merchant owes it. */
export interface Advance extends Schema.Schema.Type<typeof Advance> {}
export const Advance = Schema.Struct({
  merchantId: MerchantId.MerchantId,
  quantity: Money.Quantity,
})

/** Why money goes out. */
export type Purpose = typeof Purpose.Type
export const Purpose = Schema.TaggedUnion({
  /** Shares of any number of payments, all to one destination. */
  Settle: { shares: Schema.Array(Share), advance: Schema.optionalKey(Advance) },
  /** A payment is refunded to its payer. */
  Refund: { paymentId: PaymentId.PaymentId },
  /** Money that no payment claims is returned to its sender, with the payment that it was reported for. */
  Return: {
    inflowId: InflowId.InflowId,
    paymentId: Schema.optionalKey(PaymentId.PaymentId),
  },
  /** Float goes to another of our accounts on its chain. */
  Move: {},
  /** The operator takes float or fees out, to an account of its treasury. */
  Withdraw: {},
  /** The service sends what an account holds beyond its limit to the operator's cold account. */
  Sweep: {},
})

/** What else holds for all outflows of a purpose. */
interface Facts {
  /** The purpose in the API, in lists and in filters. */
  readonly word: string
  /** The purpose in a sentence. */
  readonly noun: string
  /** Whether it moves the operator's own money. */
  readonly isOwn: boolean
  /**
   * Where it may go: where its record says, to another of our accounts, or to accounts of the operator that the
   * settings list.
   */
  readonly goesTo: "record" | "ours" | "treasury" | "cold"
  /** The daily limit of its partner that it counts for. */
  readonly counted: "payouts" | "refunds" | null
  /**
   * What becomes of it if it takes more than the ledger holds. A payout was gathered when its merchant owed another
   * amount. What the service moves by itself is decided again from the balances at that time.
   */
  readonly ifOverdrawn: "gather" | "wait" | "give up" | "fail"
}

const others = { isOwn: false, goesTo: "record", counted: null } as const
const own = { isOwn: true, counted: null } as const

/** The facts of each purpose. */
export const purposes = {
  Settle: {
    ...others,
    word: "payout",
    noun: "payout",
    counted: "payouts",
    ifOverdrawn: "gather",
  },
  Refund: { ...others, word: "refund", noun: "refund", counted: "refunds", ifOverdrawn: "wait" },
  Return: { ...others, word: "return", noun: "return", ifOverdrawn: "fail" },
  Move: {
    ...own,
    word: "move",
    noun: "move between accounts",
    goesTo: "ours",
    ifOverdrawn: "give up",
  },
  Withdraw: {
    ...own,
    word: "withdrawal",
    noun: "withdrawal",
    goesTo: "treasury",
    ifOverdrawn: "wait",
  },
  Sweep: { ...own, word: "sweep", noun: "sweep", goesTo: "cold", ifOverdrawn: "give up" },
} as const satisfies { readonly [Tag in Purpose["_tag"]]: Facts }

type FactsByTag = typeof purposes

/** The purposes of the operator's own money. */
export type OwnTag = {
  [Tag in Purpose["_tag"]]: FactsByTag[Tag]["isOwn"] extends true ? Tag : never
}[Purpose["_tag"]]

export const factsOf = ({ purpose }: Pick<Outflow, "purpose">): FactsByTag[Purpose["_tag"]] =>
  purposes[purpose._tag]

export type State = typeof State.Type
export const State = Schema.TaggedUnion({
  Waiting: {
    /** Why it was not sent when it was due. */
    obstacle: Schema.optionalKey(Obstacle.Obstacle),
    /** When an operator retried it. */
    releasedAt: Schema.optionalKey(Schema.Int),
  },
  /** Its transaction, in all of its versions, is in this slot of its lane. */
  Sent: { slot: Lane.Slot },
  Paid: {
    transfer: Transfer.Evidence,
    paidAt: Schema.Int,
    /** What moved instead, which an operator accepted. The ledger has the difference. */
    accepted: Schema.optionalKey(Transfer.Moved),
  },
  Held: {
    ...Transfer.Failure.fields,
    /** What moved instead. The ledger counts it as lost until an operator says what it was. */
    moved: Schema.optionalKey(Transfer.Moved),
    heldAt: Schema.Int,
  },
  Cancelled: { cancelledAt: Schema.Int },
})

export interface Outflow extends Schema.Schema.Type<typeof Outflow> {}
export const Outflow = Schema.Struct({
  id: OutflowId.OutflowId,
  /** Absent if the money belongs to no partner; it then carries no payments. */
  partnerId: Schema.optionalKey(PartnerId.PartnerId),
  mode: Mode.Mode,
  movement: Transfer.Movement,
  purpose: Purpose,
  state: State,
  createdAt: Schema.Int,
  updatedAt: Schema.Int,
  /** When its transaction was signed or recorded, for daily limits; absent until then. */
  sentAt: Schema.optionalKey(Schema.Int),
  /** Counts every write, and guards the next one. */
  revision: Schema.Int,
  /** Since when its final transfer is missing; absent while it is not. */
  auditedSince: Schema.optionalKey(Schema.Int),
  /** How many of its transactions reverted. */
  reverts: Schema.optionalKey(Schema.Int),
})

const statusOf: { readonly [Tag in State["_tag"]]: OutflowState.Status } = {
  Waiting: "waiting",
  Sent: "sent",
  Paid: "paid",
  Held: "held",
  Cancelled: "cancelled",
}

export const status = ({ state }: Outflow): OutflowState.Status => statusOf[state._tag]

/** The shares that it pays, if it pays merchants. */
export const sharesOf = ({ purpose }: Pick<Outflow, "purpose">): ReadonlyArray<Share> =>
  "shares" in purpose ? purpose.shares : []

/** The merchants whose shares it pays, each once. */
export const merchantsOf = (
  outflow: Pick<Outflow, "purpose">,
): ReadonlyArray<MerchantId.MerchantId> => [
  ...new Set(sharesOf(outflow).map(({ merchantId }) => merchantId)),
]

/** The payments that it is for. */
export const paymentIds = (outflow: Outflow): ReadonlyArray<PaymentId.PaymentId> => {
  const { purpose } = outflow
  const one = "paymentId" in purpose ? purpose.paymentId : undefined
  return one === undefined ? sharesOf(outflow).map(({ paymentId }) => paymentId) : [one]
}

/** The money that it returns, if it does. */
export const inflowIds = ({ purpose }: Outflow): ReadonlyArray<InflowId.InflowId> =>
  "inflowId" in purpose ? [purpose.inflowId] : []

/** Whether it moves the operator's own money. */
export const isOwn = (outflow: Outflow): boolean => factsOf(outflow).isOwn

/**
 * A key shared by outflows of which only one may be in progress: the operator's own money from one account, in one
 * token. Null for other outflows.
 */
export const turnKey = (outflow: Outflow): string | null => {
  const { mode, movement, state } = outflow
  const isUnderWay = state._tag === "Waiting" || state._tag === "Sent"
  return isOwn(outflow) && isUnderWay
    ? `${mode}/${Caip.tokenKey(movement.token)}/${movement.from}`
    : null
}

/** A new outflow, which waits to be sent. */
export const make = (
  input: Pick<Outflow, "id" | "mode" | "movement" | "partnerId" | "purpose">,
  now: number,
): Outflow => ({
  ...input,
  state: { _tag: "Waiting" },
  createdAt: now,
  updatedAt: now,
  revision: 0,
})

/**
 * Whether it is held because its transaction moved something else: if it is sent again, the payee may be paid twice.
 */
export const movedOtherwise = ({ state }: Outflow): boolean =>
  state._tag === "Held" && state.movedOtherwise === true

/** What moved instead of its movement, until an operator says what that was. */
export const astrayOf = ({ state }: Outflow): Transfer.Moved | null =>
  state._tag === "Held" ? (state.moved ?? null) : null

/** The same outflow, held like any other: an operator checked what moved, and says that it may be sent again. */
export const lookedAt = (outflow: Outflow): Outflow => {
  if (outflow.state._tag !== "Held") return outflow
  const { moved: _, movedOtherwise: __, ...state } = outflow.state
  return { ...outflow, state }
}

/** The outflow in the state to which an event leads. Null if the table allows no move. */
const moved = (
  outflow: Outflow,
  event: OutflowState.Event,
  state: State,
  now: number,
): Outflow | null =>
  OutflowState.next(status(outflow), event) === statusOf[state._tag]
    ? {
        ...outflow,
        state,
        updatedAt: Math.max(now, outflow.updatedAt),
        revision: outflow.revision + 1,
      }
    : null

export const send = (outflow: Outflow, slot: Lane.Slot, now: number): Outflow | null =>
  moved({ ...outflow, sentAt: now }, "send", { _tag: "Sent", slot }, now)

export const resend = (outflow: Outflow, slot: Lane.Slot, now: number): Outflow | null =>
  moved(outflow, "resend", { _tag: "Sent", slot }, now)

/** `accepted` is what moved instead, if an operator accepts that. */
export const pay = (
  outflow: Outflow,
  transfer: Transfer.Evidence,
  now: number,
  accepted?: Transfer.Moved,
): Outflow | null => {
  const state = { transfer, paidAt: now, ...(accepted !== undefined && { accepted }) }
  return moved({ sentAt: now, ...outflow }, "pay", { _tag: "Paid", ...state }, now)
}

export const hold = (outflow: Outflow, failure: Transfer.Ending, now: number): Outflow | null =>
  moved(outflow, "hold", { _tag: "Held", ...failure, heldAt: now }, now)

/**
 * Lets it wait with a reason. If it was sent, it reverted; if it already waits with that reason until that time, it
 * stays unchanged.
 */
export const wait = (
  outflow: Outflow,
  why: Omit<Obstacle.Obstacle, "since">,
  now: number,
): Outflow | null => {
  const { reverts = 0, state } = outflow
  const known = state._tag === "Waiting" ? state.obstacle : undefined
  const before = known?.code === why.code ? known : null
  if (before !== null && before.until === why.until) return null
  const obstacle: Obstacle.Obstacle = { ...why, since: before?.since ?? now }
  return state._tag === "Waiting"
    ? moved(outflow, "wait", { ...state, obstacle }, now)
    : moved({ ...outflow, reverts: reverts + 1 }, "wait", { _tag: "Waiting", obstacle }, now)
}

/** Why it does not proceed, and since when; null while there is no obstacle. */
export const obstacleOf = ({ state }: Outflow) => {
  if (state._tag === "Waiting") return state.obstacle ?? null
  if (state._tag !== "Held") return null
  const { code, heldAt: since, reason } = state
  return { code, reason, since }
}

/** Whether it already waits with this reason. */
export const isHindered = ({ state }: Outflow, code: Obstacle.WaitCode): boolean =>
  state._tag === "Waiting" && state.obstacle?.code === code

/** Also null if it moved something else. */
export const release = (outflow: Outflow, now: number): Outflow | null => {
  const { reverts: _, ...rest } = outflow
  return movedOtherwise(outflow)
    ? null
    : moved(rest, "release", { _tag: "Waiting", releasedAt: now }, now)
}

/** Also null if it moved something else. */
export const cancel = (outflow: Outflow, now: number): Outflow | null =>
  movedOtherwise(outflow)
    ? null
    : moved(outflow, "cancel", { _tag: "Cancelled", cancelledAt: now }, now)

export const revoke = (outflow: Outflow, failure: Transfer.Ending, now: number): Outflow | null => {
  const { auditedSince: _, ...rest } = outflow
  return moved(rest, "revoke", { _tag: "Held", ...failure, heldAt: now }, now)
}
