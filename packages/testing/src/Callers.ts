/**
 * Who calls with a key, as the server finds out.
 *
 * @module
 */
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Effect from "effect/Effect"

/** The holder of the text of a partner's or a wallet's key. */
export const authenticate = Effect.fnUntraced(function* (text: string) {
  const known = yield* Keys.find(yield* Effect.fromResult(ApiKey.parse(text)))
  const { caller } = known
  return caller._tag === "Operator" ? yield* ApiKey.invalid("unknown") : { ...known, caller }
})
