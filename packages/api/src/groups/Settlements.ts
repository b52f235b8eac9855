/**
 * Settlements: where a merchant's money goes.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Settlement from "../wire/Settlement.ts"
import * as Text from "../wire/Text.ts"

const ofMerchant = { merchantId: Text.merchantId.annotate({ description: "The merchant's id" }) }
const one = {
  ...ofMerchant,
  id: Text.settlementId.annotate({ description: "The settlement's id" }),
}
const headers = Headers.common

export const list = HttpApiEndpoint.get("list", "/v1/merchants/:merchantId/settlements", {
  params: ofMerchant,
  headers,
  success: Settlement.Settlements,
  error: Problem.errors("not_found"),
})
  .annotate(OpenApi.Summary, "List settlement destinations")
  .annotate(OpenApi.Description, "Lists the destination of each token. `fiat` is always empty.")

export const create = HttpApiEndpoint.post(
  "create",
  "/v1/merchants/:merchantId/settlements/crypto",
  {
    params: ofMerchant,
    headers: Headers.createOnce,
    payload: Settlement.CreateRequest,
    success: Settlement.Created.pipe(HttpApiSchema.status(201)),
    error: Problem.errors(
      "approval_required",
      "not_found",
      "missing_idempotency_key",
      "idempotency_conflict",
      "settlement_asset_conflict",
    ),
  },
)
  .annotate(OpenApi.Summary, "Add settlement destinations (all or none)")
  .annotate(
    OpenApi.Description,
    "A merchant has one destination for each token. If one entry is refused, none is added. A destination that is registered again after it was deleted takes effect after a delay.",
  )

export const change = HttpApiEndpoint.put(
  "change",
  "/v1/merchants/:merchantId/settlements/crypto/:id",
  {
    params: one,
    headers,
    payload: Settlement.ChangeRequest,
    success: Settlement.CryptoSettlement,
    error: Problem.errors("approval_required", "not_found"),
  },
)
  .annotate(OpenApi.Summary, "Change a settlement destination")
  .annotate(
    OpenApi.Description,
    "A changed destination takes effect after a delay that the operator sets: `takesEffectAt` says when. To prove that an account is yours, send the registered destination with `proof`.",
  )

export const remove = HttpApiEndpoint.delete(
  "remove",
  "/v1/merchants/:merchantId/settlements/crypto/:id",
  {
    params: one,
    headers,
    success: Settlement.Deleted,
    error: Problem.errors("approval_required", "not_found"),
  },
)
  .annotate(
    OpenApi.Summary,
    "Delete a settlement destination. Later payments in its token stay owed",
  )
  .annotate(
    OpenApi.Description,
    "Shares of earlier payments still go to the deleted destination, unless a new one is registered. Deleting it again returns 404.",
  )

export const group = HttpApiGroup.make("settlements")
  .add(list, create, change, remove)
  .annotate(OpenApi.Description, "The accounts to which merchants are paid out")
