/**
 * Requests that wait for a second person over HTTP, the same for partners and for the operator.
 *
 * @module
 */
import * as OfPartner from "@florin/api/groups/Approvals"
import * as OfOperator from "@florin/api/operator/Approvals"
import type * as Wire from "@florin/api/wire/Approval"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Approvals from "@florin/core/engine/partner/Approvals"
import { Settings } from "@florin/core/ports/Settings"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TimeView from "../views/TimeView.ts"
import * as Operation from "./Operation.ts"

type Call = Pick<Operation.AnyCall, "caller" | "keyId" | "param">

const tenantOf = ({ caller }: Call) =>
  caller._tag === "Partner" ? { partnerId: caller.partner.id, mode: caller.mode } : null

/** Whether the owner of a call wants a second person. */
const wants = ({ caller }: Call) =>
  caller._tag === "Partner"
    ? Effect.succeed(caller.partner.secondPerson === true)
    : Effect.map(Settings, ({ secondPerson }) => secondPerson)

/** The same operation, which lets a call pass if it needs no approval, or has one. */
export const guard = (operation: Operation.Operation): Operation.Operation => {
  const { approval, method, name, needsIdempotencyKey, scope } = operation
  if (approval === undefined) return operation
  const respond: Operation.Operation["respond"] = Effect.fnUntraced(function* (call, json) {
    if (approval.isNeeded(json) && (yield* wants(call))) {
      // Nobody is asked about a call that would be refused.
      const body = yield* Effect.fromResult(approval.read(call, json))
      yield* Approvals.require({
        operation: name,
        does: approval.does,
        method,
        path: Operation.pathOf(operation, call),
        tenant: tenantOf(call),
        scope,
        body,
        merchantId: call.merchantId,
        // Of other operations a retry does the same again.
        idempotencyKey: needsIdempotencyKey ? call.idempotencyKey : undefined,
      })
    }
    return yield* operation.respond(call, json)
  })
  return { ...operation, respond }
}

const asJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.JsonObject))

const shown = ({ isOwn, key, mayApprove }: Approvals.Shown): Wire.Approval => {
  const { approval, createdAt, expiresAt, id } = key
  const { approved, askedBy, body, does, method, operation, path, reason = null } = approval
  const [scope = "read"] = ApiKey.scopesOf(key)
  return {
    id,
    operation,
    does,
    method,
    path,
    body: body === null ? null : asJson(body),
    scope,
    askedBy,
    reason,
    isOwn,
    mayApprove,
    createdAt: TimeView.iso(createdAt),
    validUntil: TimeView.iso(expiresAt ?? createdAt),
    approvedBy: approved?.by ?? null,
  }
}

const deciding =
  (decide: typeof Approvals.approve | typeof Approvals.decline, param: string) => (call: Call) =>
    Effect.map(decide(tenantOf(call), call.param(param)), ({ id }) => ({ id }))

/** `param` is the name of the id in the path. */
const calls = (param: string) => ({
  list: (call: Call) =>
    Effect.map(Approvals.list(tenantOf(call), call.keyId), (approvals) => ({
      approvals: approvals.map(shown),
    })),
  approve: deciding(Approvals.approve, param),
  decline: deciding(Approvals.decline, param),
})

export const partner = Operation.partner(OfPartner.group, calls("id"))
export const operator = Operation.operator(OfOperator.group, calls("approvalId"))
