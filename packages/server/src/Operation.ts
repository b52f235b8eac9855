/**
 * An operation of the contract with what carries it out: read the request, call one use case, show its answer.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/ApiKey"
import type * as Merchant from "@florin/core/domain/Merchant"
import type * as Keys from "@florin/core/engine/Keys"
import type { Chains } from "@florin/core/ports/Chain"
import type { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import type { RateSource } from "@florin/core/ports/RateSource"
import type { Screening } from "@florin/core/ports/Screening"
import type { Settings } from "@florin/core/ports/Settings"
import type { Signals } from "@florin/core/ports/Signals"
import type { Storage, Tenant } from "@florin/core/ports/Storage"
import type { Vault } from "@florin/core/ports/Vault"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Authentication from "./Authentication.ts"
import * as Body from "./Body.ts"
import type * as Dialect from "./Dialect.ts"
import type * as Problems from "./Problems.ts"
import type * as Query from "./Query.ts"
import type * as AmountView from "./views/AmountView.ts"

/** Every port that a use case may ask for. */
export type Ports =
  | Chains
  | CollectDataPolicy
  | Identifiers
  | RateSource
  | Screening
  | Settings
  | Signals
  | Storage
  | Vault

/** A request whose caller, version and headers are known. */
export interface Call {
  readonly caller: Keys.Caller
  readonly dialect: Dialect.Dialect
  readonly merchantId: string | undefined
  readonly idempotencyKey: string | undefined
  /** A parameter of the path. */
  readonly param: (name: string) => string
  readonly query: Query.Query
  /** Where the drawings are that answers name. */
  readonly icons: AmountView.Icons
}

/** The call of a partner: of a partner's key only. */
export interface PartnerCall extends Call {
  readonly partner: Merchant.Partner
  readonly tenant: Tenant
}

export interface Reply<A> {
  readonly status: 200 | 201
  readonly body: A
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = <A>(body: A): Reply<A> => ({ status: 200, body })

/** Something new, or what an earlier call with the same key made. */
export const created = <A>(body: A, replayed: boolean): Reply<A> => ({
  status: 201,
  body,
  ...(replayed && { headers: { "idempotency-replayed": "true" } }),
})

type Answer<A> = Effect.Effect<Reply<A>, Problems.Refusal, Ports>

/** What is read of an endpoint of the contract. */
interface Endpoint extends HttpApiEndpoint.Constraint {
  readonly method: string
  readonly path: string
  readonly headers: Schema.Top | undefined
}

/** What an endpoint answers when all went well. */
type Success<E> = HttpApiEndpoint.Success<E>["Type"]

export interface Operation {
  readonly _tag: "Operation"
  /** As the contract names it: `gateway.fetch`. */
  readonly name: string
  readonly group: string
  readonly method: string
  readonly path: string
  readonly face: Authentication.Face
  readonly needsMerchantId: boolean
  readonly needsIdempotencyKey: boolean
  readonly takesBody: boolean
  /** Answers a call with the JSON that came with it; undefined where there was none. */
  readonly answer: (call: Call, json: Schema.Json | undefined) => Answer<object>
}

/** Whether the contract says that a call must have a header. */
const requires = (endpoint: Endpoint, header: string): boolean => {
  const ast = endpoint.headers?.ast
  return (
    ast !== undefined &&
    SchemaAST.isObjects(ast) &&
    ast.propertySignatures.some(({ name, type }) => name === header && !SchemaAST.isOptional(type))
  )
}

const noBody = new Body.Unreadable({ message: "this call takes no body, or an empty object" })

const make = (
  group: string,
  face: ApiKey.Face,
  endpoint: Endpoint,
  answer: Operation["answer"],
): Operation => ({
  _tag: "Operation",
  name: `${group}.${endpoint.identifier}`,
  group,
  method: endpoint.method,
  path: endpoint.path,
  face,
  needsMerchantId: requires(endpoint, "merchant-id"),
  needsIdempotencyKey: requires(endpoint, "idempotency-key"),
  takesBody: endpoint.method !== "GET" && endpoint.method !== "DELETE",
  answer,
})

/** Reads the body of a call that has none. */
const readNothing = (json: Schema.Json | undefined): Result.Result<void, Body.Unreadable> =>
  json === undefined || (Predicate.isObject(json) && !Array.isArray(json))
    ? Result.void
    : Result.fail(noBody)

type Payload<E> = HttpApiEndpoint.Payload<E>["Type"]

/** The operations of the gateway: any caller may call them. */
export const gateway = {
  of: <E extends Endpoint>(endpoint: E, run: (call: Call) => Answer<Success<E> & object>) =>
    make("gateway", "gateway", endpoint, (call, json) => {
      const read = readNothing(json)
      return Result.isSuccess(read) ? run(call) : Effect.fail(read.failure)
    }),
  withBody: <E extends Endpoint>(
    endpoint: E,
    schema: Schema.Codec<Payload<E>, unknown>,
    run: (call: Call, body: Payload<E>) => Answer<Success<E> & object>,
  ) => {
    const read = Body.reader(schema)
    return make("gateway", "gateway", endpoint, (call, json) => {
      const body = read(json)
      return Result.isSuccess(body) ? run(call, body.success) : Effect.fail(body.failure)
    })
  },
}

const asPartner = (call: Call): Result.Result<PartnerCall, Authentication.Forbidden> => {
  const { caller } = call
  return caller._tag === "Partner"
    ? Result.succeed({
        ...call,
        partner: caller.partner,
        tenant: { partnerId: caller.partner.id, mode: caller.mode },
      })
    : Result.fail(Authentication.forbidden)
}

/** The operations of a group of the partner interface. */
export const partner = (group: string) => ({
  of: <E extends Endpoint>(endpoint: E, run: (call: PartnerCall) => Answer<Success<E> & object>) =>
    make(group, "partner", endpoint, (call, json) =>
      Effect.flatMap(Effect.fromResult(Result.andThen(readNothing(json), asPartner(call))), run),
    ),
  withBody: <E extends Endpoint>(
    endpoint: E,
    schema: Schema.Codec<Payload<E>, unknown>,
    run: (call: PartnerCall, body: Payload<E>) => Answer<Success<E> & object>,
  ) => {
    const read = Body.reader(schema)
    return make(group, "partner", endpoint, (call, json) =>
      Effect.flatMap(
        Effect.fromResult(Result.all([read(json), asPartner(call)])),
        ([body, ofPartner]) => run(ofPartner, body),
      ),
    )
  },
})
