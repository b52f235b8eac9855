/**
 * Keys over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Keys"
import * as PartnerKeys from "@florin/core/engine/PartnerKeys"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as KeyView from "../views/KeyView.ts"

const unveiled =
  ({ doors }: Operation.PartnerCall) =>
  ({ key, replayed, text }: Effect.Success<ReturnType<typeof PartnerKeys.create>>) =>
    Operation.replyCreated({ key: KeyView.key(key), ...KeyView.secret(key, text, doors) }, replayed)

export const operations = Operation.partner(Contract.group, {
  create: (call, body) =>
    Effect.fromResult(KeyView.scopesAsked(body, "partner")).pipe(
      Effect.flatMap((scopes) =>
        PartnerKeys.create(call.tenant, { ...body, scopes }, call.idempotencyKey),
      ),
      Effect.map(unveiled(call)),
    ),

  list: ({ tenant }) =>
    Effect.map(PartnerKeys.list(tenant), (keys) => Operation.ok({ keys: keys.map(KeyView.key) })),

  rotate: (call, body) =>
    Effect.map(
      PartnerKeys.rotate(call.tenant, call.param("id"), body, call.idempotencyKey),
      unveiled(call),
    ),

  revoke: ({ param, tenant }) =>
    Effect.map(PartnerKeys.revoke(tenant, param("id")), (ended) =>
      Operation.ok({ revoked: ended.map(({ id }) => id) }),
    ),
})
