/**
 * The id of money that no payment claims. It is derived from the log that moved the money, so that no log has two.
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

export const of = (log: Transfer.Log): InflowId =>
  InflowId.make(
    `unc_${bytesToHex(sha256(utf8ToBytes(Claim.key(Claim.ofTransfer(log))))).slice(0, 32)}`,
  )
