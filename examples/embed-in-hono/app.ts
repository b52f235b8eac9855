/**
 * A shop's own Hono app, with Florin in it.
 *
 * @module
 */
import type { Florin } from "@florin/server/Florin"
import { florinRoutes } from "@florin/server/hono"
import { Hono } from "hono"

export const makeApp = (florin: Pick<Florin, "route">): Hono => {
  const app = new Hono()

  app.use(florinRoutes(florin))

  app.get("/", (context) => context.text("Blue Door Coffee"))
  app.get("/menu", (context) => context.json({ coffee: "3.50", tea: "2.80" }))
  app.post("/orders", async (context) => context.json({ ordered: await context.req.json() }))
  app.notFound((context) => context.text("The shop has no such page.", 404))

  return app
}
