/**
 * Settlements: where a merchant's money goes.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"

const merchantId = Text.merchantId.annotate({ description: "The merchant's id" })

/** What the calls about a merchant's settlements have in common. */
const all = { params: { merchantId }, headers: Headers.common, refusals: ["not_found"] } as const

/** The same of one settlement. */
const one = {
  params: { merchantId, id: Text.settlementId.annotate({ description: "The settlement's id" }) },
  headers: Headers.common,
  refusals: ["approval_required", "not_found"],
} as const

export const group = Endpoint.group(
  "settlements",
  "The accounts to which merchants are paid out",
  Endpoint.get("list", "/v1/merchants/:merchantId/settlements", {
    ...all,
    summary: "List settlement destinations",
    description: "Lists the destination of each token. `fiat` is always empty.",
    success: Settlement.Settlements,
  }),
  Endpoint.post("create", "/v1/merchants/:merchantId/settlements/crypto", {
    ...all,
    summary: "Add settlement destinations (all or none)",
    description:
      "A merchant has one destination for each token. If one entry is refused, none is added. A destination that is registered again after it was deleted takes effect after a delay.",
    headers: Headers.createOnce,
    payload: Settlement.CreateRequest,
    success: Endpoint.created(Settlement.Created),
    refusals: ["approval_required", "not_found", "settlement_asset_conflict"],
  }),
  Endpoint.put("change", "/v1/merchants/:merchantId/settlements/crypto/:id", {
    ...one,
    summary: "Change a settlement destination",
    description:
      "A changed destination takes effect after a delay that the operator sets: `takesEffectAt` says when. To prove that an account is yours, send the registered destination with `proof`.",
    payload: Settlement.ChangeRequest,
    success: Settlement.CryptoSettlement,
  }),
  Endpoint.delete("remove", "/v1/merchants/:merchantId/settlements/crypto/:id", {
    ...one,
    summary: "Delete a settlement destination. Later payments in its token stay owed",
    description:
      "Shares of earlier payments still go to the deleted destination, unless a new one is registered. One that is deleted already is not found.",
    success: Settlement.Deleted,
  }),
)
