/**
 * The whole service in the memory of one process, on the simulated chain: nothing to install, nothing to keep.
 *
 * @module
 */
import * as Seal from "@florin/core/domain/Seal"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Florin from "@florin/server/Florin"
import * as WebhookHttp from "@florin/server/WebhookHttp"
import * as Service from "@florin/testing/Service"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Every port in memory. Blocks come fast, so that a person does not wait, and an account that nobody touched has money
 * to try it out with. The seal key is fresh: in memory no option outlives the process either.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const random = yield* (yield* Identifiers).randomBytes(32)
    return Service.layer({
      identifiers: Identifiers.layer,
      settings: {
        payLinkHost: "pay.localhost",
        sealKey: yield* Effect.fromResult(Seal.makeKey(random)),
      },
      chain: { blocks: { everyInMs: 200 }, unseenBalance: 1000 },
    })
  }),
).pipe(Layer.provide(Identifiers.layer))

/** The workers over the ports of {@link layer}, webhooks included. They look often, so that a person does not wait. */
export const workers = Florin.workers({ idleInMs: 50 }).pipe(Layer.provide(WebhookHttp.layer))
