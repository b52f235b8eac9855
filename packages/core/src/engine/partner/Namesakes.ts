/**
 * Names that resemble those of other partners: found when a name is set, recorded, and shown only to the operator.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as PartnerId from "../../domain/ground/PartnerId.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import * as Likeness from "../../domain/partner/Likeness.ts"
import type * as Merchant from "../../domain/partner/Merchant.ts"
import { AccountStore, type Namesake } from "../../ports/AccountStore.ts"
import { Confusables } from "../../ports/Confusables.ts"
import { recordDeed } from "../record/AuditLog.ts"

/** Enough to judge a name by. */
const namesakesMax = 10

/** What a name is compared by, and the names that resemble it. */
export interface Found extends Merchant.Compared {
  readonly namesakes: ReadonlyArray<Namesake>
}

/** Compares a name of a partner, or of its merchant, with those of other partners. */
export const find = Effect.fn("Namesakes.find")(function* (
  partnerId: PartnerId.PartnerId,
  name: string,
) {
  const confusables = yield* yield* Confusables
  const likenesses = Likeness.of(name, confusables)
  const namesakes = yield* (yield* AccountStore).namesakes({ partnerId, likenesses }, namesakesMax)
  const found: Found = { likenesses, namesakes, isAlike: namesakes.length > 0 }
  return found
})

/** What a write of a name did: its result, whether the name is new, and the deed to record. */
interface Named<A> {
  readonly written: A
  readonly isNamed: boolean
  readonly deed: AuditLog.Deed | null
}

/**
 * Writes a name that was compared, and records in the same transaction which names it resembles. Only the operator can
 * read that entry, and the log line: a partner must not learn which other partner it resembles.
 */
export const naming = Effect.fnUntraced(function* <F extends Found | null, E, R, A, E2, R2>(
  subject: string,
  comparing: Effect.Effect<F, E, R>,
  write: (found: F) => Effect.Effect<Named<A>, E2, R2>,
) {
  const { alike, written } = yield* recordDeed(
    Effect.gen(function* () {
      const found = yield* comparing
      const named = yield* write(found)
      const namesakes = named.isNamed ? (found?.namesakes ?? []) : []
      if (namesakes.length > 0) {
        const changes = namesakes.map(({ merchantId, partnerId }) =>
          AuditLog.became("resembles", merchantId ?? partnerId),
        )
        const flagged = { action: "name.flagged", partnerId: null, mode: null } as const
        yield* recordDeed(Effect.void, () => ({ ...flagged, subject, changes }))
      }
      return { ...named, alike: namesakes }
    }),
    ({ deed }) => deed,
  )
  if (alike.length > 0) {
    const others = alike.map((each) =>
      each.merchantId === null ? each.partnerId : `${each.merchantId} of ${each.partnerId}`,
    )
    yield* Effect.logWarning(
      `the name of ${subject} looks like that of ${others.join(", ")}: look at both`,
    )
  }
  return written
})
