/**
 * Queries contracts for single words, many of them in one `eth_call`.
 *
 * The call has no recipient: its bytes are a program that the node runs as if it created a contract, so nothing needs
 * to be deployed on any chain. Nodes limit such a call by its bytes (49,152), by its response (24,576 bytes, the most
 * that a contract's code may have) and by its gas (30 million on a small node): {@link viewsPerCall} stays below each
 * limit.
 *
 * Some nodes refuse a call without a recipient. They are asked through Multicall3 or, if there is none, each view
 * separately.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils"
import { isRevert, type NodeRefused, type Rpc, unavailable } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Queries from "./Queries.ts"

/** A call to a contract. The function and its arguments have at most 255 bytes. */
export interface View {
  readonly to: Caip.Address
  readonly data: Queries.Hex
}

/**
 * The queries follow the program: for each an address, a byte with the length of the data, and the data. The program
 * returns 33 bytes for each: whether the contract returned exactly one word, and the word. Each contract gets 100,000
 * gas, so that one which burns it takes nothing from the others.
 *
 * The stack holds, from the bottom: where the results begin (`end`), where the next one goes (`out`), and where the
 * next query is (`in`).
 */
const program = [
  "604b 80 38 03", // PUSH1 75 (this program's length), DUP1, CODESIZE, SUB
  "90 81 90 6000 39", // SWAP1, DUP2, SWAP1, PUSH1 0, CODECOPY: the questions to the start of the memory
  "80 6000", // DUP1, PUSH1 0: [end, out, in]
  "5b 82 81 10 601b 57", // 0x0e: JUMPDEST, DUP3, DUP2, LT, PUSH1 0x1b, JUMPI: while in < end
  "50 81 90 03 90 f3", // POP, DUP2, SWAP1, SUB, SWAP1, RETURN: from end to out
  "5b 80 51 80 6014 1a", // 0x1b: JUMPDEST, DUP1, MLOAD, DUP1, PUSH1 20, BYTE: the data's length
  "90 6060 1c", // SWAP1, PUSH1 96, SHR: [end, out, in, length, contract]
  "6020 84 6001 01", // PUSH1 32, DUP5, PUSH1 1, ADD: a word goes to out + 1
  "83 85 6015 01", // DUP4, DUP6, PUSH1 21, ADD: the data stands at in + 21
  "84 620186a0 fa", // DUP5, PUSH3 100000, STATICCALL
  "3d 6020 14 16 84 53", // RETURNDATASIZE, PUSH1 32, EQ, AND, DUP5, MSTORE8: whether it was one word, to out
  "50 01 6015 01", // POP, ADD, PUSH1 21, ADD: in + length + 21
  "90 6021 01 90", // SWAP1, PUSH1 33, ADD, SWAP1: out + 33
  "600e 56", // PUSH1 0x0e, JUMP
]
  .join("")
  .replaceAll(" ", "")

/** How many queries go into one call. */
export const viewsPerCall = 250

const resultDigits = 66
/** 32 bytes as hex. */
const wordLength = 66

const callOf = (views: ReadonlyArray<View>): Queries.Message => ({
  data: Queries.hex(
    `0x${program}${views
      .map(({ data, to }) => {
        const bytes = ((data.length - 2) / 2).toString(16).padStart(2, "0")
        return `${to.slice(2)}${bytes}${data.slice(2)}`
      })
      .join("")}`,
  ),
})

/** Reads the program's output, which must be complete. */
const read = (text: string, count: number): ReadonlyArray<bigint | null> | null => {
  if (text.length !== 2 + count * resultDigits) return null
  const responses: Array<bigint | null> = []
  for (let at = 2; at < text.length; at += resultDigits) {
    const flag = text.slice(at, at + 2)
    if (flag !== "00" && flag !== "01") return null
    responses.push(flag === "01" ? BigInt(`0x${text.slice(at + 2, at + resultDigits)}`) : null)
  }
  return responses
}

type Values = ReadonlyArray<bigint | null>
/** A refusal by the node, not by a contract. */
type ReadValues = Effect.Effect<Result.Result<Values, NodeRefused>, ChainUnavailable>
type Way = (rpc: Rpc, views: ReadonlyArray<View>, at: Queries.At) => ReadValues

const requireRead = (
  { chainId }: Rpc,
  views: ReadonlyArray<View>,
  responses: Values | null,
): Effect.Effect<Values, ChainUnavailable> =>
  responses === null
    ? Effect.fail(
        ChainUnavailable.of(chainId, `the response for ${views.length} contracts is not valid`),
      )
    : Effect.succeed(responses)

const byProgram: Way = Effect.fnUntraced(function* (rpc, views, at) {
  const response = yield* rpc.attempt(Queries.call(callOf(views), at))
  if (Result.isFailure(response)) return Result.fail(response.failure)
  return Result.succeed(yield* requireRead(rpc, views, read(response.success, views.length)))
})

/** It has the same address on nearly every chain. */
const multicall3 = Caip.Address.make("0xca11bde05977b3631167028862be2a173976ca11")

const multicall = parseAbi([
  "function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])",
])

const wordOf = (data: string): bigint | null => (data.length === wordLength ? BigInt(data) : null)

const decodeMulticall = Option.liftThrowable((data: Queries.Hex) =>
  decodeFunctionResult({ abi: multicall, functionName: "tryAggregate", data }),
)

const byMulticall: Way = Effect.fnUntraced(function* (rpc, views, at) {
  const data = encodeFunctionData({
    abi: multicall,
    functionName: "tryAggregate",
    args: [false, views.map((view) => ({ target: Queries.hex(view.to), callData: view.data }))],
  })
  const response = yield* rpc.attempt(Queries.call({ to: multicall3, data }, at))
  // If Multicall3 is not deployed, a call returns nothing.
  if (Result.isFailure(response) || response.success === "0x")
    return yield* oneByOne(rpc, views, at)
  const words = Option.getOrNull(decodeMulticall(Queries.hex(response.success)))
  const responses =
    words?.length === views.length
      ? words.map(({ returnData, success }) => (success ? wordOf(returnData) : null))
      : null
  return Result.succeed(yield* requireRead(rpc, views, responses))
})

const oneByOne: Way = Effect.fnUntraced(function* (rpc, views, at) {
  const responses = yield* Together.each(views, ({ data, to }) =>
    rpc.attempt(Queries.call({ to, data }, at)),
  )
  const words: Array<bigint | null> = []
  for (const response of responses) {
    if (Result.isFailure(response) && !isRevert(response.failure))
      return Result.fail(response.failure)
    words.push(Result.isSuccess(response) ? wordOf(response.success) : null)
  }
  return Result.succeed(words)
})

/** Asks by the program or, if the node refuses that, in another way. Once a way worked, only that one is used. */
const askSome = Effect.fnUntraced(function* (rpc: Rpc, views: ReadonlyArray<View>, at: Queries.At) {
  const { chainId, learnt } = rpc
  const isByProgram = learnt.takesProgram
  const first = yield* isByProgram ? byProgram(rpc, views, at) : byMulticall(rpc, views, at)
  if (Result.isSuccess(first)) return first.success
  const second = isByProgram ? yield* byMulticall(rpc, views, at) : first
  if (Result.isFailure(second)) return yield* unavailable(chainId)(first.failure)
  // Another call may have found this out meanwhile.
  if (learnt.takesProgram) {
    learnt.takesProgram = false
    const message = "a node refuses calls without a recipient: views are called in another way"
    yield* Effect.logInfo(message, { chainId })
  }
  return second.success
})

/**
 * Queries contracts. Each result is a word, or null if the contract reverts or returns anything else. The queries are
 * sent in one call, or in a few that are sent together. Each reads the newest block unless another is given.
 */
export const ask = Effect.fnUntraced(function* (
  rpc: Rpc,
  views: ReadonlyArray<View>,
  at: Queries.At = "latest",
) {
  const parts = Array.from({ length: Math.ceil(views.length / viewsPerCall) }, (_, index) =>
    views.slice(index * viewsPerCall, (index + 1) * viewsPerCall),
  )
  const responses = yield* Together.each(parts, (part) => askSome(rpc, part, at))
  return responses.flat()
})

/** As {@link ask}, for each of a list: the results have the names of their queries. */
export const askNamed = Effect.fnUntraced(function* <Name extends string>(
  rpc: Rpc,
  each: ReadonlyArray<{ readonly [N in Name]: ReadonlyArray<View> }>,
  at?: Queries.At,
) {
  const words = yield* ask(
    rpc,
    each.flatMap((named) => Record.values(named).flat()),
    at,
  )
  let taken = 0
  return each.map((named) =>
    Record.map(named, ({ length }): Values => words.slice(taken, (taken += length))),
  )
})
