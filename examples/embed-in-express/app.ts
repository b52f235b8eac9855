/**
 * A shop's own Express app, with Florin in it.
 *
 * @module
 */
import { florinRoutes } from "@florin/server/express"
import type { Florin } from "@florin/server/Florin"
import express, { type Express } from "express"

export const makeApp = (florin: Pick<Florin, "publicUrl" | "run">): Express => {
  const app = express()

  app.use(express.json())
  app.use(florinRoutes(florin))

  app.get("/", (_request, response) => void response.send("Blue Door Coffee"))
  app.get("/menu", (_request, response) => void response.json({ coffee: "3.50", tea: "2.80" }))
  app.post("/orders", (request, response) => void response.json({ ordered: request.body }))
  app.use((_request, response) => void response.status(404).send("The shop has no such page."))

  return app
}
