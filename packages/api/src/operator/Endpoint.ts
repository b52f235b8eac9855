/**
 * What every endpoint of the operator's API says of itself: the scope that a key needs, and for a write the action that
 * the audit log records. A group takes no endpoint that does not say it: that is an error of its types.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Headers from "../Headers.ts"

export interface Access {
  readonly scope: ApiKey.OperatorScope
  /** Null for a read. */
  readonly action: AuditLog.Action | null
}

const Access: Context.Key<Access, Access> = Context.Service("@florin/api/operator/Access")

interface Texts {
  readonly summary: string
  readonly description: string
}

/** What a key needs to call an endpoint, and what the audit log keeps of the call. */
const accessText = ({ action, scope }: Access): string =>
  `Needs the scope \`${scope}\`.${action === null ? "" : ` The audit log records \`${action}\`.`}`

const annotations = ({ action, description, scope, summary }: Access & Texts) =>
  Context.make(Access, { action, scope }).pipe(
    Context.add(OpenApi.Summary, summary),
    Context.add(OpenApi.Description, `${description} ${accessText({ action, scope })}`),
  )

/** An endpoint that says it. Only {@link read} and {@link write} make one. */
export interface Guarded {
  readonly access: Access
}

const guard =
  (about: Access & Texts) =>
  <E extends { readonly annotateMerge: (annotations: Context.Context<never>) => E }>(
    endpoint: E,
  ): E & Guarded =>
    Object.assign(endpoint.annotateMerge(annotations(about)), { access: about })

/**
 * An endpoint that reads.
 *
 * @example
 * HttpApiEndpoint.get("list", path, { … }).pipe(Endpoint.read({ scope: "read", summary, description }))
 */
export const read = (about: Texts & Pick<Access, "scope">) => guard({ ...about, action: null })

/** An endpoint that writes. */
export const write = (about: Access & Texts & { readonly action: AuditLog.Action }) => guard(about)

/** The headers of an endpoint that creates or moves something. */
export const once = { "idempotency-key": Headers.createOnce["idempotency-key"] } as const

/** What an endpoint says of itself. */
export const accessOf = (endpoint: {
  readonly identifier: string
  readonly annotations: Context.Context<never>
}): Access => {
  const found = Context.getOption(endpoint.annotations, Access)
  if (found._tag === "Some") return found.value
  throw new Error(`${endpoint.identifier} names no scope: annotate it with Endpoint.read or write`)
}

/** The same in words; empty for an endpoint of another API. */
export const textOf = (said: Context.Context<never>): string => {
  const found = Context.getOrUndefined(said, Access)
  return found === undefined ? "" : accessText(found)
}

/** A group of the operator's API. */
export const group = <
  const Id extends string,
  Endpoints extends readonly [
    HttpApiEndpoint.Constraint & Guarded,
    ...ReadonlyArray<HttpApiEndpoint.Constraint & Guarded>,
  ],
>(
  identifier: Id,
  description: string,
  ...endpoints: Endpoints
) =>
  HttpApiGroup.make(identifier)
    .add(...endpoints)
    .annotate(OpenApi.Description, description)
