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

const unveiled = ({ key, replayed, text }: Effect.Success<ReturnType<typeof PartnerKeys.create>>) =>
  Operation.replyCreated({ key: KeyView.key(key), secret: text }, replayed)

export const operations = Operation.partner(Contract.group, {
  create: ({ idempotencyKey, tenant }, body) =>
    Effect.map(PartnerKeys.create(tenant, body, idempotencyKey), unveiled),

  list: ({ tenant }) =>
    Effect.map(PartnerKeys.list(tenant), (keys) => Operation.ok({ keys: keys.map(KeyView.key) })),

  rotate: ({ idempotencyKey, param, tenant }, body) =>
    Effect.map(PartnerKeys.rotate(tenant, param("id"), body, idempotencyKey), unveiled),

  revoke: ({ param, tenant }) =>
    Effect.map(PartnerKeys.revoke(tenant, param("id")), (ended) =>
      Operation.ok({ revoked: ended.map(({ id }) => id) }),
    ),
})
