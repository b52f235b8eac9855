/**
 * The keys that a service on this machine issued when it started for the first time.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** The keys of one mode, and the merchant to try them with. */
export interface Issued extends Schema.Schema.Type<typeof Issued> {}
export const Issued = Schema.Struct({
  partnerKey: Schema.String,
  walletKey: Schema.String,
  merchantId: Schema.String,
})

/** The keys of both modes. */
export interface Both extends Schema.Schema.Type<typeof Both> {}
export const Both = Schema.Struct({ test: Issued, live: Issued })
