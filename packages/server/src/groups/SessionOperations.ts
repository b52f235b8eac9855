/**
 * A partner's session in the console over HTTP.
 *
 * @module
 */
import * as Contract from "@florin/api/groups/Session"
import * as Operation from "../Operation.ts"
import * as Sessions from "../Sessions.ts"

export const operations = Operation.partner(Contract.group, Sessions)
