/**
 * What every endpoint of the operator's API says of itself: the scope that a key needs, and for a write the action that
 * the audit log records. A group refuses an endpoint that does not say it.
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

const annotations = ({ action, description, scope, summary }: Access & Texts) =>
  Context.make(Access, { action, scope }).pipe(
    Context.add(OpenApi.Summary, summary),
    Context.add(
      OpenApi.Description,
      [
        description,
        `Needs the scope \`${scope}\`.`,
        ...(action === null ? [] : [`The audit log records \`${action}\`.`]),
      ].join(" "),
    ),
  )

/**
 * The annotations of an endpoint that reads.
 *
 * @example
 * HttpApiEndpoint.get("list", path, { … }).annotateMerge(Endpoint.read({ scope: "read", summary, description }))
 */
export const read = (about: Texts & Pick<Access, "scope">) =>
  annotations({ ...about, action: null })

/** The annotations of an endpoint that writes. */
export const write = (
  about: Texts & { readonly scope: ApiKey.OperatorScope; readonly action: AuditLog.Action },
) => annotations(about)

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

/** A group of the operator's API. */
export const group = <
  const Id extends string,
  Endpoints extends readonly [
    HttpApiEndpoint.Constraint & Parameters<typeof accessOf>[0],
    ...ReadonlyArray<HttpApiEndpoint.Constraint & Parameters<typeof accessOf>[0]>,
  ],
>(
  identifier: Id,
  description: string,
  ...endpoints: Endpoints
) => {
  for (const each of endpoints) accessOf(each)
  return HttpApiGroup.make(identifier)
    .add(...endpoints)
    .annotate(OpenApi.Description, description)
}
