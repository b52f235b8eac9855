/**
 * Florin in a Hono app. Put it before middleware that reads bodies.
 *
 * @example
 * app.use(florinRoutes(florin))
 *
 * @module
 */
import type { Florin } from "../Florin.ts"

/** What Florin uses of Hono. */
export interface Context {
  readonly req: { readonly raw: Request }
}

/** Serves the API below the path of `publicUrl` and the checkout at the root. All other requests are the app's. */
export const florinRoutes =
  (florin: Pick<Florin, "route">) =>
  async ({ req }: Context, next: () => Promise<void>): Promise<Response | void> =>
    (await florin.route(req.raw)) ?? next()
