/**
 * A whole service in memory, for tests and demos: every port that a use case may need, on the simulated chain.
 *
 * @example
 * it.effect("pays", () => Payments.create(request).pipe(Effect.provide(Service.layer())))
 *
 * @module
 */
import * as Seal from "@florin/core/domain/ground/Seal"
import * as Credit from "@florin/core/domain/money/Credit"
import * as PayoutPolicy from "@florin/core/domain/partner/PayoutPolicy"
import * as SettlementDestination from "@florin/core/domain/partner/SettlementDestination"
import * as FailureBudget from "@florin/core/domain/payment/FailureBudget"
import * as TestWorld from "@florin/core/engine/payment/TestWorld"
import { Assets } from "@florin/core/ports/Assets"
import { Chains } from "@florin/core/ports/Chain"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Confusables } from "@florin/core/ports/Confusables"
import type { Identifiers } from "@florin/core/ports/Identifiers"
import { RateSource } from "@florin/core/ports/RateSource"
import { Screening } from "@florin/core/ports/Screening"
import { Settings } from "@florin/core/ports/Settings"
import { Signals } from "@florin/core/ports/Signals"
import * as StorageMemory from "@florin/core/ports/StorageMemory"
import { Vault } from "@florin/core/ports/Vault"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Fixtures from "./Fixtures.ts"
import * as SeededIdentifiers from "./SeededIdentifiers.ts"
import * as SimulatedChain from "./SimulatedChain.ts"

export interface Options {
  /** Seeded by default: the same ids and secrets in every run. */
  readonly identifiers?: Layer.Layer<Identifiers>
  readonly settings?: Partial<Settings["Service"]>
  readonly chain?: SimulatedChain.Options
}

/** The service's seal keys. */
export const sealKeys = Result.getOrThrow(Seal.makeKeys([sha256(utf8ToBytes("florin/testing"))]))

const settings: Settings["Service"] = {
  payLinkHost: "pay.example.com",
  sealKey: sealKeys,
  collectedKeptInMs: 24 * 60 * 60 * 1000,
  auditLogKeptInMs: null,
  // So that a test need not wait for a payout.
  payouts: { live: PayoutPolicy.immediate, test: PayoutPolicy.immediate },
  destinationDelayInMs: SettlementDestination.delays,
  proveDestinations: false,
  credit: Credit.defaults,
  failureBudgets: FailureBudget.defaults,
  // So that a test of live payments need not play the operator.
  approveMerchants: "never",
  secondPerson: false,
  allowPrivateWebhooks: false,
}

/** A new service. Each built layer is empty and independent of the others. */
export const layer = (options: Options = {}) =>
  Layer.mergeAll(Vault.layerMemory, Assets.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        StorageMemory.layer,
        Signals.layerMemory,
        options.identifiers ?? SeededIdentifiers.layer("florin"),
        Layer.succeed(Settings, { ...settings, ...options.settings }),
        Layer.succeed(Confusables, Effect.succeed(Fixtures.confusables)),
        RateSource.layerPegs,
        Screening.layerAllowAll,
        CollectDataPolicy.layerNever,
        TestWorld.layer,
        Layer.provideMerge(Chains.layerShared, SimulatedChain.SimulatedChain.layer(options.chain)),
      ),
    ),
    Layer.fresh,
  )
