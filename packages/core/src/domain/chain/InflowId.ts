/**
 * The id of money that no payment claimed. It is derived from the log in which the money was found, and the block of it:
 * no log has two, and after a reorganisation another transfer may be where this one was.
 *
 * @module
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import * as Claim from "./Claim.ts"
import type * as Transfer from "./Transfer.ts"

export type InflowId = Brand.Branded<string, "InflowId">
export const InflowId = Schema.String.check(Schema.isPattern(/^unc_[0-9a-f]{32}$/u)).pipe(
  Schema.fromBrand("InflowId", Brand.nominal<InflowId>()),
)

export const of = (log: Transfer.Log): InflowId => {
  const text = `${Claim.key(Claim.ofTransfer(log))} ${log.blockHash}`
  return InflowId.make(`unc_${bytesToHex(sha256(utf8ToBytes(text))).slice(0, 32)}`)
}
