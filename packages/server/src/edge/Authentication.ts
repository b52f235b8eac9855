/**
 * Authenticates the caller, and checks that it may call this side of the service.
 *
 * @module
 */
import * as Invalid from "@florin/core/domain/ground/Invalid"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as CsrfToken from "@florin/core/domain/partner/CsrfToken"
import type * as Passkey from "@florin/core/domain/partner/Passkey"
import * as Session from "@florin/core/domain/partner/Session"
import * as PageToken from "@florin/core/domain/payment/PageToken"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as Passkeys from "@florin/core/engine/partner/Passkeys"
import type { AccountStore } from "@florin/core/ports/AccountStore"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import { Settings } from "@florin/core/ports/Settings"
import type { StorageUnavailable } from "@florin/core/ports/StorageError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Exchange from "../http/Exchange.ts"
import * as Headers from "../http/Headers.ts"
import type * as Doors from "./Doors.ts"
import type { EdgeSettings } from "./EdgeSettings.ts"

/** The key is valid, but does not allow this call. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  message: Schema.String,
}) {}

export const forbid = (message: string) => new Forbidden({ message })

/** The request has no key, and no app id that may call instead. */
export class InvalidApp extends Schema.TaggedError<InvalidApp>()("InvalidApp", {
  code: Schema.Literals([
    "missing_api_key",
    "missing_client_id",
    "invalid_app_id",
    "conflicting_auth_headers",
  ]),
  message: Schema.String,
}) {}

/** A passkey lifts this refusal: whoever signs the challenge may repeat the call with the header `Passkey-Response`. */
export class PasskeyAsked extends Schema.TaggedError<PasskeyAsked>()("PasskeyAsked", {
  code: Schema.Literals(["missing_api_key", "step_up_required"]),
  message: Schema.String,
  /** Null if this person has no passkey, or the one that was used is refused. */
  challenge: Schema.NullOr(Schema.String),
}) {}

const refuseApp = (code: InvalidApp["code"], message: string) => new InvalidApp({ code, message })

const missingKey = refuseApp("missing_api_key", "send your key in the Api-Key header")

/** A caller, the key that it used, and the rate-limit bucket that its calls count in. */
export interface Authenticated {
  readonly caller: Keys.Caller | Keys.Operator
  /** Null for a wallet that calls with an app id, and for a hosted page. */
  readonly keyId: ApiKey.ApiKeyId | null
  readonly bucket: string
  /** Set if the key came in the header that legacy clients use. */
  readonly isLegacy?: true
  /** What the key is for, if it is of a person in the console. */
  readonly use?: ApiKey.Use
  /** Set if the key came in the cookie of a browser. */
  readonly isCookie?: true
}

type Edge = Pick<EdgeSettings["Service"], "apps" | "legacyList">

/** The header in which legacy clients send their key. */
export const legacyHeader = "x-api-key"

/** The headers that decide who calls. */
export const credentialHeaders = [
  "Api-Key",
  "App-Id",
  "Client-Id",
  "Cookie",
  "Page-Token",
  "Passkey-Response",
  "X-Api-Key",
]

/** A wallet that calls with an app id, if the operator accepts some. */
const app = (
  { apps }: Edge,
  header: Exchange.Incoming["header"],
): Result.Result<Authenticated, InvalidApp | ApiKey.HeaderNotAscii> => {
  const id = Headers.valueOf(header, "app-id")
  if (id === undefined) return Result.fail(missingKey)
  const readable = Headers.requireAscii(header, "app-id", "client-id")
  if (Result.isFailure(readable)) return Result.fail(readable.failure)
  if (Headers.valueOf(header, "client-id") === undefined) {
    return Result.fail(refuseApp("missing_client_id", "send a Client-Id with the App-Id"))
  }
  const known = apps.get(id)
  return known === undefined
    ? Result.fail(refuseApp("invalid_app_id", "the App-Id is not known"))
    : Result.succeed({
        caller: { _tag: "Wallet", ...known, key: `app/${id}` },
        keyId: null,
        bucket: `app/${id}`,
      })
}

/** The key of a legacy client, if the operator lets this call have one. */
export const legacyKey = (
  { legacyList }: Pick<Edge, "legacyList">,
  header: Exchange.Incoming["header"],
  { hasLegacyShape }: Pick<Called, "hasLegacyShape">,
): string | undefined =>
  hasLegacyShape && legacyList && Headers.valueOf(header, "api-key") === undefined
    ? Headers.valueOf(header, legacyHeader)
    : undefined

/** The side of the service that a caller uses: with a key, or as one of the hosted pages. */
export type Face = ApiKey.Face | PageToken.Use

/** Facts about the operation that is called. */
interface Called {
  readonly face: Face
  readonly method: string
  readonly scope: ApiKey.Scope
  readonly hasLegacyShape: boolean
  /** The only keys that may call it; undefined for those of programs, and sessions. */
  readonly isFor?: ApiKey.Use | undefined
}

/** The refusals of a key of another kind, by the side that it calls. */
export const forbidden: { readonly [F in ApiKey.Face]: Forbidden } = {
  gateway: forbid("this is an operator's key: call the gateway with a wallet's or a partner's key"),
  partner: forbid("this is not a partner's key: call the partner interface with a partner's key"),
  operator: forbid(
    "this is not an operator's key: call the operator's API with an operator's key, flr_op_…",
  ),
}

const missingScope = (scope: ApiKey.Scope) =>
  forbid(`this key does not have the scope ${scope}: use a key that has it`)

/** The message names the address that was seen: behind a proxy it may differ from the one that the caller knows. */
const otherAddress = (address: string | null) =>
  forbid(
    address === null
      ? "this key may only be used from listed addresses, and the caller's address is not known: the operator has to set proxyHeader"
      : `this key may only be used from listed addresses, and not from ${address}: use one of those, or ask for a key for this address`,
  )

/** Keys are not interchangeable with those of people in the console. Each refusal says where its key belongs. */
const misplaced = (
  use: ApiKey.Use | undefined,
  isCookie: boolean,
  { isFor }: Pick<Called, "isFor">,
): Forbidden | undefined => {
  if (use === "session" && !isCookie) {
    return forbid("the key of a session works only in the browser's cookie")
  }
  if (use !== "session" && isCookie) {
    return forbid("the cookie does not hold a session: sign in again")
  }
  // Nothing but its own signature makes a passkey's key known here.
  if (use === "passkey" && isFor === "sign_in") return undefined
  if (use === "sign_in" && isFor !== "sign_in") {
    return forbid("this key only signs a person in to the console")
  }
  return isFor === undefined || use === isFor
    ? undefined
    : forbid(
        isFor === "sign_in"
          ? "signing in needs a sign-in link: ask whoever manages your keys for one"
          : "this call needs a session of the console: sign in first",
      )
}

/** A read changes nothing, so a person may also open its address. Another origin may do neither. */
const requireOwnPage = Effect.fnUntraced(function* (
  header: Exchange.Incoming["header"],
  { method }: Called,
  keyId: ApiKey.ApiKeyId,
) {
  const from = Headers.valueOf(header, "sec-fetch-site")
  const isRead = method === "GET"
  if (from !== undefined && from !== "same-origin" && !(isRead && from === "none")) {
    return yield* forbid(
      "a session takes calls from its own page only: open the console and repeat it there",
    )
  }
  if (isRead) return
  const { sealKey } = yield* Settings
  if (!CsrfToken.isOf(keyId, header("csrf-token") ?? "", sealKey)) {
    return yield* forbid("the Csrf-Token is missing or of another session: reload the page")
  }
})

/** The passkey with which a person signs in. Without one, the refusal has a challenge. */
const signingIn = Effect.fnUntraced(function* (
  header: Exchange.Incoming["header"],
  site: Passkey.Site | null,
) {
  if (site === null) return yield* missingKey
  const asked = { use: "sign_in", session: "" } as const
  const sent = Headers.valueOf(header, "passkey-response")
  if (sent === undefined) {
    return yield* new PasskeyAsked({
      code: "missing_api_key",
      message: "send the key of a sign-in link in the Api-Key header, or use a passkey",
      challenge: yield* Passkeys.challenge(asked),
    })
  }
  let known: ApiKey.ApiKey | undefined
  const note = (passkey: ApiKey.ApiKey) => {
    known = passkey
  }
  return yield* Effect.catchTag(
    Passkeys.answer(sent, site, asked, undefined, note),
    "PasskeyRefused",
    ({ message }) =>
      Effect.fail(
        new ApiKey.InvalidApiKey({
          reason: "unknown",
          message,
          ...(known !== undefined && { ofPerson: known }),
        }),
      ),
  )
})

const asking = (message: string, challenge: string | null) =>
  new PasskeyAsked({ code: "step_up_required", message, challenge })

/**
 * Refuses a session that is not fresh, unless the call comes with the use of a passkey of its person. Keys of programs
 * have no person that could use one.
 */
export const requireFresh = Effect.fnUntraced(function* (
  site: Passkey.Site | null,
  header: Exchange.Incoming["header"],
  keyId: ApiKey.ApiKeyId,
) {
  const session = yield* Keys.get(keyId)
  if (Session.isFresh(session, yield* Clock.currentTimeMillis)) return
  const sent = Headers.valueOf(header, "passkey-response")
  if (site !== null && sent !== undefined) {
    return yield* Effect.catchTag(
      Passkeys.confirm(session, site, sent),
      "PasskeyRefused",
      ({ message }) => Effect.fail(asking(message, null)),
    )
  }
  if (site === null || (yield* Passkeys.list(session)).length === 0) {
    return yield* asking(
      "you signed in more than 15 minutes ago, and have no passkey: sign in again with a new link, and add a passkey",
      null,
    )
  }
  const asked = { use: "step_up", session: keyId } as const
  return yield* asking("confirm this with your passkey", yield* Passkeys.challenge(asked))
})

export const otherPage = forbid("this page is not allowed to make this call")

/** Authenticates a hosted page by the token that came with its document. */
const page = Effect.fnUntraced(function* (header: Exchange.Incoming["header"], use: PageToken.Use) {
  const { sealKey } = yield* Settings
  const now = yield* Clock.currentTimeMillis
  const token = header("page-token") ?? ""
  const pass = yield* Effect.fromResult(PageToken.read(token, sealKey, now))
  if (pass.use !== use) return yield* otherPage
  const authenticated: Authenticated = {
    caller: { _tag: "Page", ...pass },
    keyId: null,
    bucket: `page/${pass.paymentId}`,
  }
  return authenticated
})

const reasonMaxLength = 500

/** Why an operator acts: text, percent-encoded if it is not ASCII. */
export const reasonOf = (
  header: Exchange.Incoming["header"],
): Result.Result<string | undefined, Invalid.InvalidInput> => {
  const sent = Headers.valueOf(header, "florin-reason")
  if (sent === undefined) return Result.succeed(undefined)
  const reason = Exchange.decoded(sent)
  return reason === undefined || reason.length > reasonMaxLength
    ? Invalid.fail(
        "Florin-Reason",
        `must be text of at most ${reasonMaxLength} characters, percent-encoded`,
      )
    : Result.succeed(reason)
}

/** The name that a caller states, of at most 200 characters; null if it states none that can be read. */
const nameOf = (header: Exchange.Incoming["header"]): string | null =>
  Exchange.decoded(Headers.valueOf(header, "florin-operator") ?? "")?.slice(0, 200) || null

/** Whoever reached a socket that only the operator may open. The audit log gets the name that the caller states. */
export const trusted = (header: Exchange.Incoming["header"]): Authenticated => ({
  caller: {
    _tag: "Operator",
    name: nameOf(header),
    scopes: ApiKey.OperatorScope.literals,
  },
  keyId: null,
  bucket: "operator",
})

const conflicting = refuseApp("conflicting_auth_headers", "send an Api-Key or an App-Id, not both")

/** How many keys the parser caches. A service rarely has more, and a key that drops out is parsed again. */
const keysRemembered = 1000

/**
 * Parses keys like {@link ApiKey.parse}, but each only once: checksum and hash cost more than the rest of a look-up.
 */
export const makeParser = (): typeof ApiKey.parse =>
  Remembered.texts(ApiKey.parse, keysRemembered, Result.isSuccess)

/**
 * Authenticates the caller of a request. Keys and page tokens are never interchangeable. App ids count on the gateway
 * only, and only if the operator accepts some.
 */
export const authenticate = (
  edge: Edge,
  doors: Doors.Doors,
  parseKey: typeof ApiKey.parse,
  header: Exchange.Incoming["header"],
  called: Called,
  address: () => string | null,
  /** Gets the caller of a valid key, also if this call is refused to it. */
  note: (known: Authenticated) => void = () => undefined,
): Effect.Effect<
  Authenticated,
  | ApiKey.HeaderNotAscii
  | ApiKey.InvalidApiKey
  | Forbidden
  | InvalidApp
  | PageToken.InvalidPageToken
  | PasskeyAsked
  | StorageUnavailable,
  AccountStore | Identifiers | Settings
> => {
  const { face, scope } = called
  if (face === "checkout" || face === "collect") return page(header, face)
  const legacy = legacyKey(edge, header, called)
  const sent = Headers.valueOf(header, "api-key") ?? legacy
  // Wallets and payers have no console, so the gateway reads no cookie.
  const inCookie =
    sent === undefined && face !== "gateway" ? doors[face].cookie().read(header) : undefined
  const isCookie = inCookie !== undefined
  const key = sent ?? inCookie
  const takesApps = face === "gateway" && edge.apps.size > 0
  const admit = (parsed: Pick<ApiKey.Parsed, "hash">) =>
    Effect.flatMap(Keys.find(parsed), ({ caller, keyId, mayCallFrom, scopes, use }) => {
      const authenticated: Authenticated = {
        caller,
        keyId,
        bucket: keyId,
        ...(legacy !== undefined && { isLegacy: true }),
        ...(use !== undefined && { use }),
        ...(isCookie && { isCookie }),
      }
      note(authenticated)
      const seen = address()
      if (!mayCallFrom(seen)) return Effect.fail(otherAddress(seen))
      if (!ApiKey.mayCall(ApiKey.kindOf(caller), face)) return Effect.fail(forbidden[face])
      const wrong = misplaced(use, isCookie, called)
      if (wrong !== undefined) return Effect.fail(wrong)
      if (!scopes.includes(scope)) return Effect.fail(missingScope(scope))
      return isCookie
        ? Effect.as(requireOwnPage(header, called, keyId), authenticated)
        : Effect.succeed(authenticated)
    })
  if (key === undefined) {
    if (face !== "gateway" && called.isFor === "sign_in") {
      return Effect.flatMap(signingIn(header, doors[face].site()), admit)
    }
    return takesApps ? Effect.fromResult(app(edge, header)) : Effect.fail(missingKey)
  }
  if (takesApps && Headers.valueOf(header, "app-id") !== undefined) return Effect.fail(conflicting)
  const parsed = parseKey(key)
  return Result.isFailure(parsed) ? Effect.fail(parsed.failure) : admit(parsed.success)
}
