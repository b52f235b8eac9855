/**
 * The chains of a service on this machine, and everybody who has money on them: the same accounts at every start.
 *
 * @module
 */
import { join } from "node:path"
import type * as Asset from "@florin/core/domain/Asset"
import type * as Caip from "@florin/core/domain/Caip"
import * as Catalog from "@florin/core/domain/Catalog"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/Mode"
import * as Money from "@florin/core/domain/Money"
import type * as PaymentOption from "@florin/core/domain/PaymentOption"
import { Chains } from "@florin/core/ports/Chain"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"

/** Wallets to pay with. Their keys are known to everybody: never send them anything on a real chain. */
export const wallets: ReadonlyArray<Wallet.Wallet> = [1, 2, 3].map(Wallet.make)

/** Where the merchants want their money. */
export const treasury = Wallet.make(10)

/** Each mode has collecting accounts of its own, so that its ledger can be held against the chain. */
export const collecting: { readonly [M in Mode.Mode]: ReadonlyArray<Wallet.Wallet> } = {
  live: [20, 21].map(Wallet.make),
  test: [30, 31].map(Wallet.make),
}

/** The accounts that collect, of both modes. */
export const relayers: ReadonlyArray<Wallet.Wallet> = [...collecting.test, ...collecting.live]

/** A chain, and where it is asked. */
export type Reached = ReadyFile.Reached

/** Blocks on top of one until it is final: a payment then takes seconds. */
const finality = 2
const betweenBlocksInMs = 1000
/** Every so many of those times a block comes though nothing waits for one: a chain that is kept grows by each. */
const idleTimes = 15

/** BNB Smart Chain's USDC is sent by the payer's wallet itself, so that every way to pay can be tried. */
const flow = (asset: Asset.Asset): PaymentOption.Flow =>
  asset.token.chainId === Eip155.chainId(56) && asset.symbol === "USDC" ? "transfer" : asset.flow

const walletHolds = 10_000n
const floatHolds = 1000n
const coin = 10n ** 18n
const gasHolds = 1000n * coin

const assetsOn = (chainId: Caip.ChainId) => Catalog.onChain(BuiltIn.catalog, chainId)

const units = (asset: Asset.Asset, whole: bigint) =>
  Money.Quantity.make(whole * 10n ** BigInt(asset.decimals))

/** What the operator puts on each collecting account of a mode, so that what is settled can be refunded, too. */
export const float = (chainIds: ReadonlyArray<Caip.ChainId>, mode: Mode.Mode) =>
  chainIds.flatMap(assetsOn).flatMap((asset) =>
    collecting[mode].map(({ address }) => ({
      token: asset.token,
      collecting: address,
      quantity: units(asset, floatHolds),
    })),
  )

const Pool = Schema.Struct({ pending: Schema.String })
const decodePool = Schema.decodeUnknownEffect(Pool)

/** Makes blocks while something waits for them, and now and then. */
const keepMining = Effect.fnUntraced(function* (chain: LocalChain.LocalChain) {
  let wanted = 0
  let times = 0
  const next = Effect.gen(function* () {
    const { pending } = yield* decodePool(yield* chain.request("txpool_status"))
    wanted = Number(pending) > 0 ? finality + 1 : wanted - 1
    times += 1
    if (wanted > 0 || times % idleTimes === 0) yield* chain.mine(1)
  })
  // A node that is ending makes no blocks.
  return yield* Effect.ignore(next).pipe(Effect.delay(betweenBlocksInMs), Effect.forever)
})

/** A chain that nobody was on yet gets its money. */
const fund = Effect.fnUntraced(function* (chain: LocalChain.LocalChain) {
  const [first] = wallets
  if (
    first === undefined ||
    (yield* chain.request("eth_getBalance", [first.address, "latest"])) !== "0x0"
  ) {
    return
  }
  for (const { address } of [...wallets, ...relayers]) yield* chain.fundGas(address, gasHolds)
  for (const asset of assetsOn(chain.chainId)) {
    const give = (whole: bigint) => (to: Wallet.Wallet) =>
      chain.fund(asset.token.address, to.address, units(asset, whole))
    yield* Effect.forEach(wallets, give(walletHolds))
    yield* Effect.forEach(relayers, give(floatHolds))
  }
  yield* chain.mine(finality + 1)
})

/** Starts chains at once; they end with the scope. Kept in a directory, they go on where they ended. */
export const start = Effect.fn("LocalChains.start")(function* (
  chainIds: ReadonlyArray<Caip.ChainId>,
  directory: string | null,
) {
  if (directory !== null) yield* PrivateFile.makeDirectory(directory)
  const LocalChain = yield* Effect.promise(() => import("@florin/localnet/LocalChain"))
  return yield* Effect.forEach(
    chainIds,
    Effect.fnUntraced(function* (chainId) {
      const number = Eip155.numberOf(chainId)
      const chain = yield* LocalChain.make({
        chainId,
        blocks: "byHand",
        ...(directory !== null && { stateFile: join(directory, `${number}.json`) }),
      })
      yield* fund(chain)
      yield* Effect.forkScoped(keepMining(chain))
      return { chainId: number, rpcUrl: chain.rpcUrl }
    }),
    { concurrency: "unbounded" },
  )
})

const loadEvm = Effect.promise(() =>
  Promise.all([import("@florin/evm/Evm"), import("viem/accounts")]),
)

const reached = (chains: ReadonlyArray<Reached>, accounts: ReadonlyArray<Wallet.Wallet>) =>
  Layer.unwrap(
    Effect.map(loadEvm, ([Evm, { privateKeyToAccount }]) =>
      Evm.layer(
        chains.map(({ chainId, rpcUrl }) => ({
          chainId,
          rpcUrls: [Redacted.make(rpcUrl)],
          accounts: accounts.map(({ privateKey }) =>
            privateKeyToAccount(`0x${privateKey.slice("0x".length)}`),
          ),
          finality,
          flow,
          minimum: 0,
          // Gas costs nothing here.
          gasAllowance: 10n ** 18n,
        })),
      ),
    ),
  )

/** The chains of both modes. */
export const layer = (chains: ReadonlyArray<Reached>) =>
  Chains.layer({ live: reached(chains, collecting.live), test: reached(chains, collecting.test) })
