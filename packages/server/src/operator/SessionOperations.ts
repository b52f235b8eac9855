/**
 * The session of a person of the operator in the console.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Session"
import * as Operation from "../Operation.ts"
import * as Sessions from "../Sessions.ts"

export const operations = Operation.operator(Contract.group, Sessions)
