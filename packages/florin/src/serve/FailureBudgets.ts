/**
 * How many failed collects per hour the service pays for, as an operator writes it: `merchant=10`.
 *
 * @module
 */
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as Option from "effect/Option"
import * as Setting from "./Setting.ts"

const expected = `one of ${FailureBudget.kinds.join(", ")}, and a whole number from 0 to 1000, once each, such as merchant=10`

const row = (text: string) => {
  const [, name, value] = /^([a-z]+)=(0|[1-9][0-9]{0,2}|1000)$/u.exec(text) ?? []
  const kind = FailureBudget.kinds.find((each) => each === name)
  return Option.map(Option.fromUndefinedOr(kind), (known) => [known, Number(value)] as const)
}

export const parse = Setting.bySubject(row, (rows): Partial<FailureBudget.Limits> =>
  Object.fromEntries(rows),
)

/** The values of the setting. */
export const kind = { metavar: "SUBJECT=COUNT", expected, parse }
