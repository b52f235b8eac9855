/**
 * The chains of a service on this machine, and the accounts with money on them, which are the same at every start.
 *
 * @module
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import type * as Asset from "@florin/core/domain/chain/Asset"
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import type * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import type * as Mode from "@florin/core/domain/ground/Mode"
import * as Money from "@florin/core/domain/ground/Money"
import { Chains } from "@florin/core/ports/Chain"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Wallet from "@florin/testing/Wallet"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as PrivateFile from "../access/PrivateFile.ts"
import type * as ReadyFile from "../access/ReadyFile.ts"
import * as ChainGate from "./ChainGate.ts"
import type * as ChangedPayments from "./ChangedPayments.ts"

/** Wallets to pay with. Their keys are public: never send them anything on a real chain. */
export const payer = Wallet.make(1)
export const wallets: ReadonlyArray<Wallet.Wallet> = [payer, ...[2, 3].map(Wallet.make)]

/** Holds too little for most payments. */
export const poor = Wallet.make(4)

/** Signs for the smart account, and pays for its gas. */
export const smartOwner = Wallet.make(5)

/** A contract that holds as much as a wallet: the first contract that is deployed on each chain. */
export const smartAccount = async (): Promise<Caip.Address> => {
  const Contracts = await import("@florin/localnet/Contracts")
  return Contracts.address(0)
}

/** The account to which the merchants are paid out. */
export const treasury = Wallet.make(10)

/** Each mode has its own collecting accounts, so that its ledger can be compared with the chain. */
export const collectingAccounts: { readonly [M in Mode.Mode]: ReadonlyArray<Wallet.Wallet> } = {
  live: [20, 21].map(Wallet.make),
  test: [30, 31].map(Wallet.make),
}

/** The collecting accounts of both modes. */
export const relayers: ReadonlyArray<Wallet.Wallet> = [
  ...collectingAccounts.test,
  ...collectingAccounts.live,
]

/** A chain, with the URL of its node. */
export type Reached = ReadyFile.Reached

/** Blocks on top of a block until it is final: a payment then takes seconds. */
const finality = 2
const betweenBlocksInMs = 1000
/**
 * Once in this many intervals a block is made even if nothing waits for one. Such blocks are few, because each makes a
 * stored chain grow.
 */
const idleTimes = 15

/** BNB Smart Chain's USDC is sent by the payer's wallet itself, so that every way to pay can be tried. */
const flow = (asset: Asset.Asset): PaymentOption.Flow =>
  asset.token.chainId === Eip155.chainId(56) && asset.symbol === "USDC" ? "transfer" : asset.flow

const walletHolds = 10_000n
const floatHolds = 1000n
const poorHolds = 1n
const coin = 10n ** 18n
const gasHolds = 1000n * coin

const assetsOn = (chainId: Caip.ChainId) => Catalog.assetsOf(BuiltIn.catalog, chainId)

const units = (asset: Asset.Asset, whole: bigint) =>
  Money.Quantity.make(whole * 10n ** BigInt(asset.decimals))

/** The operator's tokens on each collecting account of a mode, so that settled payments can be refunded, too. */
export const float = (chainIds: ReadonlyArray<Caip.ChainId>, mode: Mode.Mode) =>
  chainIds.flatMap(assetsOn).flatMap((asset) =>
    collectingAccounts[mode].map(({ address }) => ({
      token: asset.token,
      collecting: address,
      quantity: units(asset, floatHolds),
    })),
  )

const decodePool = Schema.decodeUnknownEffect(Schema.Struct({ pending: Schema.String }))
const decodeBlock = Schema.decodeUnknownEffect(
  Schema.Struct({ transactions: Schema.Array(Schema.String) }),
)

/** Replaces the newest block if it has a transaction that is to be reorganised, which then waits for the next block. */
const takeBack = Effect.fnUntraced(function* (
  chain: LocalChain.LocalChain,
  hashes: ChangedPayments.Hashes,
) {
  if (hashes.size === 0) return
  const newest = yield* chain.request("eth_getBlockByNumber", ["latest", false])
  const { transactions } = yield* decodeBlock(newest)
  const found = transactions.filter((hash) => hashes.delete(hash))
  if (found.length === 0) return
  yield* chain.reorg(1, "waiting")
  const { chainId } = chain
  yield* Effect.logInfo("a block was replaced, as a test payment asked", { chainId, found })
})

/**
 * Makes blocks while something waits for them, and from time to time otherwise. Nothing else makes blocks, so none is
 * final too soon.
 */
const keepMining = Effect.fnUntraced(function* (
  chain: LocalChain.LocalChain,
  reorganised: ChangedPayments.Hashes,
) {
  let wanted = 0
  let times = 0
  const next = Effect.gen(function* () {
    yield* takeBack(chain, reorganised)
    const { pending } = yield* decodePool(yield* chain.request("txpool_status"))
    wanted = Number(pending) > 0 ? finality + 1 : wanted - 1
    times += 1
    if (wanted > 0 || times % idleTimes === 0) yield* chain.mine(1)
  })
  // A node that is stopping makes no blocks.
  return yield* Effect.ignore(next).pipe(Effect.delay(betweenBlocksInMs), Effect.forever)
})

/** Gives an account gas and this quantity of every token, once; returns whether the account was new. */
const fundAccount = Effect.fnUntraced(function* (
  chain: LocalChain.LocalChain,
  address: Caip.Address,
  whole: bigint,
) {
  if ((yield* chain.request("eth_getBalance", [address, "latest"])) !== "0x0") return false
  yield* chain.fundGas(address, gasHolds)
  for (const asset of assetsOn(chain.chainId)) {
    yield* chain.fund(asset.token.address, address, units(asset, whole))
  }
  return true
})

/** Funds every account that has no money yet, because a stored chain may be older than an account. */
const fund = Effect.fnUntraced(function* (chain: LocalChain.LocalChain) {
  const give = (whole: bigint) => (to: Wallet.Wallet) => fundAccount(chain, to.address, whole)
  const funded = [
    ...(yield* Effect.forEach(wallets, give(walletHolds))),
    ...(yield* Effect.forEach(relayers, give(floatHolds))),
    yield* give(poorHolds)(poor),
    yield* give(poorHolds)(smartOwner),
  ]
  const account = yield* Effect.promise(smartAccount)
  if (yield* fundAccount(chain, account, walletHolds)) {
    yield* chain.deploy("SmartAccount", smartOwner.address)
  }
  if (funded.includes(true)) yield* chain.mine(finality + 1)
})

const Ports = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Int))
const decodePorts = Schema.decodeUnknownOption(Ports)
const encodePorts = Schema.encodeSync(Ports)

const portsFile = (directory: string) => join(directory, "ports.json")

/** The port of each chain that is kept in a directory, by the chain's number: a wallet is configured once. */
const keptPorts = (directory: string): Readonly<Record<string, number>> =>
  Option.getOrElse(decodePorts(PrivateFile.read(portsFile(directory))), () => ({}))

/** The chains that are kept in a directory. */
export const keptIn = (directory: string): ReadonlyArray<Caip.ChainId> =>
  readdirSync(directory).flatMap((name) => {
    const [, number] = /^([1-9][0-9]*)\.json$/u.exec(name) ?? []
    return number === undefined ? [] : [Eip155.chainId(Number(number))]
  })

/** Notes about chains that did not get the port that is kept for them. */
export const movedNotes = (
  directory: string,
  chains: ReadonlyArray<Reached>,
): ReadonlyArray<string> => {
  const kept = keptPorts(directory)
  return chains.flatMap(({ chainId, rpcUrl }) => {
    const port = kept[chainId]
    return port === undefined || rpcUrl === ChainGate.urlOf(port)
      ? []
      : `Port ${port} is in use. The RPC URL of chain ${chainId} is ${rpcUrl} until the next start.`
  })
}

/**
 * Starts chains at the same time; they stop with the scope. Chains that are kept in a directory continue from their
 * last state, each on the port that it had if that is free. The block of a transaction that is to be reorganised is
 * replaced, once.
 */
export const start = Effect.fn("LocalChains.start")(function* (
  chainIds: ReadonlyArray<Caip.ChainId>,
  directory: string | null,
  reorganised: ChangedPayments.Hashes = new Set(),
) {
  if (directory !== null) yield* PrivateFile.makeDirectory(directory)
  const kept = directory === null ? {} : keptPorts(directory)
  const LocalChain = yield* Effect.promise(() => import("@florin/localnet/LocalChain"))
  const opened = yield* Effect.forEach(
    chainIds,
    Effect.fnUntraced(function* (chainId) {
      const number = Eip155.numberOf(chainId)
      const chain = yield* LocalChain.make({
        chainId,
        blocks: "byHand",
        ...(directory !== null && { stateFile: join(directory, `${number}.json`) }),
      })
      yield* fund(chain)
      yield* Effect.forkScoped(keepMining(chain, reorganised))
      const port = yield* ChainGate.open(chain.rpcUrl, kept[number])
      return { chainId: number, port }
    }),
    { concurrency: "unbounded" },
  )
  if (directory !== null) {
    const taken = Object.fromEntries(opened.map(({ chainId, port }) => [chainId, port]))
    // A port that something else uses for now is still the chain's.
    yield* PrivateFile.write(portsFile(directory), `${encodePorts({ ...taken, ...kept })}\n`)
  }
  return opened.map(({ chainId, port }): Reached => ({ chainId, rpcUrl: ChainGate.urlOf(port) }))
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
  Chains.layer({
    live: reached(chains, collectingAccounts.live),
    test: reached(chains, collectingAccounts.test),
  })
