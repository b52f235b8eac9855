/**
 * The operator's API as functions, one for each endpoint of the contract, whatever carries a call.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import type * as Parts from "../Parts.ts"
import { api } from "./Api.ts"
import type * as Call from "./Call.ts"

/** The parameters of the path, the query and the body in one record. */
export type Request<E> = Parts.Params<E> & Parts.Query<E> & Parts.Body<E>

/** Members are spelled out in place, so that an editor shows them and not the endpoint's type. */
type Method<E> = [Request<E>, Call.Success<E>] extends [infer R, infer A]
  ? Record<never, never> extends R
    ? (request?: { readonly [K in keyof R]: R[K] }, options?: Call.Options) => Promise<A>
    : (request: { readonly [K in keyof R]: R[K] }, options?: Call.Options) => Promise<A>
  : never

type Groups = typeof api.groups

/** One function for each endpoint: `partners.create({ name })`. */
export type Client = {
  readonly [G in keyof Groups]: {
    readonly [E in keyof Groups[G]["endpoints"]]: Method<Groups[G]["endpoints"][E]>
  }
}

const isClient = (made: object): made is Client =>
  Object.keys(api.groups).every((group) => Object.hasOwn(made, group))

/** The client over what carries its calls. */
export const make = (carry: Call.Carry): Client => {
  const made = Object.fromEntries(
    Object.entries(api.groups).map(([group, { endpoints }]) => [
      group,
      Object.fromEntries(
        Object.entries(endpoints).map(([name, endpoint]) => [
          name,
          (members: Schema.JsonObject = {}, options: Call.Options = {}) =>
            carry({ group, endpoint, members, options }),
        ]),
      ),
    ]),
  )
  if (!isClient(made)) throw new Error("a group of the operator's API is missing")
  return made
}
