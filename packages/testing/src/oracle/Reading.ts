/**
 * Reads the JSON of evidence, which came from a service that may be wrong: what is missing is null, never an exception.
 *
 * @module
 */
import type * as Consistency from "@florin/core/domain/books/Consistency"
import type { Json } from "./Evidence.ts"

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A member of a JSON value; null where there is none. */
export const at = (value: Json | undefined, ...path: ReadonlyArray<string | number>): Json => {
  let found: Json | undefined = value
  for (const step of path) {
    if (typeof step === "number") found = Array.isArray(found) ? found[step] : undefined
    else found = isObject(found) ? found[step] : undefined
  }
  return found ?? null
}

/** The same, where it should be text; the empty text where it is not. */
export const text = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : ""
}

/** The same, where it should be a list. */
export const list = (
  value: Json | undefined,
  ...path: ReadonlyArray<string | number>
): ReadonlyArray<Json> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const number = (
  value: Json | undefined,
  ...path: ReadonlyArray<string | number>
): number => {
  const found = at(value, ...path)
  return typeof found === "number" ? found : Number.NaN
}

/** Some amount `{unit, value}` in a token: CAIP-19 in lower case, and the quantity. */
export const amount = (
  value: Json | undefined,
  ...path: ReadonlyArray<string | number>
): { readonly token: string; readonly quantity: bigint } => {
  const found = at(value, ...path)
  const digits = text(found, "value")
  return {
    token: text(found, "unit")
      .toLowerCase()
      .replace(/^caip19\//u, ""),
    quantity: /^\d+$/u.test(digits) ? BigInt(digits) : -1n,
  }
}

/** The address of an account in CAIP-10, in lower case. */
export const address = (value: Json | undefined, ...path: ReadonlyArray<string | number>): string =>
  text(value, ...path)
    .toLowerCase()
    .split(":")
    .at(-1) ?? ""

/** Whether two values are the same, whatever the order of their members. */
export const isSame = (left: Json, right: Json): boolean => {
  if (left === right) return true
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((each, index) => isSame(each, right[index] ?? null))
    )
  }
  if (!isObject(left) || !isObject(right)) return false
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => name in right && isSame(left[name] ?? null, right[name] ?? null))
  )
}

/** Values by a key, in order. */
export const groupBy = <A>(
  values: Iterable<A>,
  keyOf: (value: A) => string,
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/** A payment's details with its line in the list, which alone shows the fee, for the rules that the product shares. */
export const payment = (details: Json, item: Json | undefined): Consistency.Payment => {
  const id = text(details, "paymentId")
  const quantityAt = (value: Json | undefined, ...path: ReadonlyArray<string | number>) =>
    at(value, ...path) === null ? null : amount(value, ...path).quantity
  const paid = quantityAt(details, "info", "optionAmount")
  const fee = quantityAt(item, "fees", "total")
  const successful = at(details, "settlement", "successful")
  const sent = amount(successful, "amount").quantity
  const netted = quantityAt(details, "payout", "netted") ?? 0n
  // What was netted in full shows all of it, as settled by the transfer that it paid off.
  const isNetted = text(details, "payout", "state") === "netted"
  const outflowId = text(details, "payout", "id")
  return {
    id,
    status: text(details, "status"),
    paid,
    fee,
    settled:
      successful === null
        ? null
        : { txId: text(successful, "txId"), sent: isNetted ? sent - netted : sent, netted },
    refunds: list(details, "refunds").map((each) => ({
      status: text(each, "status"),
      quantity: amount(each, "amount").quantity,
    })),
    carried:
      outflowId === ""
        ? []
        : [{ what: "payout", outflowId, state: text(details, "payout", "state") }],
    outflowIds: outflowId === "" ? [] : [outflowId],
  }
}

/** A payout, for the same rules. */
export const payout = (value: Json): Consistency.Outflow => ({
  id: text(value, "id"),
  state: text(value, "state"),
  quantity: amount(value, "amount").quantity,
  advance: at(value, "advance") === null ? 0n : amount(value, "advance", "amount").quantity,
  shares: list(value, "payments").map((share) => ({
    paymentId: text(share, "paymentId"),
    quantity: amount(share, "amount").quantity,
  })),
})
