/**
 * What one of our transactions may cost: its gas at the current price and, on OP stack chains, their fees on top of
 * gas.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { ChainUnavailable, SendingHalted } from "@florin/core/ports/Chain"
import { max as higher, min as lower } from "effect/BigInt"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Result from "effect/Result"
import { serializeTransaction, size } from "viem/utils"
import type { ChainConfig } from "../config/ChainConfig.ts"
import * as Rpc from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Abi from "../read/Abi.ts"
import type { Link } from "../read/Link.ts"
import * as Queries from "../read/Queries.ts"

/** What is bid for gas, in wei for each unit. */
export interface Bid {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The chain's current price for gas, in wei for each unit. */
interface Rate {
  readonly base: bigint
  readonly tip: bigint
}

/** The chain's current fees on top of gas, in wei: for the data, and for {@link operatedGas}. */
interface Extra {
  readonly data: bigint
  readonly operator: bigint
}

/** The chain's current prices. */
export interface Prices {
  readonly rate: Rate
  readonly extra: Extra
}

/** Everything known of a transaction before its gas is estimated. */
interface Unpriced {
  readonly nonce: number
  readonly to: `0x${string}`
  readonly data: `0x${string}`
}

const dividedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** A tip is compared with those of this many blocks: in each, more than half of the gas paid this or less. */
const comparedBlocks = 20
const comparedPercentile = 60
/** A tip of up to this multiple of what was paid is still accepted. */
const tipFactor = 2n

const median = (values: ReadonlyArray<bigint>): bigint =>
  values.toSorted(Order.BigInt)[values.length >> 1] ?? 0n

/**
 * The tip to bid: the node's suggestion, capped by what recent blocks paid. If the node has no data on recent blocks,
 * the tip is capped by the base fee.
 */
const tipOf = (
  { tipMin }: ChainConfig["gas"],
  base: bigint,
  suggested: bigint,
  paid: ReadonlyArray<bigint>,
): bigint => {
  const most = paid.length === 0 ? base : tipFactor * median(paid)
  return higher(lower(suggested, most), tipMin)
}

/** The chain's current price for gas. */
export const currentRate = Effect.fnUntraced(function* ({ config, rpc }: Link) {
  // Some nodes refuse these, or return what cannot be read: the service continues without it.
  const optional = <A>(query: Rpc.Query<A>, otherwise: A) =>
    rpc.ask(query).pipe(Effect.orElseSucceed(() => otherwise))
  const [newest, priority, history] = yield* Together.all([
    rpc.ask(Queries.block("latest")),
    optional<bigint | null>(Queries.priorityFee, null),
    optional(Queries.rewards(comparedBlocks, comparedPercentile), []),
  ])
  const base = newest?.baseFeePerGas ?? 0n
  // A transaction without a tip may wait for ever, and a higher bid would not add one.
  const suggested = priority ?? median(history)
  const rate: Rate = { base, tip: tipOf(config.gas, base, suggested, history) }
  return rate
})

/** The contract in which OP stack chains publish their fees on top of gas. It has the same address on each. */
export const oracleAddress = Caip.Address.make("0x420000000000000000000000000000000000000f")

/**
 * The operator's fee is asked for this much gas. For less gas it is not higher, and for more gas it grows at most in
 * proportion.
 */
const operatedGas = 400_000n

/** No gas limit needs more bytes. */
const longestGas = 2n ** 32n - 1n

const noExtra: Extra = { data: 0n, operator: 0n }

/** 32 bytes as hex. */
const wordLength = 66

/** Private chains such as anvil have no such contract: a call returns no bytes, and nothing is charged. */
const numberOf = (
  chainId: Caip.ChainId,
  response: string,
): Effect.Effect<bigint, ChainUnavailable> => {
  if (response === "0x") return Effect.succeed(0n)
  return response.length === wordLength
    ? Effect.succeed(BigInt(response))
    : Effect.fail(ChainUnavailable.of(chainId, "its charge in addition to gas cannot be read"))
}

/**
 * What a transaction costs on top of its gas. Its data is assumed to compress as badly as data can, because it contains
 * the payer's signature.
 */
export const extra = Effect.fnUntraced(function* (
  { config, rpc }: Link,
  transaction: Unpriced,
): Effect.fn.Return<Extra, ChainUnavailable> {
  if (!config.gas.isDataExtra) return noExtra
  const { chainId, maxFeePerGas } = config
  const unsigned = serializeTransaction({
    type: "eip1559",
    chainId: Eip155.numberOf(chainId),
    value: 0n,
    ...transaction,
    gas: longestGas,
    maxFeePerGas,
    maxPriorityFeePerGas: maxFeePerGas,
  })
  const asked = (functionName: "getL1FeeUpperBound" | "getOperatorFee", argument: bigint) =>
    Queries.call({ to: oracleAddress, data: Abi.calls[functionName]([argument]) }, "latest")
  const [data, operator] = yield* Together.all([
    rpc.ask(asked("getL1FeeUpperBound", BigInt(size(unsigned)))),
    Rpc.called(rpc, asked("getOperatorFee", operatedGas)),
  ])
  return {
    data: yield* numberOf(chainId, data),
    // The operator's fee was introduced together with the function that returns it: an older contract has neither.
    operator: Result.isFailure(operator) ? 0n : yield* numberOf(chainId, operator.success),
  }
})

/** The most that is charged on top of this much gas. It leaves room for the price of data to double. */
const besideOf = ({ data, operator }: Extra, gas: bigint): bigint =>
  2n * data + dividedUp(operator * higher(gas, operatedGas), operatedGas)

/** The most that a transaction costs, in wei. The fees on top of gas are charged no matter what was bid. */
export const most = (gas: bigint, { maxFeePerGas }: Bid, asked: Extra): bigint =>
  gas * maxFeePerGas + besideOf(asked, gas)

/**
 * The highest bid for each unit of gas that, together with the fees on top of it, stays within the operator's limit.
 */
export const bidMax = ({ maxFeePerGas }: ChainConfig, gas: bigint, asked: Extra): bigint =>
  maxFeePerGas - dividedUp(besideOf(asked, gas), gas)

/** The bid at the current price. It leaves room for the base fee to double. */
const wanted = ({ base, tip }: Rate): bigint => 2n * base + tip

/** The bid for this much gas, unless it costs more than the operator allows. */
export const bid = (
  config: ChainConfig,
  { extra: asked, rate }: Prices,
  gas: bigint,
): Result.Result<Bid, SendingHalted> => {
  const { chainId, maxFeePerGas: limit } = config
  const { base, tip } = rate
  const room = bidMax(config, gas, asked)
  return base + tip > room
    ? Result.fail(
        SendingHalted.of(
          chainId,
          `gas costs ${base + tip + limit - room} wei, more than maxFeePerGas (${limit}): it is sent when gas is cheaper, or with a higher limit`,
        ),
      )
    : Result.succeed({ maxFeePerGas: lower(wanted(rate), room), maxPriorityFeePerGas: tip })
}

/** Nodes require at least a tenth more for a replacement, and more than nothing for one without a tip. */
const raised = (fee: bigint): bigint => higher(fee + 1n, (fee * 9n + 7n) / 8n)

/** The bid for a transaction that waits too long; null if none within `room` is a replacement, or enough now. */
export const higherBid = (last: Bid, { base, tip }: Rate, room: bigint): Bid | null => {
  const maxPriorityFeePerGas = higher(raised(last.maxPriorityFeePerGas), tip)
  const least = higher(raised(last.maxFeePerGas), base + maxPriorityFeePerGas)
  if (least > room) return null
  const usual = higher(least, wanted({ base, tip: maxPriorityFeePerGas }))
  return { maxFeePerGas: lower(usual, room), maxPriorityFeePerGas }
}

/** As much gas and data as most transfers need. */
const ordinaryGas = 200_000n
const ordinary: Unpriced = {
  nonce: 1_000_000,
  to: `0x${"11".repeat(20)}`,
  data: `0x${"11".repeat(400)}`,
}

/** The chain's current prices, read in one request. */
export const currentPrices = (link: Link): Effect.Effect<Prices, ChainUnavailable> =>
  Together.all({ rate: currentRate(link), extra: extra(link, ordinary) })

/** What this much gas costs at the current prices. */
export const expectedCost = ({ extra: asked, rate: { base, tip } }: Prices, gas: bigint): bigint =>
  gas * (base + tip) + 2n * asked.data

/** The most that this much gas costs if it is bid for now, including the fees on top of it. */
export const mostOf = (
  { maxFeePerGas }: Pick<ChainConfig, "maxFeePerGas">,
  { extra: asked, rate }: Prices,
  gas: bigint,
): bigint => lower(gas * wanted(rate) + besideOf(asked, gas), gas * maxFeePerGas)

/** The most that an ordinary transfer costs now. */
export const ofTransfer = (link: Link) =>
  Effect.map(currentPrices(link), (asked) => mostOf(link.config, asked, ordinaryGas))
