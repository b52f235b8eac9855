/**
 * How one chain is reached, trusted and paid for. What an operator leaves out is filled in for the chain.
 *
 * @module
 */
import type * as Asset from "@florin/core/domain/Asset"
import * as Caip from "@florin/core/domain/Caip"
import * as Catalog from "@florin/core/domain/Catalog"
import * as Details from "@florin/core/domain/eip155/Details"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Gas from "@florin/core/domain/eip155/Gas"
import * as Money from "@florin/core/domain/Money"
import * as Network from "@florin/core/domain/Network"
import * as PaymentOption from "@florin/core/domain/PaymentOption"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export type Finality = Network.Finality

/** A transaction of ours (EIP-1559) before it is signed. */
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

/** How a signer is asked. */
export interface SignOptions {
  readonly signal: AbortSignal
  /** Never given: it is named because accounts of viem take it. */
  readonly serializer?: undefined
}

/**
 * An account that collects, settles and refunds. Whatever signs fits: a key in memory, or one that never leaves its
 * vault (`@florin/signers`). What returns is compared with what was asked, so a signer need not be believed.
 *
 * @example
 * import { privateKeyToAccount } from "viem/accounts"
 * const account: RelayerAccount = privateKeyToAccount(key)
 */
export interface RelayerAccount {
  readonly address: string
  /**
   * Returns the signed transaction. It gives up once the signal is aborted: nobody waits for it any more. The message of
   * a rejection is logged only if that is a `SignerUnavailable`.
   */
  readonly signTransaction: (transaction: Unsigned, options: SignOptions) => Promise<`0x${string}`>
  /** How long a signature may take: 10 seconds, unless said otherwise. */
  readonly signWithinInMs?: number
  /** It takes no new payments, and ends those that it has. */
  readonly isDraining?: boolean
}

/** An account whose key is in another process: it collects, is read and looked for, and nothing is signed here. */
export interface NamedAccount extends Pick<RelayerAccount, "address" | "isDraining"> {}

export type OwnAccount = RelayerAccount | NamedAccount

/** Whether transactions of an account can be signed in this process. */
export const hasKey = (account: OwnAccount): account is RelayerAccount =>
  "signTransaction" in account

/** A chain as an operator describes it. */
export interface Options {
  readonly chainId: number
  /** JSON-RPC nodes, in the order in which they are asked. They may hold keys. */
  readonly rpcUrls: ReadonlyArray<Redacted.Redacted>
  /** A process without workers needs no keys: it is given addresses. */
  readonly accounts: ReadonlyArray<OwnAccount>
  readonly finality?: Finality
  /**
   * From so many whole units of its token on, a transfer is final only once the chain calls its block finalized, too.
   * Late money always waits for that. Nodes must know `finalized`.
   */
  readonly finalizedFrom?: number
  /**
   * How each token is taken, in one way or in several, the preferred one first; by default as the asset table says. With
   * `transfer` the payer sends the tokens and pays the gas; next to `permit2`, it is for payers who would have to approve
   * Permit2 first.
   */
  readonly flow?: (asset: Asset.Asset) => PaymentOption.Flow | PaymentOption.Flows
  /** Below this nothing is collected by us, in whole units of the token: the gas would eat it. */
  readonly minimum?: number
  /** The most that a unit of gas may cost, in wei, with its share of what the chain asks beside gas. */
  readonly maxFeePerGas?: bigint
  /** The most that each account may spend on gas in an hour, in wei. */
  readonly spendPerHour?: bigint
  /**
   * What collecting from an account with code may cost, in wei, although the payment's fee is less: such an account can
   * let that fail at our cost. 0 collects from it only if the fee pays for that.
   */
  readonly gasAllowance?: bigint
  /**
   * Believes nodes of one host alone. Otherwise a chain needs nodes of two hosts, which must show the same before a payment
   * is final and before money leaves. With two hosts it changes nothing.
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
  /** Whether `finalized` counts besides `finality`, for the transfer that is looked at. */
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

/** The configuration cannot be worked with. */
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

/** Completes a chain's description with what the catalog says of it, or says what is wrong with it. */
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

/** The asset of a token on the chain; undefined if it is not taken any more. */
export const assetOf = (
  { assets }: Pick<ChainConfig, "assets">,
  token: Caip.Token,
): Asset.Asset | undefined => assets.find((each) => Caip.sameToken(each.token, token))

/** Millionths are as fine as a number of whole units gets. */
const parts = 1_000_000

/** Whole units of a token as a quantity of it, rounded up. */
export const quantityOf = (units: number, { decimals }: Asset.Asset): Money.Quantity => {
  const quantity = Money.mulDiv(
    BigInt(Math.round(units * parts)),
    10n ** BigInt(decimals),
    BigInt(parts),
    "up",
  )
  // What does not fit is never reached.
  return Result.getOrElse(quantity, () => Money.largest)
}

/** From which quantity on a transfer of an asset waits for `finalized`; null if all wait for the same. */
export const largeFrom = (
  { finality, finalizedFrom }: Pick<ChainConfig, "finality" | "finalizedFrom">,
  asset: Asset.Asset,
): Money.Quantity | null =>
  finalizedFrom === null || finality === "finalized" ? null : quantityOf(finalizedFrom, asset)

/**
 * The chain by the policy for a transfer of so much of a token. A quantity that is not known, and a token that is not
 * taken any more, count as large.
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
