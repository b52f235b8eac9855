/**
 * Webhooks: which addresses may be called, how a call is signed (Standard Webhooks), and when it is retried.
 *
 * @module
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Invalid from "../ground/Invalid.ts"
import * as Limits from "../ground/Limits.ts"
import * as Malformed from "../ground/Malformed.ts"
import * as Mode from "../ground/Mode.ts"
import * as PartnerId from "../ground/PartnerId.ts"
import * as Rfc3339 from "../ground/Rfc3339.ts"
import * as Version from "../ground/Version.ts"
import * as WebUrl from "../ground/WebUrl.ts"
import type * as Merchant from "../partner/Merchant.ts"
import * as Event from "../payment/Event.ts"

export type EndpointId = Brand.Branded<string, "EndpointId">
export const EndpointId = Schema.String.check(Schema.isPattern(/^whk_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("EndpointId", Brand.nominal<EndpointId>()),
)

export type DeliveryId = Brand.Branded<string, "DeliveryId">
export const DeliveryId = Schema.String.check(Schema.isPattern(/^dlv_[0-9A-Za-z]{1,64}$/u)).pipe(
  Schema.fromBrand("DeliveryId", Brand.nominal<DeliveryId>()),
)

/**
 * The secret with which a receiver verifies signatures: `whsec_` and the base64 of 24 to 64 random bytes. Never logged.
 */
export type Secret = Brand.Branded<string, "WebhookSecret">
const secret = Brand.nominal<Secret>()
export const Secret = Schema.String.check(
  Schema.isPattern(/^whsec_[0-9A-Za-z+/]{32,86}={0,2}$/u),
).pipe(Schema.fromBrand("WebhookSecret", secret))

const secretPrefix = "whsec_"
const sealedPrefix = "sealed_"

/** A secret as it is stored: the vault sealed it. */
export type SealedSecret = Brand.Branded<string, "SealedWebhookSecret">
const sealedSecret = Brand.nominal<SealedSecret>()
const SealedSecret = Schema.String.check(Schema.isPattern(/^sealed_[0-9A-Za-z+/]+={0,2}$/u)).pipe(
  Schema.fromBrand("SealedWebhookSecret", sealedSecret),
)

const secretBytesMin = 24
const secretBytesMax = 64
/** A replaced secret continues to sign for this long, next to the new one. */
export const secretGraceInMs = 24 * 60 * 60 * 1000

/** The events that an endpoint receives: chosen types, or all of them, including types of later releases. */
export type Types = typeof Types.Type
export const Types = Schema.Union([Schema.Literal("all"), Schema.Array(Event.EventType)])

/** The URL at which a partner receives events. */
export interface Endpoint extends Schema.Schema.Type<typeof Endpoint> {}
export const Endpoint = Schema.Struct({
  id: EndpointId,
  partnerId: PartnerId.PartnerId,
  mode: Mode.Mode,
  url: Schema.String,
  types: Types,
  /** The API version in which events are shown (default: the partner's pin). */
  version: Schema.optionalKey(Version.Version),
  secrets: Schema.Struct({
    current: SealedSecret,
    previous: Schema.NullOr(Schema.Struct({ secret: SealedSecret, endsAt: Schema.Int })),
  }),
  createdAt: Schema.Int,
  disabledAt: Schema.NullOr(Schema.Int),
})

/** One call, or an attempted one. `error` is our own description of the failure, never the receiver's text. */
export interface Attempt extends Schema.Schema.Type<typeof Attempt> {}
export const Attempt = Schema.Struct({
  at: Schema.Int,
  /** The HTTP status of the response; null if there was none. */
  status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
})

/** An event on its way to an endpoint. */
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}
export const Delivery = Schema.Struct({
  id: DeliveryId,
  endpointId: EndpointId,
  eventId: Schema.String,
  /** The API version in which every attempt shows the event. */
  version: Version.Version,
  attempts: Schema.Array(Attempt),
  /** When to try next; null if nothing is left to do. */
  dueAt: Schema.NullOr(Schema.Int),
  state: Schema.Literals(["pending", "delivered", "givenUp"]),
})

// --- addresses

/** Whether the private and loopback addresses of the operator's own network may be called. */
export interface UrlPolicy {
  readonly allowPrivate: boolean
}

/**
 * Checks the URL of an endpoint: https to a host that can be public. If private addresses are allowed, plain http is
 * also allowed for them. A name is checked again after it was resolved: {@link isPublicAddress}.
 */
export const parseUrl = (
  text: string,
  policy: UrlPolicy,
): Result.Result<WebUrl.WebUrl, Malformed.Malformed> =>
  Result.flatMap(WebUrl.parse(text), (url) => {
    const isPublic = WebUrl.mayBePublic(url.host)
    if (!isPublic && !policy.allowPrivate) {
      return Malformed.fail(
        "the host is private, local or reserved: use one that the internet can reach",
      )
    }
    return isPublic && url.scheme === "http"
      ? Malformed.fail("a URL must begin with https://")
      : Result.succeed(url)
  })

/** Whether a resolved IP address may be called. Text that is no IP address may not. */
export const isPublicAddress = (text: string): boolean => {
  const address = WebUrl.parseAddress(text)
  return address !== undefined && WebUrl.isPublic(address)
}

// --- secrets

const damaged = Malformed.fail("the endpoint's secret is damaged: rotate it")

const keyBytes = (text: string): Uint8Array | undefined => {
  if (!text.startsWith(secretPrefix)) return undefined
  const encoded = text.slice(secretPrefix.length)
  const decoded = Base64.decode(encoded)
  if (Result.isFailure(decoded)) return undefined
  const bytes = decoded.success
  // Several texts decode to the same bytes; only the one that we wrote is valid.
  return Base64.encode(bytes) === encoded &&
    bytes.length >= secretBytesMin &&
    bytes.length <= secretBytesMax
    ? bytes
    : undefined
}

/** Reads a secret, which an operator may also supply. */
export const parseSecret = (text: string): Result.Result<Secret, Malformed.Malformed> =>
  keyBytes(text) === undefined
    ? Malformed.fail(
        `a webhook secret is ${secretPrefix} and the base64 of ${secretBytesMin} to ${secretBytesMax} bytes`,
      )
    : Result.succeed(secret(text))

export const makeSecret = (random: Uint8Array): Result.Result<Secret, Malformed.Malformed> =>
  parseSecret(secretPrefix + Base64.encode(random))

/** A secret to store, from the bytes that the vault sealed. */
export const sealedOf = (bytes: Uint8Array): SealedSecret =>
  sealedSecret(sealedPrefix + Base64.encode(bytes))

/** The bytes for the vault to open. */
export const sealedBytes = (stored: SealedSecret): Result.Result<Uint8Array, Malformed.Malformed> =>
  Result.orElse(Base64.decode(stored.slice(sealedPrefix.length)), () => damaged)

// --- endpoints

/** The requested settings of an endpoint. Undefined members are not set. */
export interface Wanted {
  readonly url?: string | undefined
  /** Null: all. */
  readonly types?: ReadonlyArray<string> | null | undefined
  /** Null: the partner's. */
  readonly version?: string | null | undefined
}

/** Checks the requested settings of an endpoint, and applies them. */
const applied = <A extends Pick<Endpoint, "url" | "types" | "version">>(
  current: A,
  { types, url, version = current.version ?? null }: Wanted,
  policy: UrlPolicy,
): Result.Result<Omit<A, "version"> & Pick<Endpoint, "version">, Invalid.InvalidInput> => {
  // In the order of the list, each once, in whichever order they were named.
  const chosen =
    types === undefined
      ? current.types
      : types === null
        ? "all"
        : Event.eventTypes.filter((each) => types.includes(each))
  const shown = version === null ? null : Version.parse(version)
  const isNew = shown !== null && Result.isSuccess(shown) && shown.success !== current.version
  const issues = [
    ...(url === undefined ? [] : Invalid.issueOf("url", parseUrl(url, policy))),
    ...(types ?? []).flatMap((type, index) =>
      Invalid.unless(
        Event.eventTypes.some((each) => each === type),
        `types[${index}]`,
        `must be one of ${Event.eventTypes.join(", ")}`,
      ),
    ),
    ...(shown === null ? [] : Invalid.issueOf("version", shown)),
    ...(isNew ? Version.pinIssues("version", shown.success) : []),
    ...Invalid.unless(chosen.length > 0, "types", "must name at least one event type"),
  ]
  const { version: _, ...rest } = current
  return Result.map(Invalid.check(issues), () => ({
    ...rest,
    url: url ?? current.url,
    types: chosen,
    ...(shown !== null && Result.isSuccess(shown) && { version: shown.success }),
  }))
}

export const createEndpoint = (
  {
    id,
    mode,
    partnerId,
    secret: current,
    ...wanted
  }: Wanted & {
    readonly id: EndpointId
    readonly partnerId: PartnerId.PartnerId
    readonly mode: Mode.Mode
    readonly url: string
    readonly secret: SealedSecret
  },
  policy: UrlPolicy,
  now: number,
): Result.Result<Endpoint, Invalid.InvalidInput> =>
  Result.map(applied({ url: "", types: "all" }, wanted, policy), (asked) => ({
    id,
    partnerId,
    mode,
    ...asked,
    secrets: { current, previous: null },
    createdAt: now,
    disabledAt: null,
  }))

/** Changes only the given settings. Waiting deliveries go to the new URL, in the version in which they were created. */
export const changeEndpoint = (
  endpoint: Endpoint,
  wanted: Wanted,
  policy: UrlPolicy,
): Result.Result<Endpoint, Invalid.InvalidInput> =>
  wanted.url === undefined && wanted.types === undefined && wanted.version === undefined
    ? Invalid.fail("body", "must hold at least one of url, types and version")
    : applied(endpoint, wanted, policy)

/** An endpoint as it is listed: its secrets are shown once, when they are made. */
export type Listed = Omit<Endpoint, "secrets">

export const withoutSecrets = (endpoint: Endpoint): Listed => Struct.omit(endpoint, ["secrets"])

/** Whether a partner may have one more endpoint: every event is written once for each endpoint that receives it. */
export const mayAdd = (
  existing: ReadonlyArray<Endpoint>,
): Result.Result<void, Invalid.InvalidInput> =>
  existing.filter((each) => each.disabledAt === null).length < Limits.webhookEndpointsMax
    ? Result.void
    : Invalid.fail(
        "url",
        `there are ${Limits.webhookEndpointsMax} endpoints already: disable one first`,
      )

/**
 * Whether an endpoint receives an event: not while it is disabled, and no event from before its creation. The clocks of
 * two processes may differ, so an event that is older by no more than that difference is sent.
 */
export const wants = (endpoint: Endpoint, event: Event.Notice): boolean =>
  endpoint.disabledAt === null &&
  event.createdAt >= endpoint.createdAt - Limits.clockDriftMaxInMs &&
  (event.endpointId === undefined
    ? endpoint.types === "all" || endpoint.types.some((each) => each === event.type)
    : endpoint.id === event.endpointId)

/** Stops calling an endpoint. Doing so again changes nothing. */
export const disable = (endpoint: Endpoint, now: number): Endpoint =>
  endpoint.disabledAt === null ? { ...endpoint, disabledAt: now } : endpoint

/** Replaces the secret. Calls carry signatures of both for 24 hours. */
export const rotateSecret = (endpoint: Endpoint, next: SealedSecret, now: number): Endpoint => ({
  ...endpoint,
  secrets: {
    current: next,
    previous: { secret: endpoint.secrets.current, endsAt: now + secretGraceInMs },
  },
})

// --- signatures

/** Signs one call: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. */
export const sign = (key: Uint8Array, id: string, timestampInS: number, body: string): string =>
  `v1,${Base64.encode(hmac(sha256, key, utf8ToBytes(`${id}.${timestampInS}.${body}`)))}`

export interface Headers {
  readonly "webhook-id": string
  readonly "webhook-timestamp": string
  /** One signature per valid secret, separated by spaces. */
  readonly "webhook-signature": string
}

/** The secrets that sign now, including the previous one while it is valid. */
export const signingSecrets = (
  { current, previous }: Endpoint["secrets"],
  now: number,
): ReadonlyArray<SealedSecret> =>
  previous !== null && now < previous.endsAt ? [current, previous.secret] : [current]

/**
 * The headers of a call. The id is the event's, the same at every attempt, so that a receiver can recognise a
 * repetition.
 */
export const headers = (
  secrets: ReadonlyArray<Secret>,
  id: string,
  body: string,
  now: number,
): Result.Result<Headers, Malformed.Malformed> => {
  const timestampInS = Math.floor(now / 1000)
  const signatures: Array<string> = []
  for (const each of secrets) {
    const key = keyBytes(each)
    if (key === undefined) return damaged
    signatures.push(sign(key, id, timestampInS, body))
  }
  return Result.succeed({
    "webhook-id": id,
    "webhook-timestamp": timestampInS.toString(),
    "webhook-signature": signatures.join(" "),
  })
}

// --- deliveries

const secondInMs = 1000
const minuteInMs = 60 * secondInMs
const hourInMs = 60 * minuteInMs
const dayInMs = 24 * hourInMs

/** How long to wait before each attempt, counted from the one before it. */
export const retryDelaysInMs: ReadonlyArray<number> = [
  0,
  5 * secondInMs,
  5 * minuteInMs,
  30 * minuteInMs,
  2 * hourInMs,
  5 * hourInMs,
  10 * hourInMs,
  10 * hourInMs,
]

/**
 * The id of an event's delivery to an endpoint. It is derived from both, so that an event never has two deliveries to
 * one endpoint.
 */
export const deliveryId = (endpointId: EndpointId, eventId: string): DeliveryId =>
  DeliveryId.make(
    `dlv_${bytesToHex(sha256(utf8ToBytes(`${endpointId}\n${eventId}`))).slice(0, 40)}`,
  )

/**
 * The delivery of an event to an endpoint, of which the first attempt is due immediately; null if the endpoint does not
 * want it. The version is chosen once, so that every attempt has the same body, even if the partner's pin changes.
 */
export const deliveryOf = (
  event: Event.Notice,
  endpoint: Endpoint,
  { versionPin }: Pick<Merchant.Partner, "versionPin">,
): Delivery | null =>
  wants(endpoint, event)
    ? {
        id: deliveryId(endpoint.id, event.id),
        endpointId: endpoint.id,
        eventId: event.id,
        version: endpoint.version ?? versionPin,
        attempts: [],
        dueAt: event.createdAt,
        state: "pending",
      }
    : null

/** Only a 2xx counts as received; redirects are not followed. */
export const isReceived = (attempt: Attempt): boolean =>
  attempt.status !== null && attempt.status >= 200 && attempt.status < 300

/** Records an attempt: the event was received, or it is retried, or given up after the last attempt. */
export const recordAttempt = (delivery: Delivery, attempt: Attempt): Delivery => {
  const attempts = [...delivery.attempts, attempt]
  if (isReceived(attempt)) return { ...delivery, attempts, dueAt: null, state: "delivered" }
  const delayInMs = retryDelaysInMs[attempts.length]
  return delayInMs === undefined
    ? { ...delivery, attempts, dueAt: null, state: "givenUp" }
    : { ...delivery, attempts, dueAt: attempt.at + delayInMs, state: "pending" }
}

/** How long an effect waits before each further attempt. From the last one on, each waits as long. */
export const effectDelaysInMs: ReadonlyArray<number> = [
  secondInMs,
  5 * secondInMs,
  30 * secondInMs,
  2 * minuteInMs,
  5 * minuteInMs,
]

/** Records an attempt of an effect that must happen: it is retried until it succeeds. The newest attempts are kept. */
export const recordEffect = (delivery: Delivery, attempt: Attempt): Delivery => {
  const attempts = [...delivery.attempts, attempt].slice(-effectDelaysInMs.length)
  if (isReceived(attempt)) return { ...delivery, attempts, dueAt: null, state: "delivered" }
  return { ...delivery, attempts, dueAt: attempt.at + (effectDelaysInMs[attempts.length - 1] ?? 0) }
}

/** Ends a delivery without further attempts, because its endpoint was disabled. */
export const abandon = (delivery: Delivery): Delivery => ({
  ...delivery,
  dueAt: null,
  state: "givenUp",
})

/** A period whose events are sent again, its end excluded. */
export interface Range {
  readonly from: number
  readonly before: number
}

/** Reads the period whose events are to be sent again; without an end, it lasts until now. */
export const readRange = (
  { from, to }: { readonly from: string; readonly to?: string | undefined },
  now: number,
): Result.Result<Range, Invalid.InvalidInput> => {
  const first = Rfc3339.read(from)
  const before = to === undefined ? now : Rfc3339.read(to)
  if (first === undefined) return Invalid.fail("from", Rfc3339.rule)
  if (before === undefined) return Invalid.fail("to", Rfc3339.rule)
  const lengthInMs = before - first
  return lengthInMs > 0 && lengthInMs <= Limits.webhookReplayMaxInMs
    ? Result.succeed({ from: first, before })
    : Invalid.fail(
        "to",
        `must be later than from, by at most ${Limits.webhookReplayMaxInMs / dayInMs} days`,
      )
}

/** Sends a delivery again on request, in any state. After the last attempt, a replay is a single one. */
export const replay = (delivery: Delivery, dueAt: number): Delivery => ({
  ...delivery,
  dueAt,
  state: "pending",
})
