/**
 * Finds which accounts have code, many of them in one `eth_call`.
 *
 * The call has no recipient, as in `Views`: its bytes are a program that the node runs as if it created a contract. If
 * a node refuses such a call, it is asked for the code of each account instead.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Rpc } from "../node/Rpc.ts"
import * as Together from "../node/Together.ts"
import * as Queries from "./Queries.ts"

/** The addresses follow the program. It returns one byte for each: whether the account has code. */
const program = [
  "6032 80 38 03", // PUSH1 50 (this program's length), DUP1, CODESIZE, SUB
  "90 81 90 6000 39", // SWAP1, DUP2, SWAP1, PUSH1 0, CODECOPY: the addresses to the start of the memory
  "80 6000", // DUP1, PUSH1 0: [end, out, in]
  "5b 82 81 10 601b 57", // 0x0e: JUMPDEST, DUP3, DUP2, LT, PUSH1 0x1b, JUMPI: while in < end
  "50 81 90 03 90 f3", // POP, DUP2, SWAP1, SUB, SWAP1, RETURN: from end to out
  "5b 80 51 6060 1c", // 0x1b: JUMPDEST, DUP1, MLOAD, PUSH1 96, SHR: [end, out, in, account]
  "3b 15 15 82 53", // EXTCODESIZE, ISZERO, ISZERO, DUP3, MSTORE8: whether there is code, to out
  "6014 01", // PUSH1 20, ADD: in + 20
  "90 6001 01 90", // SWAP1, PUSH1 1, ADD, SWAP1: out + 1
  "600e 56", // PUSH1 0x0e, JUMP
]
  .join("")
  .replaceAll(" ", "")

/** Reads one byte for each account, each 0 or 1. */
const read = (text: string, count: number): ReadonlyArray<boolean> | null =>
  text.length === 2 + 2 * count && /^0x(?:0[01])*$/u.test(text)
    ? Array.from({ length: count }, (_, index) => text.charAt(3 + 2 * index) === "1")
    : null

/** Whether each account has code now, including accounts that delegate (EIP-7702); null if the node refuses. */
export const inOneCall = Effect.fnUntraced(function* (
  rpc: Rpc,
  addresses: ReadonlyArray<Caip.Address>,
) {
  const data = Queries.hex(`0x${program}${addresses.map((each) => each.slice(2)).join("")}`)
  const response = yield* rpc.attempt(Queries.call({ data }, "latest"))
  return Result.isSuccess(response) ? read(response.success, addresses.length) : null
})

/** Asks for the code of each account separately. */
export const oneByOne = (rpc: Rpc, addresses: ReadonlyArray<Caip.Address>) =>
  Together.each(addresses, (address) =>
    Effect.map(rpc.ask(Queries.code(address, "latest")), (code) => code !== "0x"),
  )
