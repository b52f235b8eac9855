/**
 * Reaches the operator's API of a service: at a URL with a key, on the socket of a service on this machine, or, if none
 * runs there, over its storage.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { Readable } from "node:stream"
import type { Carry } from "@florin/api/operator/Call"
import { carrier } from "@florin/client/Carrier"
import * as PrivateSocket from "@florin/core/node/PrivateSocket"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as Place from "../access/Place.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as SystemUser from "../access/SystemUser.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import type * as Here from "./Here.ts"

/** The flags of a service elsewhere. */
export const serviceFlags = {
  url: Flags.optionalString(
    "url",
    "URL",
    "URL of the operator's port of a service elsewhere [FLORIN_OPERATOR_URL]",
  ),
  keyFile: Flags.optionalString(
    "key-file",
    "FILE",
    "File with an operator's key for --url, instead of FLORIN_OPERATOR_KEY",
  ),
}

/** The flags of every command of the operator. */
export const flags = {
  ...serviceFlags,
  reason: Flags.optionalString("reason", "TEXT", "Why: the audit log keeps it"),
  ...Flags.place,
}

export interface Options extends Place.Named {
  readonly url: Option.Option<string>
  readonly keyFile: Option.Option<string>
  readonly reason: Option.Option<string>
}

const reasonOf = ({ reason }: Pick<Options, "reason">) =>
  Option.isSome(reason) ? { reason: reason.value } : {}

/** `fetch` over a socket. The service behind it is the only one that it reaches. */
const fetchOn =
  (place: PrivateSocket.Place) =>
  (url: string, init: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { hostname, pathname, search } = new URL(url)
      const sent = request(
        {
          createConnection: () => PrivateSocket.connect(place),
          method: init.method ?? "GET",
          path: pathname + search,
          headers: { host: hostname, ...Object.fromEntries(new Headers(init.headers)) },
          signal: init.signal ?? undefined,
        },
        (response) => {
          const { headers, statusCode: status = 500 } = response
          const named = Object.entries(headers).flatMap(([name, value = []]) =>
            [value].flat().map((each): [string, string] => [name, each]),
          )
          resolve(new Response(Readable.toWeb(response), { status, headers: named }))
        },
      )
      sent.on("error", reject)
      sent.end(typeof init.body === "string" ? init.body : undefined)
    })

/** Whether a service listens: a killed one leaves its socket. */
const answers = (place: PrivateSocket.Place): Effect.Effect<boolean> =>
  existsSync(join(place.directory, place.name))
    ? Effect.callback((resume) => {
        const socket = PrivateSocket.connect(place)
        const end = (isThere: boolean) => {
          socket.destroy()
          resume(Effect.succeed(isThere))
        }
        socket.once("connect", () => end(true))
        socket.once("error", () => end(false))
      })
    : Effect.succeed(false)

/** The service that runs in a place; undefined if none does. */
export const onSocket = Effect.fnUntraced(function* (
  place: Place.Place,
  options: Pick<Options, "reason">,
) {
  if (place._tag === "Memory") return undefined
  const socket = Place.operatorSocket(place)
  if (!(yield* answers(socket))) return undefined
  const name = SystemUser.name()
  return carrier({
    baseUrl: "http://operator.localhost",
    apiKey: "socket",
    fetch: fetchOn(socket),
    ...(name !== null && { name }),
    ...reasonOf(options),
  })
})

/** The service at the operator's URL; undefined if none is named. */
export const elsewhere = Effect.fnUntraced(function* (
  options: Pick<Options, "keyFile" | "reason" | "url">,
) {
  const url = Option.isSome(options.url)
    ? options.url
    : yield* ServiceAccess.readVariable("FLORIN_OPERATOR_URL")
  if (Option.isNone(url)) return undefined
  const key = Option.isSome(options.keyFile)
    ? yield* ServiceAccess.fileText(options.keyFile.value)
    : Option.getOrUndefined(yield* ServiceAccess.readVariable("FLORIN_OPERATOR_KEY"))
  if (key === undefined) {
    return yield* Failure.make(
      "the operator's port needs a key: set FLORIN_OPERATOR_KEY or --key-file to an operator's key, flr_op_…",
    )
  }
  return yield* Asked.makeClient<Carry>(() =>
    carrier({
      baseUrl: url.value,
      apiKey: key,
      ...reasonOf(options),
    }),
  )
})

/** Carries calls to the operator's API, for as long as the scope. */
export const open = Effect.fnUntraced(function* (
  options: Options,
  command: string,
  seesChains: Here.Sees = false,
) {
  const remote = yield* elsewhere(options)
  if (remote !== undefined) return remote
  const running = yield* onSocket(yield* Effect.fromResult(Place.parse(options)), options)
  if (running !== undefined) return running
  const { open: openHere } = yield* Effect.promise(() => import("./Here.ts"))
  return yield* openHere(options, command, seesChains)
})

/** The storage that calls would open, because no service takes them; null if one does. */
export const storageOf = Effect.fnUntraced(function* (options: Options) {
  const variable = yield* ServiceAccess.readVariable("FLORIN_OPERATOR_URL")
  if (Option.isSome(options.url) || Option.isSome(variable)) return null
  const place = yield* Effect.fromResult(Place.parse(options))
  return place._tag === "Memory" || !(yield* answers(Place.operatorSocket(place))) ? options : null
})
