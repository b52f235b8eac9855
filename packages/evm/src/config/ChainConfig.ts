/**
 * How the service reaches, trusts and pays for one chain. Options that the operator leaves out get the chain's
 * defaults.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/chain/Asset"
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Catalog from "@florin/core/domain/chain/Catalog"
import * as Network from "@florin/core/domain/chain/Network"
import * as PaymentOption from "@florin/core/domain/chain/PaymentOption"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Money from "@florin/core/domain/ground/Money"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Finality = Network.Finality

/** One of our transactions (EIP-1559) before it is signed. */
export interface Unsigned {
  readonly type: "eip1559"
  readonly chainId: number
  readonly nonce: number
  readonly to: `0x${string}`
  readonly value: bigint
  readonly data: `0x${string}`
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** Options for a request to a signer. */
export interface SignOptions {
  readonly signal: AbortSignal
  /** Never set. It is declared because viem's accounts accept it. */
  readonly serializer?: undefined
}

/**
 * An account that collects, settles and refunds. Any signer fits: a key in memory, or one that never leaves its vault
 * (`@florin/signers`). The result is compared with the request, so a signer need not be trusted.
 *
 * @example
 * import { privateKeyToAccount } from "viem/accounts"
 * const account: RelayerAccount = privateKeyToAccount(key)
 */
export interface RelayerAccount {
  readonly address: string
  /**
   * Returns the signed transaction. It should stop when the signal is aborted, because the caller no longer waits. The
   * message of a rejection is logged only if the error is a `SignerUnavailable`.
   */
  readonly signTransaction: (transaction: Unsigned, options: SignOptions) => Promise<`0x${string}`>
  /** How long a signature may take, in milliseconds (default: 10 seconds). */
  readonly signWithinInMs?: number
  /** The account takes no new payments, and finishes those that it has. */
  readonly isDraining?: boolean
}

/**
 * An account whose key is in another process. It can collect, and this process reads and watches it, but signs nothing
 * for it.
 */
export interface NamedAccount extends Pick<RelayerAccount, "address" | "isDraining"> {}

export type OwnAccount = RelayerAccount | NamedAccount

/** Whether this process can sign transactions of an account. */
export const hasKey = (account: OwnAccount): account is RelayerAccount =>
  "signTransaction" in account

/** A chain as an operator configures it. */
export interface Options {
  readonly chainId: number
  /** JSON-RPC nodes, in the order in which they are asked. The URLs may contain keys. */
  readonly rpcUrls: ReadonlyArray<Redacted.Redacted>
  /** The accounts. A process without workers needs no keys, only addresses. */
  readonly accounts: ReadonlyArray<OwnAccount>
  readonly finality?: Finality
  /**
   * Transfers of at least this many whole units of a token are final only when the chain also calls their block
   * `finalized`. Late money always waits for that. The nodes must know `finalized`.
   */
  readonly finalizedFrom?: number
  /**
   * How each token is taken: one way, or several with the preferred one first (default: as in the asset table). With
   * `transfer` the payer sends the tokens and pays the gas; next to `permit2`, it is for payers who would have to
   * approve Permit2 first.
   */
  readonly flow?: (asset: Asset.Asset) => PaymentOption.Flow | PaymentOption.Flows
  /** We collect no payment below this, in whole units of the token, because gas would cost too much of it. */
  readonly minimum?: number
  /** The most that a unit of gas may cost, in wei, including its share of the chain's other fees. */
  readonly maxFeePerGas?: bigint
  /** The most that each account may spend on gas in an hour, in wei. */
  readonly spendPerHour?: bigint
  /**
   * The most that collecting from an account with code may cost, in wei, even if the payment's fee is less: such an
   * account can make the transaction fail at our cost. With 0, we collect from it only if the fee pays for that.
   */
  readonly gasAllowance?: bigint
  /**
   * Trusts nodes of one host alone. Otherwise a chain needs nodes of two hosts, which must show the same before a
   * payment is final and before money leaves. With two hosts this option has no effect.
   */
  readonly trustOneNode?: boolean
  readonly answerWithinInMs?: number
}

export interface ChainConfig {
  readonly chainId: Caip.ChainId
  readonly network: Network.Network
  readonly rpcUrls: ReadonlyArray<Redacted.Redacted>
  readonly accounts: ReadonlyMap<Caip.Address, OwnAccount>
  /** Accounts that take new payments, in a fixed order. */
  readonly collecting: ReadonlyArray<Caip.Address>
  readonly assets: ReadonlyArray<Asset.Asset>
  readonly finality: Finality
  /** In whole units of a token; null if one policy holds for all transfers. */
  readonly finalizedFrom: number | null
  /** Whether the transfer in question must also wait for `finalized`, in addition to `finality`. */
  readonly isLarge?: true
  readonly flows: (asset: Asset.Asset) => PaymentOption.Flows
  readonly minimum: number
  readonly gas: Gas.Gas
  readonly maxFeePerGas: bigint
  readonly spendPerHour: bigint | null
  readonly trustOneNode: boolean
  readonly gasAllowance: bigint
  readonly answerWithinInMs: number
}

/** The configuration is invalid. */
export class InvalidChain extends Schema.TaggedError<InvalidChain>()("InvalidChain", {
  chainId: Schema.Int,
  message: Schema.String,
}) {}

const answerWithinInMs = 5_000

const isFinality = Schema.is(Network.Finality)
const isMinimum = Schema.is(Network.Network.fields.minimum)

/** Why a token cannot be taken in these ways; undefined if it can. */
const unfit = (asset: Asset.Asset, flows: PaymentOption.Flows): string | undefined => {
  const named = `${asset.symbol} (${Eip155.formatToken(asset.token)})`
  if (!Details.isIn(asset)) {
    return `${named} has no details that EVM chains need: write them with Details.encode`
  }
  if (flows.length === 0) return `${named} needs a flow`
  if (new Set(flows).size < flows.length) return `${named} names a flow twice`
  if (!flows.every(Eip155.isFlow)) {
    return `${named} has a flow that EVM chains do not know: choose from ${Eip155.flows.join(", ")}`
  }
  if (flows.includes("permit") && Details.of(asset).domain === undefined) {
    return `${named} has no EIP-712 domain for permits: choose another flow`
  }
  return flows.includes("eip3009") && asset.flow !== "eip3009"
    ? `${named} has no EIP-3009: choose another flow`
    : undefined
}

/** Completes a chain's configuration with defaults from the catalog, or reports what is wrong with it. */
export const make = (
  options: Options,
  catalog: Catalog.Catalog,
): Result.Result<ChainConfig, InvalidChain> => {
  const refuse = (message: string) =>
    Result.fail(
      new InvalidChain({
        chainId: options.chainId,
        message: `chain ${options.chainId}: ${message}`,
      }),
    )
  const { networks } = catalog
  const network = networks.find(({ chainId }) => chainId === Eip155.chainId(options.chainId))
  if (network === undefined) {
    return refuse(
      `is not served: choose from ${networks.map(({ chainId }) => Caip.referenceOf(chainId)).join(", ")}, or add it by a file of assets`,
    )
  }
  if (options.rpcUrls.length === 0) return refuse("needs the address of a node")
  const { finality = network.finality } = options
  if (!isFinality(finality)) {
    return refuse("finality is finalized, safe, or a whole number of blocks from 1 to 10000")
  }
  const { minimum = network.minimum } = options
  if (!isMinimum(minimum)) {
    return refuse(`minimum is whole units of a token, from 0 to ${Network.minimumMost}`)
  }
  const { finalizedFrom = null } = options
  if (finalizedFrom !== null && !isMinimum(finalizedFrom)) {
    return refuse(`finalizedFrom is whole units of a token, from 0 to ${Network.minimumMost}`)
  }
  const accounts = new Map<Caip.Address, OwnAccount>()
  for (const account of options.accounts) {
    const address = Eip155.parseAddress(account.address)
    if (Result.isFailure(address)) return refuse(`an account: ${address.failure}`)
    if (accounts.has(address.success)) return refuse(`${address.success} is named twice`)
    accounts.set(address.success, account)
  }
  const collecting = [...accounts].flatMap(([address, { isDraining }]) =>
    isDraining === true ? [] : [address],
  )
  if (collecting.length === 0) return refuse("needs an account that takes new payments")
  const assets = Catalog.servedOn(catalog, network.chainId)
  const flows = (asset: Asset.Asset): PaymentOption.Flows =>
    PaymentOption.flowsOf(options.flow?.(asset) ?? asset.flow)
  const wrong = assets.map((asset) => unfit(asset, flows(asset))).find((each) => each !== undefined)
  if (wrong !== undefined) return refuse(wrong)
  if (!Gas.isIn(network)) {
    return refuse("the network's row has no details of its gas: write them with Gas.encode")
  }
  const gas = Gas.of(network)
  return Result.succeed({
    chainId: network.chainId,
    network,
    rpcUrls: options.rpcUrls,
    accounts,
    collecting,
    assets,
    finality,
    finalizedFrom,
    flows,
    minimum,
    gas,
    maxFeePerGas: options.maxFeePerGas ?? gas.priceMax,
    spendPerHour: options.spendPerHour ?? null,
    trustOneNode: options.trustOneNode ?? false,
    gasAllowance: options.gasAllowance ?? Gas.allowanceOf(gas),
    answerWithinInMs: options.answerWithinInMs ?? answerWithinInMs,
  })
}

/** The asset of a token on the chain; undefined if the service no longer takes it. */
export const assetOf = (
  { assets }: Pick<ChainConfig, "assets">,
  token: Caip.Token,
): Asset.Asset | undefined => assets.find((each) => Caip.sameToken(each.token, token))

/** A number of whole units is precise to one millionth. */
const parts = 1_000_000

/** Whole units of a token as a quantity of it, rounded up. */
export const quantityOf = (units: number, { decimals }: Asset.Asset): Money.Quantity => {
  const quantity = Money.mulDiv(
    BigInt(Math.round(units * parts)),
    10n ** BigInt(decimals),
    BigInt(parts),
    "up",
  )
  // A quantity that does not fit is never reached.
  return Result.getOrElse(quantity, () => Money.largest)
}

/** The quantity from which on a transfer of an asset waits for `finalized`; null if all transfers wait for the same. */
export const largeFrom = (
  { finality, finalizedFrom }: Pick<ChainConfig, "finality" | "finalizedFrom">,
  asset: Asset.Asset,
): Money.Quantity | null =>
  finalizedFrom === null || finality === "finalized" ? null : quantityOf(finalizedFrom, asset)

/**
 * The chain with the policy for a transfer of this quantity of a token. An unknown quantity counts as large, and so
 * does a token that the service no longer takes.
 */
export const forTransfer = (
  config: ChainConfig,
  token: Caip.Token,
  quantity: Money.Quantity | null,
): ChainConfig => {
  if (config.finalizedFrom === null || config.finality === "finalized") return config
  const asset = assetOf(config, token)
  const from = asset === undefined ? null : largeFrom(config, asset)
  return quantity === null || from === null || quantity >= from
    ? { ...config, isLarge: true }
    : config
}
