/**
 * Reaches the operator's API of a service: at a URL with a key, or on the socket of a service on this machine.
 *
 * @module
 */
import { Readable } from "node:stream"
import type { Carry } from "@florin/api/operator/Call"
import { carrier } from "@florin/client/Carrier"
import { request } from "@florin/core/node/Http"
import * as PrivateSocket from "@florin/core/node/PrivateSocket"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Asked from "../access/Asked.ts"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as SystemUser from "../access/SystemUser.ts"
import * as Variables from "../access/Variables.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"

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

export type Options = Command.Command.Config.InferValue<typeof flags>

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

/** How to start a service in a place. Without a storage, there is nothing to answer commands about. */
const startOf = (place: Place.Lasting): string => {
  const only = "`florin serve --operator-only` if nothing may move"
  if (place._tag === "Server")
    return `start \`florin serve\` with the same DATABASE_URL, or\n  ${only},`
  return Place.hasStorage(place) ? `start \`florin dev\`, or\n  ${only},` : "start `florin dev`,"
}

/** The service that runs in a place. */
export const onSocket = Effect.fnUntraced(function* (
  place: Place.Place,
  options: Pick<Options, "reason">,
) {
  if (place._tag === "Memory") {
    return yield* Failure.make(
      "a service with its storage in memory has no socket: set --url to its operator's port, or --storage to embedded or to a database",
    )
  }
  const socket = Place.operatorSocket(place)
  const found = yield* Holder.look(place)
  if (found === "forbidden") {
    return yield* Failure.make(
      `the service in ${Place.whereOf(place)} belongs to another user: run this command as that user, or set --url to its operator's port`,
    )
  }
  if (found === "absent") {
    const where = Place.whereOf(place)
    const starting = Option.getOrUndefined(Holder.find(place))
    if (starting !== undefined) {
      return yield* Failure.make(
        `a service is starting in ${where} (process ${starting.pid}): try again`,
      )
    }
    return yield* Failure.make(
      [
        `no service runs in ${where}:`,
        startOf(place),
        "or set --directory, --storage or --url",
      ].join("\n  "),
    )
  }
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
    : yield* Variables.read("FLORIN_OPERATOR_URL")
  if (Option.isNone(url)) {
    return Option.isNone(options.keyFile)
      ? undefined
      : yield* Failure.makeUsage("--key-file is for a service elsewhere: set --url to its address")
  }
  const key = yield* ServiceAccess.secretOf(options.keyFile, "FLORIN_OPERATOR_KEY")
  if (Option.isNone(key)) {
    return yield* Failure.make(
      "the operator's port needs a key: set FLORIN_OPERATOR_KEY or --key-file to an operator's key, flr_op_…",
    )
  }
  return yield* Asked.makeClient<Carry>(() =>
    carrier({
      baseUrl: url.value,
      apiKey: key.value,
      ...reasonOf(options),
    }),
  )
})

/** Carries calls to the operator's API. */
export const open = Effect.fnUntraced(function* (options: Options) {
  const remote = yield* elsewhere(options)
  if (remote !== undefined) return remote
  return yield* onSocket(yield* Effect.fromResult(Place.parse(options)), options)
})
