/**
 * Turns a request into its response: authenticates the caller, reads the API version and profile, runs the operation
 * and writes the log.
 *
 * The interface defines the order of checks: key, version, Merchant-Id, Idempotency-Key, path, query and body, and then
 * the operation itself.
 *
 * @module
 */
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Base62 from "@florin/core/domain/ground/Base62"
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import type * as AuditLog from "@florin/core/domain/partner/AuditLog"
import * as Idempotency from "@florin/core/domain/partner/Idempotency"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Payments from "@florin/core/engine/payment/Payments"
import { recordDeed } from "@florin/core/engine/record/AuditLog"
import * as StoredResponse from "@florin/core/engine/record/StoredResponse"
import type { AccountStore } from "@florin/core/ports/AccountStore"
import { Assets } from "@florin/core/ports/Assets"
import { Acting } from "@florin/core/ports/AuditStore"
import { Identifiers } from "@florin/core/ports/Identifiers"
import type { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constant } from "effect/Function"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as Documentation from "./docs/Documentation.ts"
import * as AccessLog from "./edge/AccessLog.ts"
import * as Admission from "./edge/Admission.ts"
import * as ApiShape from "./edge/ApiShape.ts"
import * as Authentication from "./edge/Authentication.ts"
import * as Body from "./edge/Body.ts"
import * as Cors from "./edge/Cors.ts"
import * as Doors from "./edge/Doors.ts"
import { EdgeSettings } from "./edge/EdgeSettings.ts"
import * as Problems from "./edge/Problems.ts"
import * as PublicWork from "./edge/PublicWork.ts"
import * as RateLimit from "./edge/RateLimit.ts"
import * as RequestMetrics from "./edge/RequestMetrics.ts"
import * as ServerSentEvents from "./edge/ServerSentEvents.ts"
import * as Health from "./Health.ts"
import * as ClientAddress from "./http/ClientAddress.ts"
import * as Exchange from "./http/Exchange.ts"
import * as Headers from "./http/Headers.ts"
import * as Query from "./http/Query.ts"
import * as Routing from "./http/Routing.ts"
import * as Groups from "./operations/Groups.ts"
import * as Operation from "./operations/Operation.ts"
import * as Console from "./pages/Console.ts"
import * as NotFound from "./pages/NotFound.ts"
import type * as Page from "./pages/Page.ts"
import * as Pages from "./pages/Pages.ts"

/** Every operation of the public interface. */
export const operations: ReadonlyArray<Operation.Operation> = Groups.open

export type Route = Operation.Operation | Page.Page

const routes = Effect.fnUntraced(function* (edge: Edge) {
  const all: ReadonlyArray<Route> = [
    ...operations,
    ...Health.pages,
    ...Documentation.make(edge),
    ...(edge.pages === null ? [] : yield* Pages.make(edge.pages, edge)),
    ...Console.make("partner", edge),
  ]
  return all
})

/** Facts about a request that are collected for the logs. */
interface Noted {
  readonly requestId: string
  authenticated: Authentication.Authenticated | null
  requested: ApiShape.Requested | null
  defect: AccessLog.Line["defect"]
}

const missingMerchantId = new Payments.MissingMerchantId({
  message: "the merchant is missing: send its id in the Merchant-Id header",
})

const missingIdempotencyKey = new StoredResponse.MissingIdempotencyKey({
  message: "send an Idempotency-Key: one for each new object",
})

/** Reads the Merchant-Id and Idempotency-Key headers, in the order in which they are checked. */
const readHeaders = (
  header: Exchange.Incoming["header"],
  { needsIdempotencyKey, needsMerchantId }: Operation.Operation,
): Result.Result<Pick<Operation.Call, "merchantId" | "idempotencyKey">, Problems.Refusal> => {
  const merchantId = Headers.valueOf(header, "merchant-id")
  if (needsMerchantId && merchantId === undefined) return Result.fail(missingMerchantId)
  const readable = Headers.requireAscii(header, "merchant-id", "idempotency-key")
  if (Result.isFailure(readable)) return Result.fail(readable.failure)
  const sent = header("idempotency-key")
  if (needsIdempotencyKey && Headers.valueOf(header, "idempotency-key") === undefined) {
    return Result.fail(missingIdempotencyKey)
  }
  return sent === undefined
    ? Result.succeed({ merchantId, idempotencyKey: undefined })
    : Result.map(Invalid.at("Idempotency-Key", Idempotency.parseKey(sent)), (idempotencyKey) => ({
        merchantId,
        idempotencyKey,
      }))
}

interface Read extends Pick<Operation.Call, "merchantId" | "idempotencyKey"> {
  readonly apiShape: ApiShape.ApiShape
}

/**
 * Reads the headers other than the key: version, merchant and idempotency key, in the order in which they are checked.
 */
const readCall = (
  { fieldVersionHeaders }: Edge,
  operation: Operation.Operation,
  header: Exchange.Incoming["header"],
  { caller, isLegacy }: Authentication.Authenticated,
  noted: Noted,
): Result.Result<Read, Problems.Refusal> => {
  const readable = Headers.requireAscii(header, "svc-version")
  if (Result.isFailure(readable)) return Result.fail(readable.failure)
  const own = {
    pin: Keys.versionPin(caller),
    profile: isLegacy === true ? "legacy" : Keys.profile(caller),
  } as const
  const requested = ApiShape.ofRequest(header, own, fieldVersionHeaders)
  if (Result.isFailure(requested)) return Result.fail(requested.failure)
  noted.requested = requested.success
  const { apiShape } = requested.success
  const headers = readHeaders(header, operation)
  return Result.isFailure(headers)
    ? Result.fail(headers.failure)
    : Result.succeed({ ...headers.success, apiShape })
}

type Edge = EdgeSettings["Service"]

type OutgoingEffect = Effect.Effect<Exchange.Outgoing, Problems.Refusal, Operation.Ports>

/**
 * Counts a call in its caller's bucket. A partner's key is secret and counts as one caller. A credential that the
 * public shares has many callers. They are distinguished by their address, or by the Client-Id that they send.
 */
const taking = ({ rateLimit }: Edge) => {
  if (rateLimit === null) return null
  const ofPartner = RateLimit.make(rateLimit)
  const ofPublic = RateLimit.makeShared(rateLimit)
  return (
    { bucket, caller }: Authentication.Authenticated,
    address: string | null,
    header: Exchange.Incoming["header"],
  ): Effect.Effect<void, RateLimit.RateLimited> =>
    caller._tag === "Partner" || caller._tag === "Operator"
      ? ofPartner(bucket)
      : ofPublic(bucket, address ?? Headers.valueOf(header, "client-id") ?? null)
}

/**
 * Runs the operations of a service. The steps are chained by hand, and those that need no effect are plain calls, as
 * every request runs all of them.
 */
const operating = (edge: Edge, catalog: Catalog.Catalog, isTrusted: boolean) => {
  const display = { publicUrl: edge.publicUrl, catalog }
  const doors = Doors.make(edge)
  const parseKey = Authentication.makeParser()
  const take = taking(edge)
  const admission = Admission.make()
  const addressOf = ClientAddress.reader(edge.proxyHeader)
  const takeAccounts =
    edge.accountsLimit === null ? () => Effect.void : PublicWork.make(edge.accountsLimit)
  return (
    operation: Operation.Operation,
    incoming: Exchange.Incoming,
    params: Readonly<Record<string, string>>,
    noted: Noted,
  ): OutgoingEffect => {
    const { header } = incoming
    const carryOut = (authenticated: Authentication.Authenticated): OutgoingEffect => {
      const { caller, keyId } = authenticated
      const read = readCall(edge, operation, header, authenticated, noted)
      if (Result.isFailure(read)) return Effect.fail(read.failure)
      const { apiShape } = read.success
      const call = (endWork: Effect.Effect<void>): Operation.AnyCall<Query.Query> => ({
        ...read.success,
        caller,
        keyId,
        doors,
        address: () => addressOf(incoming),
        display,
        lastEventId: Headers.valueOf(header, "last-event-id"),
        param: (name) => params[name] ?? "",
        query: Query.parse(incoming.query),
        takeAccounts: (paymentId, accounts) =>
          takeAccounts(paymentId, addressOf(incoming), accounts),
        endWork,
      })
      const respond = (json: Schema.Json | undefined) =>
        admission.enter(operation, (endWork) => operation.respond(call(endWork), json))
      const reply = operation.takesBody
        ? Effect.flatMap(Body.read(incoming), (json) =>
            respond(
              json === undefined ? undefined : ApiShape.readRequest(apiShape, operation.name, json),
            ),
          )
        : respond(undefined)
      return Effect.flatMap(reply, (made) => {
        const {
          body,
          more: { csv, headers },
        } = Operation.replyOf(made)
        if (body instanceof ServerSentEvents.ServerSentEvents) {
          return Effect.map(Effect.context<AccountStore | Identifiers | Settings>(), (context) =>
            ServerSentEvents.respond(
              body,
              (data) => ApiShape.writeResponse(apiShape, operation.name, data),
              Effect.provideContext(authenticate, context),
            ),
          )
        }
        const text = ApiShape.writeResponse(apiShape, operation.name, body)
        return Effect.succeed(
          csv === undefined
            ? Exchange.jsonText(operation.status, text, headers)
            : Exchange.csv(operation.status, csv, headers),
        )
      })
    }
    const authenticate = isTrusted
      ? Effect.succeed(Authentication.trusted(header))
      : Authentication.authenticate(
          edge,
          doors,
          parseKey,
          header,
          operation,
          () => addressOf(incoming),
          (known) => {
            noted.authenticated = known
          },
        )
    const requireFresh = (authenticated: Authentication.Authenticated) => {
      const { caller, isCookie, keyId } = authenticated
      const { face } = operation
      const actor = authorOf(caller, keyId)
      if (isCookie !== true || keyId === null || actor === null) return Effect.void
      return Effect.provideService(
        Authentication.requireFresh(
          doors[face === "operator" ? face : "partner"].site(),
          header,
          keyId,
        ),
        Acting,
        { actor, requestId: noted.requestId },
      )
    }
    const fresh = operation.needsStepUp ? Effect.tap(authenticate, requireFresh) : authenticate
    const admit = Effect.tapError(fresh, (error) => recordRefused(operation, error, noted))
    return Effect.flatMap(admission.knock(operation, admit), (authenticated) => {
      noted.authenticated = authenticated
      const reply =
        take === null
          ? carryOut(authenticated)
          : Effect.flatMap(take(authenticated, addressOf(incoming), header), () =>
              carryOut(authenticated),
            )
      const actor = actorOf(operation, authenticated)
      if (actor === null) return reply
      const reason =
        operation.face === "operator" ? Authentication.reasonOf(header) : Result.succeed(undefined)
      if (Result.isFailure(reason)) return Effect.fail(reason.failure)
      return Effect.provideService(reply, Acting, {
        actor,
        requestId: noted.requestId,
        ...(reason.success !== undefined && { reason: reason.success }),
      })
    })
  }
}

const authorOf = (
  caller: Authentication.Authenticated["caller"],
  keyId: ApiKey.ApiKeyId | null,
): AuditLog.Actor | null => {
  if (caller._tag === "Operator") {
    return {
      _tag: "Operator",
      name: caller.name,
      processId: null,
      ...(keyId !== null && { keyId }),
    }
  }
  return keyId === null ? null : { _tag: "Key", keyId }
}

/** The author of a write, for the audit log; null for what it does not record. */
const actorOf = (
  { face, method }: Operation.Operation,
  { caller, keyId }: Authentication.Authenticated,
): AuditLog.Actor | null => {
  // The audit log also records who reads personal data over the operator's API.
  const isRecorded = face === "operator" || (face === "partner" && method !== "GET")
  return isRecorded ? authorOf(caller, keyId) : null
}

/**
 * Records the refusals that are worth a look: of a valid key that may not do what it tries, and of a sign-in link that is
 * used again, a passkey that is used wrongly, or a session that writes after its end, because maybe somebody else has it.
 * A page that was left open reads on without meaning anything. What programs of partners may not do, they hear and
 * nobody else.
 */
const recordRefused = (
  { face, method, name }: Operation.Operation,
  error: Problems.Refusal,
  { authenticated, requestId }: Noted,
) => {
  const record = (actor: AuditLog.Actor, deed: Omit<AuditLog.Deed, "changes">) =>
    Effect.provideService(
      recordDeed(Effect.void, () => ({ ...deed, changes: [{ field: "operation", to: name }] })),
      Acting,
      { actor, requestId },
    )
  if (error._tag === "InvalidApiKey" && error.ofPerson !== undefined) {
    if (method === "GET") return Effect.void
    const { id: subject, mode, owner } = error.ofPerson
    const partnerId = owner._tag === "Partner" ? owner.partnerId : null
    const actor = { _tag: "Key", keyId: subject } as const
    return record(actor, { action: "session.refused", partnerId, mode, subject })
  }
  const isForbidden = error._tag === "Forbidden" || error._tag === "PasskeyAsked"
  if (!isForbidden || authenticated === null) return Effect.void
  const { caller, isCookie, keyId: subject, use } = authenticated
  const actor = authorOf(caller, subject)
  const isOfOperator = face === "operator"
  const isOfPerson = use !== undefined || isCookie === true
  if (subject === null || actor === null || !(isOfOperator || isOfPerson)) return Effect.void
  const { mode, partnerId } =
    caller._tag === "Partner"
      ? { mode: isOfOperator ? null : caller.mode, partnerId: caller.partner.id }
      : { mode: null, partnerId: null }
  const action = isOfOperator ? "operator.refused" : "session.refused"
  return record(actor, { action, partnerId, mode, subject })
}

/** Runs a write to its end, even if the caller disconnects while it waits. */
const carriedThrough = <A, E, R>(
  operation: Operation.Operation,
  effect: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> => (operation.method === "GET" ? effect : Effect.uninterruptible(effect))

/** An operation that refuses, maybe before the version could be read, or a page, which has no profile. */
const refusing = (
  edge: Edge,
  to: Operation.Operation | Page.Page,
  header: Exchange.Incoming["header"],
  { requested }: Noted,
): Problems.Refusing => {
  if (to._tag === "Page") return { group: "", name: "", profile: "interface" }
  const profile =
    requested?.apiShape.profile ??
    (Authentication.legacyKey(edge, header, to) === undefined
      ? ApiShape.profileOf(header, edge.fieldVersionHeaders)
      : "legacy")
  return { group: to.group, name: to.name, profile }
}

const ofCause = (
  cause: Cause.Cause<Problems.Refusal>,
  refused: Problems.Refusing,
  noted: Noted,
): Exchange.Outgoing => {
  const { requestId } = noted
  const failure = Cause.findErrorOption(cause)
  if (failure._tag === "Some") return Problems.ofRefusal(failure.value, refused, requestId)
  if (Cause.hasInterruptsOnly(cause)) return Problems.ofEnding(requestId)
  noted.defect = AccessLog.defect(Cause.squash(cause))
  return Problems.ofDefect(requestId)
}

/** Request ids have a counter, and a random part for each process. */
const makeRequestIds = Effect.gen(function* () {
  const random = yield* (yield* Identifiers).randomBytes(16)
  const prefix = `req_${Base62.ofBytes(random, 12)}`
  let count = 0
  return () => {
    count += 1
    return `${prefix}${count.toString(36)}`
  }
})

/** The name under which metrics count a request. */
const operationOf = (found: Routing.Found<Operation.Operation | Page.Page>): string => {
  if (found._tag !== "Route") return "none"
  return found.route._tag === "Operation" ? found.route.name : found.route.path
}

/**
 * What a cache in front of the service may do with a response: a response that does not say itself how long it may be
 * kept, as files do, is not stored, and is never taken for another caller's.
 */
const caching = (
  { "cache-control": kept, vary }: Exchange.Outgoing["headers"],
  byOrigin: string | undefined,
): Exchange.Outgoing["headers"] => {
  const byCaller = kept === undefined ? credentials : undefined
  if (vary === undefined && byOrigin === undefined && byCaller !== undefined) return unkept
  const by = [vary, byCaller, byOrigin].filter((each) => each !== undefined)
  return {
    ...(kept === undefined && { "cache-control": "no-store" }),
    ...(by.length > 0 && { vary: by.join(", ") }),
  }
}

const credentials = Authentication.credentialHeaders.join(", ")
const unkept = { "cache-control": "no-store", vary: credentials }

/** Responds to requests. */
export class Handler extends Context.Service<
  Handler,
  {
    /** Never fails: a refusal is a response, and so is a bug in the service. Interrupting it releases what it holds. */
    readonly respond: (incoming: Exchange.Incoming) => Effect.Effect<Exchange.Outgoing>
    /**
     * For the end of a process: responds to waiting polls and ends streams immediately, and completes when no request
     * is in progress.
     */
    readonly close: Effect.Effect<void>
  }
>()("@florin/server/Handler") {
  /** The handler of one port, with the routes that it serves. */
  static readonly layerOf = <E, R>(
    routesOf: (edge: Edge) => Effect.Effect<ReadonlyArray<Route>, E, R>,
    /** Whether whoever reaches it is the operator, without a key: on a socket that nobody else may open. */
    isTrusted = false,
  ) =>
    Layer.effect(
      Handler,
      Effect.gen(function* () {
        // The start of a service may be traced. No request belongs to that trace.
        const services = Context.omit(Tracer.ParentSpan)(yield* Effect.context<Operation.Ports>())
        // All fibers of a runtime start with the same context, so the two are merged once only.
        const join = Remembered.memoize((own: Context.Context<never>) =>
          Context.merge(own, services),
        )
        const edge = yield* EdgeSettings
        const find = Routing.make(yield* routesOf(edge))
        const operate = operating(edge, yield* Assets, isTrusted)
        const notFound = NotFound.make(edge)
        const signals = yield* Signals
        const nextRequestId = yield* makeRequestIds
        const observe = edge.metrics ? RequestMetrics.make(services) : undefined

        const route = (
          found: Routing.Found<Operation.Operation | Page.Page>,
          incoming: Exchange.Incoming,
          noted: Noted,
        ): Effect.Effect<Exchange.Outgoing> => {
          const { requestId } = noted
          const absent = () => notFound(incoming, requestId)
          const nowhere = () =>
            incoming.mayPassOn === true ? Effect.succeed(Exchange.passedOn) : absent()
          switch (found._tag) {
            case "Nowhere":
              return nowhere()
            case "OtherMethod":
              return Effect.succeed(
                Cors.isPreflight(incoming)
                  ? Cors.preflight(found.allowed, edge)
                  : Problems.otherMethod(found.allowed, requestId),
              )
            case "Route": {
              const { params, route: to } = found
              const response =
                to._tag === "Operation"
                  ? carriedThrough(to, operate(to, incoming, params, noted))
                  : Effect.flatMap(to.respond(incoming, params), (page) => {
                      if (page === "absent") return absent()
                      return page === null ? nowhere() : Effect.succeed(page)
                    })
              const joined = Effect.updateContext(response, (own: Context.Context<never>) =>
                Context.add(join(own), References.CurrentLogAnnotations, { requestId }),
              )
              return Effect.catchCause(joined, (cause) =>
                Effect.succeed(ofCause(cause, refusing(edge, to, incoming.header, noted), noted)),
              )
            }
          }
        }

        let active = 0
        const idle = Latch.makeUnsafe(true)
        const enter = Effect.sync(() => {
          active += 1
          idle.closeUnsafe()
        })
        const leave = Effect.sync(() => {
          active -= 1
          if (active === 0) idle.openUnsafe()
        })
        const counted = <A>(effect: Effect.Effect<A>) =>
          Effect.acquireUseRelease(enter, constant(effect), constant(leave))

        const closing = Latch.makeUnsafe(false)
        /** Ends with the process, even if its reader takes nothing. */
        const untilClosing =
          (body: Exchange.Writing): Exchange.Writing =>
          (write) =>
            counted(Effect.raceFirst(body(write), closing.await))

        /** Also counts and logs the response, and adds the headers that every response has. */
        const respond = (incoming: Exchange.Incoming) =>
          Effect.clockWith((clock) => {
            const startedAt = clock.currentTimeMillisUnsafe()
            const requestId = nextRequestId()
            const noted: Noted = { requestId, authenticated: null, requested: null, defect: null }
            const found = find(incoming.method, incoming.path)
            return Effect.map(route(found, incoming, noted), (outgoing): Exchange.Outgoing => {
              if (outgoing.isPassedOn === true) return outgoing
              const { authenticated, defect, requested } = noted
              const durationInMs = clock.currentTimeMillisUnsafe() - startedAt
              const { body } = outgoing
              const { log } = edge
              observe?.(operationOf(found), outgoing.status, durationInMs)
              if (log !== null) {
                const caller = authenticated?.caller
                const line: AccessLog.Line = {
                  at: startedAt,
                  requestId,
                  method: AccessLog.method(incoming.method),
                  route: found._tag === "Route" ? found.route.path : null,
                  params: found._tag === "Route" ? AccessLog.params(found.params) : {},
                  status: outgoing.status,
                  code: outgoing.code ?? null,
                  durationInMs,
                  keyId: authenticated?.keyId ?? null,
                  partnerId: caller?._tag === "Partner" ? caller.partner.id : null,
                  apiShape: requested?.apiShape ?? null,
                  sdk: AccessLog.sdk(incoming.header),
                  defect,
                }
                // A log that fails must not break the response.
                Result.try(() => log(line))
              }
              const { vary: byOrigin, ...cors } = Cors.headers(incoming, edge)
              return {
                ...outgoing,
                body: typeof body === "function" ? untilClosing(body) : body,
                headers: {
                  "request-id": requestId,
                  ...(requested !== null && { [requested.header]: requested.apiShape.version }),
                  ...outgoing.headers,
                  ...caching(outgoing.headers, byOrigin),
                  ...cors,
                },
              }
            })
          })

        return Handler.of({
          respond: (incoming) => counted(respond(incoming)),
          close: Effect.all([closing.open, signals.close, idle.await], { discard: true }),
        })
      }),
    )

  /** The handler of the public port. */
  static readonly layer = Handler.layerOf(routes)
}
