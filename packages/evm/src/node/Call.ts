/**
 * A call to a node, and what a node's refusal of it means.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A call to a node, and how its response is decoded. */
export interface Query<A> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly read: (response: unknown) => Option.Option<A>
}

export type Call = Pick<Query<unknown>, "method" | "params">

/** The node itself refused the call: a revert, a used nonce, an unknown method. */
export class NodeRefused extends Schema.TaggedError<NodeRefused>()("NodeRefused", {
  method: Schema.String,
  code: Schema.Number,
  message: Schema.String,
  /** The data of the contract's revert, as hex. */
  data: Schema.NullOr(Schema.String),
}) {}

export type Reply = Result.Result<unknown, NodeRefused>

/**
 * Kinds of calls. Each has requests of its own, and a node rests for each on its own: a refused search of logs must not
 * stop the reads that payers wait for.
 */
export type Kind = "reads" | "logs" | "sends"

export const kindOf = ({ method }: Call): Kind => {
  if (method === "eth_getLogs") return "logs"
  return method === "eth_sendRawTransaction" ? "sends" : "reads"
}

/** Equal calls have equal keys. */
export const keyOf = ({ method, params }: Call): string => `${method}:${JSON.stringify(params)}`

/** Methods that the service can do without: a node that limits only these is asked for everything else. */
const optionalMethods = new Set(["eth_maxPriorityFeePerGas", "eth_feeHistory"])

/** The error code for a call that exceeds a limit. Some providers use it for too many requests, too. */
const limitExceeded = -32005
/** Error codes of providers for too many requests, and of some for too much work in one. */
const busyCodes = new Set([429, limitExceeded, -32029])

/** The refusal of a call that exceeds a limit of ours. */
export const exceeding = ({ method }: Call, message: string): Reply =>
  Result.fail(new NodeRefused({ method, code: limitExceeded, message, data: null }))

const tooMuch = /batch|range|results|too large/iu

/** Whether an error means too many requests, rather than too much work in one. */
export const isBusy = ({ code, message }: Pick<NodeRefused, "code" | "message">): boolean =>
  busyCodes.has(code) && !tooMuch.test(message)

/**
 * Whether a refusal means that the node takes no calls now, rather than not this one. If a search of logs exceeds a
 * limit, a smaller one may not.
 */
export const isRateLimit = (refused: NodeRefused): boolean =>
  isBusy(refused) &&
  !optionalMethods.has(refused.method) &&
  !(refused.method === "eth_getLogs" && refused.code === limitExceeded)

/** The messages with which nodes report that a contract ended the call, by a revert or by failing. */
const endings =
  /revert|evm error|vm execution error|out of gas|invalid opcode|invalid jump|stack (?:under|over)flow/iu

/** Whether the contract refused the call, rather than the node. */
export const isRevert = ({ code, data, message }: NodeRefused): boolean =>
  code === 3 || data?.startsWith("0x") === true || endings.test(message)

/** Treats a refusal by a node as missing information. */
export const unavailable = (chainId: Caip.ChainId) => (refused: NodeRefused) =>
  ChainUnavailable.of(chainId, `${refused.method} was refused: ${refused.message}`)
