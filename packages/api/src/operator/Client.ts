/**
 * The operator's API as functions, one for each endpoint of the contract, whatever carries a call.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Stream from "effect/Stream"
import type * as Parts from "../Parts.ts"
import { api } from "./Api.ts"
import type * as Job from "./Job.ts"

export interface Options {
  /** A retry with the same key gets the first response, and changes nothing. */
  readonly idempotencyKey?: string
  /** Hears of the progress of a job. */
  readonly onProgress?: (progress: Job.Progress) => void
}

type ResultOf<Said> = Said extends { readonly result: infer A } ? A : never

/** What a call resolves with: the successful response, or the result of a job. */
export type Success<E> =
  Parts.Success<E> extends Stream.Stream<{ readonly data: infer Said }>
    ? ResultOf<Said>
    : Parts.Success<E>

/** The parameters of the path, the query and the body in one record. */
export type Request<E> = Parts.Params<E> & Parts.Query<E> & Parts.Body<E>

/** Members are spelled out in place, so that an editor shows them and not the endpoint's type. */
type Method<E> = [Request<E>, Success<E>] extends [infer R, infer A]
  ? Record<never, never> extends R
    ? (request?: { readonly [K in keyof R]: R[K] }, options?: Options) => Promise<A>
    : (request: { readonly [K in keyof R]: R[K] }, options?: Options) => Promise<A>
  : never

type Groups = typeof api.groups

/** One function for each endpoint: `partners.create({ name })`. */
export type Client = {
  readonly [G in keyof Groups]: {
    readonly [E in keyof Groups[G]["endpoints"]]: Method<Groups[G]["endpoints"][E]>
  }
}

/** What is known of an endpoint, whatever its types are. */
export interface Endpoint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly headers: Schema.Top | undefined
  readonly success: ReadonlySet<Schema.Top>
}

/** A call of an endpoint. */
export interface Call<E extends Endpoint> {
  readonly group: string
  readonly endpoint: E
  readonly members: Schema.JsonObject
  readonly options: Options
}

/** Carries a call, and resolves with the body of its response. */
export type Carry = <E extends Endpoint>(call: Call<E>) => Promise<Success<E> & object>

/** Whether an endpoint creates or moves something, so that a call has an idempotency key. */
export const isOnce = ({ headers }: Endpoint): boolean =>
  headers !== undefined &&
  SchemaAST.isObjects(headers.ast) &&
  headers.ast.propertySignatures.some(({ name }) => name === "idempotency-key")

/** Whether the response of an endpoint is the stream of a job. */
export const isJob = ({ success }: Endpoint): boolean =>
  [...success].some((each) => "_tag" in each && each._tag === "StreamSse")

const isClient = (made: object): made is Client =>
  Object.keys(api.groups).every((group) => Object.hasOwn(made, group))

/** The client over what carries its calls. */
export const make = (carry: Carry): Client => {
  const made = Object.fromEntries(
    Object.entries(api.groups).map(([group, { endpoints }]) => [
      group,
      Object.fromEntries(
        Object.entries(endpoints).map(([name, endpoint]) => [
          name,
          (members: Schema.JsonObject = {}, options: Options = {}) =>
            carry({ group, endpoint, members, options }),
        ]),
      ),
    ]),
  )
  if (!isClient(made)) throw new Error("a group of the operator's API is missing")
  return made
}
