/**
 * The queries that we send to nodes, and how their responses are decoded. A response with anything missing is rejected:
 * nothing is filled in.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Eip155 from "@florin/core/domain/eip155/Eip155"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { Query } from "../node/Rpc.ts"

const hexPattern = /^0x[0-9a-fA-F]*$/u
export type Hex = `0x${string}`

/** Text that is known to be hex, as the encoders want it. */
export const hex = (text: string): Hex => `0x${text.slice(2)}`

const Hex = Schema.String.check(Schema.isPattern(hexPattern))
const Hash = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/u))
const HexNumber = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,64}$/u))
const BigNumber = HexNumber.pipe(
  Schema.decodeTo(Schema.BigInt, SchemaTransformation.bigintFromString),
)
/** Numbers of blocks, logs and nonces, and times: all far below the largest safe integer. */
const SmallNumber = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,13}$/u)).pipe(
  Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString),
)
/** Nodes write addresses with or without a checksum. */
const AnyAddress = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/u)).pipe(
  Schema.decodeTo(Eip155.Address, SchemaTransformation.toLowerCase()),
)

/** The head of a block. */
export interface Block extends Schema.Schema.Type<typeof Block> {}
const Block = Schema.Struct({
  number: SmallNumber,
  hash: Hash,
  timestamp: SmallNumber,
  baseFeePerGas: Schema.optionalKey(BigNumber),
})

/** One event that a contract wrote. */
export interface Log extends Schema.Schema.Type<typeof Log> {}
const Log = Schema.Struct({
  address: AnyAddress,
  topics: Schema.Array(Hash),
  data: Hex,
  logIndex: SmallNumber,
  transactionHash: Hash,
  blockNumber: SmallNumber,
  blockHash: Hash,
  removed: Schema.optionalKey(Schema.Boolean),
})

export interface Receipt extends Schema.Schema.Type<typeof Receipt> {}
const Receipt = Schema.Struct({
  transactionHash: Hash,
  blockNumber: SmallNumber,
  blockHash: Hash,
  status: SmallNumber,
  from: AnyAddress,
  logs: Schema.Array(Log),
}).check(
  // A failed transaction logs nothing: a node that reports otherwise is not trusted.
  Schema.makeFilter(({ logs, status }) => status === 1 || logs.length === 0),
)

export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
const Transaction = Schema.Struct({
  hash: Hash,
  from: AnyAddress,
  /** Null if the transaction creates a contract. */
  to: Schema.NullOr(AnyAddress),
  nonce: SmallNumber,
  input: Hex,
})

const BlockOfTransactions = Schema.Struct({
  ...Block.fields,
  transactions: Schema.Array(Transaction),
})

const reader = Schema.decodeUnknownOption

const query = <A>(
  method: string,
  params: ReadonlyArray<unknown>,
  read: Query<A>["read"],
): Query<A> => ({ method, params, read })

const readBlock = reader(Schema.NullOr(Block))
const readBlockOfTransactions = reader(Schema.NullOr(BlockOfTransactions))
const readReceipt = reader(Schema.NullOr(Receipt))
const readTransaction = reader(Schema.NullOr(Transaction))
const readLogs = reader(Schema.Array(Log))
const readHex = reader(Hex)
const readHash = reader(Hash)
const readStored = reader(HexNumber)
const readSmall = reader(SmallNumber)
const readBig = reader(BigNumber)
const readWord = reader(Hash.pipe(Schema.decodeTo(BigNumber)))

/** A block by its name, its number or its hash. A hash guarantees that the state is of exactly that block. */
export type At = "latest" | "safe" | "finalized" | number | { readonly blockHash: string }

const at = (block: At) => {
  if (typeof block === "number") return `0x${block.toString(16)}`
  return typeof block === "string" ? block : { blockHash: block.blockHash, requireCanonical: true }
}

/** The head of a block; null if there is none (yet). */
export const block = (of: Exclude<At, { readonly blockHash: string }>) =>
  query("eth_getBlockByNumber", [at(of), false], readBlock)

/** A block with all its transactions. */
export const blockOfTransactions = (number: number) =>
  query("eth_getBlockByNumber", [at(number), true], readBlockOfTransactions)

/** The receipt of a transaction; null if the node does not know it, which proves nothing. */
export const receipt = (hash: string) => query("eth_getTransactionReceipt", [hash], readReceipt)

/** A transaction, mined or waiting; null if the node does not know it, which proves nothing. */
export const transaction = (hash: string) =>
  query("eth_getTransactionByHash", [hash], readTransaction)

/** How many transactions an account has sent, which is its next nonce. */
export const nonce = (address: Caip.Address, of: At) =>
  query("eth_getTransactionCount", [address, at(of)], readSmall)

/** The account's balance of the chain's own coin, in wei. */
export const coins = (address: Caip.Address) =>
  query("eth_getBalance", [address, "latest"], readBig)

/** A contract's code; `0x` if there is none. */
export const code = (address: Caip.Address, of: At) =>
  query("eth_getCode", [address, at(of)], readHex)

/** A call, with its sender and its recipient. */
export interface Message {
  readonly from?: Caip.Address
  readonly to?: Caip.Address
  readonly data: Hex
  /** The gas limit; if it is left out, the node's default applies. */
  readonly gas?: Hex
}

/** The response of a contract to a call; nothing is sent. */
export const call = (message: Message, of: At) => query("eth_call", [message, at(of)], readHex)

/** The one word that a contract returns. Any other response is rejected. */
export const word = (message: Message, of: At): Query<bigint> => ({
  ...call(message, of),
  read: readWord,
})

export const gas = (message: Message) => query("eth_estimateGas", [message], readBig)

export const priorityFee = query("eth_maxPriorityFeePerGas", [], readBig)

const readRewards = reader(
  Schema.Struct({
    reward: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Array(BigNumber)))),
  }),
)

/** The tips that transactions of the newest blocks paid: one sample of each block, oldest first. */
export const rewards = (blocks: number, percentile: number) =>
  query("eth_feeHistory", [`0x${blocks.toString(16)}`, "latest", [percentile]], (response) =>
    Option.map(readRewards(response), ({ reward }) =>
      (reward ?? []).flatMap((each) => each[0] ?? []),
    ),
  )

/** Submits a signed transaction; returns its hash. */
export const send = (raw: string) => query("eth_sendRawTransaction", [raw], readHash)

/** Which logs of contracts are searched for; several topics in one place match any of them. */
export interface LogFilter {
  readonly address: Caip.Address | ReadonlyArray<Caip.Address>
  readonly topics: ReadonlyArray<string | ReadonlyArray<string> | null>
}

export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

/** The logs of contracts in a range of blocks. */
export const logs = (filter: LogFilter & BlockRange) =>
  query(
    "eth_getLogs",
    [{ ...filter, fromBlock: at(filter.fromBlock), toBlock: at(filter.toBlock) }],
    readLogs,
  )

/** A word of a contract's storage, as the node writes it. */
export const storage = (address: Caip.Address, slot: string) =>
  query("eth_getStorageAt", [address, slot, "latest"], readStored)

/** The kind and version of a node's software. */
export const clientVersion = query("web3_clientVersion", [], reader(Schema.String))
