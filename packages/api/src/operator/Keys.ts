/**
 * Keys of any kind: partners', wallets' and operators'.
 *
 * @module
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as Problem from "../Problem.ts"
import * as Key from "../wire/Key.ts"
import * as Text from "../wire/Text.ts"
import * as Endpoint from "./Endpoint.ts"

const params = { keyId: Text.keyId.annotate({ description: "The key's id" }) }

const issue = HttpApiEndpoint.post("issue", "/operator/v1/keys", {
  headers: Endpoint.once,
  payload: Key.IssueRequest,
  success: Key.OwnedWithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "approval_required",
    "not_found",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "key.created",
    summary: "Create a key for a partner, a wallet or an operator",
    description:
      "The key itself is in this response only. A partner's key has access to that partner's payments. A wallet's key can pay the payments of all partners in its mode. An operator's key may do no more than the key that creates it.",
  }),
)

const list = HttpApiEndpoint.get("list", "/operator/v1/keys", {
  query: {
    partnerId: Schema.optionalKey(
      Text.partnerId.annotate({ description: "Only the keys of this partner" }),
    ),
  },
  success: Key.OwnedList,
  error: Problem.errors(),
}).pipe(
  Endpoint.read({
    scope: "read",
    summary: "List keys, without their secrets",
    description:
      "Lists the keys of one partner, or of all partners, wallets and operators, also those that are no longer valid. The newest of each partner come first.",
  }),
)

const change = HttpApiEndpoint.patch("change", "/operator/v1/keys/:keyId", {
  params,
  payload: Key.ChangeRequest,
  success: Key.OwnedKey,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "key.changed",
    summary: "Change the name and the icon of a wallet that merchants see",
    description: "Changes only the members that you send. The key itself stays.",
  }),
)

const rotate = HttpApiEndpoint.post("rotate", "/operator/v1/keys/:keyId/rotate", {
  params,
  headers: Endpoint.once,
  payload: Key.RenewRequest,
  success: Key.OwnedWithSecret.pipe(HttpApiSchema.status(201)),
  error: Problem.errors(
    "approval_required",
    "not_found",
    "invalid_state",
    "missing_idempotency_key",
    "idempotency_conflict",
  ),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "key.rotated",
    summary: "Rotate a key. The old one works for 24 more hours",
    description: "The new key is in this response only.",
  }),
)

const revoke = HttpApiEndpoint.delete("revoke", "/operator/v1/keys/:keyId", {
  params,
  success: Key.Revoked,
  error: Problem.errors("not_found"),
}).pipe(
  Endpoint.write({
    scope: "admin",
    action: "key.revoked",
    summary: "Revoke a key and the keys that it created, immediately",
    description: "Lists the ids of the revoked keys. Revoking a key again changes nothing.",
  }),
)

export const group = Endpoint.group(
  "keys",
  "The API keys of partners, wallets and operators",
  issue,
  list,
  change,
  rotate,
  revoke,
)
