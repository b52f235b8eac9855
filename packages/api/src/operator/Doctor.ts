/**
 * Whether a running service is ready for real money.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Problem from "../Problem.ts"
import * as Doctor from "../wire/Doctor.ts"
import * as Endpoint from "./Endpoint.ts"

const check = HttpApiEndpoint.get("check", "/operator/v1/doctor", {
  success: Doctor.Checks,
  error: Problem.errors("bad_gateway"),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "Check the live chains and books of the service",
    description:
      "Checks what should hold before real money moves: nodes, gas, stopped chains, books, credit, the deny list, and held money. `florin doctor` also checks the settings.",
  }),
)

export const group = Endpoint.group("doctor", "Whether the service is ready for real money", check)
