/**
 * Accounts that must not send or receive money, as an operator lists them in a file: one address per line, with
 * comments after `#`. The file is read again while the service runs.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import type * as Caip from "@florin/core/domain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Screening } from "@florin/core/ports/Screening"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Failure from "../Failure.ts"

const refreshInMs = 5_000

type Addresses = ReadonlySet<Caip.Address>

/** The addresses of a list, all of them or none. */
const read = (path: string): Result.Result<Addresses, Failure.CommandFailed> => {
  const failed = (message: string) =>
    Result.fail(new Failure.CommandFailed({ message: `denyList ${path}${message}` }))
  const text = Result.try(() => readFileSync(path, "utf8"))
  if (Result.isFailure(text)) {
    return failed(" cannot be read: check that it exists and that this user may read it")
  }
  const addresses = new Set<Caip.Address>()
  for (const [index, line] of text.success.split("\n").entries()) {
    const named = line.replace(/#.*/u, "").trim()
    if (named === "") continue
    const address = Eip155.parseAddress(named)
    if (Result.isFailure(address)) return failed(`, line ${index + 1}: ${address.failure}`)
    addresses.add(address.success)
  }
  return Result.succeed(addresses)
}

/** The addresses that are in the first list and not in the second. */
const difference = (one: Addresses, other: Addresses): ReadonlyArray<Caip.Address> =>
  [...one].filter((address) => !other.has(address))

const isSame = (one: Addresses, other: Addresses): boolean =>
  one.size === other.size && difference(one, other).length === 0

/**
 * Reads the list, then screens by its newest version. While the file cannot be read, the last version stays in use. A
 * removed address is allowed only after a second read without it, because a file may be read while it is being written.
 */
export const open = Effect.fnUntraced(function* (path: string) {
  const first = yield* Effect.fromResult(read(path))
  return Layer.effect(
    Screening,
    Effect.gen(function* () {
      let denied = first
      let last = first
      let fault = ""
      const refresh = Effect.suspend(() => {
        const found = read(path)
        if (Result.isFailure(found)) {
          const { message } = found.failure
          const isNew = message !== fault
          fault = message
          return isNew
            ? Effect.logWarning(
                "the deny list is not valid, so its last valid version stays in use",
                {
                  reason: message,
                },
              )
            : Effect.void
        }
        const listed = found.success
        const lost = difference(denied, listed)
        const isSettled = lost.length === 0 || isSame(listed, last)
        denied = isSettled ? listed : new Set([...listed, ...lost])
        last = listed
        fault = ""
        return isSettled && lost.length > 0
          ? Effect.logWarning("addresses were taken off the deny list", {
              removed: lost.length,
              left: listed.size,
            })
          : Effect.void
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshInMs), refresh)))
      return Screening.of({
        refused: (accounts) =>
          Effect.sync(() => accounts.filter(({ address }) => denied.has(address))),
      })
    }),
  )
})
