/**
 * A shop's own Fastify server, with Florin in it.
 *
 * @module
 */
import { florinRoutes } from "@florin/server/fastify"
import type { Florin } from "@florin/server/Florin"
import { fastify, type FastifyInstance } from "fastify"

export const makeApp = (florin: Pick<Florin, "dispose" | "publicUrl" | "run">): FastifyInstance => {
  const app = fastify()

  app.register(florinRoutes(florin))

  app.get("/", () => "Blue Door Coffee")
  app.get("/menu", () => ({ coffee: "3.50", tea: "2.80" }))
  app.post("/orders", (request) => ({ ordered: request.body }))
  app.setNotFoundHandler((_request, reply) => reply.status(404).send("The shop has no such page."))

  return app
}
