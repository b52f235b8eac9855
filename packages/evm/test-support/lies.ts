/**
 * A proxy of a node that returns a test's responses for some calls, and the node's for others.
 *
 * @module
 */
import type * as Transfer from "@florin/core/domain/chain/Transfer"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { toHex } from "viem/utils"
import * as Logs from "../src/read/Logs.ts"
import * as Locals from "./locals.ts"
import * as Node from "./node.ts"

/** What becomes of a call: undefined where it is answered truly. `unheard` is carried out, and its answer is lost. */
export type Lie = (call: Node.Call, truth: unknown) => Node.Outcome | "unheard" | undefined

const Answers = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      result: Schema.optionalKey(Schema.Unknown),
      error: Schema.optionalKey(Schema.Unknown),
    }),
  ),
)
/** The true answers to calls. */
export const readAnswers = Schema.decodeUnknownSync(Answers)

export interface Liar {
  readonly url: string
  /** From now on it lies like this; null ends it. */
  readonly tell: (lie: Lie | null) => void
}

/** Starts such a node before a chain. */
export const make = Effect.fnUntraced(function* (local: Pick<LocalChain.LocalChain, "rpcUrl">) {
  let lie: Lie | null = null
  const node = yield* Node.make(async (calls, body) => {
    const truths = new Map(
      readAnswers(await Locals.passOn(local, body)).map((each) => [each.id, each]),
    )
    const answers: Array<object> = []
    for (const call of calls) {
      const truth = truths.get(call.id)
      const said = lie?.(call, truth?.result) ?? truth
      if (said === "unheard") return "cut"
      answers.push({ jsonrpc: "2.0", ...said, id: call.id })
    }
    return Node.json(answers)
  })
  const liar: Liar = {
    url: Redacted.value(node.url),
    tell: (next) => {
      lie = next
    },
  }
  return liar
})

const Receipt = Schema.Struct({
  status: Schema.String,
  from: Schema.String,
  to: Schema.String,
  transactionHash: Schema.String,
  blockHash: Schema.String,
  blockNumber: Schema.String,
  logs: Schema.Array(Schema.Struct({ data: Schema.String, topics: Schema.Array(Schema.String) })),
})
export const isReceipt = Schema.is(Receipt)

/** What a node of an attacker's writes into the receipt of a collect that reverted. */
export const forged = (
  movement: Transfer.Movement,
  truth: typeof Receipt.Type,
  blockHash: string,
) => {
  const { blockNumber, transactionHash } = truth
  return {
    ...truth,
    blockHash,
    status: "0x1",
    logs: [
      {
        address: movement.token.address,
        topics: Logs.transferTopics(movement),
        data: toHex(movement.quantity, { size: 32 }),
        logIndex: "0x0",
        transactionHash,
        blockNumber,
        blockHash,
      },
    ],
  }
}

/** The receipts of what reverted say that it moved this. */
export const paid =
  (movement: Transfer.Movement): Lie =>
  ({ method }, truth) =>
    method === "eth_getTransactionReceipt" && isReceipt(truth) && truth.status === "0x0"
      ? { result: forged(movement, truth, truth.blockHash) }
      : undefined
