/**
 * The lines of an order, as payers read them. They are shown and not added up: taxes, discounts and shipping may be in
 * the payment's amount alone.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Catalog from "../chain/Catalog.ts"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Money from "../ground/Money.ts"
import * as Amount from "../money/Amount.ts"

export interface LineItem extends Schema.Schema.Type<typeof LineItem> {}
export const LineItem = Schema.Struct({
  name: Schema.String,
  quantity: Schema.Int,
  /** The amount of the whole line, in the payment's unit. */
  total: Schema.optionalKey(Money.Quantity),
})

/** A line as it was sent. */
export interface Request extends Schema.Schema.Type<typeof Request> {}
export const Request = Schema.Struct({
  name: Schema.String,
  quantity: Schema.optional(Schema.Number),
  amount: Schema.optional(Schema.Struct({ unit: Schema.String, value: Schema.String })),
})

const quantityIssues = (field: string, quantity: number): ReadonlyArray<Invalid.Issue> =>
  Number.isSafeInteger(quantity) && quantity >= 1 && quantity <= Limits.lineItemQuantityMax
    ? []
    : [Invalid.issue(field, `must be an integer from 1 to ${Limits.lineItemQuantityMax}`)]

/** Reads the total of a line. Its unit is not compared if the payment's own is wrong. */
const readTotal = (
  field: string,
  amount: NonNullable<Request["amount"]>,
  unit: Amount.Unit | undefined,
  catalog: Catalog.Catalog,
): Result.Result<Money.Quantity, Invalid.InvalidInput> =>
  Result.flatMap(Amount.read(field, amount, catalog), (parsed) =>
    unit === undefined || Amount.sameUnit(parsed.unit, unit)
      ? Result.succeed(parsed.quantity)
      : Invalid.fail(`${field}.unit`, "must be the payment's own unit"),
  )

/** Reads the lines of a payment with this unit, or reports everything that is wrong with them. */
export const read = (
  field: string,
  items: ReadonlyArray<Request>,
  unit: Amount.Unit | undefined,
  catalog: Catalog.Catalog,
): Result.Result<ReadonlyArray<LineItem>, Invalid.InvalidInput> => {
  if (items.length > Limits.lineItemsMax) {
    return Invalid.fail(field, `must have at most ${Limits.lineItemsMax} lines`)
  }
  const lines = items.map(({ amount, name, quantity = 1 }, index) => {
    const at = `${field}[${index}]`
    const parts = Invalid.all({
      own: Invalid.check([
        ...Invalid.textIssues(`${at}.name`, name, Limits.lineItemNameMaxLength),
        ...quantityIssues(`${at}.quantity`, quantity),
      ]),
      total: Invalid.ifSent(amount, (sent) => readTotal(`${at}.amount`, sent, unit, catalog)),
    })
    return Result.map(parts, ({ total }): LineItem => ({
      name,
      quantity,
      ...(total !== undefined && { total }),
    }))
  })
  return Invalid.all(lines)
}
