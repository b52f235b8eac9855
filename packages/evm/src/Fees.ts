/**
 * What a transaction of ours may cost: its gas at the going rate and, on chains of the OP stack, what they ask beside it.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import { ChainUnavailable, SendingHalted } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeFunctionData, serializeTransaction, size } from "viem/utils"
import * as Abi from "./Abi.ts"
import type { ChainConfig } from "./ChainConfig.ts"
import type { Link } from "./Link.ts"
import * as Queries from "./Queries.ts"
import * as Rpc from "./Rpc.ts"

/** What is bid for gas, in wei for each unit. */
export interface Bid {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** What the chain asks for gas now, in wei for each unit. */
interface Rate {
  readonly base: bigint
  readonly tip: bigint
}

/** What the chain asks beside gas now, in wei: for the data, and for {@link operatedGas}. */
interface Extra {
  readonly data: bigint
  readonly operator: bigint
}

/** What is asked before a transaction can be priced. */
interface Quote {
  readonly rate: Rate
  readonly extra: Extra
}

/** All of a transaction that is known before its gas is. */
interface Unpriced {
  readonly nonce: number
  readonly to: `0x${string}`
  readonly data: `0x${string}`
}

const higher = (left: bigint, right: bigint): bigint => (left > right ? left : right)
const lower = (left: bigint, right: bigint): bigint => (left < right ? left : right)
const dividedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** What the chain asks for gas now. */
export const goingRate = Effect.fnUntraced(function* ({ config, rpc }: Link) {
  const [newest, priority] = yield* Effect.all(
    [rpc.ask(Queries.block("latest")), rpc.attempt(Queries.priorityFee)],
    { concurrency: "unbounded" },
  )
  const offered = Result.isSuccess(priority) ? priority.success : 0n
  const rate: Rate = {
    base: newest?.baseFeePerGas ?? 0n,
    tip: higher(offered, config.gas.tipMin),
  }
  return rate
})

/** Where chains of the OP stack tell what they ask beside gas: the same address on each. */
export const oracleAddress = Caip.Address.make("0x420000000000000000000000000000000000000f")

/** The operator's fee is asked for this much gas: that of less is not more, and that of more grows at most with it. */
const operatedGas = 400_000n

/** No gas limit takes more bytes. */
const longestGas = 2n ** 32n - 1n

const noExtra: Extra = { data: 0n, operator: 0n }

/** 32 bytes as hex. */
const wordLength = 66

/** A chain of somebody's own, such as anvil, has no such contract: a call answers no bytes, and nothing is asked. */
const numberOf = (
  chainId: Caip.ChainId,
  answer: Result.Result<string, Rpc.NodeRefused>,
): Effect.Effect<bigint, ChainUnavailable> => {
  if (Result.isFailure(answer)) return Effect.fail(Rpc.unavailable(chainId)(answer.failure))
  if (answer.success === "0x") return Effect.succeed(0n)
  return answer.success.length === wordLength
    ? Effect.succeed(BigInt(answer.success))
    : Effect.fail(
        new ChainUnavailable({
          chainId,
          message: `chain ${chainId}: what it asks beside gas does not read`,
        }),
      )
}

/**
 * What a transaction costs beside its gas. Its data is taken to compress as badly as data can: the payer's signature is
 * in it.
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
    rpc.attempt(
      Queries.call(
        {
          to: oracleAddress,
          data: encodeFunctionData({ abi: Abi.feeOracle, functionName, args: [argument] }),
        },
        "latest",
      ),
    )
  const [data, operator] = yield* Effect.all(
    [asked("getL1FeeUpperBound", BigInt(size(unsigned))), asked("getOperatorFee", operatedGas)],
    { concurrency: "unbounded" },
  )
  // The operator's fee came with the function that tells it: an older contract knows of neither.
  const isOlder = Result.isFailure(operator) && Rpc.isRevert(operator.failure)
  return {
    data: yield* numberOf(chainId, data),
    operator: isOlder ? 0n : yield* numberOf(chainId, operator),
  }
})

/** What is asked beside so much gas, at most: the price of data may double before it is not enough. */
const besideOf = ({ data, operator }: Extra, gas: bigint): bigint =>
  2n * data + dividedUp(operator * higher(gas, operatedGas), operatedGas)

/** The most that a transaction costs, in wei; what is asked beside gas is charged whatever was bid. */
export const most = (gas: bigint, { maxFeePerGas }: Bid, asked: Extra): bigint =>
  gas * maxFeePerGas + besideOf(asked, gas)

/** What may be bid for each unit of gas, so that with what is asked beside it none costs more than the operator allows. */
export const bidMax = ({ maxFeePerGas }: ChainConfig, gas: bigint, asked: Extra): bigint =>
  maxFeePerGas - dividedUp(besideOf(asked, gas), gas)

/** What is bid at the going rate; the base fee may double before it is not enough. */
const wanted = ({ base, tip }: Rate): bigint => 2n * base + tip

/** What is bid for so much gas, unless it costs more than the operator allows. */
export const bid = (
  config: ChainConfig,
  { extra: asked, rate }: Quote,
  gas: bigint,
): Result.Result<Bid, SendingHalted> => {
  const { chainId, maxFeePerGas: limit } = config
  const { base, tip } = rate
  const room = bidMax(config, gas, asked)
  return base + tip > room
    ? Result.fail(
        new SendingHalted({
          chainId,
          message: `chain ${chainId}: gas costs ${base + tip + limit - room} wei, more than maxFeePerGas (${limit}): it goes on when gas is cheaper, or with a higher limit`,
        }),
      )
    : Result.succeed({ maxFeePerGas: lower(wanted(rate), room), maxPriorityFeePerGas: tip })
}

/** What nodes ask at least for a replacement is a tenth more. */
const raised = (fee: bigint): bigint => (fee * 9n + 7n) / 8n

/** What is bid for a transaction that waits too long. */
export const higherBid = (last: Bid, rate: Rate): Bid => {
  const maxPriorityFeePerGas = higher(raised(last.maxPriorityFeePerGas), rate.tip)
  return {
    maxFeePerGas: higher(raised(last.maxFeePerGas), wanted({ ...rate, tip: maxPriorityFeePerGas })),
    maxPriorityFeePerGas,
  }
}

/** As much gas and data as most transfers take. */
const ordinaryGas = 200_000n
const ordinary: Unpriced = {
  nonce: 1_000_000,
  to: `0x${"11".repeat(20)}`,
  data: `0x${"11".repeat(400)}`,
}

/** The most that an ordinary transfer costs now. */
export const ofTransfer = Effect.fnUntraced(function* (link: Link) {
  const [rate, asked] = yield* Effect.all([goingRate(link), extra(link, ordinary)], {
    concurrency: "unbounded",
  })
  return lower(
    ordinaryGas * wanted(rate) + besideOf(asked, ordinaryGas),
    ordinaryGas * link.config.maxFeePerGas,
  )
})
