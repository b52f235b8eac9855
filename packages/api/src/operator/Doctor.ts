/**
 * Whether a running service is ready for real money.
 *
 * @module
 */
import * as Doctor from "../wire/Doctor.ts"
import * as Endpoint from "./Endpoint.ts"

export const group = Endpoint.group(
  "doctor",
  "Whether the service is ready for real money",
  Endpoint.get("check", "/operator/v1/doctor", {
    scope: "read",
    summary: "Check the live chains and books of the service",
    description:
      "Checks what should hold before real money moves: nodes, gas, stopped chains, books, credit, the deny list, and held money. `florin doctor` also checks the settings.",
    success: Doctor.Checks,
    refusals: ["bad_gateway"],
  }),
)
