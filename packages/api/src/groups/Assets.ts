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
    summary: "List the tokens of the service",
    description:
      "Lists every token that the service accepts with its network, and whether it is offered to payers now. If it is not, the reason says why.",
    headers: Headers.common,
    success: Asset.List,
  }),
)
