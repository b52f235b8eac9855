/**
 * Assets: the tokens that the service accepts.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Asset from "../wire/Asset.ts"

export const group = Endpoint.group(
  "assets",
  "The tokens that payments can use",
  Endpoint.get("list", "/v1/assets", {
    summary: "List the tokens that payers can pay with",
    description: "Lists every token that the service offers now, with its network.",
    headers: Headers.common,
    success: Asset.List,
  }),
)
