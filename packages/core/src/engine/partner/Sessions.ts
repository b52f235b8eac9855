/**
 * Sessions of people in the console: started with a sign-in key, and ended by signing out. A session is a key, so it is
 * listed and revoked as one.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as ApiKey from "../../domain/partner/ApiKey.ts"
import * as Session from "../../domain/partner/Session.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { recordDeed } from "../record/AuditLog.ts"
import * as Keys from "./Keys.ts"

/** Starts a session and ends its sign-in key, in one write. The text of the session is only in the response. */
export const start = Effect.fn("Sessions.start")(function* (signIn: ApiKey.ApiKeyId) {
  const fresh = yield* Keys.freshKey(null)
  const now = yield* Clock.currentTimeMillis
  return yield* recordDeed(
    (yield* AccountStore).modifyKey(signIn, (current) =>
      Result.map(Session.signIn(current, fresh, now), ({ session, used }) => ({
        result: session,
        keys: [used, session.record],
      })),
    ),
    ({ record }) => Keys.keyDeed("session.started", null, record),
  )
})

/** Ends a session. The keys that the person made with it stay: only who revokes the session ends these, too. */
export const end = Effect.fn("Sessions.end")(function* (id: ApiKey.ApiKeyId) {
  return yield* Keys.revokeOne(id, yield* Clock.currentTimeMillis, "session.ended")
})
