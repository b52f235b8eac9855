/**
 * Florin's chains on EVM networks.
 *
 * @example
 * const chains = Chains.layerShared.pipe(
 *   Layer.provide(
 *     Evm.layer([
 *       {
 *         chainId: 8453,
 *         rpcUrls: [Redacted.make(rpcUrl), Redacted.make(otherHostsRpcUrl)],
 *         accounts: [privateKeyToAccount(key)],
 *       },
 *     ]),
 *   ),
 * )
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import type * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Money from "@florin/core/domain/ground/Money"
import { type Belief, Chain, type ChainUnavailable } from "@florin/core/ports/Chain"
import * as JoinedChain from "@florin/core/ports/JoinedChain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Agreement from "./Agreement.ts"
import * as Arrivals from "./Arrivals.ts"
import * as ChainConfig from "./config/ChainConfig.ts"
import * as Extra from "./config/Extra.ts"
import * as Judge from "./Judge.ts"
import * as Lacks from "./Lacks.ts"
import * as Patience from "./node/Patience.ts"
import * as Together from "./node/Together.ts"
import * as Observation from "./Observation.ts"
import * as Offers from "./Offers.ts"
import * as Checkpoints from "./read/Checkpoints.ts"
import * as Link from "./read/Link.ts"
import * as Queries from "./read/Queries.ts"
import * as GasCosts from "./send/GasCosts.ts"
import * as Signing from "./send/Signing.ts"
import * as StartupCheck from "./StartupCheck.ts"
import * as Holdings from "./token/Holdings.ts"
import * as RememberedHoldings from "./token/RememberedHoldings.ts"

export type {
  Finality,
  NamedAccount,
  Options,
  OwnAccount,
  RelayerAccount,
  SignOptions,
  Unsigned,
} from "./config/ChainConfig.ts"
export { hasKey, InvalidChain } from "./config/ChainConfig.ts"
export { served } from "./node/Node.ts"
export { countHosts } from "./node/Rpc.ts"

/** A figure from any node, or one that two hosts reach. */
const believed = <A extends bigint | number>(
  link: Link.Link,
  belief: Belief | undefined,
  ask: (link: Link.Link) => Effect.Effect<A, ChainUnavailable>,
): Effect.Effect<A, ChainUnavailable> =>
  belief === "agreed" ? Agreement.figure(link, ask) : ask(link)

/** The port for one chain. `JoinedChain` ensures that every call names this chain. */
const makeOne = Effect.fnUntraced(function* (
  config: ChainConfig.ChainConfig,
  catalog: Catalog.Catalog,
): Effect.fn.Return<
  { readonly rpc: Link.Link["rpc"]; readonly chain: Chain["Service"] },
  ChainConfig.InvalidChain,
  Scope.Scope
> {
  const { chainId } = config
  const link = Link.make(config)
  const { rpc } = link
  yield* Agreement.check(link, Eip155.numberOf(chainId))
  const offers = yield* Offers.make(link)
  const holdingsOf = yield* RememberedHoldings.make(link)
  const costs = GasCosts.make(link)
  yield* Effect.forkScoped(Lacks.look(link))
  yield* Effect.forkScoped(Lacks.watch(link))
  const accounts = [...config.accounts]
  /** The chain with the policy for a transfer. */
  const linkFor = (token: Caip.Token, quantity: Money.Quantity | null): Link.Link => ({
    rpc,
    config: ChainConfig.forTransfer(config, token, quantity),
  })

  const chain = Chain.of({
    catalog,
    chainIds: [chainId],
    accounts: accounts.map(([address]) => ({ chainId, address })),
    keyless: accounts.flatMap(([address, account]) =>
      ChainConfig.hasKey(account) ? [] : [{ chainId, address }],
    ),
    finalCheckpoint: Effect.fn("Chain.finalCheckpoint")(() => Checkpoints.final(link)),
    stands: Effect.fn("Chain.stands")((_, checkpoint) => Checkpoints.stands(link, checkpoint)),
    offered: offers.offered,
    faults: offers.faults,
    lacks: Effect.sync(() => Lacks.of(link)),
    nodes: Effect.fn("Chain.nodes")(() => Lacks.nodes(link)),
    holdings: Effect.fn("Chain.holdings")((payers, assets) =>
      Effect.map(Together.all([holdingsOf(payers, assets), costs.look]), ([found]) => found),
    ),
    actions: Effect.fn("Chain.actions")((chosen, committed) => {
      const { account, flow, token } = chosen.option
      if (flow !== "permit2") return Effect.succeed(Actions.executable(chosen, Money.zero))
      return Effect.flatMap(Holdings.allowance(link, account, token), (allowance) =>
        Actions.breaksOthers(chosen, allowance, committed)
          ? Judge.refuse("committed")
          : Effect.succeed(Actions.executable(chosen, allowance, committed)),
      )
    }),
    funds: Effect.fn("Chain.funds")((attempt, others) => Judge.funds(link, attempt, others)),
    balance: Effect.fn("Chain.balance")((token, address, belief) =>
      believed(link, belief, (host) =>
        belief === "agreed"
          ? Holdings.settledBalance(host, token, address)
          : Holdings.balance(host, token, address),
      ),
    ),
    verify: Effect.fn("Chain.verify")((attempt) =>
      Together.all([
        Judge.verify(link, attempt),
        attempt.option.hasCode === true ? costs.look : Effect.void,
      ]).pipe(
        Effect.map(([outputs]) => outputs),
        // The token may have changed. It is checked again in the background; the payer does not wait for that.
        Effect.tapErrorTag("AttemptRefused", () =>
          Effect.forkDetach(offers.recheck(attempt.option.token)),
        ),
      ),
    ),
    isSignedBy: Effect.fn("Chain.isSignedBy")(({ address }, text, signature) =>
      Agreement.isShown(link, (host) => Judge.isSignedBy(host, address, text, signature)),
    ),
    rehearse: Effect.fn("Chain.rehearse")((order) => Agreement.rehearse(link, order)),
    coins: Effect.fn("Chain.coins")(({ address }) => rpc.ask(Queries.coins(address))),
    nonceFloor: Effect.fn("Chain.nonceFloor")(({ sender }, belief) =>
      believed(link, belief, (host) => host.rpc.ask(Queries.nonce(sender, "latest"))),
    ),
    sign: Effect.fn("Chain.sign")((lane, nonce, order) => Signing.sign(link, lane, nonce, order)),
    outbid: Effect.fn("Chain.outbid")((relayed) => Signing.outbid(link, relayed)),
    fill: Effect.fn("Chain.fill")((lane, nonce) => Signing.fill(link, lane, nonce)),
    gasCost: costs.now,
    payerCost: ({ option: { flow } }, stepCount) => costs.ofPayer(flow, stepCount),
    spendPerHour: () => config.spendPerHour,
    broadcast: Effect.fn("Chain.broadcast")((relayed) => Signing.broadcast(link, relayed)),
    look: Effect.fn("Chain.look")((sought) => {
      const { attempt, isLast, movement, waitingSince } = sought
      return Agreement.look(linkFor(movement.token, movement.quantity), isLast === true, (host) =>
        Observation.look(host, sought),
      ).pipe(
        Effect.tap(({ _tag }) =>
          _tag === "Final" && attempt !== null && waitingSince !== undefined
            ? offers.measure(attempt.option, waitingSince)
            : Effect.void,
        ),
      )
    }),
    progress: Effect.fn("Chain.progress")((awaited) =>
      Observation.progress(linkFor(awaited.token, awaited.quantity), awaited),
    ),
    outgoing: Effect.fn("Chain.outgoing")((txHash) => Observation.outgoingTransfers(link, txHash)),
    arrivals: Effect.fn("Chain.arrivals")((_, range) => Arrivals.inBlocks(link, range)),
    shows: Effect.fn("Chain.shows")((log) => Arrivals.isShown(link, log)),
    lookLate: Effect.fn("Chain.lookLate")((late) =>
      Agreement.look(linkFor(late.option.token, null), late.isLast === true, (host) =>
        Observation.lookLate(host, late),
      ),
    ),
  })
  return { rpc, chain }
})

const make = Effect.fnUntraced(function* (
  configs: ReadonlyArray<ChainConfig.ChainConfig>,
  catalog: Catalog.Catalog,
) {
  const byChain = new Map(configs.map((config) => [config.chainId, config]))
  const each = yield* Together.each(byChain.values(), (config) => makeOne(config, catalog))
  const anyThatSpeaks = Patience.make()
  return Chain.of({
    ...JoinedChain.join(each.map(({ chain }) => chain)),
    catalog,
    // However long a chain takes to be checked at first.
    offered: Effect.map(
      Together.each(each, ({ chain }) => chain.offered),
      (all) => all.flat(),
    ),
    // However long it takes: the last node of a chain may be the one that responds.
    outgoing: (txHash) =>
      Effect.flatMap(
        Together.each(each, ({ chain }) => Effect.result(chain.outgoing(txHash))),
        (responses) => Effect.fromResult(JoinedChain.ofAny(responses)),
      ),
    holdings: (accounts, assets) =>
      anyThatSpeaks(
        each.flatMap(({ chain, rpc }) => {
          const payers = accounts.filter(({ account }) => account.chainId === rpc.chainId)
          const tokens = assets.filter(({ asset }) => asset.token.chainId === rpc.chainId)
          const isAsked = payers.length > 0 && tokens.length > 0
          return isAsked ? [{ rpc, ask: chain.holdings(payers, tokens) }] : []
        }),
      ),
  })
})

/**
 * The configured chains. Fails if a configuration is invalid. The catalog lists the tokens and networks: the built-in
 * ones for these chains, unless `AssetFile` read another.
 */
export const layer = (
  chains: ReadonlyArray<ChainConfig.Options>,
  catalog: Catalog.Catalog = Extra.catalogFor(chains.map(({ chainId }) => chainId)),
): Layer.Layer<Chain, ChainConfig.InvalidChain> =>
  Layer.effect(
    Chain,
    Effect.flatMap(
      Effect.forEach(chains, (options) => Effect.fromResult(ChainConfig.make(options, catalog))),
      (configs) => make(configs, catalog),
    ),
  )

/** Whether a chain is an anvil chain on this machine, which holds no real money. */
export const isLocal = (
  options: ChainConfig.Options,
  catalog: Catalog.Catalog,
): Effect.Effect<boolean, ChainConfig.InvalidChain | ChainUnavailable> =>
  Effect.flatMap(Effect.fromResult(ChainConfig.make(options, catalog)), (config) =>
    StartupCheck.isLocal(Link.make(config)),
  )
