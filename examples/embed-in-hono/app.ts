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

  // Last, so that the shop's own routes come first: Florin answers all else, and 404 what it does not know.
  app.all("*", (context) => florin.handler(context.req.raw))

  return app
}
