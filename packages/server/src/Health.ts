/**
 * Whether the process is alive, and whether it is ready.
 *
 * @module
 */
import * as Family from "@florin/core/domain/chain/Family"
import * as ClockDrift from "@florin/core/domain/ground/ClockDrift"
import * as Mode from "@florin/core/domain/ground/Mode"
import * as AcceptedAssets from "@florin/core/engine/chain/AcceptedAssets"
import * as Findings from "@florin/core/engine/status/Findings"
import * as Status from "@florin/core/engine/status/Status"
import { Chains } from "@florin/core/ports/Chain"
import { Signals } from "@florin/core/ports/Signals"
import * as Effect from "effect/Effect"
import * as Exchange from "./http/Exchange.ts"
import * as Page from "./pages/Page.ts"

/** Alive: responds without checking anything. */
const healthz = Page.make("/healthz", () => Effect.succeed(Exchange.json(200, { status: "ok" })))

/** After this time the process is not ready, and a load balancer should use another. */
const responseTimeoutInMs = 2000

/** Returns the fallback if a check fails or hangs, also because of a bug in an adapter. */
const soundly = <A, R>(
  check: Effect.Effect<A, unknown, R>,
  otherwise: A,
): Effect.Effect<A, never, R> =>
  check.pipe(
    Effect.timeout(responseTimeoutInMs),
    Effect.catchCause(() => Effect.succeed(otherwise)),
  )

/** What `florin status` finds without a call of a node. */
const findings = Effect.flatMap(Status.readings({ waits: false }), (all) =>
  Effect.map(
    Status.make(
      all.filter(({ isQuick }) => isQuick === true),
      responseTimeoutInMs,
    ),
    (made) => made.flatMap((each) => each.findings),
  ),
)

const offered = Effect.flatMap(Chains, ({ of }) =>
  Effect.forEach(
    Mode.Mode.literals,
    (mode) =>
      soundly(
        Effect.map(of(mode).offered, (all) => all.map((each) => ({ ...each, mode }))),
        [],
      ),
    { concurrency: "unbounded" },
  ),
)

/**
 * Ready: the storage responds and its clock agrees with ours, something can be offered, and the process is not shutting
 * down. An asset that is left out, a chain that is halted or an account that used up its gas budget is reported, but
 * the process is still ready: it is the same in every other process.
 */
const readyz = Page.make("/readyz", () =>
  Effect.gen(function* () {
    const isClosed = (yield* Signals).isClosed()
    const [driftInMs, found, offers] = yield* Effect.all(
      [soundly(Status.clockDrift, null), findings, offered],
      { concurrency: "unbounded" },
    )
    const { of } = yield* Chains
    /** Both modes may share the same chains. */
    const isOnce = ({ mode }: { readonly mode: Mode.Mode }) =>
      mode === "live" || of("live") !== of("test")
    const those = <T extends Findings.Tag>(tag: T) => found.filter(Findings.isOf(tag))
    const [halted, spent] = [
      those("ChainHalted"),
      those("BudgetSpent").filter((each) => each.isSpent),
    ]
    const isOffered = offers.flat().some(({ mode, ...offer }) => {
      const { chainId } = offer.asset.token
      const spentIn = spent.filter((each) => each.mode === mode)
      return (
        !halted.some((each) => each.mode === mode && each.chainId === chainId) &&
        AcceptedAssets.flowsLeft(of(mode).catalog, offer, spentIn).length > 0
      )
    })
    const isClockOff = driftInMs !== null && ClockDrift.isTooFar(driftInMs)
    const storage = driftInMs !== null && !isClockOff
    const shown = {
      leftOut: those("TokenLeftOut")
        .filter(isOnce)
        .map(({ message, mode, token }) => ({
          asset: Family.formatToken(of(mode).catalog, token),
          message,
        })),
      halted: halted.map(({ chainId, mode, reason }) => ({ chain: chainId, mode, reason })),
      stopped: those("TokenStopped").map(({ mode, reason, token }) => ({
        asset: Family.formatToken(of(mode).catalog, token),
        mode,
        reason,
      })),
      outOfGas: spent.map(({ account, mode }) => ({
        chain: account.chainId,
        mode,
        account: Family.formatAddress(of(mode).catalog, account),
        message: "spendPerHour is used up: nothing is collected by this account in this hour",
      })),
      nodes: those("NodesLack")
        .filter(isOnce)
        .map(({ chainId, message }) => ({ chain: chainId, message })),
    }
    const isWhole = [shown.leftOut, halted, shown.stopped, spent].every(
      ({ length }) => length === 0,
    )
    const isReady = storage && isOffered && !isClosed
    return Exchange.json(isReady ? 200 : 503, {
      status: isReady ? "ok" : "unavailable",
      checks: {
        storage: storage ? "ok" : "unavailable",
        assets: isOffered ? (isWhole ? "ok" : "reduced") : "unavailable",
        process: isClosed ? "ending" : "ok",
      },
      ...(isClockOff && { clock: { driftInMs, message: ClockDrift.messageOf(driftInMs) } }),
      ...Object.fromEntries(Object.entries(shown).filter(([, { length }]) => length > 0)),
    })
  }),
)

export const pages = [healthz, readyz]
