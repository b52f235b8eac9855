/**
 * Accounts that must not send or receive money, as an operator lists them in a file: one address per line, with
 * comments after `#`. The file is read again while the service runs.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as DenyLists from "@florin/core/engine/chain/DenyLists"
import { Screening } from "@florin/core/ports/Screening"
import { StateStore } from "@florin/core/ports/StateStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../terminal/Failure.ts"

const refreshInMs = 5_000

type Addresses = ReadonlyArray<Caip.Address>

/** The addresses of a list, all of them or none. */
const read = (path: string): Result.Result<Addresses, Failure.CommandFailed> => {
  const failed = (message: string) => Result.fail(Failure.make(`denyList ${path}${message}`))
  const text = PrivateFile.read(path)
  if (text === undefined) {
    return failed(" cannot be read: check that it exists and that this user may read it")
  }
  const addresses = new Set<Caip.Address>()
  for (const [index, line] of text.split("\n").entries()) {
    const named = line.replace(/#.*/u, "").trim()
    if (named === "") continue
    const address = Eip155.parseAddress(named)
    if (Result.isFailure(address)) return failed(`, line ${index + 1}: ${address.failure}`)
    addresses.add(address.success)
  }
  return Result.succeed([...addresses])
}

/** Logs what prevents a newer list from being used, once for as long as it is the same. */
const makeReporter = () => {
  let last = ""
  return (fault: string, log: Effect.Effect<void>) => {
    const isNews = fault !== last
    last = fault
    return isNews ? log : Effect.void
  }
}

/**
 * Screens by the newest version of the list. While the file cannot be read, the last version stays in use. A removed
 * address is allowed only after a second read without it, because a file may be read while it is being written, and a
 * list that lost more than a tenth only after the operator confirmed it. The storage knows the list in force, so that a
 * restart changes nothing.
 */
const screenBy = Effect.fnUntraced(function* (path: string, first: Addresses) {
  const store = yield* StateStore
  const report = makeReporter()
  let last = first
  let judged: { readonly listed: Addresses; readonly isRefused: boolean } | null = null
  let denied: ReadonlySet<Caip.Address> = new Set(first)

  const take = Effect.fnUntraced(function* (listed: Addresses) {
    const isNew = judged?.isRefused !== true || !DenyList.isSame(judged.listed, listed)
    const now = yield* Clock.currentTimeMillis
    const decided = yield* store.modify("denyList", (current) => {
      const result = DenyList.take(current, listed, isNew, now)
      return { result: { ...result, inForce: current.inForce ?? [] }, next: result.next }
    })
    const removed = DenyList.lost(new Set([...denied, ...decided.inForce]), listed)
    denied = new Set(decided.denied)
    judged = { listed, isRefused: decided.isRefused }
    if (decided.isRefused) {
      const digest = DenyList.digest(listed)
      return yield* report(
        digest,
        Effect.logError(
          "the deny list lost more than a tenth of its addresses, so the last good list stays in force: restore the file, or confirm it with `florin screening confirm <digest>`",
          { lost: removed.length, left: listed.length, digest },
        ),
      )
    }
    yield* report("", Effect.void)
    if (removed.length === 0) return
    yield* Effect.logWarning("addresses were taken off the deny list", {
      removed: removed.length,
      left: listed.length,
    })
  })

  const refresh = Effect.gen(function* () {
    const found = read(path)
    if (Result.isFailure(found)) {
      const { message } = found.failure
      return yield* report(
        message,
        Effect.logWarning("the deny list is not valid, so its last valid version stays in use", {
          reason: message,
        }),
      )
    }
    const listed = found.success
    const isNew = !DenyList.isSame(listed, last)
    last = listed
    if (isNew && DenyList.lost(denied, listed).length > 0) {
      denied = new Set([...denied, ...listed])
      return
    }
    if (judged?.isRefused === false && DenyList.isSame(judged.listed, listed)) return
    yield* take(listed)
  }).pipe(
    Effect.catch(({ message }) =>
      report(
        message,
        Effect.logWarning("the deny list could not be compared with the one in force", {
          reason: message,
        }),
      ),
    ),
  )

  yield* take(first)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshInMs), refresh)))
  return Screening.of({
    refused: (accounts) => Effect.sync(() => accounts.filter(({ address }) => denied.has(address))),
  })
})

/** Reads the list now, and follows it from the start of the layer. */
export const open = (path: string) =>
  Effect.map(Effect.fromResult(read(path)), (first) =>
    Layer.effect(Screening, screenBy(path, first)),
  )

/**
 * Allows everybody, because no list is named. That may be a setting that was lost: if the storage remembers a list, the
 * log says so.
 */
export const unnamed = Layer.effect(
  Screening,
  Effect.gen(function* () {
    const { inForce } = yield* DenyLists.current
    if (inForce !== null && inForce.length > 0) {
      yield* Effect.logError(
        "denyList is not set, so this process denies nobody, but a deny list was in force before: set denyList again, or confirm an empty list with `florin screening confirm <digest>`",
        { addresses: inForce.length },
      )
    }
    return yield* Effect.provide(Screening, Screening.layerAllowAll)
  }),
)
