/**
 * Keys: who may call.
 *
 * @module
 */
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"
import * as Key from "../wire/Key.ts"
import * as Text from "../wire/Text.ts"

/** What the calls about one key have in common. */
const one = {
  params: { id: Text.keyId.annotate({ description: "The key's id" }) },
  headers: Headers.common,
  refusals: ["not_found", "invalid_state"],
} as const

export const group = Endpoint.group(
  "keys",
  "Your API keys",
  Endpoint.post("create", "/v1/keys", {
    summary: "Create a key",
    description:
      "The key is in this response only. It may not do more, be used from elsewhere or last longer than the key that creates it.",
    headers: Headers.createOnce,
    payload: Key.CreateRequest,
    success: Endpoint.created(Key.WithSecret),
    refusals: ["approval_required"],
  }),
  Endpoint.get("list", "/v1/keys", {
    summary: "List keys, without their secrets",
    description: "Lists the valid keys of your partner and mode.",
    headers: Headers.common,
    success: Key.List,
  }),
  Endpoint.post("rotate", "/v1/keys/:id/rotate", {
    ...one,
    summary: "Rotate a key. The old one works for 24 more hours",
    description: "The new key is in this response only.",
    headers: Headers.createOnce,
    payload: Key.RotateRequest,
    success: Endpoint.created(Key.WithSecret),
    refusals: ["approval_required", "not_found", "invalid_state"],
  }),
  Endpoint.delete("revoke", "/v1/keys/:id", {
    ...one,
    summary: "Revoke a key and the keys that it created, immediately",
    description:
      "Revokes the key and all keys that it created, directly or through others, and lists their ids. The last key with the scope `keys` cannot be revoked.",
    success: Key.Revoked,
  }),
)
