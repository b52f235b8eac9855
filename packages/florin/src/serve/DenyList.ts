/**
 * Accounts that no money comes from or goes to, as a file of an operator's lists them: an address on each line, `#` before
 * remarks. The file is read again while the service runs.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { Screening } from "@florin/core/ports/Screening"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../Failure.ts"

const refreshInMs = 5_000

const failed = (message: string) => new Failure.CommandFailed({ message })

/** The addresses of a list; one that cannot be read whole is not read at all. */
const read = Effect.fnUntraced(function* (path: string) {
  const text = PrivateFile.read(path)
  if (text === undefined) return yield* failed("what denyList names cannot be read: look at it")
  const addresses = new Set<Caip.Address>()
  for (const [index, line] of text.split("\n").entries()) {
    const named = line.replace(/#.*/u, "").trim()
    if (named === "") continue
    const address = Eip155.parseAddress(named)
    if (Result.isFailure(address)) {
      return yield* failed(`line ${index + 1} of the deny list: ${address.failure}`)
    }
    addresses.add(address.success)
  }
  return addresses
})

/** Reads the list, and then answers by it, as it is now: what was read before stays while it cannot be read. */
export const open = Effect.fnUntraced(function* (path: string) {
  const first = yield* read(path)
  return Layer.effect(
    Screening,
    Effect.gen(function* () {
      let denied = first
      let fault = ""
      const refresh = Effect.matchEffect(read(path), {
        onSuccess: (addresses) =>
          Effect.sync(() => {
            denied = addresses
            fault = ""
          }),
        onFailure: ({ message }) =>
          Effect.suspend(() => {
            const isNew = message !== fault
            fault = message
            return isNew
              ? Effect.logWarning("the deny list cannot be used: what was read before stays", {
                  reason: message,
                })
              : Effect.void
          }),
      })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshInMs), refresh)))
      return Screening.of({
        refused: (accounts) =>
          Effect.sync(() => accounts.filter(({ address }) => denied.has(address))),
      })
    }),
  )
})
