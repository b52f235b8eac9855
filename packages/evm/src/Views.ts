/**
 * What contracts answer in one word, many of them in one `eth_call`.
 *
 * The call has no recipient: its bytes are a program that the node runs as if it made a contract, so nothing needs to be
 * deployed on any chain. Nodes bound such a call by its bytes (49,152), by its answer (24,576 bytes, the most that a
 * contract's code may have) and by its gas (30 million on a small node): {@link viewsPerCall} stays below each.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/Caip"
import { ChainUnavailable } from "@florin/core/ports/Chain"
import * as Effect from "effect/Effect"
import * as Queries from "./Queries.ts"
import type { Ask } from "./Rpc.ts"

/** A question to a contract. The function and its arguments have at most 255 bytes. */
export interface View {
  readonly to: Caip.Address
  readonly data: Queries.Hex
}

/**
 * Behind the program stand the questions: an address, a byte that counts the data, and the data. It answers each by 33
 * bytes: whether the contract answered with one word, and the word. A contract has 100,000 gas, so that one which burns
 * what it gets takes nothing from the others.
 *
 * The stack holds, from below, where the answers begin (`end`), where the next one goes (`out`), and where the next
 * question stands (`in`).
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

/** How many questions go into one call. */
export const viewsPerCall = 250

const answerDigits = 66

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

/** Reads the program's answer, of which nothing may be missing. */
const read = (text: string, count: number): ReadonlyArray<bigint | null> | null => {
  if (text.length !== 2 + count * answerDigits) return null
  const answers: Array<bigint | null> = []
  for (let at = 2; at < text.length; at += answerDigits) {
    const flag = text.slice(at, at + 2)
    if (flag !== "00" && flag !== "01") return null
    answers.push(flag === "01" ? BigInt(`0x${text.slice(at + 2, at + answerDigits)}`) : null)
  }
  return answers
}

/**
 * Asks contracts; each answers a word, or null where it reverts or answers anything else. They are asked in one call, or
 * in few that go out together, each of which sees the newest block.
 */
export const ask = Effect.fnUntraced(function* (
  rpc: Ask & { readonly chainId: Caip.ChainId },
  views: ReadonlyArray<View>,
) {
  const parts = Array.from({ length: Math.ceil(views.length / viewsPerCall) }, (_, index) =>
    views.slice(index * viewsPerCall, (index + 1) * viewsPerCall),
  )
  const answers = yield* Effect.forEach(
    parts,
    (part) =>
      Effect.flatMap(
        rpc.ask(Queries.call(callOf(part), "latest")),
        (text): Effect.Effect<ReadonlyArray<bigint | null>, ChainUnavailable> => {
          const words = read(text, part.length)
          return words === null
            ? Effect.fail(
                new ChainUnavailable({
                  chainId: rpc.chainId,
                  message: `chain ${rpc.chainId}: the answer of ${part.length} contracts does not read`,
                }),
              )
            : Effect.succeed(words)
        },
      ),
    { concurrency: "unbounded" },
  )
  return answers.flat()
})
