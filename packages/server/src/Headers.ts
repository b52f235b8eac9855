/**
 * Headers of a request, read with care.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/ApiKey"
import * as Result from "effect/Result"
import type * as Exchange from "./Exchange.ts"

type Header = Exchange.Incoming["header"]

/** A header that names something; an empty one names nothing. */
export const named = (header: Header, name: string): string | undefined => {
  const value = header(name)
  return value === "" ? undefined : value
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/u.test(text)

/** Refuses headers that were mangled on the way: what they name is written in ASCII. */
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
