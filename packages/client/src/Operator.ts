/**
 * The operator's API over HTTP, as the same functions that `florin.operator` has in a process. It needs `effect`.
 *
 * @example
 * const operator = makeOperator({ baseUrl: "http://127.0.0.1:9464", apiKey, reason: "ticket 4711" })
 * for (const { id, name } of (await operator.partners.list()).partners) console.log(id, name)
 *
 * @module
 */
import * as Client from "@florin/api/operator/Client"
import { carrier, type OperatorOptions } from "./Carrier.ts"

export type { Client as Operator } from "@florin/api/operator/Client"
export type { OperatorOptions } from "./Carrier.ts"

export const makeOperator = (options: OperatorOptions): Client.Client =>
  Client.make(carrier(options))
