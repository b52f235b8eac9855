/**
 * Settlements: where a merchant's money goes.
 *
 * @module
 */
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"

const ofMerchant = { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) }
const one = {
  ...ofMerchant,
  id: Text.settlementId.annotate({ description: "The settlement's id" }),
}
const headers = Headers.common

export const group = Endpoint.group(
  "settlements",
  "The accounts to which merchants are paid out",
  Endpoint.get("list", "/v1/merchants/:merchantId/settlements", {
    summary: "List settlement destinations",
    description: "Lists the destination of each token. `fiat` is always empty.",
    params: ofMerchant,
    headers,
    success: Settlement.Settlements,
    refusals: ["not_found"],
  }),
  Endpoint.post("create", "/v1/merchants/:merchantId/settlements/crypto", {
    summary: "Add settlement destinations (all or none)",
    description:
      "A merchant has one destination for each token. If one entry is refused, none is added. A destination that is registered again after it was deleted takes effect after a delay.",
    params: ofMerchant,
    headers: Headers.createOnce,
    payload: Settlement.CreateRequest,
    success: Settlement.Created.pipe(HttpApiSchema.status(201)),
    refusals: ["approval_required", "not_found", "settlement_asset_conflict"],
  }),
  Endpoint.put("change", "/v1/merchants/:merchantId/settlements/crypto/:id", {
    summary: "Change a settlement destination",
    description:
      "A changed destination takes effect after a delay that the operator sets: `takesEffectAt` says when. To prove that an account is yours, send the registered destination with `proof`.",
    params: one,
    headers,
    payload: Settlement.ChangeRequest,
    success: Settlement.CryptoSettlement,
    refusals: ["approval_required", "not_found"],
  }),
  Endpoint.delete("remove", "/v1/merchants/:merchantId/settlements/crypto/:id", {
    summary: "Delete a settlement destination. Later payments in its token stay owed",
    description:
      "Shares of earlier payments still go to the deleted destination, unless a new one is registered. One that is deleted already is not found.",
    params: one,
    headers,
    success: Settlement.Deleted,
    refusals: ["approval_required", "not_found"],
  }),
)
