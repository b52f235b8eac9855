/**
 * Fastify by hand, and viem's `verifyTypedData`, as a process of its own. The node is asked the same.
 *
 * @module
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as Actions from "@florin/core/domain/eip155/Actions"
import * as BuiltIn from "@florin/core/domain/eip155/BuiltIn"
import type * as Payment from "@florin/core/domain/payment/Payment"
import { AttemptRefused } from "@florin/core/ports/Chain"
import { Effect } from "effect"
import { verifyTypedData } from "viem/utils"
import * as ByHand from "../../server/bench/byHand.ts"
import { hex } from "../src/Queries.ts"
import * as Standing from "../src/Standing.ts"
import * as Ground from "./ground.ts"

const verify = Effect.fnUntraced(function* ({
  option,
  outputs,
}: Pick<Payment.Attempt, "option" | "outputs">) {
  const refused = new AttemptRefused({ message: "not signed, or not to be paid" })
  const asset = BuiltIn.catalog.find(option.token)
  const data = asset && Actions.typedData({ asset, option })
  if (data === undefined) return yield* refused
  const { chainId, name, verifyingContract, version = "" } = data.domain
  const isSigned = yield* Effect.promise(() =>
    verifyTypedData({
      ...data,
      domain: { name, version, chainId, verifyingContract: hex(verifyingContract) },
      address: hex(option.account.address),
      signature: hex(outputs.signature),
    }),
  )
  if (!isSigned) return yield* refused
  const { signature } = outputs
  const standing = yield* Standing.ofAuthorization(Ground.link, option, signature, "latest")
  const { held, isContract, isSpent, nowInS, refusal } = standing
  const mayPay = !isContract && !isSpent && refusal === null && held >= option.quantity
  if (!mayPay || nowInS >= option.expiresAt) return yield* refused
  return outputs
})

const { port, run } = await ByHand.listen(Ground.layer(verify))
const { key, prepare } = await run(Ground.seed)
Ground.tell({ port, key }, (count, isForged) => run(prepare(count, isForged)))
