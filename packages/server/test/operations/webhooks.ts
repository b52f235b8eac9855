/**
 * Webhooks as a client creates and uses them, and the calls that their receivers get.
 *
 * @module
 */
import { assert } from "@effect/vitest"
import { Assets } from "@florin/core/ports/Assets"
import { type Call, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import * as WebhookSender from "@florin/core/workers/WebhookSender"
import { Effect } from "effect"
import * as WebhookBody from "../../src/WebhookBody.ts"
import * as Scene from "../scene.ts"

export const url = "https://hooks.example.com/florin?token=t0p-s3cret"

export const create = (key: string, body: Scene.Json = { url }) => ({
  path: "/v1/webhooks",
  key,
  headers: { "Idempotency-Key": Scene.fresh("webhook") },
  body,
})

/** A webhook that was just made. */
export const make = Effect.fnUntraced(function* (key: string, body?: Scene.Json) {
  const made = yield* Scene.send(create(key, body))
  assert.strictEqual(made.status, 201, made.text)
  return {
    id: Scene.text(made.body, "webhook", "id"),
    secret: Scene.text(made.body, "secret"),
    webhook: Scene.at(made.body, "webhook") ?? null,
  }
})

export const at = (id: string, tail = ""): string => `/v1/webhooks/${id}${tail}`

export const get = (key: string, id: string, tail = "") => Scene.send({ path: at(id, tail), key })

export const post = (key: string, id: string, tail: string, body?: Scene.Json) =>
  Scene.send({
    method: "POST",
    path: at(id, tail),
    key,
    headers: { "Idempotency-Key": Scene.fresh("post") },
    ...(body !== undefined && { body }),
  })

/** Sends due deliveries to receivers with this status; returns the calls. */
export const deliver = Effect.fnUntraced(function* (status = 200) {
  const calls: Array<Call> = []
  const transport = WebhookTransport.layerFunction((call) => {
    calls.push(call)
    return status
  })
  yield* WebhookSender.drain(WebhookBody.render(yield* Assets)).pipe(
    Effect.provide(transport),
    Effect.orDie,
  )
  return calls
})

/** A webhook with a delivered test event. */
export const hook = Effect.fnUntraced(function* (key: string) {
  const { id: webhookId } = yield* make(key)
  const tested = yield* post(key, webhookId, "/test")
  yield* deliver()
  return { webhookId, deliveryId: Scene.text(tested.body, "deliveryId") }
})
