import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { suite } from "@florin/example-try-it/AppSuite"
import { serve } from "@hono/node-server"
import { makeApp } from "./app.ts"

suite("Hono", async ({ florin, port, receive }) => {
  const app = makeApp(florin)
  app.post("/webhooks", async (context) => {
    await receive(await context.req.text(), context.req.raw.headers)
    return context.body(null)
  })
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port })
  await once(server, "listening")
  return () => server.close()
})

describe("Florin in Hono", () => {
  it("learns that a caller disconnected", async () => {
    const caller = new AbortController()
    const { promise: gone, resolve: goes } = Promise.withResolvers<void>()
    const route = async (request: Request) => {
      request.signal.addEventListener("abort", () => goes())
      caller.abort()
      await gone
      return new Response()
    }
    const server = serve({ fetch: makeApp({ route }).fetch, hostname: "127.0.0.1", port: 0 })
    await once(server, "listening")
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1/any`
    await fetch(url, { signal: caller.signal }).then(
      () => assert.fail("the call was not aborted"),
      (error: unknown) => assert.include(String(error), "AbortError"),
    )
    await gone
    server.close()
  })
})
