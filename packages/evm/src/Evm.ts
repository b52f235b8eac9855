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
import { type Belief, Chain, ChainUnavailable, type OfferedAsset } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Agreement from "./Agreement.ts"
import * as Arrivals from "./Arrivals.ts"
import * as ChainConfig from "./ChainConfig.ts"
import * as Checkpoints from "./Checkpoints.ts"
import * as Extra from "./Extra.ts"
import * as GasCosts from "./GasCosts.ts"
import * as Holdings from "./Holdings.ts"
import * as Judge from "./Judge.ts"
import * as Lacks from "./Lacks.ts"
import * as Link from "./Link.ts"
import * as Offers from "./Offers.ts"
import * as Patience from "./Patience.ts"
import * as Queries from "./Queries.ts"
import * as RememberedHoldings from "./RememberedHoldings.ts"
import * as Sight from "./Sight.ts"
import * as Signing from "./Signing.ts"
import * as StartupCheck from "./StartupCheck.ts"
import * as Together from "./Together.ts"

export type {
  Finality,
  NamedAccount,
  Options,
  OwnAccount,
  RelayerAccount,
  SignOptions,
  Unsigned,
} from "./ChainConfig.ts"
export { hasKey, InvalidChain } from "./ChainConfig.ts"
export { countHosts } from "./Rpc.ts"

/** A figure from any node, or one that two hosts reach. */
const believed = <A extends bigint | number>(
  link: Link.Link,
  belief: Belief | undefined,
  ask: (link: Link.Link) => Effect.Effect<A, ChainUnavailable>,
): Effect.Effect<A, ChainUnavailable> =>
  belief === "agreed" ? Agreement.figure(link, ask) : ask(link)

/** The chain with the policy for a transfer. */
const forTransfer = (
  link: Link.Link,
  { quantity, token }: { readonly token: Caip.Token; readonly quantity: Money.Quantity | null },
): Link.Link => ({ ...link, config: ChainConfig.forTransfer(link.config, token, quantity) })

const make = Effect.fnUntraced(function* (
  configs: ReadonlyArray<ChainConfig.ChainConfig>,
  catalog: Catalog.Catalog,
): Effect.fn.Return<Chain["Service"], ChainConfig.InvalidChain, Scope.Scope> {
  const links = new Map(configs.map((config) => [config.chainId, Link.make(config)]))
  yield* Together.each([...links.values()], (link) =>
    Agreement.check(link, Eip155.numberOf(link.config.chainId)),
  )
  const offers = yield* Offers.make([...links.values()])
  const holdingsOf = yield* RememberedHoldings.make
  const anyThatSpeaks = Patience.make()
  const costs = new Map([...links].map(([chainId, link]) => [chainId, GasCosts.make(link)]))
  const lookAtGas = (chainId: Caip.ChainId) => costs.get(chainId)?.look ?? Effect.void
  yield* Effect.forkScoped(Together.each([...links.values()], Lacks.look))
  yield* Effect.forkScoped(Together.each([...links.values()], Lacks.watch))

  const on = <A, E>(
    chainId: Caip.ChainId,
    ask: (link: Link.Link) => Effect.Effect<A, E>,
  ): Effect.Effect<A, E | ChainUnavailable> => {
    const link = links.get(chainId)
    return link === undefined
      ? new ChainUnavailable({ chainId, message: `chain ${chainId} is not configured` })
      : ask(link)
  }

  return Chain.of({
    catalog,
    chainIds: [...links.keys()],
    accounts: configs.flatMap(({ accounts, chainId }) =>
      [...accounts.keys()].map((address) => ({ chainId, address })),
    ),
    keyless: configs.flatMap(({ accounts, chainId }) =>
      [...accounts].flatMap(([address, account]) =>
        ChainConfig.hasKey(account) ? [] : [{ chainId, address }],
      ),
    ),
    finalCheckpoint: Effect.fn("Chain.finalCheckpoint")((chainId) =>
      on(chainId, Checkpoints.final),
    ),
    stands: Effect.fn("Chain.stands")((chainId, checkpoint) =>
      on(chainId, (link) => Checkpoints.stands(link, checkpoint)),
    ),
    offered: offers.offered,
    faults: offers.faults,
    lacks: Effect.sync(() => [...links.values()].flatMap(Lacks.of)),
    nodes: Effect.fn("Chain.nodes")((chainId) => on(chainId, Lacks.nodes)),
    holdings: Effect.fn("Chain.holdings")((accounts, assets) =>
      anyThatSpeaks(
        [...links.values()].flatMap((link) => {
          const isHere = (chainId: Caip.ChainId): boolean => chainId === link.config.chainId
          const payers = accounts.filter(({ account }) => isHere(account.chainId))
          const tokens: ReadonlyArray<OfferedAsset> = assets.filter(({ asset }) =>
            isHere(asset.token.chainId),
          )
          const isAsked = payers.length > 0 && tokens.length > 0
          if (!isAsked) return []
          const held = holdingsOf(link, payers, tokens)
          const both = [held, lookAtGas(link.config.chainId)] as const
          const ask = Effect.map(Together.all(both), ([found]) => found)
          return [{ rpc: link.rpc, ask }]
        }),
      ),
    ),
    actions: Effect.fn("Chain.actions")((chosen, committed) => {
      const { account, flow, token } = chosen.option
      if (flow !== "permit2") return Effect.succeed(Actions.executable(chosen, Money.zero))
      return on(token.chainId, (link) =>
        Effect.flatMap(Holdings.allowance(link, account, token), (allowance) =>
          Actions.breaksOthers(chosen, allowance, committed)
            ? Judge.refuse("committed")
            : Effect.succeed(Actions.executable(chosen, allowance, committed)),
        ),
      )
    }),
    funds: Effect.fn("Chain.funds")((attempt, others) =>
      on(attempt.option.token.chainId, (link) => Judge.funds(link, attempt, others)),
    ),
    balance: Effect.fn("Chain.balance")((token, address, belief) =>
      on(token.chainId, (link) =>
        believed(link, belief, (one) =>
          belief === "agreed"
            ? Holdings.settledBalance(one, token, address)
            : Holdings.balance(one, token, address),
        ),
      ),
    ),
    verify: Effect.fn("Chain.verify")((attempt) =>
      on(attempt.option.token.chainId, (link) =>
        attempt.option.hasCode === true
          ? Effect.map(
              Together.all([Judge.verify(link, attempt), lookAtGas(link.config.chainId)]),
              ([outputs]) => outputs,
            )
          : Judge.verify(link, attempt),
      ).pipe(
        // The token may have changed. It is checked again in the background; the payer does not wait for that.
        Effect.tapErrorTag("AttemptRefused", () =>
          Effect.forkDetach(offers.recheck(attempt.option.token)),
        ),
      ),
    ),
    isSignedBy: Effect.fn("Chain.isSignedBy")(({ address, chainId }, text, signature) =>
      on(chainId, (link) =>
        Effect.map(
          Agreement.figure(link, (one) =>
            Effect.map(Judge.isSignedBy(one, address, text, signature), Number),
          ),
          (agreed) => agreed === 1,
        ),
      ),
    ),
    rehearse: Effect.fn("Chain.rehearse")((order) => {
      const { token } = order._tag === "Send" ? order.movement : order.attempt.option
      return on(token.chainId, (link) => Agreement.rehearse(link, order))
    }),
    coins: Effect.fn("Chain.coins")(({ address, chainId }) =>
      on(chainId, ({ rpc }) => rpc.ask(Queries.coins(address))),
    ),
    nonceFloor: Effect.fn("Chain.nonceFloor")(({ chainId, sender }, belief) =>
      on(chainId, (link) =>
        believed(link, belief, ({ rpc }) => rpc.ask(Queries.nonce(sender, "latest"))),
      ),
    ),
    sign: Effect.fn("Chain.sign")((lane, nonce, order) =>
      on(lane.chainId, (link) => Signing.sign(link, lane, nonce, order)),
    ),
    outbid: Effect.fn("Chain.outbid")((relayed) =>
      on(relayed.lane.chainId, (link) => Signing.outbid(link, relayed)),
    ),
    fill: Effect.fn("Chain.fill")((lane, nonce) =>
      on(lane.chainId, (link) => Signing.fill(link, lane, nonce)),
    ),
    gasCost: (chainId) => costs.get(chainId)?.now() ?? null,
    payerCost: ({ option: { flow, token } }, stepCount) =>
      costs.get(token.chainId)?.ofPayer(flow, stepCount) ?? null,
    spendPerHour: (chainId) => links.get(chainId)?.config.spendPerHour ?? null,
    broadcast: Effect.fn("Chain.broadcast")((relayed) =>
      on(relayed.lane.chainId, (link) => Signing.broadcast(link, relayed)),
    ),
    look: Effect.fn("Chain.look")((sought) =>
      on(sought.movement.token.chainId, (link) =>
        Agreement.look(forTransfer(link, sought.movement), sought.isLast === true, (one) =>
          Sight.look(one, sought),
        ),
      ).pipe(
        Effect.tap(({ _tag }) => {
          const { attempt, waitingSince } = sought
          return _tag === "Final" && attempt !== null && waitingSince !== undefined
            ? offers.measure(attempt.option, waitingSince)
            : Effect.void
        }),
      ),
    ),
    progress: Effect.fn("Chain.progress")((awaited) =>
      on(awaited.token.chainId, (link) => Sight.progress(forTransfer(link, awaited), awaited)),
    ),
    outgoing: Effect.fn("Chain.outgoing")((txHash) =>
      Patience.anyOf([...links.values()].map((link) => Sight.outgoingTransfers(link, txHash))),
    ),
    arrivals: Effect.fn("Chain.arrivals")((chainId, range) =>
      on(chainId, (link) => Arrivals.inBlocks(link, range)),
    ),
    shows: Effect.fn("Chain.shows")((log) =>
      on(log.movement.token.chainId, (link) => Arrivals.isShown(link, log)),
    ),
    lookLate: Effect.fn("Chain.lookLate")((late) =>
      on(late.option.token.chainId, (link) =>
        Agreement.look(
          forTransfer(link, { token: late.option.token, quantity: null }),
          late.isLast === true,
          (one) => Sight.lookLate(one, late),
        ),
      ),
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
  catalog: Catalog.Catalog = Extra.catalogFor([options.chainId]),
): Effect.Effect<boolean, ChainConfig.InvalidChain | ChainUnavailable> =>
  Effect.flatMap(Effect.fromResult(ChainConfig.make(options, catalog)), (config) =>
    StartupCheck.isLocal(Link.make(config)),
  )
