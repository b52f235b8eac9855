/**
 * Calls of the operator's API, over HTTP and in this process.
 *
 * @module
 */
import type * as ApiKey from "@florin/core/domain/partner/ApiKey"
import * as Keys from "@florin/core/engine/Keys"
import { AuditStore } from "@florin/core/ports/AuditStore"
import { Effect, Layer } from "effect"
import * as Client from "../../src/operator/Client.ts"
import * as OperatorHandler from "../../src/OperatorHandler.ts"
import * as WebHandler from "../../src/WebHandler.ts"
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

/** The operations in this process: `yield* (yield* Calls.inProcess)(({ merchants }) => merchants.get(…))`. */
export const inProcess = Effect.map(Effect.context<Scene.Ports>(), (context) => {
  const client = Client.make(
    (effect) => Effect.runPromise(Effect.provideContext(effect, context)),
    "https://pay.example.com",
  )
  return <A>(call: (operator: Client.Client) => Promise<A>) => Effect.promise(() => call(client))
})

/** The audit log, newest first. */
export const entries = Effect.gen(function* () {
  const { items } = yield* (yield* AuditStore).entries({}, { after: null, limit: 10_000 })
  return items.map(({ entry }) => entry)
})
