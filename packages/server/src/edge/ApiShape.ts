/**
 * The shape of a caller's requests and responses: an API version and a profile. The service itself uses the newest
 * version. A chain of steps converts its responses to other shapes, and their requests to the newest version.
 *
 * @module
 */
import type * as Problem from "@florin/api/Problem"
import * as Version from "@florin/core/domain/ground/Version"
import * as Amount from "@florin/core/domain/money/Amount"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Exchange from "../http/Exchange.ts"

/** `legacy` is the shape of one list from before the interface, for a key in the legacy header. */
export type Profile = ApiKey.Profile | "legacy"

export interface ApiShape {
  readonly version: Version.Version
  readonly profile: Profile
}

/** Behavior that depends on the API version and profile, beyond the shape of bodies. */
export interface Rules {
  /** Whether a list of payments can be filtered by `cancelled`. */
  readonly listsFilterCancelled: boolean
  /** Whether a list shows cancelled payments if the request names no status. */
  readonly listsShowCancelled: boolean
  /** Whether the times of a list may be sent without seconds. */
  readonly listsTakeMinutes: boolean
  /** Whether the payer's data must be complete before steps are returned. */
  readonly fetchRequiresData: boolean
  /** Whether cancelling an expired payment responds that it expired. */
  readonly cancelReportsExpiry: boolean
}

const rules: Rules = {
  listsFilterCancelled: false,
  listsShowCancelled: true,
  listsTakeMinutes: false,
  fetchRequiresData: false,
  cancelReportsExpiry: true,
}

type Json = Schema.Json
type Change = (body: Json) => Json

/** One difference between API versions or profiles. Operations have their contract's names: `gateway.fetch`. */
export interface Step {
  readonly applies: (apiShape: ApiShape) => boolean
  readonly rules?: Partial<Rules>
  readonly request?: { readonly [operation: string]: Change }
  readonly response?: { readonly [operation: string]: Change }
  /** Changes an event, both in the feed and in the body of a webhook. */
  readonly event?: Change
}

type JsonObject = { readonly [key: string]: Json }

const isObject = (value: Json | undefined): value is JsonObject => Predicate.isObject(value)

const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Changes one member of an object, if it is there. */
const member =
  (name: string, change: Change): Change =>
  (body) => {
    if (!isObject(body)) return body
    const value = body[name]
    return value === undefined ? body : { ...body, [name]: change(value) }
  }

const each =
  (change: Change): Change =>
  (body) =>
    isArray(body) ? body.map(change) : body

const parse = (text: Json): Json => {
  if (typeof text !== "string") return text
  const parsed: Json = JSON.parse(text)
  return parsed
}

/** Nests a build's data once more, and turns a transaction from text into an object. */
const fieldAction: Change = (action) => {
  if (!isObject(action)) return action
  const { data, type } = action
  if (type === "build") return { ...action, data: { data: data ?? "" } }
  return isObject(data) && data["method"] === "eth_sendTransaction"
    ? member("data", member("params", each(parse)))(action)
    : action
}

const fieldActions = member("actions", each(fieldAction))

/** The data of a build may be returned nested, as it was given out. The contract refuses what is not text. */
const plainData: Change = (data) => (isObject(data) ? (data["data"] ?? data) : data)

/** Converts collected data from one flat object to the list. The contract refuses what is not text. */
const listedData: Change = (data) =>
  isObject(data) && data["fields"] === undefined
    ? {
        fields: Object.entries(data).map(([id, value]) => ({
          id,
          value: typeof value === "boolean" ? String(value) : value,
        })),
      }
    : data

/** The statuses of a payment without a confirm. */
const unconfirmed = new Set<Json | undefined>(["requires_action", "expired", "cancelled"])

/** Before a confirm there is no buyer. */
const buyerOnceConfirmed: Change = (info) =>
  isObject(info) && unconfirmed.has(info["status"]) ? { ...info, buyer: null } : info

/** Leaves out one member of an object. */
const without =
  (name: string): Change =>
  (body) => {
    if (!isObject(body)) return body
    const { [name]: _, ...rest } = body
    return rest
  }

const optionsResponse: Change = (body) =>
  member("info", buyerOnceConfirmed)(member("options", each(fieldActions))(body))

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** Converts names to snake case, except those in a payment's metadata, which are the partner's own. */
const snakeCased: Change = (body) => {
  if (isArray(body)) return body.map(snakeCased)
  if (!isObject(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      snakeCase(name),
      name === "metadata" ? value : snakeCased(value),
    ]),
  )
}

/**
 * Picks one revenue of several: a currency before a token, and the first by name. `currency` filters the list to
 * another.
 */
const soleRevenue: Change = (revenues) => {
  if (!isArray(revenues)) return revenues
  const isFiat = (revenue: Json) =>
    isObject(revenue) && Amount.Currency.literals.some((code) => code === revenue["currency"])
  return revenues.find(isFiat) ?? revenues[0] ?? { amount: 0, currency: "USD" }
}

/** All three have the same currencies, so `soleRevenue` picks the same one for each. */
const sums = ["totalRevenue", "totalRefunded", "netRevenue"]

/** The codes of a body and of a header that cannot be read. */
interface Unreadable {
  readonly invalid_params?: Problem.Code
  readonly header_not_ascii?: Problem.Code
}

const headersAreParams: Unreadable = { header_not_ascii: "invalid_params" }
const allIsValidation: Unreadable = {
  invalid_params: "params_validation",
  header_not_ascii: "params_validation",
}

/**
 * The field's clients decode a closed list of codes for each operation, and fail on any other. These are the nearest
 * codes for what cannot be read, if the list does not have the interface's own.
 */
const fieldCodes: { readonly [operation: string]: Unreadable } = {
  "payments.list": headersAreParams,
  "payments.listOfMerchant": headersAreParams,
  "payments.listOfMerchantByPath": headersAreParams,
  "merchants.list": headersAreParams,
  "merchants.create": allIsValidation,
  "merchants.get": allIsValidation,
  "merchants.update": allIsValidation,
  "merchants.remove": allIsValidation,
  "settlements.list": allIsValidation,
  "settlements.create": headersAreParams,
  "settlements.change": headersAreParams,
  "settlements.remove": allIsValidation,
  "refunds.create": allIsValidation,
}

/** The code that a problem of an operation has in a profile. */
export const codeOf = (profile: Profile, operation: string, code: Problem.Code): Problem.Code =>
  profile !== "interface" && (code === "invalid_params" || code === "header_not_ascii")
    ? (fieldCodes[operation]?.[code] ?? code)
    : code

/** The oldest shape is last. Requests run through the chain from the end, responses from the start. */
const chain: ReadonlyArray<Step> = [
  {
    applies: ({ profile }) => profile !== "interface",
    rules: {
      fetchRequiresData: true,
      cancelReportsExpiry: false,
      listsFilterCancelled: true,
      listsTakeMinutes: true,
    },
    request: {
      "gateway.fetch": member("data", plainData),
      "gateway.confirm": member("collectedData", listedData),
    },
    response: {
      "gateway.get": buyerOnceConfirmed,
      "gateway.options": optionsResponse,
      "gateway.fetch": fieldActions,
    },
  },
  {
    applies: ({ profile, version }) => profile !== "interface" && !Version.isPreview(version),
    rules: { listsFilterCancelled: false, listsShowCancelled: false },
    request: {
      "payments.create": without("checkout"),
      "payments.createAlias": without("checkout"),
    },
  },
  {
    applies: ({ profile }) => profile === "legacy",
    response: {
      "payments.listOfMerchantByPath": (body) =>
        snakeCased(
          member("stats", (stats) => sums.reduce((at, sum) => member(sum, soleRevenue)(at), stats))(
            body,
          ),
        ),
    },
  },
]

const stepsOf = (apiShape: ApiShape): ReadonlyArray<Step> =>
  chain.filter((step) => step.applies(apiShape))

/** Converts a request to the newest version. */
export const readRequest = (apiShape: ApiShape, operation: string, body: Json): Json =>
  stepsOf(apiShape).reduceRight((at, step) => step.request?.[operation]?.(at) ?? at, body)

/** The responses that show events. They have no changes of their own, so that they show them as webhooks do. */
const ofEvents: { readonly [operation: string]: (event: Change) => Change } = {
  "events.list": (event) => member("data", each(event)),
  "events.stream": (event) => event,
  "webhooks.deliveries": (event) => member("data", each(member("event", event))),
}

/** The change that a step makes to a response. */
const responseChange = ({ event, response }: Step, operation: string): Change | undefined => {
  const around = ofEvents[operation]
  return around === undefined ? response?.[operation] : event && around(event)
}

/** Converts a response of the newest version, or what it streams, to the caller's shape, as text. */
export const writeResponse = (
  apiShape: ApiShape,
  operation: string,
  body: object,
  steps = stepsOf(apiShape),
): string => {
  const text = JSON.stringify(body)
  const changes = steps.flatMap((step) => responseChange(step, operation) ?? [])
  return changes.length === 0
    ? text
    : JSON.stringify(changes.reduce((at, change) => change(at), parse(text)))
}

/** Converts an event of the newest version to the caller's shape: the same text as in the feed. */
export const writeEvent = (apiShape: ApiShape, event: object, steps = stepsOf(apiShape)): string =>
  writeResponse(apiShape, "events.stream", event, steps)

export const rulesOf = (apiShape: ApiShape): Rules =>
  stepsOf(apiShape).reduce((at, step) => Object.assign(at, step.rules), { ...rules })

/**
 * The header that requests a version of the published interface. If a request names no version, the response states its
 * version in this header, too.
 */
const publishedHeader = "svc-version"

/** The API version and profile of a request, and the header in which its response states the version. */
export interface Requested {
  readonly apiShape: ApiShape
  readonly header: string
}

/** The header of the field in which a request names its version; undefined if it names one in `Svc-Version`, or none. */
const fieldHeaderOf = (
  header: Exchange.Incoming["header"],
  fieldVersionHeaders: ReadonlyArray<string>,
): string | undefined =>
  header(publishedHeader) === undefined
    ? fieldVersionHeaders
        .map((name) => name.toLowerCase())
        .find((name) => header(name) !== undefined)
    : undefined

/** The profile of a request whose caller is not known, or whose version cannot be read. */
export const profileOf = (
  header: Exchange.Incoming["header"],
  fieldVersionHeaders: ReadonlyArray<string>,
): Profile => (fieldHeaderOf(header, fieldVersionHeaders) === undefined ? "interface" : "field")

/**
 * The API version and profile of a request. With `Svc-Version` it is the published interface. With a header that the operator listed it
 * is the field's shapes, unless `Svc-Version` is there too. A caller's own profile takes precedence over the name of
 * the header.
 */
export const ofRequest = (
  header: Exchange.Incoming["header"],
  caller: { readonly pin: Version.Version; readonly profile: Profile | undefined },
  fieldVersionHeaders: ReadonlyArray<string>,
) => {
  const field = fieldHeaderOf(header, fieldVersionHeaders)
  const named = field ?? publishedHeader
  const { pin, profile = profileOf(header, fieldVersionHeaders) } = caller
  return Result.map(Version.resolve({ pin, requested: header(named) }), (version): Requested => ({
    apiShape: { version, profile },
    header: named,
  }))
}
