/**
 * A server process: it says when it listens, when somebody begins to wait in it, and when a change of its own was
 * committed.
 *
 * @module
 */
import process from "node:process"
import * as VaultAes from "@florin/core/node/VaultAes"
import { Signals } from "@florin/core/ports/Signals"
import { createFlorin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import { Effect, Layer, Redacted } from "effect"
import * as Postgres from "../src/Postgres.ts"

const say = (message: object) => Effect.sync(() => void process.send?.(message))

const database = Postgres.layer({ url: Redacted.make(process.argv[2] ?? "") })

const signals = Layer.effect(
  Signals,
  Effect.map(Signals, (own) =>
    Signals.of({
      ...own,
      changed: (id) =>
        // The machine's monotonic clock, which its processes share.
        Effect.andThen(
          Effect.suspend(() => say({ committedAt: String(process.hrtime.bigint()) })),
          own.changed(id),
        ),
      watch: (id) => Effect.tap(own.watch(id), say({ waiting: id })),
    }),
  ),
).pipe(Layer.provide(database))

const florin = createFlorin({
  payLinkHost: "pay.example.com",
  pages: false,
  sealKey: new Uint8Array(32).fill(7),
  vault: VaultAes.layer({ current: { id: "1", key: Redacted.make(new Uint8Array(32)) } }),
  chains: SimulatedChain.layerChains(),
  storage: database,
  signals,
})

const partner = await florin.operator.partners.create({ name: "Bench" })
const { secret: text } = await florin.operator.keys.issue({
  partnerId: partner.id,
  name: "Bench",
  mode: "test",
})
const { url } = await NodeListener.listen(florin, { port: 0 })
process.once("disconnect", () => process.exit())
process.send?.({ url, key: text })
