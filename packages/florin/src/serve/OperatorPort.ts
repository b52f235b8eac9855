/**
 * What is for the operator alone: a port with its API, metrics, and the health of the process, and a socket with its
 * API for the commands on this machine. Collectors receive the same figures without a request.
 *
 * @module
 */
import { existsSync, mkdirSync } from "node:fs"
import * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as NodeListener from "@florin/server/NodeListener"
import * as OperatorHandler from "@florin/server/OperatorHandler"
import * as Scrape from "@florin/server/Scrape"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Holder from "../access/Holder.ts"
import * as Place from "../access/Place.ts"
import * as PrivateFile from "../access/PrivateFile.ts"
import * as Failure from "../terminal/Failure.ts"
import type * as Settings from "./Settings.ts"

/** How often figures are updated for a collector, which sends no requests. */
const lookEvery = "30 seconds"

const announce = (url: string) =>
  Effect.logInfo("the operator's port is open").pipe(Effect.annotateLogs({ url }))

const listening = (options: NodeListener.Options, onOpen: typeof announce) =>
  Effect.gen(function* () {
    const listener = Layer.provide(NodeListener.layer(options), OperatorHandler.layer)
    const { url } = Context.get(yield* Layer.build(listener), NodeListener.NodeListener)
    yield* onOpen(url)
  })

/** The service works without its socket: a container may have no place for one. */
const onSocket = (place: Place.Lasting) =>
  Effect.gen(function* () {
    if ((yield* Holder.look(place)) === "there") {
      const { pid } = Option.getOrElse(Holder.find(place), () => ({ pid: "unknown" }))
      return yield* Effect.logWarning(
        `process ${pid} already answers commands in ${Place.whereOf(place)}: to send this one commands, give it another --directory`,
      )
    }
    yield* Effect.try({
      try: () => mkdirSync(place.home, { recursive: true, mode: 0o700 }),
      catch: (cause) => new NodeListener.ListenFailed({ message: String(cause) }),
    })
    return yield* Layer.build(
      Layer.provide(
        NodeListener.layerSocket(Place.operatorSocket(place)),
        OperatorHandler.layerTrusted,
      ),
    )
  }).pipe(
    Effect.catchTag("ListenFailed", ({ message }) =>
      Effect.logWarning(
        "commands on this machine need --url and a key, as there is no socket",
      ).pipe(Effect.annotateLogs({ cause: message })),
    ),
  )

/** Writes the first key of the operator's API, unless the file has one. */
export const keepKey = Effect.fnUntraced(function* (path: string) {
  if (existsSync(path)) {
    yield* Effect.fromResult(PrivateFile.readKeys(path))
    return
  }
  const { record, text } = yield* Keys.issue({
    mode: null,
    owner: { _tag: "Operator", name: "operator-key-file" },
    name: "florin serve --operator-key-file",
    scopes: ApiKey.OperatorScope.literals,
    expiresAt: null,
  }).pipe(Effect.mapError(Failure.of))
  yield* PrivateFile.write(path, `${text}\n`)
  yield* Effect.logInfo("an operator's key is created").pipe(
    Effect.annotateLogs({ keyId: record.id, path }),
  )
})

const looking = Effect.flatMap(Scrape.make, (look) =>
  Effect.forkScoped(Effect.forever(Effect.delay(look, lookEvery))),
)

type Ports = Layer.Services<typeof OperatorHandler.layer> | Scrape.Ports

/**
 * Listens next to the handler of the public port: on the socket of the place, and on a port if one is set. Updates
 * figures for a collector if there is one.
 */
export const layer = (
  {
    operatorHost: host,
    operatorKeyFile,
    operatorPort: port,
    otlp,
  }: Pick<Settings.Values, "operatorHost" | "operatorKeyFile" | "operatorPort" | "otlp">,
  place: Place.Place,
  onOpen = announce,
): Layer.Layer<never, NodeListener.ListenFailed | Failure.CommandFailed, Ports> =>
  Layer.mergeAll(
    operatorKeyFile === null ? Layer.empty : Layer.effectDiscard(keepKey(operatorKeyFile)),
    port === null ? Layer.empty : Layer.effectDiscard(listening({ host, port }, onOpen)),
    place._tag === "Memory" ? Layer.empty : Layer.effectDiscard(onSocket(place)),
    otlp === null ? Layer.empty : Layer.effectDiscard(looking),
  )
