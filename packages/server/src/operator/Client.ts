/**
 * The operator's API in this process: its operations without HTTP in between, as promises. Everything follows from the
 * contract.
 *
 * @example
 * const { id } = await florin.operator.partners.create({ name: "Corner Payments" })
 *
 * @module
 */
import { api } from "@florin/api/operator/Api"
import * as Version from "@florin/core/domain/ground/Version"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import { Assets } from "@florin/core/ports/Assets"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type * as Operation from "../Operation.ts"
import * as AmountView from "../views/AmountView.ts"
import * as Groups from "./Groups.ts"

/** Runs an effect on the ports of a service. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Operation.Ports>) => Promise<A>

/** A retry with the same key gets the first response, and changes nothing. */
type Options = { readonly idempotencyKey?: string }

/** The parameters of the path, the query and the body in one record. */
type Request<E> = Operation.ParamsOf<E> & Operation.QueryOf<E> & Operation.BodyOf<E>

type Method<E> =
  Record<never, never> extends Request<E>
    ? (request?: Request<E>, options?: Options) => Promise<Operation.Success<E>>
    : (request: Request<E>, options?: Options) => Promise<Operation.Success<E>>

type Api = typeof api.groups

/** One method for each endpoint of the contract. */
export type Client = {
  readonly [G in keyof Api]: {
    readonly [E in keyof Api[G]["endpoints"]]: Method<Api[G]["endpoints"][E]>
  }
}

const isClient = (made: object): made is Client =>
  Object.keys(api.groups).every((group) => Object.hasOwn(made, group))

const request = Effect.fnUntraced(function* (
  operation: Operation.Operation,
  members: Schema.JsonObject,
  { idempotencyKey }: Options,
  publicUrl: string,
) {
  const text = (name: string) => String(members[name] ?? "")
  const call: Operation.AnyCall<URLSearchParams> = {
    caller: { _tag: "Operator", name: null, scopes: ApiKey.OperatorScope.literals },
    apiShape: { version: Version.newestStable, profile: "interface" },
    merchantId: undefined,
    idempotencyKey,
    address: () => null,
    lastEventId: undefined,
    param: text,
    query: new URLSearchParams(
      operation.method === "GET"
        ? Object.entries(members).flatMap(([name, value]) =>
            [value].flat().map((each) => [name, String(each)]),
          )
        : [],
    ),
    display: AmountView.display(publicUrl, yield* Assets),
    takeAccounts: () => Effect.void,
  }
  const { body } = yield* operation.respond(call, operation.takesBody ? members : undefined)
  return body
})

/** The client over the ports of a service. */
export const make = (run: Run, publicUrl: string): Client => {
  const made = Object.fromEntries(
    Object.keys(api.groups).map((group) => [
      group,
      Object.fromEntries(
        Groups.operations
          .filter((operation) => operation.group === group)
          .map((operation) => [
            operation.name.slice(operation.name.lastIndexOf(".") + 1),
            (members: Schema.JsonObject = {}, options: Options = {}) =>
              run(request(operation, members, options, publicUrl)),
          ]),
      ),
    ]),
  )
  if (!isClient(made)) throw new Error("a group of the operator's API has no operations")
  return made
}
