/**
 * Verification of webhooks by a receiver: it accepts only what the service signed.
 *
 * @module
 */
import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as Webhook from "@florin/core/domain/notify/Webhook"
import * as Event from "@florin/core/domain/payment/Event"
import * as Counts from "@florin/testing/Counts"
import * as HostileText from "@florin/testing/HostileText"
import { Effect, Result } from "effect"
import {
  type EventType,
  type FlorinEvent,
  InvalidWebhook,
  verifyWebhook,
  type WebhookCall,
} from "../src/Client.ts"

const secretOf = (byte: number, length = 32) =>
  Result.getOrThrow(Webhook.makeSecret(new Uint8Array(length).fill(byte)))

const [secret, next] = [secretOf(1), secretOf(2)]
const event = {
  id: "evt_1",
  type: "payment.succeeded",
  timestamp: "2026-11-23T20:00:00.000Z",
  data: { paymentId: "pay_1", referenceId: "Café ☕" },
}
const body = JSON.stringify(event)

/** The headers that the service sends with a body, some seconds ago. */
const signed = (
  text = body,
  { agoInS = 0, secrets = [secret] }: { agoInS?: number; secrets?: Array<Webhook.Secret> } = {},
) => Result.getOrThrow(Webhook.headers(secrets, "evt_1", text, Date.now() - agoInS * 1000))

const call = (changes: Partial<WebhookCall> = {}): WebhookCall => ({
  body,
  headers: { ...signed() },
  secret,
  ...changes,
})

const reasonOf = (changes: Partial<WebhookCall>): Promise<string> =>
  verifyWebhook(call(changes)).then(
    () => "it was taken",
    (error: unknown) => (error instanceof InvalidWebhook ? error.reason : String(error)),
  )

describe("verifyWebhook accepts what the service signed", () => {
  const capitals = Object.fromEntries(
    Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]),
  )
  const calls: { readonly [name: string]: Partial<WebhookCall> } = {
    "with the headers of a Request": { headers: new Headers({ ...signed() }) },
    "with the headers of Node": { headers: { ...signed(), host: "shop", "set-cookie": ["a"] } },
    "with headers in capitals": { headers: capitals },
    "as bytes": { body: new TextEncoder().encode(body) },
    "as a Buffer": { body: Buffer.from(body) },
    "with a time from a clock that is a little behind": {
      headers: { ...signed(body, { agoInS: -200 }) },
    },
    "with a secret of 24 bytes": {
      secret: secretOf(3, 24),
      headers: { ...signed(body, { secrets: [secretOf(3, 24)] }) },
    },
    "with a secret of 64 bytes": {
      secret: secretOf(3, 64),
      headers: { ...signed(body, { secrets: [secretOf(3, 64)] }) },
    },
    "with both secrets of a rotation, for a receiver that has the old one": {
      headers: { ...signed(body, { secrets: [next, secret] }) },
    },
    "with both secrets of a rotation, for a receiver that has the new one": {
      secret: next,
      headers: { ...signed(body, { secrets: [next, secret] }) },
    },
    "with the old secret, for a receiver that has both": { secret: [next, secret] },
    "and signatures of other versions": {
      headers: { ...signed(), "webhook-signature": `v1a,x v2,y ${signed()["webhook-signature"]}` },
    },
    "long ago, if the tolerance allows it": {
      headers: { ...signed(body, { agoInS: 3600 }) },
      toleranceInS: 4000,
    },
  }
  for (const [name, changes] of Object.entries(calls)) {
    it(name, async () => {
      assert.deepStrictEqual<unknown>(await verifyWebhook(call(changes)), event)
    })
  }
})

describe("verifyWebhook refuses", () => {
  const {
    "webhook-id": id,
    "webhook-signature": signature,
    "webhook-timestamp": timestamp,
  } = signed()
  const headers = {
    "webhook-id": id,
    "webhook-signature": signature,
    "webhook-timestamp": timestamp,
  }
  const cases: ReadonlyArray<readonly [name: string, reason: string, Partial<WebhookCall>]> = [
    ["another body", "signature", { body: `${body} ` }],
    ["another id", "signature", { headers: { ...headers, "webhook-id": "evt_2" } }],
    [
      "another time",
      "signature",
      { headers: { ...headers, "webhook-timestamp": String(Number(timestamp) + 1) } },
    ],
    ["another's secret", "signature", { secret: next }],
    [
      "the end of a signature cut off",
      "signature",
      { headers: { ...headers, "webhook-signature": signature.slice(0, -1) } },
    ],
    [
      "a signature of another version",
      "signature",
      { headers: { ...headers, "webhook-signature": signature.replace("v1,", "v2,") } },
    ],
    ["no signature", "headers", { headers: { ...headers, "webhook-signature": undefined } }],
    ["no headers", "headers", { headers: new Headers() }],
    ["a call from six minutes ago", "timestamp", { headers: { ...signed(body, { agoInS: 360 }) } }],
    ["a call from the future", "timestamp", { headers: { ...signed(body, { agoInS: -360 }) } }],
    ["a signed body that is not JSON", "body", { body: "{", headers: { ...signed("{") } }],
    ["a signed body that is not an event", "body", { body: "[]", headers: { ...signed("[]") } }],
  ]
  for (const [name, reason, changes] of cases) {
    it(name, async () => {
      assert.strictEqual(await reasonOf(changes), reason)
    })
  }

  it.effect.prop(
    "any text instead of a header, with its own error only",
    [HostileText.near([id, timestamp, signature])],
    ([text]) =>
      Effect.promise(async () => {
        for (const name of Object.keys(headers)) {
          // oxlint-disable-next-line no-await-in-loop -- One after the other.
          const reason = await reasonOf({ headers: { ...headers, [name]: text } })
          assert.match(reason, /^(?:headers|signature|it was taken)$/u)
        }
      }),
    { arbitrary: { runs: Counts.of({ usual: 200, full: 10_000 }) } },
  )

  it("never repeats the call in its message", async () => {
    const error: unknown = await verifyWebhook(call({ secret: next })).catch(
      (refused: unknown) => refused,
    )
    assert.instanceOf(error, InvalidWebhook)
    for (const text of [next, signature, "pay_1"]) assert.notInclude(String(error), text)
  })
})

describe("verifyWebhook throws for a mistake of the receiver", () => {
  const rejects = async (changes: object, message: string) => {
    const error: unknown = await verifyWebhook({ ...call(), ...changes }).catch(
      (refused: unknown) => refused,
    )
    assert.instanceOf(error, TypeError)
    assert.include(String(error), message)
  }

  it("if the body was parsed before", () => rejects({ body: event }, "before any parser of JSON"))

  it("if the secret is invalid or missing", async () => {
    for (const wrong of [
      "",
      "secret",
      "whsec_",
      "whsec_%%%",
      `${secret}=`,
      `${secret.slice(0, -1)}AA`,
      secret.slice(6),
      [],
      undefined,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- One after the other.
      await rejects({ secret: wrong }, "secret must be whsec_")
    }
  })
})

describe("FlorinEvent", () => {
  /** A case for each type, or it does not compile; each knows what its data holds. */
  const subjectOf = (told: FlorinEvent): string => {
    switch (told.type) {
      case "payment.created":
      case "payment.processing":
      case "payment.succeeded":
      case "payment.failed":
      case "payment.expired":
      case "payment.cancelled":
      case "payment.settled":
      case "settlement.held":
        return told.data.paymentId
      case "refund.pending":
      case "refund.processing":
      case "refund.succeeded":
      case "refund.held":
        return told.data.refund?.refundId ?? ""
      case "settlement_destination.changed":
        return told.data.settlementId
      case "webhook.test":
        return told.data.webhookId
    }
  }

  it("has a type for every event of the service", () => {
    const types: ReadonlyArray<EventType> = [...Event.eventTypes, Event.webhookTest]
    assert.lengthOf(new Set(types), 14)
    const one: FlorinEvent<"webhook.test"> = {
      id: "evt_1",
      type: "webhook.test",
      timestamp: "",
      data: { webhookId: "whk_1" },
    }
    assert.strictEqual(subjectOf(one), "whk_1")
  })
})
