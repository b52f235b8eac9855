/**
 * The sort orders of lists of payments, and the position of a payment in them.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Amount from "./Amount.ts"
import type * as Payment from "./Payment.ts"
import type * as PaymentId from "./PaymentId.ts"

export const orders = ["date", "amount"] as const
export const directions = ["asc", "desc"] as const

export interface Sort {
  readonly by: (typeof orders)[number]
  readonly direction: (typeof directions)[number]
}

/**
 * A place in an order: by `group`, then by `value`, then by `id`. Groups and ids compare by character code. No two
 * payments share a place, and none ever moves, as a payment keeps its amount and its creation time.
 */
export interface Position {
  /** Empty by date; by amount the unit, fiat currencies first: `fiat/USD`. */
  readonly group: string
  /** By date epoch milliseconds; by amount the quantity in the smallest unit. */
  readonly value: number | bigint
  readonly id: PaymentId.PaymentId
}

/**
 * The place of a unit in the order by amount: currencies by their code, then tokens by chain and contract, as
 * quantities of two contracts do not compare.
 */
export const groupOf = (unit: Amount.Unit): string =>
  unit._tag === "Fiat"
    ? `fiat/${unit.currency}`
    : `token/${unit.token.chainId}/${unit.token.address}`

const readUnit = Schema.decodeUnknownResult(Amount.Unit)

/** The unit that a group stands for in the order by amount, or undefined where none has this group. */
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

/** The order of a list: below 0 where `left` comes first. Descending is ascending in reverse, ids included. */
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
