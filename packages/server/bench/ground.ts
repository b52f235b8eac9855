/**
 * What both servers stand on: the service in memory on the simulated chain, a key, and a payment that eight accounts can
 * pay in one way each.
 *
 * @module
 */
import process from "node:process"
import * as Fees from "@florin/core/domain/money/Fees"
import * as Keys from "@florin/core/engine/Keys"
import * as Merchants from "@florin/core/engine/Merchants"
import * as Payments from "@florin/core/engine/Payments"
import { Identifiers } from "@florin/core/ports/Identifiers"
import * as Service from "@florin/testing/Service"
import { Clock, Effect, Schema } from "effect"

export const publicUrl = "https://pay.example.com"

export const layer = Service.layer({
  identifiers: Identifiers.layer,
  chain: { blocks: "instant", unseenBalance: 1_000_000 },
})

/** What a server tells when it listens. */
export interface Started extends Schema.Schema.Type<typeof Started> {}
export const Started = Schema.Struct({
  port: Schema.Int,
  key: Schema.String,
  paymentId: Schema.String,
})

/** What a server tells of itself when it is asked. */
export interface Usage extends Schema.Schema.Type<typeof Usage> {}
export const Usage = Schema.Struct({ cpuInMs: Schema.Finite, rssBytes: Schema.Finite })

/** A day: longer than any run. */
const lifeInS = 24 * 60 * 60

/** Makes what is asked about. */
export const seed = Effect.gen(function* () {
  const partner = yield* Keys.createPartner({ name: "Bench", feeTerms: Fees.none })
  const key = yield* Keys.issue({
    mode: "test",
    owner: { _tag: "Partner", partnerId: partner.id },
    name: "Bench",
    expiresAt: null,
  })
  yield* Merchants.create({
    tenant: { partnerId: partner.id, mode: "test" },
    name: "Corner Shop",
    email: "shop@example.com",
    idempotencyKey: "bench",
  })
  const { payment } = yield* Payments.create({
    partner,
    mode: "test",
    merchantId: undefined,
    request: {
      referenceId: "ORDER-1",
      amount: { unit: token, value: "1234" },
      expiresAt: Math.floor((yield* Clock.currentTimeMillis) / 1000) + lifeInS,
    },
  })
  return { key: key.text, paymentId: payment.id }
})

/** Tells that a server listens, and from then on what it uses whenever it is asked. */
export const tell = (started: Started): void => {
  process.on("message", (asked) => {
    if (asked === "memory") globalThis.gc?.()
    const { system, user } = process.cpuUsage()
    const usage: Usage = {
      cpuInMs: (system + user) / 1000,
      rssBytes: process.memoryUsage().rss,
    }
    process.send?.(usage)
  })
  process.once("disconnect", () => process.exit())
  process.send?.(started)
}

const chain = "eip155:8453"
const token = `caip19/${chain}/erc20:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913`

/** Eight accounts: with a payment that is asked in one token, eight options. */
export const accounts = Array.from(
  { length: 8 },
  (_, index) => `${chain}:0x${String(index + 1).repeat(40)}`,
)
