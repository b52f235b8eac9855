/**
 * Transactions of the simulated chain: what they call, and their bytes.
 *
 * @module
 */
import * as Caip from "@florin/core/domain/chain/Caip"
import * as Remembered from "@florin/core/domain/ground/Remembered"
import * as Lane from "@florin/core/domain/outflow/Lane"
import type { Order } from "@florin/core/ports/Chain"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type SimulatedKit, roleOf } from "../Kit.ts"
import * as Call from "./Call.ts"

export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}
export const Transaction = Schema.Struct({
  chainId: Caip.ChainId,
  sender: Caip.Address,
  nonce: Schema.Int,
  call: Call.Call,
})

/** Bytes that are not a transaction of this chain. */
export class InvalidTransaction extends Schema.TaggedError<InvalidTransaction>()(
  "InvalidTransaction",
  { message: Schema.String },
) {}

const Json = Schema.fromJsonString(Schema.toCodecJson(Transaction))
const encodeJson = Schema.encodeSync(Json)
const decodeJson = Schema.decodeUnknownResult(Json)

/** The same transaction always has the same bytes, and so the same hash. */
export const encode = (
  { hashOf }: Pick<SimulatedKit, "hashOf">,
  transaction: Transaction,
): { readonly raw: string; readonly hash: string } => {
  const bytes = utf8ToBytes(encodeJson(transaction))
  return { raw: `0x${bytesToHex(bytes)}`, hash: hashOf(bytes) }
}

type Decoded = Result.Result<
  { readonly transaction: Transaction; readonly hash: string },
  InvalidTransaction
>

const read = ({ hashOf }: Pick<SimulatedKit, "hashOf">, raw: string): Decoded => {
  const bytes = Result.try(() => hexToBytes(raw.slice(2)))
  const invalid = () =>
    Result.fail(new InvalidTransaction({ message: "the bytes are not a transaction" }))
  if (Result.isFailure(bytes)) return invalid()
  const decoded = decodeJson(new TextDecoder().decode(bytes.success))
  return Result.isSuccess(decoded)
    ? Result.succeed({ transaction: decoded.success, hash: hashOf(bytes.success) })
    : invalid()
}

/** A transaction is looked for again and again, and its hash is expensive. */
const decodedOf = Remembered.memoize(
  (_kit: Pick<SimulatedKit, "hashOf">) => new Map<string, Decoded>(),
)
const decodedMax = 1000

export const decode = (kit: Pick<SimulatedKit, "hashOf">, raw: string): Decoded => {
  const known = decodedOf(kit)
  const decoded = known.get(raw) ?? read(kit, raw)
  if (known.size >= decodedMax) known.clear()
  known.set(raw, decoded)
  return decoded
}

/**
 * A transaction signed again with a higher fee: the same call with the same nonce, as other bytes under another hash.
 * Each `bid` has its own bytes.
 */
export const outbid = (
  { hashOf }: Pick<SimulatedKit, "hashOf">,
  last: Lane.Transaction,
  signedAt: number,
  bid = 1,
): Lane.Transaction => {
  const raw = `${last.raw}${"20".repeat(bid)}`
  const hash = hashOf(hexToBytes(raw.slice(2)))
  return { ...last, hash, raw, signedAt, earlierHashes: Lane.hashes(last) }
}

/** The call that executes an order; for a permit, the call that is due. */
export const ofOrder = (kit: SimulatedKit, order: Order, isTaking = false): Call.Call => {
  if (order._tag === "Send") {
    const { token, to, quantity } = order.movement
    return { _tag: "Transfer", token: token.address, to, quantity }
  }
  const { option, outputs } = order.attempt
  if (roleOf(kit, option.flow) === "permitted") {
    return isTaking
      ? { _tag: "Take", option }
      : { _tag: "Permit", option, signature: outputs.signature }
  }
  return { _tag: "Collect", option, signature: outputs.signature, by: "payee" }
}
