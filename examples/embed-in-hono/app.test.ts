import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { makeApp } from "./app.ts"

/** Stands in for Florin on its own port, and passes every request to the test. */
const listen = async (handler: (request: Request) => Promise<Response>) => {
  const server = serve({ fetch: makeApp({ handler }).fetch, hostname: "127.0.0.1", port: 0 })
  await once(server, "listening")
  const address = server.address()
  return {
    baseUrl: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, "close")
    },
  }
}

const echo = async (request: Request) =>
  Response.json({
    asked: `${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`,
    key: request.headers.get("api-key"),
    body: await request.text(),
  })

const methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

describe("Florin in Hono", () => {
  it("leaves the shop its own routes", async () => {
    await using shop = await listen(echo)
    const menu = await fetch(`${shop.baseUrl}/menu`)
    assert.deepStrictEqual(await menu.json(), { coffee: "3.50", tea: "2.80" })
  })

  it("gets every other request as it was sent", async () => {
    await using shop = await listen(echo)
    const asked = await Promise.all(
      methods.map(async (method) => {
        const answer = await fetch(`${shop.baseUrl}/v1/any?limit=2&limit=%2F`, {
          method,
          headers: { "Api-Key": "flr_test_pk_1", "Content-Type": "application/json" },
          body: '{ "as": "it is" ',
        })
        return answer.json()
      }),
    )
    assert.deepStrictEqual(
      asked,
      methods.map((method) => ({
        asked: `${method} /v1/any?limit=2&limit=%2F`,
        key: "flr_test_pk_1",
        body: '{ "as": "it is" ',
      })),
    )
  })

  it("is under a path, if the shop mounts it there", async () => {
    const shop = new Hono().mount("/pay", echo)
    const answer = await shop.request("/pay/v1/any?limit=2", { method: "POST", body: "{}" })
    assert.deepStrictEqual(await answer.json(), {
      asked: "POST /v1/any?limit=2",
      key: null,
      body: "{}",
    })
  })

  it("learns that a caller went away", async () => {
    const caller = new AbortController()
    const { promise: gone, resolve: goes } = Promise.withResolvers<void>()
    await using shop = await listen(async (request) => {
      request.signal.addEventListener("abort", () => goes())
      caller.abort()
      await gone
      return new Response()
    })
    const call = fetch(`${shop.baseUrl}/v1/any`, { signal: caller.signal })
    await call.then(
      () => assert.fail("the call was not aborted"),
      (error: unknown) => assert.include(String(error), "AbortError"),
    )
    await gone
  })
})
