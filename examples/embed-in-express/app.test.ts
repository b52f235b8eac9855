import { once } from "node:events"
import { createServer } from "node:http"
import { suite } from "@florin/example-try-it/AppSuite"
import express from "express"
import { makeApp } from "./app.ts"

suite("Express", async ({ florin, port, receive }) => {
  const app = express()
  app.post("/webhooks", express.text({ type: "*/*" }), async ({ body, headers }, response) => {
    await receive(body, headers)
    response.end()
  })
  app.use(makeApp(florin))
  const server = createServer(app).listen(port, "127.0.0.1")
  await once(server, "listening")
  return () => server.close()
})
