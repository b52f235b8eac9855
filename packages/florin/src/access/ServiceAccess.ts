/**
 * Finds the service to call and its key: from the user's environment, or else from a service that runs on this machine.
 *
 * A key is never read from the command line, because other users of the machine can see it.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { makePartner, type Partner } from "@florin/client"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Asked from "./Asked.ts"
import * as Holder from "./Holder.ts"
import * as Place from "./Place.ts"
import * as PrivateFile from "./PrivateFile.ts"
import * as ReadyFile from "./ReadyFile.ts"
import * as Variables from "./Variables.ts"

export const merchant = Flags.optionalString(
  "merchant",
  "ID",
  "Id of the merchant [FLORIN_MERCHANT_ID]",
)

/** The flags that name a service and a key. */
export const connectFlags = {
  url: Flags.optionalString(
    "url",
    "URL",
    "URL of the service (default: the service that runs in --directory) [FLORIN_URL]",
  ),
  keyFile: Flags.optionalString(
    "key-file",
    "FILE",
    "File with the API key, instead of FLORIN_API_KEY",
  ),
  directory: Flags.directory,
}

/** The content of a file, without the newline at its end. */
const fileText = (path: string) => {
  const text = PrivateFile.read(path)?.trim() ?? ""
  return text === ""
    ? Effect.fail(
        Failure.make(`${path} cannot be read, or holds no key: check the path and its content`),
      )
    : Effect.succeed(text)
}

/** A key or a secret from a file if one is named, or else from an environment variable. */
export const secretOf = (file: Option.Option<string>, variable: Variables.Name) =>
  Option.isSome(file) ? Effect.asSome(fileText(file.value)) : Variables.read(variable)

/** The places in a directory. How their services store data is not known, and does not matter here. */
const placesIn = (directory: string): ReadonlyArray<Place.Lasting> =>
  Result.getOrElse(
    Result.try(() => readdirSync(directory)),
    () => ["embedded"],
  ).map((name) => ({ _tag: "Embedded", home: join(directory, name) }))

/** What names a service, a key and a merchant. */
export interface Given {
  readonly url: Option.Option<string>
  readonly keyFile: Option.Option<string>
  readonly directory: string
  readonly merchant?: Option.Option<string>
}

/** A service, and the key of a partner. */
interface Found {
  readonly baseUrl: string
  readonly apiKey: string
  /** The ready file of a service that was found on this machine. */
  readonly ready: ReadyFile.Ready | null
}

/** Whether a key is for live payments. */
export const isLive = (apiKey: string): boolean =>
  Option.exists(Result.getSuccess(ApiKey.parse(apiKey)), ({ mode }) => mode === "live")

/**
 * Address and key belong together: a key is never sent to an address that was not given with it. If neither is given,
 * the service on this machine is used.
 */
export const find = Effect.fnUntraced(function* ({ directory, keyFile, url: named }: Given) {
  const address = Option.isSome(named) ? named : yield* Variables.read("FLORIN_URL")
  const key = yield* secretOf(keyFile, "FLORIN_API_KEY")
  if (Option.isSome(address) && Option.isSome(key)) {
    const given: Found = { baseUrl: address.value, apiKey: key.value, ready: null }
    return given
  }
  if (Option.isSome(address)) {
    return yield* Failure.make("the service's address has no key: set FLORIN_API_KEY or --key-file")
  }
  if (Option.isSome(key)) {
    return yield* Failure.make("the key has no service address: set FLORIN_URL or --url")
  }
  const places = placesIn(directory)
  const [ready, ...others] = places.flatMap((place) => Option.toArray(ReadyFile.findRunning(place)))
  if (ready === undefined) {
    if (places.some((place) => Option.exists(Holder.find(place), (held) => held.isOperatorOnly))) {
      return yield* Failure.make(
        `the service in ${directory} answers only the operator's commands: stop it, and start \`florin serve\` for the commands of a partner`,
      )
    }
    // A place of another user looks as if no service ran there.
    for (const place of places) yield* Place.requireAccess(place)
    return yield* Failure.make(
      `no address and no key: set FLORIN_URL and FLORIN_API_KEY, or start a service with \`florin dev\` (no service runs in ${directory})`,
    )
  }
  if (others.length > 0) {
    return yield* Failure.make(
      `several services run in ${directory}: choose one with FLORIN_URL and FLORIN_API_KEY`,
    )
  }
  const running: Found = { baseUrl: ready.baseUrl, apiKey: ready.partnerKey, ready }
  return running
})

/** A partner's client, and the address of the service. */
export interface Opened extends Found {
  readonly client: Partner
  /** The merchant that calls are about; undefined for all. */
  readonly merchantId: string | undefined
}

const opened = Effect.fnUntraced(function* (given: Given, isOfOne: boolean) {
  const found = yield* find(given)
  const inEnvironment = yield* Variables.read("FLORIN_MERCHANT_ID")
  const { apiKey, baseUrl, ready } = found
  const named = Option.orElse(given.merchant ?? Option.none(), () => inEnvironment)
  const merchantId = Option.getOrElse(named, () => (isOfOne ? ready?.merchantId : undefined))
  const client = yield* Asked.makeClient(() =>
    makePartner({ baseUrl, apiKey, ...(merchantId !== undefined && { merchantId }) }),
  )
  const service: Opened = { ...found, client, merchantId }
  return service
})

/** Opens the service for commands about all merchants, unless one is named. */
export const ofAll = (given: Given) => opened(given, false)

/**
 * Opens the service for commands about one merchant: the named one, or else the first merchant of a service on this
 * machine.
 */
export const ofOne = (given: Given) => opened(given, true)
