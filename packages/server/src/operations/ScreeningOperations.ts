/**
 * The deny list over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Screening"
import type * as Wire from "@florin/api/wire/DenyList"
import * as DenyList from "@florin/core/domain/chain/DenyList"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as DenyLists from "@florin/core/engine/chain/DenyLists"
import * as Effect from "effect/Effect"
import * as TimeView from "../views/TimeView.ts"
import * as Operation from "./Operation.ts"

const shown = Effect.map(DenyLists.current, (list) => {
  const refusal = DenyList.refusalOf(list)
  const wire: Wire.DenyList = {
    inForce: list.inForce?.length ?? null,
    refused: refusal && {
      digest: refusal.digest,
      listed: refusal.listed,
      lost: refusal.lost,
      since: TimeView.iso(refusal.since),
    },
  }
  return wire
})

export const operator = Operation.operator(Contract.group, {
  get: () => shown,

  confirm: Effect.fnUntraced(function* (_, { digest }) {
    const refusal = yield* DenyLists.confirm(digest)
    return refusal === null
      ? yield* Invalid.of("digest", "is not that of the list that waits: look at it again")
      : yield* shown
  }),
})
