/**
 * Assets: the tokens that the service accepts.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Asset from "../wire/Asset.ts"

export const list = HttpApiEndpoint.get("list", "/v1/assets", {
  headers: Headers.common,
  success: Asset.List,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List the tokens of the service")
  .annotate(
    OpenApi.Description,
    "Lists every token that the service accepts with its network, and whether it is offered to payers now. If it is not, the reason says why.",
  )

export const group = HttpApiGroup.make("assets")
  .add(list)
  .annotate(OpenApi.Description, "The tokens that payments can use")
