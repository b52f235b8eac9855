/**
 * Keys: who may call.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"
import * as Problem from "../Problem.ts"
import * as Key from "../wire/Key.ts"
import * as Text from "../wire/Text.ts"

const one = { id: Text.keyId.annotate({ description: "The key's id" }) }

export const create = HttpApiEndpoint.post("create", "/v1/keys", {
  headers: Headers.createOnce,
  payload: Key.CreateRequest,
  success: Key.WithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors("approval_required", "missing_idempotency_key", "idempotency_conflict"),
})
  .annotate(OpenApi.Summary, "Create a key")
  .annotate(
    OpenApi.Description,
    "The key is in this response only. It may not do more, be used from elsewhere or last longer than the key that creates it.",
  )

export const list = HttpApiEndpoint.get("list", "/v1/keys", {
  headers: Headers.common,
  success: Key.List,
  error: Problem.errors(),
})
  .annotate(OpenApi.Summary, "List keys, without their secrets")
  .annotate(OpenApi.Description, "Lists the valid keys of your partner and mode.")

export const rotate = HttpApiEndpoint.post("rotate", "/v1/keys/:id/rotate", {
  params: one,
  headers: Headers.createOnce,
  payload: Key.RotateRequest,
  success: Key.WithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "approval_required",
    "not_found",
    "invalid_state",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
})
  .annotate(OpenApi.Summary, "Rotate a key. The old one works for 24 more hours")
  .annotate(OpenApi.Description, "The new key is in this response only.")

export const revoke = HttpApiEndpoint.delete("revoke", "/v1/keys/:id", {
  params: one,
  headers: Headers.common,
  success: Key.Revoked,
  error: Problem.errors("not_found", "invalid_state"),
})
  .annotate(OpenApi.Summary, "Revoke a key and the keys that it created, immediately")
  .annotate(
    OpenApi.Description,
    "Revokes the key and all keys that it created, directly or through others, and lists their ids. The last key with the scope `keys` cannot be revoked.",
  )

export const group = HttpApiGroup.make("keys")
  .add(create, list, rotate, revoke)
  .annotate(OpenApi.Description, "Your API keys")
