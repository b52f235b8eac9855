/**
 * How many failed collects per hour the service pays for, as an operator writes it: `merchant=10`.
 *
 * @module
 */
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as Option from "effect/Option"

const expected = `one of ${FailureBudget.kinds.join(", ")}, and a whole number from 0 to 1000, once each, such as merchant=10`

/** Each subject may be set once. */
export const parse = (
  texts: ReadonlyArray<string>,
): Option.Option<Partial<FailureBudget.Limits>> => {
  const limits = new Map<FailureBudget.Kind, number>()
  for (const text of texts) {
    const [, name = "", value = ""] = /^([a-z]+)=(0|[1-9][0-9]{0,2}|1000)$/u.exec(text) ?? []
    const kind = FailureBudget.kinds.find((each) => each === name)
    if (kind === undefined || limits.has(kind)) return Option.none()
    limits.set(kind, Number(value))
  }
  return Option.some(Object.fromEntries(limits))
}

/** The values of the setting. */
export const kind = { metavar: "SUBJECT=COUNT", expected, parse }
