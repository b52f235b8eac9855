/**
 * The operator's API as functions, one for each endpoint of the contract, whatever carries a call.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Parts from "../Parts.ts"
import { api } from "./Api.ts"

export interface Options {
  /** A retry with the same key gets the first response, and changes nothing. */
  readonly idempotencyKey?: string
}

/** The parameters of the path, the query and the body in one record. */
export type Request<E> = Parts.Params<E> & Parts.Query<E> & Parts.Body<E>

type Method<E> =
  Record<never, never> extends Request<E>
    ? (request?: Request<E>, options?: Options) => Promise<Parts.Success<E>>
    : (request: Request<E>, options?: Options) => Promise<Parts.Success<E>>

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
}

/** A call of an endpoint. */
export interface Call<E extends Endpoint> {
  readonly group: string
  readonly endpoint: E
  readonly members: Schema.JsonObject
  readonly options: Options
}

/** Carries a call, and resolves with the body of its response. */
export type Carry = <E extends Endpoint>(call: Call<E>) => Promise<Parts.Success<E> & object>

/** Whether an endpoint creates or moves something, so that a call has an idempotency key. */
export const isOnce = ({ headers }: Endpoint): boolean =>
  headers !== undefined &&
  SchemaAST.isObjects(headers.ast) &&
  headers.ast.propertySignatures.some(({ name }) => name === "idempotency-key")

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
