/**
 * Names that resemble those of other partners: found when a name is set, recorded, and shown only to the operator.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PartnerId from "../domain/ground/PartnerId.ts"
import * as AuditLog from "../domain/partner/AuditLog.ts"
import * as Likeness from "../domain/partner/Likeness.ts"
import { AccountStore, type Namesake } from "../ports/AccountStore.ts"
import { Confusables } from "../ports/Confusables.ts"
import { recordDeed } from "./AuditLog.ts"

/** Enough to judge a name by. */
const namesakesMax = 10

/** What a name is compared by, and the names that resemble it. */
export interface Found {
  readonly likenesses: ReadonlyArray<string>
  readonly namesakes: ReadonlyArray<Namesake>
}

/** Compares a name of a partner, or of its merchant, with those of other partners. */
export const find = Effect.fn("Namesakes.find")(function* (
  partnerId: PartnerId.PartnerId,
  name: string,
) {
  const confusables = yield* Confusables
  const likenesses = Likeness.of(name, confusables)
  const namesakes = yield* (yield* AccountStore).namesakes({ partnerId, likenesses }, namesakesMax)
  const found: Found = { likenesses, namesakes }
  return found
})

export const idOf = ({ merchantId, partnerId }: Namesake): string => merchantId ?? partnerId

/**
 * Records the names that a name resembles, in the transaction that sets it. Only the operator can read the entry: a
 * partner must not learn which other partner it resembles.
 */
export const flag = (subject: string, { namesakes }: Found) =>
  namesakes.length === 0
    ? Effect.void
    : recordDeed(Effect.void, () => ({
        action: "name.flagged",
        partnerId: null,
        mode: null,
        subject,
        changes: namesakes.map((each) => AuditLog.became("resembles", idOf(each))),
      }))

/** Logs for the operator which names a new name resembles. */
export const warn = (subject: string, { namesakes }: Found) => {
  if (namesakes.length === 0) return Effect.void
  const others = namesakes.map((each) =>
    each.merchantId === null ? each.partnerId : `${each.merchantId} of ${each.partnerId}`,
  )
  return Effect.logWarning(
    `the name of ${subject} looks like that of ${others.join(", ")}: look at both`,
  )
}
