/**
 * Names that look like those of other partners: found when a name is given, recorded, and shown to the operator alone.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as AuditLog from "../domain/AuditLog.ts"
import * as Likeness from "../domain/Likeness.ts"
import type * as Merchant from "../domain/Merchant.ts"
import { AccountStore, type Namesake } from "../ports/AccountStore.ts"
import { Confusables } from "../ports/Confusables.ts"
import { recorded } from "./AuditLog.ts"

/** Enough to judge a name by. */
const namesakesMax = 10

/** What a name is compared by, and what looks like it. */
export interface Found {
  readonly likenesses: ReadonlyArray<string>
  readonly namesakes: ReadonlyArray<Namesake>
}

/** Compares a name of a partner, or of its merchant, with those of other partners. */
export const find = Effect.fn("Namesakes.find")(function* (
  partnerId: Merchant.PartnerId,
  name: string,
) {
  const confusables = yield* Confusables
  const likenessesOf = (text: string) => Likeness.of(text, confusables)
  const likenesses = likenessesOf(name)
  const namesakes = yield* (yield* AccountStore).namesakes(
    { partnerId, likenesses },
    likenessesOf,
    namesakesMax,
  )
  const found: Found = { likenesses, namesakes }
  return found
})

export const idOf = ({ merchantId, partnerId }: Namesake): string => merchantId ?? partnerId

/**
 * Records what a name looks like, in the transaction that gives it. The entry is the operator's alone: a partner must not
 * learn whom it resembles.
 */
export const flag = (subject: string, { namesakes }: Found) =>
  namesakes.length === 0
    ? Effect.void
    : recorded(Effect.void, () => ({
        action: "name.flagged",
        partnerId: null,
        mode: null,
        subject,
        changes: namesakes.map((each) => AuditLog.became("resembles", idOf(each))),
      }))

/** Tells the operator what a name that was given looks like. */
export const warn = (subject: string, { namesakes }: Found) => {
  if (namesakes.length === 0) return Effect.void
  const others = namesakes.map((each) =>
    each.merchantId === null ? each.partnerId : `${each.merchantId} of ${each.partnerId}`,
  )
  return Effect.logWarning(
    `the name of ${subject} looks like that of ${others.join(", ")}: look at both`,
  )
}
