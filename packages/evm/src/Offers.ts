/**
 * Which tokens of a chain are offered now: those that passed their check. All tokens are checked at the start, again
 * every few minutes, and when there is reason to doubt one. Failed tokens are checked every few seconds, because a
 * pause may be short.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type { LeftOut, OfferedAsset } from "@florin/core/ports/Chain"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { assetOf, type ChainConfig, largeFrom, quantityOf } from "./config/ChainConfig.ts"
import * as Estimates from "./Estimates.ts"
import * as Together from "./node/Together.ts"
import type { Link } from "./read/Link.ts"
import * as StartupCheck from "./StartupCheck.ts"

export interface Offers {
  /** Waits for the first attempt to check the chain, so that a service that just started does not offer too little. */
  readonly offered: Effect.Effect<ReadonlyArray<OfferedAsset>>
  /** The tokens that are left out, and why. Returns immediately. */
  readonly faults: Effect.Effect<ReadonlyArray<LeftOut>>
  /** Checks a token again: if that was done a moment ago, a moment later. */
  readonly recheck: (token: Caip.Token) => Effect.Effect<void>
  /** Adds a sample for the option's flow: its payment became final just now. */
  readonly measure: (option: Estimates.Measured, waitingSince: number) => Effect.Effect<void>
}

const betweenChecksInMs = 5 * 60_000
/** Between two checks of failed tokens: with its jitter and the time that a node takes, no more than 15 s. */
const betweenLooksInMs = 10_000
/** So that a client that sends nonsense cannot have a token checked at every request. */
const betweenDoubtsInMs = 10_000
const pauseFirstInMs = 1000
const pauseLongestInMs = 60_000

const offerOf = (
  config: ChainConfig,
  asset: Asset.Asset,
  etaInS: (size: Estimates.Size) => number,
): OfferedAsset => {
  const flows = config.flows(asset)
  const from = largeFrom(config, asset)
  return {
    asset,
    flows,
    minimum: quantityOf(config.minimum, asset),
    etaInS: etaInS(flows[0]),
    collectingAccounts: config.collecting,
    ...(from !== null && {
      large: { from, etaInS: Math.max(etaInS(Estimates.large), etaInS(flows[0])) },
    }),
  }
}

/** Checks the tokens of a chain for as long as the scope lives. */
export const make = Effect.fnUntraced(function* (
  link: Link,
): Effect.fn.Return<Offers, never, Scope.Scope> {
  const { config } = link
  const found = new Map<Asset.Asset, StartupCheck.Finding & { readonly checkedAt: number }>()
  const oneAtATime = Semaphore.makeUnsafe(1)
  const isTried = Latch.makeUnsafe(false)
  /** Doubts that came too soon after a check to be looked at then. */
  const doubted = new Set<Asset.Asset>()
  /** Open while a token failed its last check, or is doubted. */
  const isUnsure = Latch.makeUnsafe(false)
  const estimates = yield* Estimates.make(link)
  let silence = "it is being checked"

  const unsure = () =>
    config.assets.filter(
      (asset) => doubted.has(asset) || (found.get(asset)?.faults.length ?? 0) > 0,
    )

  /** Records a finding. Returns whether the token was upgraded since the last one. */
  const take = Effect.fnUntraced(function* (finding: StartupCheck.Finding, checkedAt: number) {
    const { asset, faults, notes, version } = finding
    const earlier = found.get(asset)
    found.set(asset, { ...finding, checkedAt })
    doubted.delete(asset)
    const attributes = { asset: Eip155.formatToken(asset.token) }
    if (faults.length > 0 && faults.join() !== earlier?.faults.join()) {
      yield* Effect.logError("an asset is not offered", { ...attributes, faults })
    }
    if (faults.length === 0 && earlier !== undefined && earlier.faults.length > 0) {
      yield* Effect.logInfo("an asset is offered again", attributes)
    }
    if (notes.length > 0 && notes.join() !== earlier?.notes.join()) {
      yield* Effect.logError("an asset needs the operator", { ...attributes, notes })
    }
    yield* unsure().length > 0 ? isUnsure.open : isUnsure.close
    const isUpgraded = earlier !== undefined && earlier.version !== version
    if (isUpgraded) {
      yield* Effect.logError("the issuer upgraded a token: look at what changed", attributes)
    }
    return isUpgraded
  })

  const checkOnce = Effect.fnUntraced(function* (assets: ReadonlyArray<Asset.Asset>) {
    const begunAt = yield* Clock.currentTimeMillis
    const findings = yield* StartupCheck.run(link, assets)
    return yield* Effect.forEach(findings, (finding) => take(finding, begunAt))
  })

  const check = Effect.fnUntraced(function* (assets: ReadonlyArray<Asset.Asset>) {
    const upgrades = yield* checkOnce(assets)
    // That check may have seen both sides of an upgrade; a check that begins after it sees only the new side.
    const upgraded = assets.filter((_, index) => upgrades[index])
    if (upgraded.length > 0) yield* checkOnce(upgraded)
  })

  const recheck = Effect.fnUntraced(function* (asset: Asset.Asset, doubtedAt: number) {
    const checkedAt = found.get(asset)?.checkedAt ?? -Infinity
    // A check that began after the doubt has looked already.
    if (checkedAt >= doubtedAt) return
    if (doubtedAt - checkedAt >= betweenDoubtsInMs) return yield* Effect.ignore(check([asset]))
    doubted.add(asset)
    yield* isUnsure.open
  })

  const keepChecking = Effect.gen(function* () {
    for (let failures = 0; ;) {
      const both = [Effect.result(check(config.assets)), estimates.watch] as const
      // Run together, they take one request.
      const [response] = yield* oneAtATime.withPermit(Together.all(both))
      failures = Result.isSuccess(response) ? 0 : failures + 1
      if (Result.isFailure(response)) {
        silence = response.failure.message
        if (failures === 1) yield* Effect.logWarning("a chain cannot be checked", { silence })
      }
      yield* isTried.open
      const pauseInMs = Math.min(pauseFirstInMs * 2 ** (failures - 1), pauseLongestInMs)
      const jitter = yield* Random.nextBetween(0.8, 1.2)
      yield* Effect.sleep((failures === 0 ? betweenChecksInMs : pauseInMs) * jitter)
    }
  })
  /** Checks failed and doubted tokens again, and only those: while there is none, nothing more is requested. */
  const lookAgain = Effect.gen(function* () {
    yield* isUnsure.await
    yield* Effect.sleep(betweenLooksInMs * (yield* Random.nextBetween(0.8, 1.2)))
    const checking = Effect.suspend(() => {
      const assets = unsure()
      return assets.length === 0 ? Effect.void : Effect.ignore(check(assets))
    })
    yield* oneAtATime.withPermit(checking)
  })

  const keepOn = (program: Effect.Effect<void>) =>
    program.pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logError("the check of a chain's assets failed", {
              chainId: config.chainId,
              cause: Cause.pretty(cause),
            }).pipe(Effect.andThen(isTried.open), Effect.andThen(Effect.sleep(pauseLongestInMs))),
      ),
      Effect.forever,
      Effect.forkScoped,
    )
  yield* keepOn(keepChecking)
  yield* keepOn(lookAgain)

  return {
    measure: estimates.measure,
    offered: Effect.map(isTried.await, () =>
      config.assets
        .filter((asset) => found.get(asset)?.faults.length === 0)
        .map((asset) => offerOf(config, asset, estimates.etaInS)),
    ),
    faults: Effect.sync(() =>
      config.assets.flatMap((asset): ReadonlyArray<LeftOut> => {
        const faults = found.get(asset)?.faults ?? [
          `${StartupCheck.where(link, asset)}: ${silence}`,
        ]
        return faults.map((message) => ({ token: asset.token, message }))
      }),
    ),
    recheck: (token: Caip.Token) => {
      const asset = assetOf(config, token)
      return asset === undefined
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now) =>
            oneAtATime.withPermit(recheck(asset, now)),
          )
    },
  }
})
