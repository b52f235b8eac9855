/**
 * Personal data of payers, for their requests.
 *
 * @module
 */
import * as PersonalData from "../wire/PersonalData.ts"
import * as Endpoint from "./Endpoint.ts"

const refusals = ["not_found"] as const

export const group = Endpoint.group(
  "personalData",
  "Personal data of payers, for their requests",
  Endpoint.get("show", "/operator/v1/personal-data", {
    scope: "admin",
    action: "collected.shown",
    summary: "Show the personal data that payers entered",
    description: "Shows the stored data of one payment, or of one account in all its payments.",
    query: PersonalData.query,
    success: PersonalData.List,
    refusals,
  }),
  Endpoint.get("export", "/operator/v1/personal-data/export", {
    scope: "admin",
    action: "collected.exported",
    summary: "Export the personal data that payers entered, with its payments",
    description: "Returns the data to hand over to a payer who asks for it.",
    query: PersonalData.query,
    success: PersonalData.Export,
    refusals,
  }),
  Endpoint.post("erase", "/operator/v1/personal-data/erase", {
    scope: "admin",
    action: "collected.erased",
    summary: "Erase the personal data that payers entered",
    description:
      "Each record is erased together with its key, so that nobody can read it in a backup without the keys. This cannot be undone. The payments stay.",
    payload: PersonalData.EraseRequest,
    success: PersonalData.Erased,
    refusals,
  }),
)
