/**
 * Assets over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Assets"
import * as AcceptedAssets from "@florin/core/engine/chain/AcceptedAssets"
import * as Effect from "effect/Effect"
import * as AssetView from "../views/AssetView.ts"
import * as Operation from "./Operation.ts"

export const partner = Operation.partner(Contract.group, {
  list: ({ display, tenant }) =>
    Effect.map(AcceptedAssets.list(tenant.mode), (accepted) => ({
      assets: accepted.map((each) => AssetView.asset(each, display)),
    })),
})
