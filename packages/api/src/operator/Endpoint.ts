/**
 * What every endpoint of the operator's API says of itself in addition: the scope that a key needs, and for a write the
 * action that the audit log records. A group takes no endpoint that does not say it: that is an error of its types.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Endpoint from "../Endpoint.ts"
import * as Headers from "../Headers.ts"

export interface Access {
  readonly scope: ApiKey.OperatorScope
  /** Null for a read that the audit log does not record. */
  readonly action: AuditLog.Action | null
}

const Access: Context.Key<Access, Access> = Context.Service("@florin/api/operator/Access")

/** With an action if the audit log records the read. */
interface Read extends Endpoint.About, Pick<Access, "scope"> {
  readonly action?: AuditLog.Action
}
interface Write extends Read {
  readonly action: AuditLog.Action
}

/** What a key needs to call an endpoint, and what the audit log keeps of the call. */
const accessText = ({ action, scope }: Access): string =>
  `Needs the scope \`${scope}\`.${action === null ? "" : ` The audit log records \`${action}\`.`}`

const annotations = ({ action, scope, ...about }: Read): Context.Context<never> => {
  const access: Access = { action: action ?? null, scope }
  const description = `${about.description} ${accessText(access)}`
  return Context.add(Endpoint.annotations({ ...about, description }), Access, access)
}

const ofWrite: (about: Write) => Context.Context<never> = annotations

const guarded = { isGuarded: true } as const

const remove = Endpoint.declaring("DELETE", ofWrite, guarded)
export { remove as delete }
export const get = Endpoint.declaring("GET", annotations, guarded)
export const post = Endpoint.declaring("POST", ofWrite, guarded)
export const put = Endpoint.declaring("PUT", ofWrite, guarded)
export const patch = Endpoint.declaring("PATCH", ofWrite, guarded)

export const { created } = Endpoint

/** The headers of an endpoint that creates or moves something. */
export const once = { "idempotency-key": Headers.createOnce["idempotency-key"] } as const

/** What an endpoint says of itself. */
export const accessOf = (endpoint: {
  readonly identifier: string
  readonly annotations: Context.Context<never>
}): Access => {
  const found = Context.getOption(endpoint.annotations, Access)
  if (found._tag === "Some") return found.value
  throw new Error(`${endpoint.identifier} names no scope: declare it with operator/Endpoint`)
}

/** The same in words; empty for an endpoint of another API. */
export const textOf = (said: Context.Context<never>): string => {
  const found = Context.getOrUndefined(said, Access)
  return found === undefined ? "" : accessText(found)
}

type Guarded = HttpApiEndpoint.Constraint & typeof guarded

/** A group of the operator's API. */
export const group = <
  const Id extends string,
  Endpoints extends readonly [Guarded, ...ReadonlyArray<Guarded>],
>(
  id: Id,
  description: string,
  ...endpoints: Endpoints
) => Endpoint.group(id, description, ...endpoints)
