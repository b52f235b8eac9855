/**
 * The operator's API over the storage of a place in which no service runs.
 *
 * @module
 */
import { env } from "node:process"
import type { Carry } from "@florin/api/operator/Call"
import type { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import { Settings } from "@florin/core/ports/Settings"
import type { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Place from "../access/Place.ts"
import * as Access from "../storage/Access.ts"

/** Loading the server is slow, and commands next to a service do not need it. */
const load = Effect.promise(() =>
  Promise.all([
    import("@florin/server/operator/Client"),
    import("@florin/server/Confusables"),
    import("../serve/Configured.ts"),
    import("../serve/Kept.ts"),
    import("../serve/PayoutDefaults.ts"),
  ]),
)

/** Most groups look at no chain, and chains take a while to open. */
const noChains = Layer.succeed(Chains, {
  of: () => {
    throw new Error("this command was opened without chains")
  },
})

/** Whether a command looks at the chains: always, or at those that need not be started. */
export type Sees = boolean | "if reachable"

const reachable = (named: Access.Named) =>
  Effect.map(
    Access.reachable(named),
    Option.getOrElse(() =>
      Chains.layerShared.pipe(Layer.provide(JoinedChain.layer<never, never>([])), Layer.orDie),
    ),
  )

/** Carries calls for as long as the scope. */
export const open = Effect.fnUntraced(function* (
  named: Access.Named,
  command: string,
  seesChains: Sees,
) {
  const [Client, Confusables, Configured, Kept, PayoutDefaults] = yield* load
  const place = yield* Effect.fromResult(Place.parse(named))
  const { values } = yield* Configured.read({}, env)
  const settings = yield* Configured.core(values, PayoutDefaults.usualIn(values, place))
  const opened: Context.Context<Assets | Chains | Signals | Storage> =
    seesChains === true
      ? yield* Layer.build(Access.layer(named, command))
      : yield* Layer.build(
          Layer.merge(
            Access.storageLayer(named, command),
            seesChains ? yield* reachable(named) : noChains,
          ),
        )
  const { sealKey, vault } = yield* Effect.provide(
    Kept.forCommand(place, settings.sealKey, values.vaultKey),
    Identifiers.layer,
  )
  const context = yield* Layer.build(
    Layer.mergeAll(
      yield* Configured.policies(values),
      vault,
      Confusables.layer,
      Layer.succeed(Settings, {
        ...settings,
        payLinkHost: settings.payLinkHost ?? `localhost:${values.port}`,
        sealKey,
      }),
    ).pipe(Layer.provideMerge(Layer.succeedContext(opened)), Layer.provideMerge(Identifiers.layer)),
  )
  const carry: Carry = Client.carrier(Effect.runPromiseWith(context), {
    publicUrl: Configured.publicUrlOf(values),
    // No server runs that could show a page.
    console: null,
    operatorUrl: () => null,
  })
  return carry
})
