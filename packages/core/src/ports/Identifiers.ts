/**
 * New ids, and the randomness behind keys and secrets.
 *
 * @module
 */
import { randomBytes } from "@noble/hashes/utils.js"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Base62 from "../domain/ground/Base62.ts"
import * as MerchantId from "../domain/ground/MerchantId.ts"
import * as OutflowId from "../domain/ground/OutflowId.ts"
import * as PartnerId from "../domain/ground/PartnerId.ts"
import * as PaymentId from "../domain/ground/PaymentId.ts"
import * as Webhook from "../domain/notify/Webhook.ts"
import * as ApiKey from "../domain/partner/ApiKey.ts"
import * as SettlementDestination from "../domain/partner/SettlementDestination.ts"
import * as Refund from "../domain/payment/Refund.ts"

/** 8 base-62 digits hold milliseconds until the year 8888. */
const timeLength = 8
/** 22 base-62 digits are 130 random bits. 25 bytes are read so that no digit is more likely than another. */
const randomLength = 22
const randomByteCount = 25

/**
 * The identifiers port. Ids are unique, cannot be guessed, and sort by creation time. Every byte comes from a source
 * fit for keys, except in tests.
 */
export class Identifiers extends Context.Service<
  Identifiers,
  {
    readonly randomBytes: (length: number) => Effect.Effect<Uint8Array>
    readonly payment: Effect.Effect<PaymentId.PaymentId>
    readonly partner: Effect.Effect<PartnerId.PartnerId>
    readonly merchant: Effect.Effect<MerchantId.MerchantId>
    readonly destination: Effect.Effect<SettlementDestination.SettlementDestinationId>
    readonly refund: Effect.Effect<Refund.RefundId>
    readonly outflow: Effect.Effect<OutflowId.OutflowId>
    readonly key: Effect.Effect<ApiKey.ApiKeyId>
    readonly endpoint: Effect.Effect<Webhook.EndpointId>
    readonly event: Effect.Effect<string>
    readonly auditEntry: Effect.Effect<string>
  }
>()("@florin/core/ports/Identifiers") {
  /** Ids from a source of random bytes. */
  static readonly make = (random: (length: number) => Uint8Array) => {
    const suffix = Effect.map(
      Clock.currentTimeMillis,
      (now) =>
        Base62.ofNumber(now, timeLength) + Base62.ofBytes(random(randomByteCount), randomLength),
    )
    return Identifiers.of({
      randomBytes: (length) => Effect.sync(() => random(length)),
      payment: Effect.map(suffix, (text) => PaymentId.PaymentId.make(`pay_${text}`)),
      partner: Effect.map(suffix, (text) => PartnerId.PartnerId.make(`prtn_${text}`)),
      merchant: Effect.map(suffix, (text) => MerchantId.MerchantId.make(`mrch_${text}`)),
      destination: Effect.map(suffix, (text) =>
        SettlementDestination.SettlementDestinationId.make(`crypto_${text}`),
      ),
      refund: Effect.map(suffix, (text) => Refund.RefundId.make(`rfnd_${text}`)),
      outflow: Effect.map(suffix, (text) => OutflowId.OutflowId.make(`out_${text}`)),
      key: Effect.map(suffix, (text) => ApiKey.ApiKeyId.make(`key_${text}`)),
      endpoint: Effect.map(suffix, (text) => Webhook.EndpointId.make(`whk_${text}`)),
      event: Effect.map(suffix, (text) => `evt_${text}`),
      auditEntry: Effect.map(suffix, (text) => `aud_${text}`),
    })
  }

  /** From the platform's own source of randomness. */
  static readonly layer = Layer.sync(Identifiers, () => Identifiers.make(randomBytes))
}
