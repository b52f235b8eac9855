/**
 * Florin in an Express app, or in any other app of Connect's kind. It may come before or after a JSON parser.
 *
 * @example
 * app.use(florinRoutes(florin))
 *
 * @module
 */
import type { Florin } from "../Florin.ts"
import * as NodeListener from "../NodeListener.ts"

/** Serves the API below the path of `publicUrl` and the checkout at the root. All other requests are the app's. */
export const florinRoutes = (florin: Pick<Florin, "publicUrl" | "run">) =>
  NodeListener.appListener(florin)
