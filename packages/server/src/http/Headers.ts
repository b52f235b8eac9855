/**
 * Reads and validates headers of a request.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Result from "effect/Result"
import type * as Exchange from "./Exchange.ts"

type Header = Exchange.Incoming["header"]

/** The value of a header; an empty value counts as missing. */
export const valueOf = (header: Header, name: string): string | undefined => {
  const value = header(name)
  return value === "" ? undefined : value
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/u.test(text)

/** Refuses headers that are not ASCII: every valid value is ASCII, so they were damaged on the way. */
export const requireAscii = (
  header: Header,
  ...names: ReadonlyArray<string>
): Result.Result<void, ApiKey.HeaderNotAscii> => {
  const wrong = names.find((name) => !isAscii(header(name) ?? ""))
  return wrong === undefined
    ? Result.void
    : Result.fail(
        new ApiKey.HeaderNotAscii({
          message: `the header ${wrong} has characters outside ASCII: copy it again`,
        }),
      )
}
