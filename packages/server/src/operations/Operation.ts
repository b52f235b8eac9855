/**
 * An operation of the contract with its implementation: read the request, call one use case, return its result.
 *
 * @module
 */
import { headerOf } from "@florin/api/operator/Call"
import { accessOf } from "@florin/api/operator/Endpoint"
import type * as Parts from "@florin/api/Parts"
import * as Version from "@florin/core/domain/ground/Version"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as Keys from "@florin/core/engine/partner/Keys"
import type { Tenant } from "@florin/core/ports/AccountStore"
import type { Assets } from "@florin/core/ports/Assets"
import type { Chains } from "@florin/core/ports/Chain"
import type { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import type { Confusables } from "@florin/core/ports/Confusables"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import type { RateSource } from "@florin/core/ports/RateSource"
import type { Screening } from "@florin/core/ports/Screening"
import type { Settings } from "@florin/core/ports/Settings"
import type { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import type { Vault } from "@florin/core/ports/Vault"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type * as ApiShape from "../edge/ApiShape.ts"
import * as Authentication from "../edge/Authentication.ts"
import * as Body from "../edge/Body.ts"
import type * as Doors from "../edge/Doors.ts"
import type * as Problems from "../edge/Problems.ts"
import type * as RateLimit from "../edge/RateLimit.ts"
import type { ServerSentEvents } from "../edge/ServerSentEvents.ts"
import * as Query from "../http/Query.ts"
import type * as AmountView from "../views/AmountView.ts"

/** Every port that a use case may need. */
export type Ports =
  | Assets
  | Chains
  | CollectDataPolicy
  | Confusables
  | Identifiers
  | RateSource
  | Screening
  | Settings
  | Signals
  | Storage
  | Vault

/** A request whose caller, version and headers are known. */
export interface AnyCall<Q = unknown> {
  readonly caller: Keys.Caller | Keys.Operator
  /** The key that was used; null for a hosted page, an app id, and the operator in this process. */
  readonly keyId: ApiKey.ApiKeyId | null
  /** How people get in to the console. */
  readonly doors: Doors.Doors
  readonly apiShape: ApiShape.ApiShape
  readonly merchantId: string | undefined
  readonly idempotencyKey: string | undefined
  /** The network address of the caller; null if it is not known. */
  readonly address: () => string | null
  /** The id of the last event that the reader of a stream has already read. */
  readonly lastEventId: string | undefined
  /** A parameter of the path. */
  readonly param: (name: string) => string
  /** The query as it was sent; for a handler, as its endpoint's contract describes it. */
  readonly query: Q
  /** The data that amounts are displayed with. */
  readonly display: AmountView.Display
  /** Charges a call for the number of accounts it names, or refuses it. */
  readonly takeAccounts: (
    paymentId: string,
    accounts: number,
  ) => Effect.Effect<void, RateLimit.RateLimited>
  /** From here on the call only waits for a change, and keeps no other call from being admitted. */
  readonly endWork: Effect.Effect<void>
}

/** What is the same of every call that came over no network. */
export const inProcess = {
  keyId: null,
  apiShape: { version: Version.newestStable, profile: "interface" },
  merchantId: undefined,
  address: () => null,
  lastEventId: undefined,
  takeAccounts: () => Effect.void,
  endWork: Effect.void,
} as const satisfies Partial<AnyCall>

/** The members of such a call as HTTP would carry them: what is undefined is not there, at any depth. */
export const carried = (members: object): Schema.JsonObject => JSON.parse(JSON.stringify(members))

/** A call of a partner, a wallet or a hosted page. */
export interface Call<Q = unknown> extends AnyCall<Q> {
  readonly caller: Keys.Caller
}

/** A call of the operator, with an operator's key or in this process. */
export interface OperatorCall<Q = unknown> extends AnyCall<Q> {
  readonly caller: Keys.Operator
}

/** A call of a partner, always with a partner's key. */
export interface PartnerCall<Q = unknown> extends Call<Q> {
  readonly caller: Extract<Keys.Caller, { readonly _tag: "Partner" }>
  readonly tenant: Tenant
}

interface More {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent instead of the body: the same data for spreadsheets, in every API version and profile. */
  readonly csv?: string
}

/** A body, and what is sent with it. The contract says the status. */
export class Reply<A extends object = object> {
  readonly body: A
  readonly more: More

  constructor(body: A, more: More = {}) {
    this.body = body
    this.more = more
  }
}

/** What a handler returns: mostly the body alone. */
export const replyOf = <A extends object>(made: A | Reply<A>): Reply<A> =>
  made instanceof Reply ? made : new Reply(made)

/** What is created, marked as a replay if an earlier call with the same key created it. */
export const once = <A extends object>(body: A, replayed: boolean): A | Reply<A> =>
  replayed ? new Reply(body, { headers: { "idempotency-replayed": "true" } }) : body

/** A page of a list. */
export const pageOf =
  <A, B>(view: (item: A) => B) =>
  (page: { readonly items: ReadonlyArray<A>; readonly nextCursor: string | null }) => ({
    data: page.items.map((each) => view(each)),
    nextCursor: page.nextCursor,
  })

export const deleted = ({ id }: { readonly id: string }) => ({ id, deleted: true as const })

/** The effect of a call. */
export type Responding<A extends object> = Effect.Effect<A | Reply<A>, Problems.Refusal, Ports>

/** The parts of a contract's endpoint that are used here. */
interface Endpoint extends HttpApiEndpoint.ConstraintRequest {
  readonly method: string
  readonly path: string
  readonly headers: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: HttpApiEndpoint.PayloadMap
  readonly success: ReadonlySet<Schema.Top>
  readonly annotations: Context.Context<never>
}

interface Group extends HttpApiGroup.Constraint {
  readonly endpoints: { readonly [identifier: string]: Endpoint }
}

/** The body of the response: a stream of the contract is sent as server-sent events. */
type ResponseBody<S> =
  S extends Stream.Stream<{ readonly data: infer A extends object }>
    ? ServerSentEvents<A>
    : S & object

const Nothing = Schema.Struct({})

/** Carries out a call: reads the request, calls one use case and returns its result. */
type Run<E, C, Q> = (
  call: C & { readonly query: Q },
  body: Parts.Body<E>,
) => Responding<ResponseBody<Parts.Success<E>>>

/** Carries out the calls of an endpoint; `withRawQuery` if the query is read by a table of its own. */
type Handler<E, C> = Run<E, C, Parts.Query<E>> | { readonly withRawQuery: Run<E, C, Query.Query> }

/** One handler for each endpoint of a group, and none for any other. */
export type Handlers<G extends Group, C> = {
  readonly [Id in keyof G["endpoints"]]: Handler<G["endpoints"][Id], C>
}

/** What a second person must know of an operation. */
interface Approval {
  /** What it does, in words. */
  readonly does: string
  /** Whether a call with this body needs one. */
  readonly isNeeded: (json: Schema.Json | undefined) => boolean
  /** Its body without what has no effect, as nobody is to approve that. Refuses a call that cannot be read. */
  readonly read: (
    call: AnyCall<Query.Query>,
    json: Schema.Json | undefined,
  ) => Result.Result<Schema.Json, Problems.Refusal>
}

export interface Operation {
  readonly _tag: "Operation"
  /** The name in the contract: `gateway.fetch`. */
  readonly name: string
  readonly group: string
  readonly method: string
  readonly path: string
  readonly face: Authentication.Face
  /** The status of a response that is no refusal. */
  readonly status: 200 | 201
  /** The scope that a key needs. */
  readonly scope: ApiKey.Scope
  readonly needsMerchantId: boolean
  readonly needsIdempotencyKey: boolean
  /** Whether the operator may allow calls with a key in `X-Api-Key`. */
  readonly hasLegacyShape: boolean
  readonly takesBody: boolean
  /** The only keys that may call it; undefined for those of programs, and sessions. */
  readonly isFor?: ApiKey.Use | undefined
  /** Whether a session must be fresh for it: its person used a passkey, or a sign-in link, a moment ago. */
  readonly needsStepUp: boolean
  /** How a second person approves calls, if its owner wants that. */
  readonly approval?: Approval
  /** Responds to a call. `json` is its body; undefined if there is none. */
  readonly respond: (
    call: AnyCall<Query.Query>,
    json: Schema.Json | undefined,
  ) => Responding<object>
}

/** The path of a call, with the ids in it. */
export const pathOf = (
  { path }: Pick<Operation, "path">,
  { param }: Pick<AnyCall, "param">,
): string => path.replaceAll(/:(\w+)/gu, (_, name: string) => param(name))

/** Whether the contract requires a header. */
const requires = (endpoint: Endpoint, header: string): boolean => {
  const found = headerOf(endpoint, header)
  return found !== undefined && !SchemaAST.isOptional(found.type)
}

const statusOf = ({ success }: Endpoint): 200 | 201 =>
  [...success].some(({ ast }) => ast.context?.annotations?.["httpApiStatus"] === 201) ? 201 : 200

/**
 * The scopes that the reads and the writes of a partner's group need. A webhook's URL often contains a token, keys are for
 * the owner to manage, and what an approval is about needs a scope of its own.
 */
const scopesOfGroups: {
  readonly [group: string]: readonly [reads: ApiKey.Scope, writes: ApiKey.Scope]
} = {
  gateway: ["read", "pay"],
  payments: ["read", "pay"],
  refunds: ["read", "refund"],
  webhooks: ["webhooks", "webhooks"],
  keys: ["keys", "keys"],
  session: ["read", "read"],
  approvals: ["read", "read"],
}

/** A group that is not listed needs `manage` for its writes, the scope that is granted least. */
const scopeOf = (group: string, method: string): ApiKey.Scope => {
  const [reads, writes] = scopesOfGroups[group] ?? ["read", "manage"]
  return method === "GET" ? reads : writes
}

/** The scopes whose writes neither move money nor change where it goes, or who decides on that. */
const everydayScopes: ReadonlySet<ApiKey.Scope> = new Set(["read", "pay", "webhooks", "support"])

type IsNeeded = Approval["isNeeded"]

const always: IsNeeded = () => true
const ifIn =
  (member: string): IsNeeded =>
  (json) =>
    typeof json === "object" && json !== null && member in json

/** What guards a call besides its scope. */
interface Guards {
  /** Whether a person must have used a passkey, or a sign-in link, a moment ago. */
  readonly needsStepUp?: boolean
  /** When a second person must approve it; null if never. */
  readonly isNeeded?: IsNeeded | null
}

/**
 * The calls that are guarded in another way than their scope says. A second person approves, beside all that moves the
 * operator's own money, what changes where a merchant's money goes, and what would let one person be two.
 */
const guards: { readonly [call: string]: Guards } = {
  "session.addPasskey": { needsStepUp: true },
  "session.removePasskey": { needsStepUp: true },
  "approvals.approve": { needsStepUp: true },
  "inflows.return": { needsStepUp: true },
  "outflows.retry": { needsStepUp: true },
  "outflows.retryAll": { needsStepUp: true },
  "outflows.retrySettlement": { needsStepUp: true },
  "outflows.retryRefunds": { needsStepUp: true },
  // It returns a text for the payer to sign, and writes nothing.
  "refunds.destination": { needsStepUp: false },
  "settlements.create": { isNeeded: always },
  "settlements.change": { isNeeded: always },
  "settlements.remove": { isNeeded: always },
  "keys.create": { isNeeded: always },
  "keys.issue": { isNeeded: always },
  "keys.rotate": { isNeeded: always },
  "merchants.confirmDestination": { isNeeded: always },
  "partners.change": { isNeeded: ifIn("secondPerson") },
  // To cancel is urgent, and moves nothing.
  "float.cancel": { isNeeded: null },
}

/** What guards a call: a read needs nothing but its scope. */
const guardsOf = (call: string, method: string, scope: ApiKey.Scope): Required<Guards> => ({
  needsStepUp: method !== "GET" && !everydayScopes.has(scope),
  isNeeded: method !== "GET" && scope === "treasury" ? always : null,
  ...guards[call],
})

/** The keys that may make a call, if only people in the console make it. */
const useOf = (group: string, call: string): ApiKey.Use | undefined => {
  if (group !== "session") return undefined
  return call === "session.signIn" ? "sign_in" : "session"
}

const make = (
  group: string,
  face: ApiKey.Face,
  endpoint: Endpoint,
  { read, respond }: Pick<Approval, "read"> & Pick<Operation, "respond">,
): Operation => {
  const { method, path } = endpoint
  const call = `${group}.${endpoint.identifier}`
  const scope = face === "operator" ? accessOf(endpoint).scope : scopeOf(group, method)
  const { isNeeded, needsStepUp } = guardsOf(call, method, scope)
  const does = Context.getOrUndefined(endpoint.annotations, OpenApi.Summary) ?? call
  return {
    _tag: "Operation",
    name: `${face === "operator" ? "operator." : ""}${call}`,
    group,
    method,
    path,
    face,
    status: statusOf(endpoint),
    scope,
    needsMerchantId: requires(endpoint, "merchant-id"),
    needsIdempotencyKey: requires(endpoint, "idempotency-key"),
    hasLegacyShape: headerOf(endpoint, Authentication.legacyHeader) !== undefined,
    isFor: useOf(group, call),
    needsStepUp,
    takesBody: method !== "GET" && method !== "DELETE",
    respond,
    ...(isNeeded !== null && { approval: { does, isNeeded, read } }),
  }
}

/** The schemas of an endpoint, with their types. */
interface Schemas<E> {
  readonly query: Schema.Codec<Parts.Query<E>, unknown>
  readonly body: Schema.Codec<Parts.Body<E>, unknown>
}

const bodyOf = ({ payload }: Endpoint): Schema.Top | undefined =>
  payload.get("application/json")?.schemas[0]

/**
 * Casts an endpoint's schemas to their types. Effect keeps these types separately, and an endpoint's own schemas always
 * have them.
 */
const areOf = <E extends Endpoint>(
  endpoint: E,
  schemas: { readonly query: Schema.Top; readonly body: Schema.Top },
): schemas is Schemas<E> =>
  schemas.query === (endpoint.query ?? Nothing) && schemas.body === (bodyOf(endpoint) ?? Nothing)

const schemasOf = <E extends Endpoint>(endpoint: E): Schemas<E> => {
  const schemas = { query: endpoint.query ?? Nothing, body: bodyOf(endpoint) ?? Nothing }
  if (!areOf(endpoint, schemas)) throw new Error("these schemas are another endpoint's")
  return schemas
}

/** Derives the call for one side of the interface from its caller, or refuses it. */
type Admit<C> = <Q>(
  call: AnyCall<Query.Query>,
  query: Q,
) => Result.Result<C & { readonly query: Q }, Authentication.Forbidden>

const asJson = Schema.decodeUnknownSync(Schema.Json)

const operationsOf =
  <C>(face: ApiKey.Face, admit: Admit<C>) =>
  <G extends Group>(group: G, handlers: Handlers<G, C>): ReadonlyArray<Operation> => {
    const operation = <E extends Endpoint>(endpoint: E, handler: Handler<E, C>): Operation => {
      const schemas = schemasOf(endpoint)
      const readBody = (bodyOf(endpoint) === undefined ? Body.readerOfNone : Body.reader)(
        schemas.body,
      )
      const encode = Schema.encodeUnknownSync(schemas.body)
      // The steps are plain calls, as every request runs them.
      const carryOut = <Q>(
        readQuery: (query: Query.Query) => Result.Result<Q, Problems.Refusal>,
        run: Run<E, C, Q>,
      ): Pick<Approval, "read"> & Pick<Operation, "respond"> => {
        const read = (call: AnyCall<Query.Query>, json: Schema.Json | undefined) => {
          const body = readBody(json)
          if (Result.isFailure(body)) return Result.fail(body.failure)
          const query = readQuery(call.query)
          if (Result.isFailure(query)) return Result.fail(query.failure)
          const admitted = admit(call, query.success)
          return Result.isSuccess(admitted)
            ? Result.succeed({ admitted: admitted.success, body: body.success })
            : Result.fail(admitted.failure)
        }
        return {
          read: (call, json) =>
            Result.map(read(call, json), ({ body }) =>
              bodyOf(endpoint) === undefined ? null : asJson(encode(body)),
            ),
          respond: (call, json) => {
            const asked = read(call, json)
            return Result.isSuccess(asked)
              ? run(asked.success.admitted, asked.success.body)
              : Effect.fail(asked.failure)
          },
        }
      }
      return make(
        group.identifier,
        face,
        endpoint,
        typeof handler === "function"
          ? carryOut(Query.reader(schemas.query), handler)
          : carryOut(Result.succeed, handler.withRawQuery),
      )
    }
    const { endpoints }: { readonly endpoints: G["endpoints"] } = group
    return Struct.keys(endpoints).map(<Id extends keyof G["endpoints"]>(id: Id) =>
      operation(endpoints[id], handlers[id]),
    )
  }

/** The operations of the gateway: partners, wallets and hosted pages may call them. */
export const gateway = operationsOf<Call>("gateway", (call, query) => {
  const { caller } = call
  return caller._tag === "Operator"
    ? Result.fail(Authentication.forbidden.gateway)
    : Result.succeed({ ...call, caller, query })
})

/** The operations of a group of the operator's API. */
export const operator = operationsOf<OperatorCall>("operator", (call, query) => {
  const { caller } = call
  return caller._tag === "Operator"
    ? Result.succeed({ ...call, caller, query })
    : Result.fail(Authentication.forbidden.operator)
})

/** The operations of a group of the partner interface. */
export const partner = operationsOf<PartnerCall>("partner", (call, query) => {
  const { caller } = call
  return caller._tag === "Partner"
    ? Result.succeed({
        ...call,
        caller,
        query,
        tenant: { partnerId: caller.partner.id, mode: caller.mode },
      })
    : Result.fail(Authentication.forbidden.partner)
})
