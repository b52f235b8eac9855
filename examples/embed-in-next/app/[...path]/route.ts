/**
 * Every path that no other route of the app takes is Florin's: the routes of a folder with a name of its own come first.
 *
 * @module
 */
import { florin } from "../../florin.ts"

/** What Next runs this on, and that no answer is made ahead of its request. */
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
