/**
 * A shop's own Fastify server, with Florin under it.
 *
 * @module
 */
import type { Florin } from "@florin/server/Florin"
import { fastify, type FastifyInstance } from "fastify"
import { florinRoutes } from "./florinRoutes.ts"

export const makeApp = (florin: Pick<Florin, "run" | "dispose">): FastifyInstance => {
  const app = fastify()

  app.get("/menu", () => ({ coffee: "3.50", tea: "2.80" }))
  app.post("/orders", (request) => ({ ordered: request.body }))

  app.setNotFoundHandler((_request, reply) => reply.status(404).send("The shop has no such page."))

  app.register(florinRoutes(florin))
  return app
}
