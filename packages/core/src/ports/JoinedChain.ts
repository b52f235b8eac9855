/**
 * Joins several adapters, each with its own chains, into one chain port. So a service can take several families of
 * chains, and the adapter of a family need only know one chain.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Caip from "../domain/chain/Caip.ts"
import * as Catalog from "../domain/chain/Catalog.ts"
import { Chain, ChainUnavailable } from "./Chain.ts"

type Service = Chain["Service"]

/** Two adapters serve one chain: each would look for money that the other one collects. */
export class ServedTwice extends Schema.TaggedError<ServedTwice>()("ServedTwice", {
  chainId: Caip.ChainId,
  message: Schema.String,
}) {}

/** Two families have one namespace: one would read addresses on the other's chains. */
export class FamilyTwice extends Schema.TaggedError<FamilyTwice>()("FamilyTwice", {
  namespace: Schema.String,
  message: Schema.String,
}) {}

const isServedBy =
  ({ chainIds }: Service) =>
  (chainId: Caip.ChainId): boolean =>
    chainIds.includes(chainId)

/**
 * The catalogs of all adapters. The rows of a chain come from the adapter that serves it, because it judges and counts
 * by them.
 */
const catalogOf = (chains: ReadonlyArray<Service>): Catalog.Catalog => {
  const rows = (chain: Service): Catalog.Rows => {
    const others = chains.filter((each) => each !== chain)
    const isElsewhere = (chainId: Caip.ChainId): boolean =>
      others.some((each) => isServedBy(each)(chainId))
    const { assets, networks, served } = chain.catalog
    return {
      networks: networks.filter(({ chainId }) => !isElsewhere(chainId)),
      assets: assets.filter(
        ({ token }) => served(token) !== undefined && !isElsewhere(token.chainId),
      ),
    }
  }
  const all = chains.map(rows)
  return Catalog.make({
    families: Catalog.familiesOf(chains.map(({ catalog }) => catalog)),
    networks: all.flatMap(({ networks }) => networks),
    assets: all.flatMap(({ assets }) => assets),
  })
}

/** How long payers wait for an adapter's options. Options of an adapter that takes longer are left out. */
export const responseTimeoutInMs = 10_000

/** Calls an adapter. An unexpected error or a timeout is logged, and affects no other adapter. */
const guarded = <A, E, E2>(
  chain: Service,
  ask: (chain: Service) => Effect.Effect<A, E>,
  instead: Effect.Effect<A, E2>,
): Effect.Effect<A, E | E2> =>
  Effect.suspend(() => ask(chain)).pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("a chain adapter failed", { chainIds: chain.chainIds, defect }),
        instead,
      ),
    ),
    Effect.timeoutOrElse({
      duration: responseTimeoutInMs,
      orElse: () =>
        Effect.andThen(
          Effect.logWarning("a chain adapter does not respond", { chainIds: chain.chainIds }),
          instead,
        ),
    }),
  )

/** The results of all that responded; fails only if none did. */
export const ofAny = <A>(
  responses: ReadonlyArray<Result.Result<ReadonlyArray<A>, ChainUnavailable>>,
): Result.Result<ReadonlyArray<A>, ChainUnavailable> =>
  responses.find((response) => Result.isFailure(response) && !responses.some(Result.isSuccess)) ??
  Result.succeed(
    responses.flatMap((response) => (Result.isSuccess(response) ? response.success : [])),
  )

/** The chains behind one port. Each chain is served by one of them. */
export const join = (chains: ReadonlyArray<Service>): Service => {
  const byChainId = new Map(
    chains.flatMap((chain) => chain.chainIds.map((chainId) => [chainId, chain] as const)),
  )
  /** Calls the adapter of a chain. */
  const on = <A, E>(
    chainId: Caip.ChainId,
    ask: (chain: Service) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | ChainUnavailable> => {
    const chain = byChainId.get(chainId)
    return chain === undefined
      ? new ChainUnavailable({ chainId, message: `chain ${chainId} is not configured` })
      : ask(chain)
  }
  const ofAll = <A, E>(
    ask: (chain: Service) => Effect.Effect<ReadonlyArray<A>, E>,
  ): Effect.Effect<ReadonlyArray<A>, E> =>
    Effect.map(
      Effect.forEach(chains, (chain) => guarded(chain, ask, Effect.succeed([])), {
        concurrency: "unbounded",
      }),
      (each) => each.flat(),
    )
  const failed = ({ chainIds: [chainId] }: Service) =>
    chainId === undefined ? Effect.succeed([]) : ChainUnavailable.of(chainId, "its adapter failed")
  const anyOf = <A>(
    among: ReadonlyArray<Service>,
    ask: (chain: Service) => Effect.Effect<ReadonlyArray<A>, ChainUnavailable>,
  ) =>
    Effect.flatMap(
      Effect.forEach(among, (chain) => Effect.result(guarded(chain, ask, failed(chain))), {
        concurrency: "unbounded",
      }),
      (responses) => Effect.fromResult(ofAny(responses)),
    )
  return {
    catalog: catalogOf(chains),
    chainIds: chains.flatMap(({ chainIds }) => chainIds),
    accounts: chains.flatMap(({ accounts }) => accounts),
    keyless: chains.flatMap(({ keyless }) => keyless),
    coins: (account) => on(account.chainId, (chain) => chain.coins(account)),
    finalCheckpoint: (chainId) => on(chainId, (chain) => chain.finalCheckpoint(chainId)),
    stands: (chainId, checkpoint) => on(chainId, (chain) => chain.stands(chainId, checkpoint)),
    offered: ofAll((chain) =>
      Effect.map(chain.offered, (all) =>
        all.filter(({ asset }) => isServedBy(chain)(asset.token.chainId)),
      ),
    ),
    faults: ofAll(({ faults }) => faults),
    lacks: ofAll(({ lacks }) => lacks),
    nodes: (chainId) => on(chainId, (chain) => chain.nodes(chainId)),
    holdings: (accounts, assets) => {
      const asked = chains.filter((chain) =>
        accounts.some(({ account }) => isServedBy(chain)(account.chainId)),
      )
      return anyOf(asked, (chain) =>
        chain.holdings(
          accounts.filter(({ account }) => isServedBy(chain)(account.chainId)),
          assets.filter(({ asset }) => isServedBy(chain)(asset.token.chainId)),
        ),
      )
    },
    actions: (chosen, committed) =>
      on(chosen.option.token.chainId, (chain) => chain.actions(chosen, committed)),
    funds: (attempt, others) =>
      on(attempt.option.token.chainId, (chain) => chain.funds(attempt, others)),
    balance: (token, address, belief) =>
      on(token.chainId, (chain) => chain.balance(token, address, belief)),
    verify: (attempt) => on(attempt.option.token.chainId, (chain) => chain.verify(attempt)),
    isSignedBy: (account, text, signature) =>
      on(account.chainId, (chain) => chain.isSignedBy(account, text, signature)),
    rehearse: (order) => {
      const { token } = order._tag === "Send" ? order.movement : order.attempt.option
      return on(token.chainId, (chain) => chain.rehearse(order))
    },
    nonceFloor: (lane, belief) => on(lane.chainId, (chain) => chain.nonceFloor(lane, belief)),
    sign: (lane, nonce, order) => on(lane.chainId, (chain) => chain.sign(lane, nonce, order)),
    outbid: (relayed) => on(relayed.lane.chainId, (chain) => chain.outbid(relayed)),
    fill: (lane, nonce) => on(lane.chainId, (chain) => chain.fill(lane, nonce)),
    gasCost: (chainId) => byChainId.get(chainId)?.gasCost(chainId) ?? null,
    payerCost: (chosen, stepCount) =>
      byChainId.get(chosen.option.token.chainId)?.payerCost(chosen, stepCount) ?? null,
    spendPerHour: (chainId) => byChainId.get(chainId)?.spendPerHour(chainId) ?? null,
    broadcast: (relayed) => on(relayed.lane.chainId, (chain) => chain.broadcast(relayed)),
    look: (sought) => on(sought.movement.token.chainId, (chain) => chain.look(sought)),
    progress: (awaited) => on(awaited.token.chainId, (chain) => chain.progress(awaited)),
    outgoing: (txHash) => anyOf(chains, (chain) => chain.outgoing(txHash)),
    arrivals: (chainId, range) => on(chainId, (chain) => chain.arrivals(chainId, range)),
    shows: (log) => on(log.movement.token.chainId, (chain) => chain.shows(log)),
    lookLate: (late) => on(late.option.token.chainId, (chain) => chain.lookLate(late)),
  }
}

/** The first that is there twice. */
const firstTwice = <A>(all: ReadonlyArray<A>): A | undefined =>
  all.find((each, index) => all.indexOf(each) !== index)

/**
 * @example
 * const chains = Layer.provide(Chains.layerShared, JoinedChain.layer([Evm.layer(evm), myFamily]))
 */
export const layer = <E, R>(
  adapters: ReadonlyArray<Layer.Layer<Chain, E, R>>,
): Layer.Layer<Chain, E | FamilyTwice | ServedTwice, R> =>
  Layer.effect(
    Chain,
    Effect.gen(function* () {
      const chains = yield* Effect.forEach(adapters, (adapter) =>
        Effect.map(Layer.build(Layer.fresh(adapter)), (context) => Context.get(context, Chain)),
      )
      const { families } = catalogOf(chains)
      const namespace = firstTwice(families.map((each) => each.namespace))
      if (namespace !== undefined) {
        return yield* new FamilyTwice({
          namespace,
          message: `adapters bring different families of namespace ${namespace}: let them share one`,
        })
      }
      const twice = firstTwice(chains.flatMap(({ chainIds }) => chainIds))
      return twice === undefined
        ? join(chains)
        : yield* new ServedTwice({
            chainId: twice,
            message: `two adapters serve chain ${twice}: leave it out of one`,
          })
    }),
  )
