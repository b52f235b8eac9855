/**
 * A public page next to the interface: anybody may read it without a key.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Problems from "../edge/Problems.ts"
import type * as Exchange from "../http/Exchange.ts"
import type * as Routing from "../http/Routing.ts"
import type * as Operation from "../operations/Operation.ts"

export interface Page extends Routing.Route {
  readonly _tag: "Page"
  readonly method: "GET"
  readonly respond: (
    incoming: Exchange.Incoming,
    params: Routing.Params,
  ) => Effect.Effect<Exchange.Outgoing | "absent" | null, Problems.Refusal, Operation.Ports>
}

/**
 * Makes a page. `respond` returns null if there is nothing under these parameters, and `"absent"` if there is nothing
 * and no other part of the server may respond.
 */
export const make = (path: string, respond: Page["respond"]): Page => ({
  _tag: "Page",
  method: "GET",
  path,
  respond,
})
