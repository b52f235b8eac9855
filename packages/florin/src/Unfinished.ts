/**
 * What a terminal wallet has signed or sent for a payment that it has not confirmed: kept in a file for the user alone,
 * so that a crash costs nothing.
 *
 * @module
 */
import { join } from "node:path"
import type { Resume } from "@florin/client"
import type * as PaymentId from "@florin/core/domain/PaymentId"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as PrivateFile from "./PrivateFile.ts"

/** A terminal collects no data about the payer, so none is kept. */
const Kept = Schema.fromJsonString(
  Schema.Struct({
    paymentId: Schema.String,
    optionId: Schema.String,
    account: Schema.String,
    actions: Schema.Array(
      Schema.Struct({
        type: Schema.Literal("walletRpc"),
        data: Schema.Struct({
          chain_id: Schema.String,
          method: Schema.Literals(["eth_signTypedData_v4", "eth_sendTransaction", "personal_sign"]),
          params: Schema.Array(Schema.String),
        }),
      }),
    ),
    outputs: Schema.Array(Schema.String),
  }),
)

const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeUnknownOption(Kept)

export const file = (directory: string, paymentId: PaymentId.PaymentId) => {
  const path = join(directory, `${paymentId}.json`)
  return {
    /** Undefined where nothing was left unfinished. */
    read: (): Resume | undefined => Option.getOrUndefined(decode(PrivateFile.read(path))),
    write: (resume: Resume): void => Effect.runSync(PrivateFile.write(path, encode(resume))),
    remove: (): void => Effect.runSync(PrivateFile.remove(path)),
  }
}
