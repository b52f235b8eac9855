/**
 * Keys of any kind: partners', wallets' and operators'.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as Key from "../wire/Key.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

/** What the calls about one key have in common. */
const one = {
  params: { keyId: Text.keyId.annotate({ description: "The key's id" }) },
  refusals: ["not_found"],
} as const

export const group = Endpoint.group(
  "keys",
  "The API keys of partners, wallets and operators",
  Endpoint.post("issue", "/operator/v1/keys", {
    scope: "admin",
    action: "key.created",
    summary: "Create a key for a partner, a wallet or an operator",
    description:
      "The key is shown once. A partner's key has access to that partner's payments. A wallet's key can pay the payments of all partners in its mode. An operator's key may do no more than the key that creates it.",
    headers: Endpoint.once,
    payload: Key.IssueRequest,
    success: Endpoint.created(Key.OwnedWithSecret),
    refusals: ["approval_required", "not_found"],
  }),
  Endpoint.get("list", "/operator/v1/keys", {
    scope: "read",
    summary: "List keys, without their secrets",
    description:
      "Lists the keys of one partner, or of all partners, wallets and operators, also those that are no longer valid. The newest of each partner come first.",
    query: {
      partnerId: Schema.optionalKey(
        Text.partnerId.annotate({ description: "Only the keys of this partner" }),
      ),
    },
    success: Key.OwnedList,
  }),
  Endpoint.patch("change", "/operator/v1/keys/:keyId", {
    ...one,
    scope: "admin",
    action: "key.changed",
    summary: "Change the name and the icon of a wallet that merchants see",
    description: "Only the given members change, and the key stays the same.",
    payload: Key.ChangeRequest,
    success: Key.OwnedKey,
  }),
  Endpoint.post("rotate", "/operator/v1/keys/:keyId/rotate", {
    ...one,
    scope: "admin",
    action: "key.rotated",
    summary: "Rotate a key. The old one works for 24 more hours",
    description: "The new key has the same owner, mode and permissions. It is shown once.",
    headers: Endpoint.once,
    payload: Key.RenewRequest,
    success: Endpoint.created(Key.OwnedWithSecret),
    refusals: ["approval_required", "not_found", "invalid_state"],
  }),
  Endpoint.delete("revoke", "/operator/v1/keys/:keyId", {
    ...one,
    scope: "admin",
    action: "key.revoked",
    summary: "Revoke a key and the keys that it created, immediately",
    description: "Lists the ids of the revoked keys. Revoking a key again changes nothing.",
    success: Key.Revoked,
  }),
)
