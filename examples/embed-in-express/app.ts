/**
 * A shop's own Express app, with Florin in it.
 *
 * @module
 */
import type { Florin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import express, { type Express } from "express"

export const makeApp = (florin: Pick<Florin, "run">): Express => {
  const app = express()
  const florinRoutes = NodeListener.requestListener(florin)

  // A JSON parser may run before Florin, which then reads the parsed body.
  app.use(express.json())

  // The API, under a path of the shop: https://shop.example/pay/v1/…
  app.use("/pay", florinRoutes)
  // The checkout is at the root, because payment links lead there. Other requests pass to the routes below.
  app.use(florinRoutes)

  app.get("/", (_request, response) => void response.send("Blue Door Coffee"))
  app.get("/menu", (_request, response) => void response.json({ coffee: "3.50", tea: "2.80" }))
  app.post("/orders", (request, response) => void response.json({ ordered: request.body }))
  app.use((_request, response) => void response.status(404).send("The shop has no such page."))

  return app
}
