/**
 * Calls of the operator's API, over HTTP and in this process.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import * as PayerSession from "@florin/core/domain/ground/PayerSession"
import * as PaymentId from "@florin/core/domain/ground/PaymentId"
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/partner/Keys"
import * as PayerData from "@florin/core/engine/payment/PayerData"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { CollectDataPolicy } from "@florin/core/ports/CollectDataPolicy"
import { Effect, Layer } from "effect"
import * as Client from "../../src/operator/Client.ts"
import * as OperatorHandler from "../../src/OperatorHandler.ts"
import * as WebHandler from "../../src/WebHandler.ts"
import * as Settlements from "../operations/settlements.ts"
import * as Scene from "../scene.ts"

const parse = (text: string): Scene.Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Sends a request to the operator's port. */
export const send = (sent: Scene.Sent) =>
  Effect.gen(function* () {
    const handler = yield* Layer.build(OperatorHandler.layer)
    const response = yield* Effect.provide(WebHandler.respond(Scene.requestOf(sent)), handler)
    const text = yield* Effect.promise(() => response.text())
    const reply: Scene.Reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: parse(text),
    }
    return reply
  }).pipe(Effect.scoped)

export const operatorKey = (
  scopes: ReadonlyArray<ApiKey.OperatorScope>,
  more: Partial<Parameters<typeof Keys.issue>[0]> = {},
) =>
  Keys.issue({
    mode: null,
    owner: { _tag: "Operator", name: "Ada" },
    name: "Ada's laptop",
    expiresAt: null,
    scopes,
    ...more,
  }).pipe(Effect.orDie)

/** Calls the operations in this process. */
export const inProcess = Effect.map(Effect.context<Scene.Ports>(), (context) => {
  const client = Client.make(
    (effect) => Effect.runPromise(Effect.provideContext(effect, context)),
    { publicUrl: "https://pay.example.com", console: null, operatorUrl: () => null },
  )
  return <A>(call: (operator: Client.Client) => Promise<A>) => Effect.promise(() => call(client))
})

/** The audit log, newest first. */
export const entries = Effect.gen(function* () {
  const { items } = yield* (yield* AuditStore).entries({}, { after: null, limit: 10_000 })
  return items.map(({ entry }) => entry)
})

/** What the newest entry says. */
export const newest = Effect.map(entries, ([entry = assert.fail("no entry")]) => ({
  action: entry.action,
  subject: entry.subject,
  changes: entry.changes,
}))

/** Partners, and an operator who may do everything to a group: over HTTP, and in this process. */
export const begin = (group: string) =>
  Effect.gen(function* () {
    const { other, own, walletKey } = yield* Scene.make
    const { text: key } = yield* operatorKey(["read", "support", "treasury", "admin"])
    const inProcessAs = yield* inProcess
    const call = (method: string, path: string, body?: Scene.Json) =>
      send({
        method,
        key,
        path: `/operator/v1/${group}${path}`,
        headers: { "Idempotency-Key": Scene.fresh(group) },
        ...(body !== undefined && { body }),
      })
    return { own, other, walletKey, inProcess: inProcessAs, send: call }
  })

/** Everything that can wait for the operator does. */
export const settings = {
  approveMerchants: "always",
  secondPerson: false,
  destinationDelayInMs: { test: 3_600_000, live: 3_600_000 },
} as const

/** Registers a destination and changes it to the stranger's account; returns its id. The change waits. */
export const waitingDestination = Effect.fnUntraced(function* ({
  key,
  merchantId,
}: {
  readonly key: string
  readonly merchantId: string
}) {
  const registering = Settlements.registering(key, merchantId, [
    Settlements.entry(Settlements.assets.usdcOnBase),
  ])
  const made = yield* Scene.send(registering)
  const id = Scene.text(made.body, "settlements", 0, "id")
  const changed = yield* Scene.send({
    method: "PUT",
    path: `/v1/merchants/${merchantId}/settlements/crypto/${id}`,
    key,
    body: { destination: Scene.accountOf(Scene.stranger, Scene.chains.eip3009) },
  })
  assert.property(changed.body, "takesEffectAt", changed.text)
  return id
})

export const ada = {
  fullName: "Ada Lovelace",
  dob: "1990-12-10",
  porCountry: "GB",
  porAddress: "12 St James’s Square",
  tosConfirmed: true,
} as const

/** Creates a payment whose payer entered personal data; returns its id. */
export const collected = Effect.fnUntraced(function* ({
  key,
  merchantId,
}: {
  readonly key: string
  readonly merchantId: string
}) {
  const id = PaymentId.PaymentId.make(yield* Scene.createPayment(key, merchantId))
  const session = PayerSession.ofBytes(new Uint8Array(32))
  const fields = Object.entries(ada).map(([field, value]) => ({ id: field, value: String(value) }))
  const payer = Scene.payer.account(Scene.chains.eip3009)
  yield* PayerData.collect(id, payer, session, fields).pipe(
    Effect.provide(CollectDataPolicy.layerAlways),
    Effect.orDie,
  )
  return id
})
