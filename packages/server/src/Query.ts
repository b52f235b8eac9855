/**
 * Reads query parameters. Names that are not known are ignored; one that is sent twice where it may be there once is an
 * error, as nobody can know which was meant.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/Invalid"
import * as Limits from "@florin/core/domain/Limits"
import * as Result from "effect/Result"

type Read<A> = Result.Result<A, Invalid.InvalidInput>

/** The parameters of a request, in the order they were sent. */
export type Query = URLSearchParams

const none: Query = new URLSearchParams()

export const parse = (text: string): Query => (text === "" ? none : new URLSearchParams(text))

/** A parameter that may be there once. */
export const one = (query: Query, name: string): Read<string | undefined> => {
  const [value, ...more] = query.getAll(name)
  return more.length === 0 ? Result.succeed(value) : Invalid.fail(name, "may be sent once")
}

/** A parameter that may be there several times; undefined where it is not there at all. */
export const several = (query: Query, name: string): ReadonlyArray<string> | undefined => {
  const values = query.getAll(name)
  return values.length === 0 ? undefined : values
}

/** Parameters that each may be there once; all that are there twice are told at once. */
export const ones = (
  query: Query,
  names: ReadonlyArray<string>,
): Read<Readonly<Record<string, string>>> => {
  const issues: Array<Invalid.Issue> = []
  const values: Record<string, string> = {}
  for (const name of names) {
    const read = one(query, name)
    if (Result.isFailure(read)) issues.push(...read.failure.issues)
    else if (read.success !== undefined) values[name] = read.success
  }
  return Result.map(Invalid.check(issues), () => values)
}

const digits = /^[0-9]{1,19}$/u
const int64Max = 2n ** 63n - 1n

/** How long a call may be held: any integer of 64 bits from 0, held for no longer than we hold any. */
export const maxPollInMs = (query: Query): Read<number> =>
  Result.flatMap(one(query, "maxPollMs"), (text) => {
    if (text === undefined) return Result.succeed(0)
    return digits.test(text) && BigInt(text) <= int64Max
      ? Result.succeed(Math.min(Number(text), Limits.longPollMaxInMs))
      : Invalid.fail("maxPollMs", "must be a whole number of milliseconds from 0")
  })

/** `true` or `false`; false where it is not there. */
export const flag = (query: Query, name: string): Read<boolean> =>
  Result.flatMap(one(query, name), (text) => {
    if (text === undefined || text === "false") return Result.succeed(false)
    return text === "true" ? Result.succeed(true) : Invalid.fail(name, "must be true or false")
  })
