/**
 * What needs the operator, over the operator's API.
 *
 * @module
 */
import * as Contract from "@florin/api/operator/Status"
import * as Status from "@florin/core/engine/Status"
import * as Effect from "effect/Effect"
import * as Operation from "../Operation.ts"
import * as StatusView from "../views/StatusView.ts"

export const operations = Operation.operator(Contract.group, {
  get: ({ display }) =>
    Effect.map(Status.look(), (status) => Operation.ok(StatusView.status(status, display.catalog))),
})
