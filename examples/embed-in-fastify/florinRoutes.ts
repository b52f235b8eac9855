/**
 * Florin as a Fastify plugin. It serves its own paths, below a prefix if there is one, and leaves all others to the
 * app.
 *
 * @module
 */
import type { Florin } from "@florin/server/Florin"
import * as NodeListener from "@florin/server/NodeListener"
import type { FastifyInstance } from "fastify"

export const florinRoutes =
  (florin: Pick<Florin, "run" | "dispose">) =>
  async (app: FastifyInstance): Promise<void> => {
    const listener = NodeListener.requestListener(florin)

    // Florin reads the bodies itself. Parsers are scoped to their plugin, so the app keeps its own.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser("*", (_request, _payload, done) => done(null))

    app.route({
      method: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: "/*",
      handler: (request, reply) => {
        // Florin sees the path after the prefix.
        request.raw.url = request.url.slice(app.prefix.length)
        listener(request.raw, reply.raw, () => reply.callNotFound())
      },
    })

    // Long polls get a response before the server closes, so that it does not have to wait for them.
    app.addHook("preClose", () => florin.dispose())
  }
