/**
 * How a contract declares its endpoints: what each takes and returns, the codes of its refusals, and what the documents
 * say of it. A group is the table of its endpoints.
 *
 * @example
 * export const group = Endpoint.group(
 *   "assets",
 *   "The tokens that payments can use",
 *   Endpoint.get("list", "/v1/assets", { summary, description, headers, success: Asset.List }),
 * )
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Problem from "./Problem.ts"

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** What every endpoint says of itself. */
export interface About {
  readonly summary: string
  readonly description: string
  readonly isDeprecated?: true
  /** The codes of its refusals, in addition to those of every endpoint. */
  readonly refusals?: ReadonlyArray<Problem.Code>
  /** Whether a signature or a transaction of the request may be well-formed but wrong. */
  readonly isSigned?: true
}

/** The codes of every endpoint that requires an `Idempotency-Key`. */
const refusalsOfKeys = ["missing_idempotency_key", "idempotency_conflict"] as const

const requiresKey = (headers: Schema.Struct.Fields = {}): boolean => {
  const key = headers["idempotency-key"]
  return key !== undefined && !SchemaAST.isOptional(key.ast)
}

export const annotations = ({
  description,
  isDeprecated,
  summary,
}: About): Context.Context<never> =>
  OpenApi.annotations({ summary, description, ...(isDeprecated && { deprecated: true }) })

/**
 * The constructor of endpoints of one method, with what the endpoints of a contract say of themselves. `mark` is what a
 * group of that contract knows them by.
 */
export const declaring =
  <const M extends Method, A extends About, const Mark extends object>(
    method: M,
    annotationsOf: (about: A) => Context.Context<never>,
    mark: Mark,
  ) =>
  <
    const Id extends string,
    const Path extends `/${string}`,
    const Success extends Schema.Top,
    Params extends Schema.Struct.Fields = never,
    Query extends Schema.Struct.Fields = never,
    Payload extends HttpApiEndpoint.PayloadConstraintCodecs<M> = never,
    Headers extends Schema.Struct.Fields = never,
  >(
    id: Id,
    path: Path,
    declared: A & {
      readonly params?: Params
      readonly query?: Query
      readonly headers?: Headers
      readonly payload?: Payload
      readonly success: Success
    },
  ) => {
    const { headers, isSigned, params, payload, query, refusals = [], success } = declared
    const errors = Problem.errors(...refusals, ...(requiresKey(headers) ? refusalsOfKeys : []))
    const error = isSigned ? [...errors, Problem.unprocessable] : errors
    const parts = { params, query, headers, payload, success, error }
    const endpoint = HttpApiEndpoint.make(method)(id, path, parts)
    return Object.assign(endpoint.annotateMerge(annotationsOf(declared)), mark)
  }

const remove = declaring("DELETE", annotations, {})
export { remove as delete }
export const get = declaring("GET", annotations, {})
export const post = declaring("POST", annotations, {})
export const put = declaring("PUT", annotations, {})
export const patch = declaring("PATCH", annotations, {})

/** The response of an endpoint that creates something. */
export const created = HttpApiSchema.status(201)

/** A group of endpoints. */
export const group = <
  const Id extends string,
  Endpoints extends readonly [
    HttpApiEndpoint.Constraint,
    ...ReadonlyArray<HttpApiEndpoint.Constraint>,
  ],
>(
  id: Id,
  description: string,
  ...endpoints: Endpoints
) =>
  HttpApiGroup.make(id)
    .add(...endpoints)
    .annotate(OpenApi.Description, description)
