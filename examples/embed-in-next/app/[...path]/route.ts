/**
 * Serves Florin on every path that no other route of the app handles. Next prefers routes in folders with a fixed name.
 *
 * @module
 */
import { florin } from "../../florin.ts"

/** Run on Node.js, and never render a response before its request. */
export const runtime = "nodejs"
export const dynamic = "force-dynamic"

const handler = (request: Request): Promise<Response> => florin.handler(request)

export {
  handler as GET,
  handler as POST,
  handler as PUT,
  handler as PATCH,
  handler as DELETE,
  handler as OPTIONS,
}
