/**
 * The sort orders of lists of payments, and the position of a payment in them.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as PaymentId from "../ground/PaymentId.ts"
import * as Amount from "../money/Amount.ts"
import type * as Payment from "../payment/Payment.ts"

export const orders = ["date", "amount"] as const
export const directions = ["asc", "desc"] as const

export interface Sort {
  readonly by: (typeof orders)[number]
  readonly direction: (typeof directions)[number]
}

/**
 * A place in an order: by `group`, then by `value`, then by `id`. Groups and ids compare by character code. No two
 * payments share a place, and none ever moves, because a payment keeps its amount and its creation time.
 */
export interface Position {
  /** Empty in the order by date; by amount it is the unit, fiat currencies first: `fiat/USD`. */
  readonly group: string
  /** By date: epoch milliseconds. By amount: the quantity in the smallest unit. */
  readonly value: number | bigint
  readonly id: PaymentId.PaymentId
}

/**
 * The place of a unit in the order by amount: currencies by their code, then tokens by chain and contract, because
 * quantities of two contracts cannot be compared.
 */
export const groupOf = (unit: Amount.Unit): string =>
  unit._tag === "Fiat"
    ? `fiat/${unit.currency}`
    : `token/${unit.token.chainId}/${unit.token.address}`

const readUnit = Schema.decodeUnknownResult(Amount.Unit)

/** The unit of a group in the order by amount; undefined if no unit has this group. */
export const unitOfGroup = (group: string): Amount.Unit | undefined => {
  const [kind, name, address] = group.split("/")
  return Result.getOrUndefined(
    readUnit(
      kind === "fiat"
        ? { _tag: "Fiat", currency: name }
        : { _tag: "Token", token: { chainId: name, address } },
    ),
  )
}

export const position = (payment: Payment.Payment, sort: Sort): Position =>
  sort.by === "date"
    ? { group: "", value: payment.createdAt, id: payment.id }
    : { group: groupOf(payment.amount.unit), value: payment.amount.quantity, id: payment.id }

const order = <A extends string | number | bigint>(left: A, right: A): number =>
  left < right ? -1 : left > right ? 1 : 0

/** The order of a list: below 0 if `left` comes first. Descending is ascending in reverse, ids included. */
export const compare =
  (sort: Sort) =>
  (left: Position, right: Position): number => {
    const ascending =
      order(left.group, right.group) || order(left.value, right.value) || order(left.id, right.id)
    return sort.direction === "asc" ? ascending : 0 - ascending
  }

/** Whether a payment belongs to the pages that follow `place`. */
export const isAfter = (place: Position, sort: Sort, payment: Payment.Payment): boolean =>
  compare(sort)(position(payment, sort), place) > 0
