/**
 * A shop's own Hono app, with Florin under it.
 *
 * @module
 */
import type { Florin } from "@florin/server/Florin"
import { Hono } from "hono"

export const makeApp = (florin: Pick<Florin, "handler">): Hono => {
  const app = new Hono()

  app.get("/menu", (context) => context.json({ coffee: "3.50", tea: "2.80" }))

  // Last, so that the shop's own routes come first. Florin handles all other paths, and responds with 404 to unknown
  // ones.
  app.all("*", (context) => florin.handler(context.req.raw))

  return app
}
