/**
 * The operator's decision about a deny list that was refused.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as DenyList from "../../domain/chain/DenyList.ts"
import * as AuditLog from "../../domain/partner/AuditLog.ts"
import { StateStore } from "../../ports/StateStore.ts"
import { recordDeed } from "../record/AuditLog.ts"

export const current = Effect.flatMap(StateStore, (store) =>
  store.modify("denyList", (list) => ({ result: list, next: null })),
)

/** Brings the refused list into force; null if that list is not, or no longer, the refused one. */
export const confirm = Effect.fn("DenyLists.confirm")(function* (named: string) {
  const store = yield* StateStore
  return yield* recordDeed(
    store.modify("denyList", (list) => {
      const next = DenyList.confirm(list, named)
      return { result: next === null ? null : DenyList.refusalOf(list), next }
    }),
    (refusal) =>
      refusal === null
        ? null
        : {
            action: "denyList.confirmed",
            partnerId: null,
            mode: null,
            subject: named,
            changes: [AuditLog.became("addresses", refusal.listed, refusal.inForce)],
          },
  )
})
