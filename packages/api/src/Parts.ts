/**
 * The types of an endpoint's parts.
 *
 * @module
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as Schema from "effect/Schema"

type TypeOf<S extends Schema.Constraint> = [S] extends [never]
  ? Readonly<Record<never, never>>
  : S["Type"]

export type Params<E> = TypeOf<HttpApiEndpoint.Params<E>>
export type Query<E> = TypeOf<HttpApiEndpoint.Query<E>>
export type Body<E> = TypeOf<HttpApiEndpoint.Payload<E>>
/** The successful response. */
export type Success<E> = HttpApiEndpoint.Success<E>["Type"]
