import { assert, describe, it } from "@effect/vitest"
import { type Call, WebhookTransport } from "@florin/core/ports/WebhookTransport"
import { Effect } from "effect"

const call = (url: string): Call => ({
  url,
  headers: {
    "webhook-id": "msg_1",
    "webhook-timestamp": "1790000000",
    "webhook-signature": "v1,x",
  },
  body: '{"type":"payment.created"}',
})

describe("WebhookTransport.layerFunction", () => {
  it.effect(
    "passes each call to the function unchanged, once, and returns the function's status",
    () => {
      const calls: Array<Call> = []
      const layer = WebhookTransport.layerFunction((each) => {
        calls.push(each)
        return each.url.endsWith("/gone") ? 410 : 200
      })
      return Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const gone = transport.post(call("https://shop.example/gone"))
        assert.deepStrictEqual(calls, [])
        assert.strictEqual(yield* gone, 410)
        assert.strictEqual(yield* transport.post(call("https://shop.example/hook")), 200)
        assert.deepStrictEqual(calls, [
          call("https://shop.example/gone"),
          call("https://shop.example/hook"),
        ])
      }).pipe(Effect.provide(layer))
    },
  )
})
