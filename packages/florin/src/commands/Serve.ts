/**
 * `florin serve`: runs the service for others to use. Without settings for chains, it runs on this machine alone.
 *
 * @module
 */
import { join } from "node:path"
import { env } from "node:process"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Place from "../access/Place.ts"
import * as Configured from "../serve/Configured.ts"
import * as PayoutDefaults from "../serve/PayoutDefaults.ts"
import * as Settings from "../serve/Settings.ts"
import * as StoredKeys from "../serve/StoredKeys.ts"
import * as Telemetry from "../serve/Telemetry.ts"
import * as Described from "../terminal/Described.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Flags from "../terminal/Flags.ts"
import * as Terminal from "../terminal/Terminal.ts"

/** No setting says where money is, so it stays on this machine. */
const isLocal = (configured: Configured.Configured): boolean =>
  configured.place._tag !== "Server" && !Configured.namesChains(configured)

/** Starts local chains, a partner and keys, and prints them once. */
const local = Effect.fnUntraced(function* ({ place, values }: Configured.Configured) {
  const LocalService = yield* Effect.promise(() => import("../dev/LocalService.ts"))
  const { areKeysNew, beginLog, ready, readyFile } = yield* LocalService.start({
    command: "florin serve",
    place,
    values,
    edge: yield* Configured.edge(values),
  })
  LocalService.printWhere(ready, place)
  if (areKeysNew) LocalService.printKeys(ready)
  if (place._tag !== "Memory") {
    Terminal.fact(areKeysNew ? "" : "keys", `are kept in ${StoredKeys.file(place)}`)
  }
  if (readyFile !== null) Terminal.fact("file", `${readyFile} has all of this as JSON`)
  Terminal.note("\n  Do not use this for real money. Set DATABASE_URL and --rpc for that.")
  beginLog()
})

/**
 * Starts what only answers the operator. It has the chains of the settings, or else the local chains that are kept next
 * to the storage.
 */
export const operatorOnly = Effect.fnUntraced(function* (configured: Configured.Configured) {
  const { place } = configured
  if (place._tag !== "Memory") yield* Place.requireAccess(place)
  if (place._tag === "Memory" || !Place.hasStorage(place)) {
    return yield* Failure.make(
      `there is no storage ${place._tag === "Memory" ? "in memory" : `in ${Place.whereOf(place)}`} yet: set DATABASE_URL or --directory to that of your service`,
    )
  }
  if (Configured.namesChains(configured) || !Place.hasChains(place)) {
    yield* Configured.check(configured)
    return yield* Configured.startForOperator(configured, Configured.ownGround(configured))
  }
  const LocalChains = yield* Effect.promise(() => import("../dev/LocalChains.ts"))
  const directory = Place.chainsDirectory(place)
  return yield* Configured.startForOperator(configured, {
    // They start once the storage is open: no other service has it then, which could start them, too.
    chains: Layer.unwrap(
      Effect.map(LocalChains.start(LocalChains.keptIn(directory), directory), LocalChains.layer),
    ),
    usual: PayoutDefaults.local,
  })
})

const start = Effect.fnUntraced(function* (configured: Configured.Configured) {
  yield* Configured.check(configured)
  yield* isLocal(configured) ? local(configured) : Configured.start(configured)
})

export const command = Command.make(
  "serve",
  {
    ...Settings.flags,
    operatorOnly: Flags.toggle(
      "operator-only",
      "Serve only your own commands, on the socket and the operator's port: no workers and no public port, so that nothing moves. For the time after a restore",
    ),
  },
  Effect.fnUntraced(function* ({ operatorOnly: isOperatorOnly, ...flags }) {
    const configured = yield* Configured.read(flags, env)
    const telemetry = yield* Layer.build(Telemetry.layer(configured.values))
    const started = isOperatorOnly ? operatorOnly(configured) : start(configured)
    yield* Effect.provideContext(started, telemetry)
    const { place } = configured
    if (isOperatorOnly && place._tag !== "Memory") {
      const { directory, name } = Place.operatorSocket(place)
      Terminal.aside(
        `Ready for commands on ${join(directory, name)}.\nNothing moves: no worker runs, and the public port is closed. Ctrl-C stops it.`,
      )
    }
    return yield* Effect.never
  }, Effect.scoped),
).pipe(
  Described.as({
    description:
      "Run the service. Each setting is a flag, an environment variable (in brackets) or a name in the configuration file. Flags override variables, and variables override the file. Secret keys are never flags. Without settings the service runs on this machine with local chains. For real money set DATABASE_URL and --rpc; any number of processes can share one database. docs/operations.md describes the operation.",
    examples: [
      { command: "florin serve", description: "Try it: no real money moves" },
      {
        command:
          "florin serve --role api --rpc 8453=https://node.example --pay-link-host pay.example.com",
        description: "Serve API calls, with DATABASE_URL and keys in the environment",
      },
      {
        command: "florin serve --role worker --config florin.json",
        description: "Run the workers",
      },
      {
        command: "florin serve --operator-only --config florin.json",
        description: "Answer only your commands, after a restore",
      },
    ],
  }),
)
