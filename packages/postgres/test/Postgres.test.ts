import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Signals } from "@florin/core/ports/Signals"
import type { Storage } from "@florin/core/ports/Storage"
import { createFlorin, type Florin } from "@florin/server/Florin"
import { SimulatedChain } from "@florin/testing/SimulatedChain"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Postgres from "../src/Postgres.ts"
import { address } from "./databases.ts"

const start = (database: Layer.Layer<Storage | Signals, unknown>): Florin =>
  createFlorin({
    payLinkHost: "pay.example.com",
    chains: SimulatedChain.layerChains({ unseenBalance: 1000 }),
    sealKey: new Uint8Array(32).fill(7),
    storage: database,
    signals: database,
  })

const call = async (florin: Florin, key: string, path: string, body?: object, headers = {}) => {
  const response = await florin.handler(
    new Request(`https://api.example.com${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "Api-Key": key, "Content-Type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, text: await response.text() }
}

const idIn = (text: string, prefix: string): string =>
  new RegExp(`${prefix}_[0-9A-Za-z]+`, "u").exec(text)?.[0] ??
  assert.fail(`no ${prefix}_ in ${text}`)

/** A partner's key, its merchant, and a payment. */
const open = async (florin: Florin) => {
  const partner = await florin.operator.createPartner({ name: "P" })
  const { text: key } = await florin.operator.issueKey({
    partnerId: partner.id,
    mode: "test",
    name: "k",
  })
  const merchant = await call(
    florin,
    key,
    "/v1/merchants",
    { merchantName: "Shop", merchantEmail: "a@b.example" },
    { "Idempotency-Key": "shop" },
  )
  const merchantId = idIn(merchant.text, "mrch")
  const payment = await call(florin, key, "/v1/payments", {
    referenceId: "R",
    amount: { unit: "iso4217/USD", value: "100" },
  })
  return { key, headers: { "Merchant-Id": merchantId }, id: idIn(payment.text, "pay") }
}

const statusOf = (text: string) => /"status":"(\w+)"/u.exec(text)?.[1]

describe("Postgres.layerEmbedded", () => {
  it("keeps everything in its directory from one process to the next", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "florin-embedded-"))
    try {
      const first = start(Postgres.layerEmbedded({ dataDir }))
      const { headers, id, key } = await open(first)
      await first.dispose()
      const second = start(Postgres.layerEmbedded({ dataDir }))
      const found = await call(second, key, `/v1/payments/${id}`, undefined, headers)
      assert.strictEqual(found.status, 200, found.text)
      const again = await call(
        second,
        key,
        "/v1/merchants",
        { merchantName: "Shop", merchantEmail: "a@b.example" },
        { "Idempotency-Key": "shop" },
      )
      assert.strictEqual(idIn(again.text, "mrch"), headers["Merchant-Id"])
      await second.dispose()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})

describe("Postgres.layer", () => {
  it.live("lets two services on one database wake each other's polls", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = Redacted.make(yield* address("empty"))
        const [one, two] = [start(Postgres.layer({ url })), start(Postgres.layer({ url }))]
        yield* Effect.promise(async () => {
          await Promise.all([one.ready(), two.ready()])
          const { headers, id, key } = await open(one)
          const path = `/v1/payments/${id}`
          const waiting = call(two, key, `${path}/status?maxPollMs=25000`, undefined, headers)
          const cancelled = await call(one, key, `${path}/cancel`, {}, headers)
          assert.strictEqual(statusOf(cancelled.text), "cancelled", cancelled.text)
          assert.strictEqual(statusOf((await waiting).text), "cancelled")
          await Promise.all([one.dispose(), two.dispose()])
        })
      }),
    ),
  )
})
