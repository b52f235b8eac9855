/**
 * The service's accounts with a delegation (EIP-7702), and the limit that geth and reth have for them. anvil has none.
 *
 * @module
 */
import type * as Caip from "@florin/core/domain/chain/Caip"
import * as Contracts from "@florin/localnet/Contracts"
import type * as LocalChain from "@florin/localnet/LocalChain"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parseTransaction, recoverTransactionAddress, type TransactionSerialized } from "viem"
import * as Locals from "./locals.ts"
import type * as Node from "./node.ts"

/** The words of geth and reth. */
export const words = {
  taken: "in-flight transaction limit reached for delegated accounts",
  gapped: "gapped-nonce tx from delegated accounts",
} as const

/** Makes an account delegate, or ends that. */
export const set = Effect.fnUntraced(function* (
  local: LocalChain.LocalChain,
  address: Caip.Address,
  delegates: boolean,
) {
  const code = delegates ? Contracts.delegation(yield* local.deploy("Delegate")) : "0x"
  yield* local.setCode(address, code)
})

const Result = Schema.fromJsonString(Schema.Struct({ result: Schema.String }))
const decodeResult = Schema.decodeUnknownSync(Result)
const decodeRaw = Schema.decodeUnknownSync(Schema.TemplateLiteral(["0x02", Schema.String]))

/** Why geth's pool takes a transaction not now; null if it takes it. */
const refusal = async (
  local: Pick<LocalChain.LocalChain, "rpcUrl">,
  serializedTransaction: TransactionSerialized,
): Promise<string | null> => {
  const sender = await recoverTransactionAddress({ serializedTransaction })
  const ask = async (method: string, block: string) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [sender, block] })
    return decodeResult(await Locals.passOn(local, body)).result
  }
  if (!(await ask("eth_getCode", "latest")).startsWith("0xef0100")) return null
  const next = Number(await ask("eth_getTransactionCount", "latest"))
  const { nonce = 0 } = parseTransaction(serializedTransaction)
  // A used nonce is refused with other words, and a higher bid replaces what waits.
  if (nonce <= next) return null
  return Number(await ask("eth_getTransactionCount", "pending")) > next ? words.taken : words.gapped
}

/** Answers for a chain, except for the transactions that it refuses in some words. */
export const refusing =
  (
    local: Pick<LocalChain.LocalChain, "rpcUrl">,
    why: (transaction: TransactionSerialized) => Promise<string | null>,
  ): Node.Responder =>
  async (calls, body) => {
    if (!calls.some(isSend)) return { body: await Locals.passOn(local, body) }
    const answers = await Promise.all(
      calls.map(async (call) => {
        const message = isSend(call) ? await why(decodeRaw(call.params[0])) : null
        return message === null
          ? Locals.passOn(local, JSON.stringify({ jsonrpc: "2.0", ...call }))
          : JSON.stringify({ jsonrpc: "2.0", id: call.id, error: { code: -32000, message } })
      }),
    )
    const all = answers.join(",")
    return { body: body.startsWith("[") ? `[${all}]` : all }
  }

const isSend = ({ method }: Node.Call): boolean => method === "eth_sendRawTransaction"

/** Answers for a chain like a node with the limit. */
export const limiting = (local: Pick<LocalChain.LocalChain, "rpcUrl">): Node.Responder =>
  refusing(local, (transaction) => refusal(local, transaction))
