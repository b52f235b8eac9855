/**
 * Whether the process lives, and whether it can serve.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/ApiKey"
import { Signals } from "@florin/core/ports/Signals"
import { Storage } from "@florin/core/ports/Storage"
import * as Effect from "effect/Effect"
import * as Exchange from "./Exchange.ts"
import * as Page from "./Page.ts"

const noStore = { "cache-control": "no-store" }

/** Alive: nothing is asked. */
const healthz = Page.make("/healthz", () =>
  Effect.succeed(Exchange.json(200, { status: "ok" }, noStore)),
)

/** A key that nobody has: looking for it touches what serves every request. */
const nobodysKey = ApiKey.hash("")

/** Longer than this is not ready: a balancer should ask another. */
const answersWithinInMs = 2000

const storageAnswers = Effect.gen(function* () {
  return yield* (yield* Storage).keyByHash(nobodysKey)
}).pipe(
  Effect.as(true),
  Effect.catchTag("NotFound", () => Effect.succeed(true)),
  // A bug in an adapter is no readiness either.
  Effect.catchCause(() => Effect.succeed(false)),
  Effect.timeoutOrElse({ duration: answersWithinInMs, orElse: () => Effect.succeed(false) }),
)

/** Ready: the storage answers, and the process is not ending. */
const readyz = Page.make("/readyz", () =>
  Effect.gen(function* () {
    const isClosed = (yield* Signals).isClosed()
    const storage = yield* storageAnswers
    const isReady = storage && !isClosed
    return Exchange.json(
      isReady ? 200 : 503,
      {
        status: isReady ? "ok" : "unavailable",
        checks: { storage: storage ? "ok" : "unavailable", process: isClosed ? "ending" : "ok" },
      },
      noStore,
    )
  }),
)

export const pages = [healthz, readyz]
