/**
 * Personal data of payers, for their requests.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Problem from "../Problem.ts"
import * as PersonalData from "../wire/PersonalData.ts"
import * as Endpoint from "./Endpoint.ts"

const error = Problem.errors("not_found")

const show = HttpApiEndpoint.get("show", "/operator/v1/personal-data", {
  query: PersonalData.query,
  success: PersonalData.List,
  error,
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "collected.shown",
    summary: "Show the personal data that payers entered",
    description: "Shows the stored data of one payment, or of one account in all its payments.",
  }),
)

const exportData = HttpApiEndpoint.get("export", "/operator/v1/personal-data/export", {
  query: PersonalData.query,
  success: PersonalData.Export,
  error,
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "collected.exported",
    summary: "Export the personal data that payers entered, with its payments",
    description: "Returns the data to hand over to a payer who asks for it.",
  }),
)

const erase = HttpApiEndpoint.post("erase", "/operator/v1/personal-data/erase", {
  payload: PersonalData.EraseRequest,
  success: PersonalData.Erased,
  error,
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "collected.erased",
    summary: "Erase the personal data that payers entered",
    description:
      "Erases each record together with its key, so that nobody can read it in a backup without the keys. This cannot be undone. The payments stay.",
  }),
)

export const group = Endpoint.group(
  "personalData",
  "Personal data of payers, for their requests",
  show,
  exportData,
  erase,
)
