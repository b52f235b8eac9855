/**
 * Commands of a partner, whose endpoints are those of the partner's contract. They call a service with the partner's
 * key.
 *
 * @module
 */
import { Refused, Unreachable } from "@florin/client"
import { carrier } from "@florin/client/Carrier"
import * as Effect from "effect/Effect"
import * as Asked from "../access/Asked.ts"
import * as ServiceAccess from "../access/ServiceAccess.ts"
import * as Failure from "../terminal/Failure.ts"
import * as Command from "./Command.ts"

const failureOf = (error: unknown, wording: Command.Wording) => {
  const { explain = (why) => why, unanswered } = wording
  if (error instanceof Unreachable && unanswered !== undefined) {
    return Failure.make(`${Asked.reason(error)}, ${unanswered}`)
  }
  return error instanceof Refused && error.issues.length > 0
    ? Command.failureOf(error, wording)
    : Failure.make(explain(Asked.reason(error)))
}

const carryOf = ({ apiKey, baseUrl, merchantId }: ServiceAccess.Opened) =>
  Asked.makeClient(() =>
    Object.assign(carrier({ baseUrl, apiKey, ...(merchantId !== undefined && { merchantId }) }), {
      isLive: ServiceAccess.isLive(apiKey),
    }),
  )

const { merchant, connectFlags: flags } = ServiceAccess
const openAll = (given: ServiceAccess.Given) => Effect.flatMap(ServiceAccess.ofAll(given), carryOf)
const openOne = (given: ServiceAccess.Given) => Effect.flatMap(ServiceAccess.ofOne(given), carryOf)

/** About all merchants of the partner. */
export const ofAll = Command.over({ flags, open: openAll, failureOf })

/** About all merchants, or about one if it is named. */
export const ofAny = Command.over({ flags: { ...flags, merchant }, open: openAll, failureOf })

/** About one merchant. */
export const ofOne = Command.over({ flags: { ...flags, merchant }, open: openOne, failureOf })
